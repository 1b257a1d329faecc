// Texts of the errors that the tool reports.
#pragma once

#include "base/message.hpp"

namespace quern::tool::message {

using base::Message;

// Command line
inline constexpr Message<1> kTakesNoValue{"'{}' takes no value"};
inline constexpr Message<1> kRequiresValue{"'{}' requires a value"};
inline constexpr Message<2> kUnexpectedArgument{"'{}' is an unexpected argument", "{}"};
inline constexpr Message<3> kInvalidValue{"invalid value '{}' for {}", "use {}"};
inline constexpr Message<3> kUnknownTarget{"unknown target '{}'", "use one of {}{}, all"};
inline constexpr Message<2> kUnknownCommand{"unknown command '{}'", "{}"};
inline constexpr Message<2> kUnknownSubcommand{"unknown subcommand '{}'", "use {}"};
inline constexpr Message<1> kCacheNeedsFile{"quern cache {} requires a file name"};
inline constexpr Message<0> kBenchNeedsOps{"bench requires what to measure",
                                           "write `quern bench ops`; see `quern bench --help`"};
inline constexpr Message<0> kTuneNeedsShape{"tune requires an operation and a shape",
                                            "see the examples in `quern tune --help`"};
inline constexpr Message<0> kCheckNeedsFiles{"check requires files or folders",
                                             "see the examples in `quern check --help`"};
inline constexpr Message<0> kCompletionNeedsShell{"completion requires bash, zsh or fish",
                                                  "see the examples in `quern completion --help`"};
inline constexpr Message<0> kEmitNeedsFile{"emit requires one FILE[:KERNEL]",
                                           "see the examples in `quern emit --help`"};
inline constexpr Message<0> kProfileNeedsProgram{
    "profile requires a program to run",
    "write it after --, as in `quern profile -- ./program its arguments`"};
inline constexpr Message<0> kMergeNeedsFiles{
    "profile --merge requires traces and the file to write",
    "write `quern profile --merge a.trace.json b.trace.json -o all.trace.json`"};
inline constexpr Message<0> kRanksNeedProgram{
    "run-distributed requires a program to run",
    "write it after --, as in `quern run-distributed -n 4 -- ./program its arguments`"};
inline constexpr Message<1> kNoLauncher{
    "run-distributed failed: no launcher of {} was found in PATH",
    "install Open MPI or MPICH (Debian and Ubuntu: openmpi-bin or mpich), or pass --mpi PATH"};
inline constexpr Message<1> kUnknownLauncher{
    "run-distributed failed: '{}' is no launcher of Open MPI or MPICH",
    "pass openmpi, mpich or the path of an mpirun"};
inline constexpr Message<1> kRanksFailed{"run-distributed failed: {}"};
inline constexpr Message<2> kRanksMissing{"run-distributed failed: {} of {} ranks started",
                                          "see the output of the launcher"};
inline constexpr Message<0> kReplayNeedsRecording{"replay requires one recording",
                                                  "see `quern replay --help` for how to create one"};
inline constexpr Message<0> kRunNeedsFile{"run requires FILE[:KERNEL] and arguments",
                                          "see the examples in `quern run --help`"};
inline constexpr Message<0> kRingNeedsCommand{"ring requires bench, run, top or inspect",
                                              "see the examples in `quern ring --help`"};
inline constexpr Message<0> kRingNeedsFile{"ring run requires a file with an actor, and messages",
                                           "see the examples in `quern ring --help`"};
inline constexpr Message<1> kRingUsage{"{}", "see the options in `quern ring --help`"};
inline constexpr Message<1> kNeedsSimulator{"{} requires the simulator", "add --on sim"};
inline constexpr Message<0> kGridAndThreads{"--grid and --threads cannot be combined",
                                            "use one of them; --block works with either"};
inline constexpr Message<2> kTargetArch{
    "--target {} does not support --arch '{}'",
    "use, for example, sm_90 (cuda, ptx), '450 core' (glsl), '310 es' (essl) or 3.2 (msl)"};
inline constexpr Message<1> kTargetBindings{"--target {} does not support --bindings", "use --target spirv"};
inline constexpr Message<0> kOutputNeedsTarget{"-o requires one --target other than ir"};

inline constexpr Message<1> kUnknownOption{"unknown option '{}'"};
inline constexpr Message<1> kDidYouMean{"did you mean {}?"};
inline constexpr Message<1> kUseOneOf{"use one of {}"};
inline constexpr std::string_view kRunAgain = "run it again, or on another device with --on";

// Files and kernels
inline constexpr Message<2> kUnknownBuffer{"'{}' has no buffer '{}'"};
inline constexpr Message<2> kNoActor{"{} has no valid actor: {}"};
inline constexpr Message<1> kNameKind{"name actors in a namespace as {}:NAMESPACE"};
inline constexpr Message<2> kNoMessage{"no message given for {}",
                                       "write the fields ({}) in braces, as in {1, 2}, or a single number"};
inline constexpr Message<1> kWriteFields{"write the fields {}"};
inline constexpr Message<1> kNoSuchFile{"there is no file or folder '{}'"};
inline constexpr Message<1> kNoCuFile{"there is no .cu file in {}"};
inline constexpr Message<1> kNoKernel{"there is no kernel in {}", "declare a kernel with __global__"};
inline constexpr Message<4> kKernelSkipped{"{}:{}: kernel '{}' is skipped: {}"};
inline constexpr Message<5> kSeveralKernels{"{} has {}, and none is specified", "write {}:{} (also: {})"};
inline constexpr Message<4> kArgumentCount{"'{}' takes {}, {} were given", "pass ({})"};
inline constexpr Message<2> kBufferForValue{"parameter '{}' is {}, but a buffer was given", "write a number"};
inline constexpr Message<0> kUnknownTypes{"the types of scalar parameters of raw code are unknown"};
inline constexpr Message<3> kValueForBuffer{"parameter '{}' is {}, but '{}' was given",
                                            "write a buffer, as in f32[1024]=0"};
inline constexpr Message<1> kTooManyThreads{"{} threads do not fit in one grid dimension",
                                            "use --grid X,Y,Z"};
inline constexpr Message<4> kOutsideBuffer{"'{}' is outside '{}', which has {}", "write {}[first:end]"};
inline constexpr Message<1> kEmptyActorName{"'{}' contains an empty actor name"};
inline constexpr Message<1> kNotStatusFile{"'{}' is not a status file",
                                           "write one with QUERN_STATUS=FILE ./program"};
inline constexpr Message<1> kInvalidTrace{"the trace {}"};
inline constexpr Message<1> kCacheDisabled{"the cache is disabled: {}"};
inline constexpr Message<0> kNoCpuDriver{"this build has no cpu driver",
                                         "configure with -DQUERN_DRIVER_CPU=ON"};

// Processes
inline constexpr Message<1> kPipeFailed{"creating a pipe failed: {}"};
inline constexpr Message<2> kRunFailed{"running '{}' failed: {}"};
inline constexpr Message<0> kNoTemporaryFolder{"creating a temporary folder failed",
                                               "set TMPDIR to a writable folder"};
inline constexpr Message<1> kNoTrace{"'{}' wrote no trace: it does not use Quern, or opened no device",
                                     "check with ldd whether the program uses libquern.so"};
inline constexpr Message<2> kProgramFailed{"'{}' failed: exit code {}"};
inline constexpr Message<1> kOutputFailed{"writing to standard output failed{}"};
inline constexpr Message<0> kOutOfMemory{"out of memory"};
inline constexpr Message<1> kInternal{"internal error: {}"};

}  // namespace quern::tool::message

// quern profile: runs a program that uses this library and reports what ran on each device, and how fast.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "messages.hpp"
#include "pipe.hpp"
#include "profile/bandwidth.hpp"
#include "profile/merge.hpp"
#include "profile/passed_signals.hpp"
#include "profile/report.hpp"

namespace quern::tool {

namespace {

constexpr Arguments::Option kOptions[] = {
    {"--output", true}, {"-o", true}, {"--telemetry", true}, {"--merge"}, {"--json"}, {"--help"}, {"-h"}};

constexpr std::string_view kHelp =
    R"(usage: quern profile [--output NAME] [--telemetry SECONDS] [--json] -- PROGRAM [ARGUMENT…]
       quern profile --merge FILE.trace.json… -o NAME.trace.json

Runs a program that uses this library and reports what ran on its devices: calls, times by the device's clock, share of
the total time, bytes per second, and their percentage of the device's bandwidth (measured once per device by a copy).
Writes PROGRAM.trace.json for https://ui.perfetto.dev, and PROGRAM.html. If several processes use the library, each one
has its own table and files: PROGRAM.2.trace.json and so on, in the order in which they ended. The files of processes that
mpirun, srun or `quern run-distributed` started have the rank in their names: PROGRAM.rank2.trace.json.

  -o, --output NAME  write NAME.trace.json and NAME.html instead
  --telemetry SECONDS
                     also read temperature, power, clocks and utilization of the devices at this interval; the trace and
                     the page show them as counters, and the table marks a device that was throttled
  --merge            merge traces of several processes into one, with one process per rank
  --json             machine-readable table; the program's own output then goes to standard error

examples:
  quern profile -- ./simulate 1000
  quern profile -- quern run examples/saxpy.cu 1000 3 f32[1000]=iota f32[1000]=1 --repeat 20
  quern profile -o run -- quern run-distributed -n 4 -- ./simulate 1000
  quern profile --merge run.rank*.trace.json -o all.trace.json

Without this command, use: QUERN_TRACE=file.json ./simulate 1000

exit code: the program's own; 2 invalid usage; 3 it wrote no trace, or a file cannot be written
)";

// Returns the program's exit code; 128 plus the signal number if a signal ended it.
base::Result<int> run_program(const std::vector<std::string>& words, const std::string& trace,
                              const std::string& telemetry, bool to_stderr) {
  std::vector<char*> arguments;
  for (const std::string& w : words)
    arguments.push_back(const_cast<char*>(w.c_str()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  arguments.push_back(nullptr);
  std::fflush(stdout);
  int failure[2];
  if (make_pipe(failure) != 0)
    return base::Error(base::ErrorKind::io, message::kPipeFailed(std::strerror(errno)));
  PassedSignals signals;
  const pid_t child = ::fork();
  if (child == 0) {
    signals.release();
    ::setenv("QUERN_TRACE", trace.c_str(), 1);
    if (!telemetry.empty()) ::setenv("QUERN_TRACE_TELEMETRY", telemetry.c_str(), 1);
    if (to_stderr) ::dup2(STDERR_FILENO, STDOUT_FILENO);
    ::execvp(arguments[0], arguments.data());
    const int why = errno;
    (void)!::write(failure[1], &why, sizeof(why));
    ::_exit(127);
  }
  if (child > 0) signals.pass_to(child);
  ::close(failure[1]);
  int why = 0;
  const bool has_failed = child < 0 || ::read(failure[0], &why, sizeof(why)) == sizeof(why);
  ::close(failure[0]);
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (has_failed)
    return base::Error(base::ErrorKind::not_found,
                       message::kRunFailed(words[0], std::strerror(child < 0 ? errno : why)));
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// A folder for the traces of the program and of the processes that it starts.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const std::string where = base::env_text("TMPDIR").value_or("/tmp");
    std::error_code ignored;  // the program may change its working directory
    const std::filesystem::path all = std::filesystem::absolute(where, ignored);
    std::string path = base::join_path(all.string(), "quern-trace-XXXXXX");
    if (::mkdtemp(path.data()) != nullptr) path_ = std::move(path);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  // Ordered by modification time.
  std::vector<std::string> files() const {
    std::vector<std::pair<std::filesystem::file_time_type, std::string>> all;
    std::error_code ignored;
    for (const auto& file : std::filesystem::directory_iterator(path_, ignored))
      all.emplace_back(file.last_write_time(ignored), file.path().string());
    std::sort(all.begin(), all.end());
    std::vector<std::string> paths;
    for (auto& [time, path] : all) paths.push_back(std::move(path));
    return paths;
  }

 private:
  std::string path_;
};

base::Result<Report> make_report(const std::string& text) {
  Report report;
  QUERN_TRY_ASSIGN(report.trace, read_trace(text));
  report.rows = rows_of(report.trace);
  for (const auto& [process, id] : report.trace.labels) {
    if (process == kHostProcess) continue;
    // If the bandwidth cannot be measured, the table omits it.
    if (const auto bandwidth = bandwidth_of(id); bandwidth.ok()) report.bandwidth[process] = *bandwidth;
  }
  return report;
}

// File names of the processes: with the rank, or with the index from the second on.
std::vector<std::string> names_of(const std::vector<Report>& reports, const std::string& name) {
  std::vector<std::string> out;
  for (const Report& report : reports) {
    const int rank = report.trace.rank;
    const std::string own = rank >= 0 ? name + ".rank" + std::to_string(rank) : name;
    std::string unused = own;
    for (size_t n = 2; std::find(out.begin(), out.end(), unused) != out.end(); ++n)
      unused = own + "." + std::to_string(n);
    out.push_back(unused);
  }
  return out;
}

base::Result<> write_files(const Report& report, const std::string& name) {
  std::string trace = "[\n" + base::join(report.trace.lines, ",\n") + "\n]\n";
  QUERN_TRY(base::write_file(name + ".trace.json", trace));
  return base::write_file(name + ".html", page_of(report));
}

Outcome show(const Report& report, const std::string& name) {
  if (auto written = write_files(report, name); !written.ok()) return fail(kBadInput, written.error());
  std::printf("\n%s", table_of(report, base::wants_colour(stdout)).c_str());
  if (report.trace.dropped != 0)
    std::printf("%s dropped: the program launched more than could be recorded\n",
                base::format_plural(report.trace.dropped, "event").c_str());
  if (!report.trace.is_whole) std::printf("the program ended early; the profile is incomplete\n");
  std::printf("wrote %s.trace.json (open it with https://ui.perfetto.dev) and %s.html\n", name.c_str(),
              name.c_str());
  return kOk;
}

// One process: an object. Several: an array of such objects.
Outcome show_json(const std::vector<Report>& reports, const std::string& name) {
  std::vector<std::string> texts;
  const std::vector<std::string> names = names_of(reports, name);
  for (size_t i = 0; i < reports.size(); ++i) {
    if (auto written = write_files(reports[i], names[i]); !written.ok())
      return fail(kBadInput, written.error());
    texts.push_back(json_of(reports[i]));
  }
  std::printf(texts.size() == 1 ? "%s" : "[\n%s]\n", base::join(texts, ",\n").c_str());
  return kOk;
}

Outcome show_all(const std::vector<Report>& reports, const std::string& name, bool as_json) {
  if (as_json) return show_json(reports, name);
  const std::vector<std::string> names = names_of(reports, name);
  for (size_t i = 0; i < reports.size(); ++i) {
    if (reports.size() > 1)
      std::printf("\n%zu of %zu processes: %s\n", i + 1, reports.size(), reports[i].trace.program.c_str());
    if (Outcome shown = show(reports[i], names[i]); shown.code() != kOk) return shown;
  }
  return kOk;
}

Outcome merge(const std::vector<std::string>& files, const std::string& output) {
  if (files.empty() || output.empty()) return fail(kUsage, message::kMergeNeedsFiles());
  std::vector<std::string> texts;
  for (const std::string& file : files) {
    auto text = base::read_file(file);
    if (!text.ok()) return fail(kBadInput, text.error());
    texts.push_back(std::move(*text));
  }
  auto merged = merge_traces(texts);
  if (!merged.ok()) return fail(kBadInput, merged.error());
  if (auto written = base::write_file(output, *merged); !written.ok())
    return fail(kBadInput, written.error());
  std::printf("wrote %s: %s (open it with https://ui.perfetto.dev)\n", output.c_str(),
              base::format_plural(files.size(), "trace").c_str());
  return kOk;
}

Outcome run_profile(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.operands();
  if (arguments.has("--merge"))
    return merge(words, arguments.value("-o").value_or(arguments.value("--output").value_or("")));
  if (words.empty()) return fail(kUsage, message::kProfileNeedsProgram());
  std::string name(base::path_name(words[0]));
  for (const char* option : {"--output", "-o"}) name = arguments.value(option).value_or(name);
  const std::string telemetry = arguments.value("--telemetry").value_or("");
  if (const auto seconds = base::parse_double(telemetry); !telemetry.empty() && !(seconds && *seconds > 0))
    return fail(kUsage, message::kInvalidValue(telemetry, "--telemetry", "a number of seconds above 0"));
  ::unsetenv("QUERN_TRACE");  // for the program; not for our own measurement
  const TemporaryFolder folder;
  if (folder.path().empty()) return fail(kBadInput, message::kNoTemporaryFolder());
  const std::string path = base::join_path(folder.path(), "%p.json");
  const auto code = run_program(words, path, telemetry, arguments.has("--json"));
  if (!code.ok()) return fail(kBadInput, code.error());
  if (*code > 128)
    std::fprintf(stderr, "quern: '%s' was terminated by signal %d\n", words[0].c_str(), *code - 128);
  std::vector<Report> reports;
  for (const std::string& file : folder.files()) {
    const auto text = base::read_file(file);
    if (!text.ok() || text->empty()) continue;
    auto report = make_report(*text);
    if (!report.ok()) return fail(kBadInput, report.error());
    reports.push_back(std::move(*report));
  }
  if (reports.empty()) {
    return fail(*code != 0 ? *code : kBadInput, message::kNoTrace(words[0]));
  }
  Outcome shown = show_all(reports, name, arguments.has("--json"));
  return *code != 0 && shown.code() == kOk ? Outcome(*code) : shown;
}

}  // namespace

constinit const Command kProfileCommand = {"profile", "profile what a program runs on its devices", kHelp,
                                           kOptions, run_profile};

}  // namespace quern::tool

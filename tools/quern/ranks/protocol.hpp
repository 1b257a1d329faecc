// How the processes of `quern run-distributed` talk: the launcher makes a folder with three named pipes; a
// watcher process for each rank opens them, runs the program, and writes whole lines of its output. All
// writes are at most PIPE_BUF bytes, so lines of different ranks are never mixed.
//
// Lines of kEvents: "start RANK PID", and "end RANK STATUS EARLY". STATUS is the exit code, or 128 plus the
// number of the signal; EARLY is 1 if the watcher was told to end the program.
#pragma once

#include <cstddef>

namespace quern::tool {

inline constexpr const char* kRankCommand = "rank-process";  // of the watcher: FOLDER PROGRAM ARGUMENT…
inline constexpr const char* kOutPipe = "out";
inline constexpr const char* kErrPipe = "err";
inline constexpr const char* kEventPipe = "events";
inline constexpr std::size_t kMostLine = 4000;  // with its prefix below PIPE_BUF; longer lines are divided
inline constexpr double kRankPatience = 3;      // seconds between SIGTERM and SIGKILL for a program

}  // namespace quern::tool

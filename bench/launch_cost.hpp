// Host cost of a launch: of a driver, and of the minimal hand-written code for the same kernel, x[i] = x[i] *
// 3 + 1. Both are measured by the CPU time of the launching thread, and both results are verified.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "driver/interface/driver.hpp"
#include "throttle_note.hpp"

namespace quern::bench {

inline constexpr uint32_t kLaunches = 500, kRounds = 20, kNumbers = 256;

inline double thread_us() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

inline void need(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "bench: %s failed\n", what);
  std::exit(1);
}

class ByDriver {
 public:
  ByDriver(std::unique_ptr<driver::Driver> driver, uint32_t index, const driver::Code& code,
           std::string_view kernel)
      : driver_(std::move(driver)) {
    need(driver_->start().ok(), "start");
    auto opened = driver_->open(index, {});
    need(opened.ok(), "open");
    device_ = std::move(*opened);
    program_ = std::move(*device_->load(code));
    kernel_ = std::move(*device_->kernel(*program_, kernel));
    stream_ = std::move(*device_->create_stream({}));
    x_ = std::move(*device_->allocate(kNumbers * 4, driver::MemoryKind::device));
    need(device_->fill(*stream_, {x_.get(), 0}, 1, 4, kNumbers * 4).ok(), "fill");
  }

  double round_us() {
    const int32_t n = kNumbers;
    const driver::Argument arguments[] = {{{x_.get(), 0}, nullptr, 0}, {{}, &n, 4}};
    const driver::Launch launch{{1, 1, 1}, {kNumbers, 1, 1}, 0, arguments, false};
    const double start = thread_us();
    for (uint32_t i = 0; i < kLaunches; ++i) need(device_->launch(*stream_, *kernel_, launch).ok(), "launch");
    const double each = (thread_us() - start) / kLaunches;
    need(device_->synchronize(*stream_).ok(), "synchronize");
    return each;
  }

  int32_t result() {
    int32_t out = 0;
    need(device_->download(*stream_, &out, {x_.get(), (kNumbers - 1) * 4}, 4).ok(), "download");
    need(device_->synchronize(*stream_).ok(), "synchronize");
    return out;
  }
  const driver::DeviceInfo& info() const { return device_->info(); }

  // A graph of launches compared with individual launches: the host's time for each, and the time until all
  // have completed.
  void print_graphs() {
    constexpr uint32_t kNodes = 100;
    const int32_t n = kNumbers;
    const driver::Argument arguments[] = {{{x_.get(), 0}, nullptr, 0}, {{}, &n, 4}};
    driver::Command command;
    command.kernel = kernel_.get();
    command.launch = {{1, 1, 1}, {kNumbers, 1, 1}, 0, arguments, false};
    const std::vector<driver::Command> commands(kNodes, command);
    auto made = device_->make_graph(commands);
    need(made.ok(), "make_graph");
    const auto measure = [&](const char* what, const auto& submit) {
      double host = 1e30, whole = 1e30;
      for (uint32_t i = 0; i < kRounds; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const double before = thread_us();
        submit();
        host = std::min(host, (thread_us() - before) / kNodes);
        need(device_->synchronize(*stream_).ok(), "synchronize");
        const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
        whole = std::min(whole, took.count() / kNodes);
      }
      std::printf("%s %8.2f us host time, %.2f us until completed\n", what, host, whole);
    };
    measure("100 launches, each", [&] {
      for (const driver::Command& c : commands) need(device_->submit(*stream_, c).ok(), "launch");
    });
    measure((*made)->is_native ? "as a graph, each  " : "as a graph (in sequence)",
            [&] { need(device_->run_graph(*stream_, **made).ok(), "run_graph"); });
  }

 private:
  std::unique_ptr<driver::Driver> driver_;
  std::unique_ptr<driver::Device> device_;
  std::unique_ptr<driver::Module> program_;
  std::unique_ptr<driver::Kernel> kernel_;
  std::unique_ptr<driver::Stream> stream_;
  std::unique_ptr<driver::Buffer> x_;
};

inline int32_t expected() {
  uint32_t x = 1;
  for (uint32_t i = 0; i < kLaunches * kRounds; ++i) x = x * 3 + 1;
  return static_cast<int32_t>(x);
}

// Returns the exit code of the program.
template <typename ByHand>
int compare_launches(ByHand& hand, ByDriver& driver) {
  ThrottleNote throttling(driver.info());
  double best_hand = 1e30, best_driver = 1e30;
  for (uint32_t i = 0; i < kRounds; ++i) {
    best_hand = std::min(best_hand, hand.round_us());
    best_driver = std::min(best_driver, driver.round_us());
  }
  const bool is_right = hand.result() == expected() && driver.result() == expected();
  const double ratio = best_driver / best_hand;
  std::printf("%s\nlaunch by hand    %8.2f us\nlaunch by driver  %8.2f us\n", driver.info().name.c_str(),
              best_hand, best_driver);
  std::printf("ratio             %8.2f%s\nresults           %s\n", ratio,
              ratio > 1.5 ? "  (goal: at most 1.5)" : "", is_right ? "correct" : "WRONG");
  driver.print_graphs();
  throttling.print();
  return is_right ? 0 : 1;
}

}  // namespace quern::bench

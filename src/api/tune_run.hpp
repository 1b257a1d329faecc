// One tuning: compiles the variants, checks them, and measures them in rounds.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "api/tune_store.hpp"
#include "quern/tune.hpp"

namespace quern::detail {

class TuneRun {
 public:
  // All must outlive it.
  TuneRun(const Device& device, const TuneRequest& request, const TuneOptions& options, TuneJournal& journal);

  TuneResult run();
  // After run(): the result is worth storing.
  bool is_conclusive() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Candidate {
    TuneCandidate report;
    Kernel kernel;
    LaunchConfig config;
    double occupancy = 0;   // threads on a compute unit, of those that it can hold; 0: unknown
    bool is_active = true;  // neither excluded nor skipped nor dropped
    int repeats = 1;        // runs of one measurement
    std::vector<double> samples;
  };
  using Contents = std::vector<std::vector<std::uint8_t>>;  // of the outputs

  void compile_all();
  void compile(Candidate& c) const;
  void exclude_limits(Candidate& c) const;
  void exclude_low_occupancy();
  void check_all();
  void check(Candidate& c);
  void compare_results(Candidate& c);
  void warm_up(Candidate& c);
  void measure_all();
  void measure(Candidate& c);
  void drop_slow();
  void compare_with_default();
  TuneResult conclude();
  const Candidate* fastest() const;
  void summarize();

  double run_once(const Candidate& c, int repeats, bool is_first);  // returns seconds of one run
  void wait_first(const Candidate& c);
  // Calls `work`; an exception excludes the candidate.
  template <typename Work>
  void guard(Candidate& c, const Work& work) const;
  void handle_loss(const Candidate& c, const Error& error);
  static void exclude(Candidate& c, std::string reason);

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  double time_left() const { return options_.seconds - elapsed(); }
  // Why nothing more can run; empty: it can. `share`: of the total time.
  std::string why_ended(double share = 1) const;
  void report(TuneProgress::Stage stage, std::size_t done, std::size_t total, const Variant& variant) const;

  const Device& device_;
  const TuneRequest& request_;
  const TuneOptions& options_;
  TuneJournal& journal_;
  DeviceInfo info_;
  Clock::time_point start_ = Clock::now();
  Stream stream_;
  std::vector<Candidate> all_;
  Contents wanted_;  // results of the first correct variant
  bool has_wanted_ = false;
  bool is_steady_ = true;                // the finalist was faster in nearly all pairs of measurements
  const Candidate* finalist_ = nullptr;  // measured again with the default; null: none
  std::string ended_;                    // why the device cannot be used any more
  mutable std::mutex progress_;          // serializes the callback
};

}  // namespace quern::detail

#include "api/tune_run.hpp"

#include <algorithm>
#include <cmath>
#include <future>
#include <limits>
#include <thread>
#include <utility>

#include "api/messages_tune.hpp"
#include "api/tune_statistics.hpp"
#include "base/text.hpp"

namespace quern::detail {

namespace {

constexpr int kLeastRounds = 3;
constexpr double kMeasurement = 1e-3;  // least seconds of a measurement
constexpr int kMostRepeats = 1000;
constexpr double kMuchSlower = 1.5;    // than the fastest one: not measured further
constexpr double kMuchLess = 1.0 / 8;  // occupancy, of the highest one
constexpr double kClearWin = 0.8;      // share of pairs in which a variant is faster than the default
constexpr double kCompileShare = 0.5;  // of the total time
constexpr double kCheckShare = 0.75;   // the same after checks
constexpr double kCpuWarmUp = 0.3, kWarmUp = 0.02;
constexpr std::uint32_t kMostCompilers = 8;

// Thrown if a run exceeds its limit.
struct TooLong {};

std::string percent(double share) { return base::format("%.0f", share * 100); }

}  // namespace

TuneRun::TuneRun(const Device& device, const TuneRequest& request, const TuneOptions& options,
                 TuneJournal& journal)
    : device_(device),
      request_(request),
      options_(options),
      journal_(journal),
      info_(device.info()),
      stream_(device.create_stream()) {
  for (const Variant& v : request.variants) {
    all_.emplace_back();
    all_.back().report.variant = v;
  }
}

TuneResult TuneRun::run() {
  compile_all();
  exclude_low_occupancy();
  check_all();
  measure_all();
  compare_with_default();
  return conclude();
}

std::string TuneRun::why_ended(double share) const {
  if (!ended_.empty()) return ended_;
  if (options_.stop.stop_requested()) return message::kTuningCancelled().text;
  if (elapsed() > options_.seconds * share) return message::kTimeIsOver().text;
  return {};
}

void TuneRun::report(TuneProgress::Stage stage, std::size_t done, std::size_t total,
                     const Variant& variant) const {
  if (!options_.progress) return;
  const std::lock_guard lock(progress_);
  options_.progress({stage, done, total, variant.to_string()});
}

void TuneRun::exclude(Candidate& c, std::string reason) {
  c.is_active = false;
  c.report.state = TuneState::excluded;
  c.report.reason = std::move(reason);
}

template <typename Work>
void TuneRun::guard(Candidate& c, const Work& work) const {
  try {
    work();
  } catch (const Error& e) {
    exclude(c, e.message());
  } catch (const std::exception& e) {
    exclude(c, e.what());
  } catch (...) {
    exclude(c, message::kUnknownException().text);
  }
}

void TuneRun::compile_all() {
  std::atomic<std::size_t> next{0}, done{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < all_.size(); i = next++) {
      Candidate& c = all_[i];
      // The default variant is always compiled.
      if (const std::string why = why_ended(kCompileShare); i != 0 && !why.empty()) {
        c.is_active = false;
        c.report.reason = why;
      } else {
        guard(c, [&] { compile(c); });
      }
      report(TuneProgress::Stage::compile, ++done, all_.size(), c.report.variant);
    }
  };
  const std::uint32_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::uint32_t wanted =
      options_.compile_threads != 0 ? options_.compile_threads : std::min(cores, kMostCompilers);
  std::vector<std::thread> threads;
  const std::size_t most = request_.compile ? std::min<std::size_t>(wanted, all_.size()) : 1;
  while (threads.size() + 1 < most) threads.emplace_back(work);
  work();
  for (std::thread& t : threads) t.join();
}

void TuneRun::compile(Candidate& c) const {
  if (request_.compile) c.kernel = request_.compile(c.report.variant);
  if (request_.launch) c.config = request_.launch(c.report.variant);
  if (c.kernel && request_.launch) exclude_limits(c);
}

void TuneRun::exclude_limits(Candidate& c) const {
  if (c.config.total.x != 0) return;  // the runtime chooses the block
  const Dim3 block = c.config.block_size;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  const std::uint64_t shared = c.kernel.shared_bytes() + c.config.shared_bytes;
  if (threads > c.kernel.max_threads()) {
    exclude(
        c,
        message::kTooManyBlockThreads(std::to_string(threads), std::to_string(c.kernel.max_threads())).text);
    return;
  }
  if (shared > info_.limits.shared_bytes) {
    exclude(c,
            message::kTooMuchShared(std::to_string(shared), std::to_string(info_.limits.shared_bytes)).text);
    return;
  }
  const Occupancy o = c.kernel.occupancy(static_cast<std::uint32_t>(threads), c.config.shared_bytes);
  if (o.max_threads_per_unit != 0)
    c.occupancy =
        static_cast<double>(o.max_blocks_per_unit) * static_cast<double>(threads) / o.max_threads_per_unit;
}

void TuneRun::exclude_low_occupancy() {
  double most = 0;
  for (const Candidate& c : all_) most = std::max(most, c.is_active ? c.occupancy : 0);
  for (Candidate& c : all_) {
    if (c.is_active && c.occupancy > 0 && c.occupancy < most * kMuchLess)
      exclude(c, message::kLowOccupancy(percent(c.occupancy), percent(most)).text);
  }
}

void TuneRun::check_all() {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    Candidate& c = all_[i];
    if (c.is_active) {
      if (journal_.has_failed(c.report.variant)) {
        exclude(c, message::kEndedBefore().text);
      } else if (const std::string why = why_ended(kCheckShare); !why.empty()) {
        c.is_active = false;
        c.report.reason = why;
      } else {
        check(c);
      }
    }
    report(TuneProgress::Stage::check, i + 1, all_.size(), c.report.variant);
  }
}

void TuneRun::handle_loss(const Candidate& c, const Error& error) {
  if (error.kind() == ErrorKind::device_lost || error.kind() == ErrorKind::timeout)
    ended_ = message::kDeviceIsLost(c.report.variant.to_string()).text;
}

void TuneRun::check(Candidate& c) {
  const std::string limit = base::format("%g", options_.candidate_seconds);
  journal_.begin(c.report.variant);
  guard(c, [&] {
    try {
      for (const TuneOutput& o : request_.outputs) Slice<std::uint8_t>(o.memory()).fill(0xff);
      run_once(c, 1, true);
      compare_results(c);
      if (c.is_active) warm_up(c);
    } catch (const TooLong&) {
      exclude(c, message::kTooLong(limit).text);
    } catch (const Error& e) {
      handle_loss(c, e);
      throw;
    }
  });
  // After an endless kernel or a lost device, the next tuning does not try this variant.
  if (ended_.empty()) journal_.end();
  if (!c.is_active && ended_.empty()) guard(c, [&] { stream_ = device_.create_stream(); });
}

void TuneRun::compare_results(Candidate& c) {
  Contents got;
  for (const TuneOutput& o : request_.outputs) {
    got.push_back(Slice<const std::uint8_t>(o.memory()).download());
    const auto& bytes = got.back();
    const bool is_untouched =
        std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b == 0xff; });
    if (is_untouched && !bytes.empty())
      return exclude(c, message::kWroteNothing(std::to_string(got.size())).text);
  }
  if (request_.check) {
    if (const std::string why = request_.check(c.report.variant); !why.empty()) return exclude(c, why);
  }
  if (!has_wanted_) {
    wanted_ = std::move(got);
    has_wanted_ = true;
    return;
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    const TuneOutput& o = request_.outputs[i];
    const double difference = o.compare(got[i], wanted_[i]);
    if (!(difference <= o.tolerance()))
      return exclude(c, message::kWrongResult(std::to_string(i + 1), base::format("%.2g", difference),
                                              base::format("%.2g", o.tolerance()))
                            .text);
  }
}

// Until the code is optimized and the clocks are up. Sets the number of runs of a measurement.
void TuneRun::warm_up(Candidate& c) {
  const double asked = options_.warm_up_seconds >= 0 ? options_.warm_up_seconds
                       : info_.driver == "cpu"       ? kCpuWarmUp
                                                     : kWarmUp;
  const double share = options_.seconds / 4 / static_cast<double>(all_.size());
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(std::min(asked, share)));
  double seconds = 0;
  do {
    seconds = run_once(c, 1, false);
    if (seconds > options_.candidate_seconds) throw TooLong();
  } while (Clock::now() < end && why_ended().empty());
  if (!request_.prepare)
    c.repeats = static_cast<int>(std::clamp(std::ceil(kMeasurement / std::max(seconds, 1e-9)), 1.0,
                                            static_cast<double>(kMostRepeats)));
}

double TuneRun::run_once(const Candidate& c, int repeats, bool is_first) {
  if (request_.prepare) {
    request_.prepare(stream_);
    stream_.synchronize();
  }
  const TuneCall call{c.report.variant, c.kernel, c.config, stream_};
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < repeats; ++i) request_.run(call);
  if (is_first) wait_first(c);
  stream_.synchronize();
  return std::chrono::duration<double>(Clock::now() - begin).count() / repeats;
}

// The first run of a variant: it may never end.
void TuneRun::wait_first(const Candidate& c) {
  const auto seconds = [](double s) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(s));
  };
  if (stream_.record().wait_for(seconds(options_.candidate_seconds))) return;
  // It may still compile code: its second run is compared with the limit. The call below ends when the kernel
  // does or the device's own time limit is over; a thread makes it, because there may be no such limit.
  std::packaged_task<void()> task([stream = stream_] { stream.synchronize(); });
  std::future<void> end = task.get_future();
  std::thread(std::move(task)).detach();
  const auto patience = seconds(std::max(time_left(), options_.candidate_seconds));
  if (end.wait_for(patience) == std::future_status::ready) return end.get();
  ended_ = message::kDeviceIsBusy(c.report.variant.to_string()).text;
  stream_ = {};  // closing it would wait for the kernel: the thread keeps it open
  throw TooLong();
}

void TuneRun::measure_all() {
  const int rounds = std::max(options_.rounds, kLeastRounds);
  const std::size_t total = static_cast<std::size_t>(rounds) * all_.size();
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      // Each round starts with another variant.
      Candidate& c = all_[(i + static_cast<std::size_t>(round)) % all_.size()];
      if (!c.is_active) continue;
      if (!why_ended().empty()) return;
      measure(c);
      report(TuneProgress::Stage::measure, static_cast<std::size_t>(round) * all_.size() + i + 1, total,
             c.report.variant);
    }
    if (round > 0) drop_slow();
  }
}

void TuneRun::measure(Candidate& c) {
  guard(c, [&] {
    try {
      c.samples.push_back(run_once(c, c.repeats, false));
    } catch (const Error& e) {
      handle_loss(c, e);
      throw;
    }
  });
  if (!c.is_active && ended_.empty()) guard(c, [&] { stream_ = device_.create_stream(); });
}

void TuneRun::drop_slow() {
  const auto least = [](const Candidate& c) { return *std::min_element(c.samples.begin(), c.samples.end()); };
  double best = std::numeric_limits<double>::infinity();
  for (const Candidate& c : all_) {
    if (c.is_active && !c.samples.empty()) best = std::min(best, least(c));
  }
  for (Candidate& c : all_) {
    if (!c.is_active || c.samples.empty()) continue;
    const bool is_default = &c == &all_.front();  // its time is shown
    if (is_default || least(c) < kMuchSlower * best) continue;
    c.is_active = false;
    c.report.state = TuneState::slower;
  }
}

void TuneRun::summarize() {
  for (Candidate& c : all_) {
    const std::vector<double> kept = undisturbed(c.samples);
    c.report.seconds = median(kept);
    c.report.samples = static_cast<int>(c.samples.size());
    if (c.is_active && c.samples.size() >= kLeastRounds) c.report.state = TuneState::measured;
  }
}

// Of many variants, the one that seems the fastest has been lucky: it is measured again, in turn with the
// default one.
void TuneRun::compare_with_default() {
  summarize();
  Candidate& standard = all_.front();
  const Candidate* const best = fastest();
  if (best == nullptr || best == &standard || standard.report.state != TuneState::measured) return;
  Candidate& other = all_[static_cast<std::size_t>(best - all_.data())];
  std::vector<double> before_standard = std::exchange(standard.samples, {}),
                      before_other = std::exchange(other.samples, {});
  const int rounds = std::max(options_.rounds, kLeastRounds);
  for (int i = 0; i < rounds && why_ended().empty() && standard.is_active && other.is_active; ++i) {
    measure(standard);
    measure(other);
  }
  if (std::min(standard.samples.size(), other.samples.size()) < kLeastRounds) {
    standard.samples = std::move(before_standard);
    other.samples = std::move(before_other);
  }
  const std::size_t pairs = std::min(standard.samples.size(), other.samples.size());
  std::size_t wins = 0;
  for (std::size_t i = 0; i < pairs; ++i) wins += other.samples[i] < standard.samples[i] ? 1 : 0;
  is_steady_ = static_cast<double>(wins) >= kClearWin * static_cast<double>(pairs);
  if (other.is_active) finalist_ = &other;
  summarize();
}

const TuneRun::Candidate* TuneRun::fastest() const {
  const Candidate* best = nullptr;
  for (const Candidate& c : all_) {
    if (c.report.state != TuneState::measured) continue;
    if (best == nullptr || c.report.seconds < best->report.seconds) best = &c;
  }
  return best;
}

TuneResult TuneRun::conclude() {
  TuneResult result;
  const std::string why = why_ended();
  result.is_complete = true;
  for (Candidate& c : all_) {
    if (c.is_active && c.report.state != TuneState::measured) {
      c.report.reason = why.empty() ? message::kTimeIsOver().text : why;
    }
    result.is_complete = result.is_complete && c.report.state != TuneState::skipped;
    result.candidates.push_back(c.report);
  }
  result.seconds = elapsed();
  const TuneCandidate& standard = all_.front().report;
  const Candidate* best = finalist_ != nullptr ? finalist_ : fastest();
  if (best == nullptr) {
    result.variant = standard.variant;
    result.reason = message::kNothingMeasured(standard.reason.empty() ? why : standard.reason).text;
    return result;
  }
  const bool has_standard = standard.state == TuneState::measured;
  result.source = TuneSource::measured;
  result.variant = best->report.variant;
  const bool is_faster = best->report.seconds < standard.seconds * (1 - options_.margin);
  if (has_standard && (!is_faster || (!is_steady_ && options_.margin >= 0))) {
    result.variant = standard.variant;
    result.reason = message::kDefaultIsFastest(percent(options_.margin)).text;
  } else if (has_standard) {
    result.reason = message::kFasterThanDefault(base::format("%.2f", standard.seconds / best->report.seconds),
                                                standard.variant.to_string())
                        .text;
  } else {
    result.reason = message::kDefaultFailed(standard.reason).text;
  }
  return result;
}

bool TuneRun::is_conclusive() const {
  if (options_.stop.stop_requested() || !ended_.empty() || fastest() == nullptr) return false;
  const auto was_tried = [](const Candidate& c) { return c.report.state != TuneState::skipped; };
  return std::count_if(all_.begin(), all_.end(), was_tried) > 1 || all_.size() == 1;
}

}  // namespace quern::detail

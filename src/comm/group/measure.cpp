// The weights that make a work fastest. Candidates are measured interleaved, so that a change of the
// machine's speed affects all of them.
#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <thread>

#include "comm/group/members.hpp"

namespace quern {

namespace {

using Weights = std::vector<double>;
using Clock = std::chrono::steady_clock;

constexpr int kCorrections = 3;
constexpr std::size_t kFinalists = 5;
constexpr int kFinalRounds = 3;  // times as many

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Candidate {
  Weights weights;
  std::vector<double> seconds = {};                 // of each round
  std::vector<std::vector<double>> by_member = {};  // [member][round]
  // Without measurements: infinite.
  double time() const { return seconds.empty() ? std::numeric_limits<double>::infinity() : median(seconds); }
};

class Measurement {
 public:
  Measurement(const DeviceGroup& group, std::uint64_t total,
              const std::function<void(std::size_t, IndexRange)>& work, int rounds)
      : group_(group), total_(total), work_(work), rounds_(rounds) {}

  Weights best() {
    for (std::size_t i = 0; i < group_.size(); ++i) add(alone(i));
    run_all();
    add(by_speed());
    add(Weights(group_.size(), 1.0));
    add(group_.weights());
    run_all();
    for (int n = 0; n < kCorrections; ++n) {
      add(corrected(fastest()));
      add(between(fastest()));
      run_all();
    }
    return best_of_finalists();
  }

 private:
  void add(const Weights& weights) {
    const Split split = Split::by_weights(total_, weights);
    for (const Candidate& other : candidates_) {
      if (Split::by_weights(total_, other.weights) == split) return;
    }
    candidates_.push_back({weights});
  }

  Weights alone(std::size_t member) const {
    Weights out(group_.size(), 0.0);
    out[member] = 1;
    return out;
  }

  // By the times of the candidates with one member, which are the first ones.
  Weights by_speed() const {
    Weights out;
    for (std::size_t i = 0; i < group_.size(); ++i) out.push_back(1 / std::max(candidates_[i].time(), 1e-9));
    return out;
  }

  // The shares with which all members would have ended at the same time.
  Weights corrected(const Candidate& candidate) const {
    const Split split = Split::by_weights(total_, candidate.weights);
    Weights out = candidate.weights;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!split[i].empty())
        out[i] = static_cast<double>(split[i].size()) / std::max(median(candidate.by_member[i]), 1e-9);
    }
    return out;
  }

  // Halfway to the second best candidate.
  Weights between(const Candidate& best) const {
    const Candidate* second = nullptr;
    for (const Candidate& c : candidates_) {
      if (&c != &best && !c.seconds.empty() && (second == nullptr || c.time() < second->time())) second = &c;
    }
    Weights out = shares(best.weights);
    if (second == nullptr) return out;
    const Weights other = shares(second->weights);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = (out[i] + other[i]) / 2;
    return out;
  }

  static Weights shares(Weights weights) {
    double sum = 0;
    for (const double w : weights) sum += w;
    for (double& w : weights) w /= sum;
    return weights;
  }

  const Candidate& fastest() const {
    return *std::min_element(candidates_.begin(), candidates_.end(),
                             [](const Candidate& a, const Candidate& b) { return a.time() < b.time(); });
  }

  // The lowest of many noisy times is often a lucky one: the best candidates are measured again.
  Weights best_of_finalists() {
    std::sort(candidates_.begin(), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.time() < b.time(); });
    if (candidates_.size() > kFinalists)
      candidates_.erase(candidates_.begin() + kFinalists, candidates_.end());
    for (Candidate& c : candidates_) {
      c.seconds.clear();
      c.by_member.clear();
    }
    rounds_ *= kFinalRounds;
    run_all();
    return fastest().weights;
  }

  // All candidates without measurements. The first run of each compiles and allocates.
  void run_all() {
    std::vector<Candidate*> open;
    for (Candidate& c : candidates_) {
      if (c.seconds.empty()) open.push_back(&c);
    }
    for (int round = -1; round < rounds_; ++round) {
      for (Candidate* const c : open) run(*c, round < 0);
    }
  }

  void run(Candidate& candidate, bool is_first) {
    const Split split = Split::by_weights(total_, candidate.weights);
    const std::size_t count = group_.size();
    std::vector<double> ends(count, 0.0);
    group_.synchronize();
    const Clock::time_point start = Clock::now();
    group_.for_each_member("DeviceGroup::measured", [&](std::size_t i) {
      if (!split[i].empty()) work_(i, split[i]);
    });
    wait_for_each(split, start, ends);
    if (is_first) return;
    candidate.seconds.push_back(*std::max_element(ends.begin(), ends.end()));
    candidate.by_member.resize(count);
    for (std::size_t i = 0; i < count; ++i) candidate.by_member[i].push_back(ends[i]);
  }

  // One thread for each member but one, since they end in any order.
  void wait_for_each(const Split& split, Clock::time_point start, std::vector<double>& ends) const {
    std::vector<std::exception_ptr> errors(split.size());
    const auto wait = [&](std::size_t i) {
      try {
        group_.stream(i).synchronize();
      } catch (const Error&) {
        errors[i] = std::current_exception();
      }
      ends[i] = seconds_since(start);
    };
    std::vector<std::size_t> busy;
    for (std::size_t i = 0; i < split.size(); ++i) {
      if (!split[i].empty()) busy.push_back(i);
    }
    std::vector<std::thread> threads;
    for (std::size_t n = 1; n < busy.size(); ++n) threads.emplace_back(wait, busy[n]);
    if (!busy.empty()) wait(busy[0]);
    for (std::thread& thread : threads) thread.join();
    group_.for_each_member("DeviceGroup::measured", [&](std::size_t i) {
      if (errors[i] != nullptr) std::rethrow_exception(errors[i]);
    });
  }

  const DeviceGroup& group_;
  std::uint64_t total_;
  const std::function<void(std::size_t, IndexRange)>& work_;
  int rounds_;
  std::vector<Candidate> candidates_;
};

}  // namespace

DeviceGroup DeviceGroup::measured(std::uint64_t total,
                                  const std::function<void(std::size_t, IndexRange)>& work,
                                  const MeasureOptions& options) const {
  if (options.rounds < 1)
    comm::fail(ErrorKind::invalid_use, comm::message::kBadRounds(std::to_string(options.rounds)));
  (void)members(0);
  if (total == 0 || size() == 1) return *this;
  return with_weights(Measurement(*this, total, work, options.rounds).best());
}

}  // namespace quern

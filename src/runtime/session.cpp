#include "runtime/session.hpp"

#include <set>

#include "base/log.hpp"
#include "base/text.hpp"

namespace quern::runtime {

namespace {

// After a loss the same device is tried twice, then all other devices, best first.
class Opener {
 public:
  explicit Opener(const SessionRequest& request) : request_(request.device), may_move_(request.may_move) {}

  Result<std::unique_ptr<driver::Device>> open(uint32_t attempt) {
    constexpr uint32_t kSame = 2;
    if (attempt == 0) tried_.clear();
    if (now_.text.empty()) return open_as(request_, true);
    tried_.insert(now_.text.substr(0, now_.text.find(',')));  // even if it cannot be opened again
    if (attempt < kSame || !may_move_) return open_as(now_, false);
    return open_other();
  }

  const std::string& fallback_reason() const {
    return fallback_reason_;
  }  // why the first device was not the requested one

 private:
  // Options of the request ("sim,seed=7") apply to its driver only, but a time limit applies to any device.
  Result<std::unique_ptr<driver::Device>> open_as(const Request& request, bool is_first) {
    Selection how;
    QUERN_TRY_ASSIGN(auto opened, open_below(request, is_first, &how));
    if (is_first) fallback_reason_ = how.fallback_reason;
    const size_t comma = how.requested.find(',');  // from the program, or from QUERN_DEVICE
    now_.text = opened->info().id() + (comma == std::string::npos ? "" : how.requested.substr(comma));
    return opened;
  }

  Result<std::unique_ptr<driver::Device>> open_other() {
    Request other;
    other.is_free = true;
    for (const std::string_view option : base::split(now_.text, ',')) {
      if (option.starts_with("time_limit=")) other.text = ',' + std::string(option);
    }
    other.policy = Policy::prefer;  // a device that cannot be opened does not stop the search
    other.accepts = [this](const driver::DeviceInfo& info) {
      const bool is_wanted = !request_.accepts || request_.accepts(info);
      return is_wanted && takes_kernels(info) && tried_.count(info.id()) == 0;
    };
    return open_as(other, false);
  }

  Request request_, now_;
  std::string fallback_reason_;
  bool may_move_;
  std::set<std::string> tried_;  // in this recovery
};

}  // namespace

Result<Session> open_session(const SessionRequest& request) {
  recoverable::Options options;
  const auto opener = std::make_shared<Opener>(request);
  options.reopen = [opener](uint32_t attempt) { return opener->open(attempt); };
  options.on_recovery = [on_recovery = request.on_recovery](const recoverable::Recovery& r) {
    base::log(base::LogLevel::kWarning,
              "%s was lost (%s); recovered on %s: %llu calls repeated, %s restored, %s", r.from.c_str(),
              r.cause.c_str(), r.to.c_str(), static_cast<unsigned long long>(r.repeated),
              base::format_bytes(r.restored_bytes).c_str(), base::format_duration(r.seconds).c_str());
    try {
      if (on_recovery) on_recovery(r);
    } catch (...) {  // no caller could handle it: the device is between two calls
      base::log(base::LogLevel::kError, "the recovery callback threw an exception");
    }
  };
  QUERN_TRY_ASSIGN(auto recoverable, recoverable::open(std::move(options)));
  Session session;
  session.recoverable = recoverable.get();
  QUERN_TRY_ASSIGN(session.device, Device::adopt(std::move(recoverable)));
  session.device->set_fallback_reason(opener->fallback_reason());
  return session;
}

}  // namespace quern::runtime

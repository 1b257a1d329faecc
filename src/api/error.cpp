#include "quern/error.hpp"

#include <algorithm>
#include <ctime>
#include <numeric>

#include "api/messages.hpp"
#include "api/state.hpp"
#include "base/text.hpp"
#include "quern/profile.hpp"
#include "runtime/error_history.hpp"

namespace quern {

Error::Error(Parts parts) : parts_(std::make_shared<const Parts>(std::move(parts))) {}
Error::~Error() = default;
Error::Error(const Error&) noexcept = default;
Error& Error::operator=(const Error&) noexcept = default;

ErrorHistory error_history() {
  const runtime::ErrorHistory::Copy all = runtime::ErrorHistory::instance().copy();
  ErrorHistory out;
  std::copy(all.counts.begin(), all.counts.end(), out.counts.begin());
  for (const runtime::PastError& e : all.last)
    out.last.push_back({e.kind, e.text, e.device, e.kernel, e.stream, e.time});
  return out;
}

void clear_error_history() { runtime::ErrorHistory::instance().clear(); }

std::uint64_t ErrorHistory::total() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::string ErrorHistory::to_string() const {
  std::string out;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0)
      out += base::format("%8llu  %s\n", static_cast<unsigned long long>(counts[i]),
                          quern::to_string(static_cast<ErrorKind>(i)).data());
  }
  if (out.empty()) return "no errors\n";
  for (const PastError& e : last) {
    char when[32] = "";
    const auto seconds = static_cast<std::time_t>(e.time);
    std::tm local = {};
    if (::localtime_r(&seconds, &local) != nullptr) std::strftime(when, sizeof(when), "%H:%M:%S", &local);
    out += std::string(when) + "  " + e.text + '\n';
  }
  return out;
}

namespace detail {

void raise(const base::Error& cause, const Where& where, const std::string& kernel) {
  base::Error error = cause;
  if (const ProfileRange* range = ProfileRange::innermost()) error.add_context("in '" + range->name() + "'");
  if (error.kind() == ErrorKind::device_lost && error.hint().empty())
    error.add_hint(std::string(detail::message::kReopen));
  Error::Parts parts;
  parts.kind = error.kind();
  parts.message = error.message();
  parts.hint = error.hint();
  if (where.device != nullptr) parts.device = where.device->label();
  parts.kernel = kernel;
  parts.stream = where.stream;
  parts.text = runtime::render(error, parts.device, kernel, where.stream);
  runtime::ErrorHistory::instance().add({error.kind(), parts.text, parts.device, kernel, where.stream});
  throw Error(std::move(parts));
}

}  // namespace detail
}  // namespace quern

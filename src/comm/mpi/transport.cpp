#include "comm/mpi/transport.hpp"

#include <algorithm>
#include <array>
#include <exception>

#include "comm/failure.hpp"

namespace quern::comm {

std::string first_reason(Link& link, const std::string& own, const Deadline& deadline) {
  using Text = std::array<char, 320>;
  Text text{};
  std::copy_n(own.data(), std::min(own.size(), text.size() - 1), text.data());
  const std::vector<Text> all = link.gather("mpi", text, deadline);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i][0] == '\0') continue;
    const bool is_common = std::all_of(all.begin(), all.end(), [&](const Text& t) { return t == all[i]; });
    return is_common ? std::string(all[i].data()) : "rank " + std::to_string(i) + ": " + all[i].data();
  }
  return {};
}

std::string current_reason() {
  try {
    throw;
  } catch (const Error& error) {
    return std::string(error.message());
  } catch (const std::exception& error) {
    return error.what();
  }
}

void check_all(Link& link, const char* operation, const std::exception_ptr& own, const Deadline& deadline) {
  std::uint64_t has_failed = own != nullptr ? 1 : 0;
  link.maximum(operation, &has_failed, 1, deadline);
  if (has_failed == 0) return;
  link.has_ended = true;
  if (own != nullptr) std::rethrow_exception(own);
  fail(ErrorKind::io, message::kSomeRankFailed(operation));
}

}  // namespace quern::comm

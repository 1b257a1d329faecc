#include "runtime/checks.hpp"

#include <array>
#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "runtime/messages.hpp"

namespace quern::runtime {

using base::Error;
using base::ErrorKind;
using Words = std::array<uint32_t, pass::kCheckWords>;

namespace {

constexpr size_t kSite = pass::kCheckWords - 1;

int64_t wide(const Words& words, size_t at) {
  return static_cast<int64_t>(words[at] | uint64_t{words[at + 1]} << 32);
}

std::string sentence(const pass::CheckSite& site, const Words& words) {
  if (site.is_assert) return message::kAssertionFails(site.name).text;
  const int64_t distance = wide(words, 1), extent = wide(words, 3);
  const auto element = static_cast<int64_t>(site.element != 0 ? site.element : 1);
  const int64_t index = distance >= 0 ? distance / element : -((-distance + element - 1) / element);
  const std::string name = site.name.empty() ? "a variable" : "'" + site.name + "'";
  return message::kOutOfBounds(std::to_string(index), name, std::to_string(extent / element)).text;
}

}  // namespace

void CheckBoard::add(std::vector<pass::CheckSite> sites) {
  sites_.insert(sites_.end(), std::make_move_iterator(sites.begin()), std::make_move_iterator(sites.end()));
}

base::Result<> CheckBoard::clear(driver::Stream& driver_stream) {
  const Words zero{};
  QUERN_TRY(device_.upload(driver_stream, {board_.get(), 0}, zero.data(), sizeof(zero)));
  return device_.synchronize(driver_stream);
}

base::Result<driver::Place> CheckBoard::place(driver::Stream& driver_stream) {
  const std::lock_guard lock(mutex_);
  if (board_ == nullptr) {
    QUERN_TRY_ASSIGN(board_, device_.allocate(sizeof(Words), driver::MemoryKind::device));
    QUERN_TRY(clear(driver_stream));
  }
  return driver::Place{board_.get(), 0};
}

base::Result<> CheckBoard::take_error(driver::Stream& driver_stream) {
  const std::lock_guard lock(mutex_);
  Words words{};
  QUERN_TRY(device_.download(driver_stream, words.data(), {board_.get(), 0}, sizeof(words)));
  QUERN_TRY(device_.synchronize(driver_stream));
  if (words[0] == 0 || words[kSite] >= sites_.size()) return {};
  QUERN_TRY(clear(driver_stream));
  const pass::CheckSite& site = sites_[words[kSite]];
  return Error(ErrorKind::kernel_fault,
               message::kCheckFailed(
                   site.file, std::to_string(site.line), std::to_string(site.column), sentence(site, words),
                   site.kernel, std::to_string(words[8]), std::to_string(words[9]), std::to_string(words[10]),
                   std::to_string(words[5]), std::to_string(words[6]), std::to_string(words[7])));
}

}  // namespace quern::runtime

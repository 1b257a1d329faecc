#include "runtime/checks.hpp"

#include <array>
#include <iterator>
#include <utility>

#include "base/text.hpp"

namespace quern::runtime {

using base::Error;
using base::ErrorKind;
using base::Result;
using Words = std::array<uint32_t, pass::kCheckWords>;

namespace {

constexpr size_t kSite = pass::kCheckWords - 1;

int64_t wide(const Words& words, size_t at) {
  return static_cast<int64_t>(words[at] | uint64_t{words[at + 1]} << 32);
}

std::string sentence(const pass::CheckSite& site, const Words& words) {
  if (site.is_assert) return "assertion '" + site.name + "' fails";
  const int64_t distance = wide(words, 1), extent = wide(words, 3);
  const auto element = static_cast<int64_t>(site.element != 0 ? site.element : 1);
  const int64_t index = distance >= 0 ? distance / element : -((-distance + element - 1) / element);
  const std::string name = site.name.empty() ? "a variable" : "'" + site.name + "'";
  return base::format("out of bounds: element %lld of %s, which has %lld", static_cast<long long>(index),
                      name.c_str(), static_cast<long long>(extent / element));
}

}  // namespace

void CheckBoard::add(std::vector<pass::CheckSite> sites) {
  sites_.insert(sites_.end(), std::make_move_iterator(sites.begin()), std::make_move_iterator(sites.end()));
}

Result<> CheckBoard::clear(driver::Stream& driver_stream) {
  const Words zero{};
  QUERN_TRY(device_.upload(driver_stream, {board_.get(), 0}, zero.data(), sizeof(zero)));
  return device_.synchronize(driver_stream);
}

Result<driver::Place> CheckBoard::place(driver::Stream& driver_stream) {
  const std::lock_guard lock(mutex_);
  if (board_ == nullptr) {
    QUERN_TRY_ASSIGN(board_, device_.allocate(sizeof(Words), driver::MemoryKind::device));
    QUERN_TRY(clear(driver_stream));
  }
  return driver::Place{board_.get(), 0};
}

Result<> CheckBoard::take_error(driver::Stream& driver_stream) {
  const std::lock_guard lock(mutex_);
  Words words{};
  QUERN_TRY(device_.download(driver_stream, words.data(), {board_.get(), 0}, sizeof(words)));
  QUERN_TRY(device_.synchronize(driver_stream));
  if (words[0] == 0 || words[kSite] >= sites_.size()) return {};
  QUERN_TRY(clear(driver_stream));
  const pass::CheckSite& site = sites_[words[kSite]];
  return Error(
      ErrorKind::kKernelFault,
      base::format("%s:%u:%u: %s\n    in kernel '%s', block (%u, %u, %u), thread (%u, %u, %u)",
                   site.file.c_str(), site.line, site.column, sentence(site, words).c_str(),
                   site.kernel.c_str(), words[8], words[9], words[10], words[5], words[6], words[7]));
}

}  // namespace quern::runtime

// Copy bandwidth between pageable or pinned host memory and a device, on every named device (default: the
// best). Each copy is waited for; the best of several counts; the data is verified.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "base/text.hpp"
#include "quern/quern.hpp"
#include "throttle_note.hpp"

namespace {

using namespace quern;  // NOLINT(google-build-using-namespace)
using base::Align;
using base::format;
using Clock = std::chrono::steady_clock;

template <typename Copy>
double gigabytes_per_second(std::size_t bytes, const Copy& copy) {
  const int rounds = bytes > (64u << 20) ? 3 : 10;
  double least = 1e9;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = Clock::now();
    copy();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return static_cast<double>(bytes) / least * 1e-9;
}

bool add_row(base::Table& table, const Device& device, std::size_t bytes) {
  const std::size_t count = bytes / sizeof(unsigned);
  std::vector<unsigned> from(count), to(count);
  std::iota(from.begin(), from.end(), 7u);
  auto buffer = device.allocate<unsigned>(count);
  const double up = gigabytes_per_second(bytes, [&] { buffer.upload(from); });
  const double down = gigabytes_per_second(bytes, [&] { buffer.download(std::span<unsigned>(to)); });
  bool is_right = from == to;
  std::string pinned_up = "-", pinned_down = "-";
  try {
    auto pinned = device.allocate<unsigned>(count, MemoryKind::pinned);
    if (!pinned.host().empty()) {
      std::copy(from.begin(), from.end(), pinned.host().begin());
      pinned_up = format("%.1f", gigabytes_per_second(bytes, [&] {
                           buffer.upload(std::span<const unsigned>(pinned.host()));
                         }));
      std::fill(pinned.host().begin(), pinned.host().end(), 0u);
      pinned_down = format("%.1f", gigabytes_per_second(bytes, [&] { buffer.download(pinned.host()); }));
      is_right = is_right && std::equal(from.begin(), from.end(), pinned.host().begin());
    }
  } catch (const Error&) {  // there is none
  }
  table.add_row({device.name() + " (" + device.driver() + ")", base::format_bytes(bytes), format("%.1f", up),
                 format("%.1f", down), pinned_up, pinned_down, is_right ? "right" : "WRONG"});
  return is_right;
}

}  // namespace

int main(int count, char** names) {
  const std::vector<std::string> wanted =
      count > 1 ? std::vector<std::string>(names + 1, names + count) : std::vector<std::string>{""};
  base::Table table({{"device, GB/s"},
                     {"bytes", Align::kRight},
                     {"upload", Align::kRight},
                     {"download", Align::kRight},
                     {"upload, pinned", Align::kRight},
                     {"download, pinned", Align::kRight},
                     {"results"}});
  bool is_right = true;
  try {
    for (const std::string& name : wanted) {
      const Device device = open(name);
      bench::ThrottleNote throttling(device.info());
      for (const std::size_t bytes :
           {std::size_t{64} << 10, std::size_t{1} << 20, std::size_t{16} << 20, std::size_t{256} << 20})
        is_right = add_row(table, device, bytes) && is_right;
      throttling.print();
    }
  } catch (const Error& error) {
    std::printf("copies are not measured: %s\n", error.what());
  }
  std::printf("%s", table.to_string().c_str());
  return is_right ? 0 : 1;
}

// Recordings with reordered, duplicated, deleted and changed records: a replay on the simulator rejects them
// or runs them, and never uses freed memory. Changed sizes let kernels access memory out of bounds, which
// only the simulator checks; fuzz_replay changes the order of records on the cpu device.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>

#include "bytes.hpp"
#include "driver/decorators/recording/replay.hpp"
#include "runtime/select.hpp"
#include "support/recording_records.hpp"

namespace {

std::shared_ptr<quern::runtime::Device> open_simulator() {
  quern::runtime::Request request;
  request.text = "sim";
  auto device = quern::runtime::open(request);
  quern::fuzz::require(device.ok(), "The simulator cannot be opened.",
                       device.ok() ? "" : device.error().to_string());
  return std::move(*device);
}

// A recording may request as much memory as the device has; here that only takes long.
bool is_small(const quern::recording::Recording& recording) {
  constexpr uint64_t kMostBytes = 1 << 20;
  for (const auto& entry : recording.calls) {
    if (entry.call == quern::recording::Call::kAllocate &&
        quern::recording::Reader(entry.arguments).u64() > kMostBytes)
      return false;
  }
  return true;
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  auto records = quern::test::RecordingRecords::parse({reinterpret_cast<const char*>(data), size});
  if (!records || random() % 64 == 0) return LLVMFuzzerMutate(data, size, most);
  for (uint32_t n = 1 + random() % 3; n > 0; --n) (void)records->mutate(random);
  const std::string file = records->to_file();
  if (file.size() > most) return size;
  std::memcpy(data, file.data(), file.size());
  return file.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto simulator = open_simulator();
  const auto recording = quern::recording::parse({reinterpret_cast<const char*>(data), size}, "fuzz.qrec");
  if (!recording.ok() || !is_small(*recording)) return 0;
  (void)quern::recording::replay(*recording, simulator->native());
  return 0;
}

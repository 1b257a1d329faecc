// Replays on the cpu device, where kernels are native code: the input is a list of changes to the order of
// the records of one recording, three bytes each. The records themselves stay as they are, so the kernels
// never access memory out of bounds by themselves. A replay rejects the order or runs it; it never destroys
// an object that work in flight uses.
#include <memory>

#include "base/temporary_folder.hpp"
#include "bytes.hpp"
#include "driver/cpu/driver.hpp"
#include "driver/decorators/checked/device.hpp"
#include "driver/decorators/recording/replay.hpp"
#include "support/recording_records.hpp"
#include "support/replay_program.hpp"

namespace {

using namespace quern;

constexpr size_t kMostChanges = 32;
constexpr int kRounds = 2000;  // long enough for the next calls to be made meanwhile

std::unique_ptr<driver::Device> open_cpu() {
  const auto driver = cpu::make_driver();
  auto device = driver->open(0, {});
  fuzz::require(device.ok(), "fuzz_replay needs the cpu device.",
                device.ok() ? "" : device.error().to_string());
  return std::move(*device);
}

test::RecordingRecords record() {
  const base::TemporaryFolder folder;
  const auto file = test::record_replay_program(open_cpu(), folder / "calls.qrec", kRounds);
  fuzz::require(file.ok(), "The program cannot be recorded.", file.ok() ? "" : file.error().to_string());
  const auto records = test::RecordingRecords::parse(*file);
  fuzz::require(records.has_value(), "The recording cannot be read.");
  return *records;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const test::RecordingRecords original = record();
  static const auto device = open_cpu();
  test::RecordingRecords records = original;
  std::string changes;
  for (size_t i = 0; i + 3 <= std::min(size, 3 * kMostChanges); i += 3)
    changes += records.change_order(data[i], data[i + 1], data[i + 2]) + "\n";
  const auto recording = recording::parse(records.to_file(), "fuzz.qrec");
  if (!recording.ok()) return 0;
  const auto violations = std::make_shared<checked::Violations>();
  test::AddressUses uses(*device);
  const auto checked = checked::wrap(uses, violations);
  const auto outcome = recording::replay(*recording, *checked);
  fuzz::require(violations->count() == 0, "The replay breaks a rule.", changes);
  fuzz::require(uses.violations() == 0, "The replay destroys an object that a kernel may use.", changes);
  fuzz::require(size != 0 || (outcome.ok() && outcome->differences == 0), "The original does not replay.");
  return 0;
}

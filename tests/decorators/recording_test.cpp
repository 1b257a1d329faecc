#include <cstring>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/temporary_folder.hpp"
#include "driver/decorators/faulty/device.hpp"
#include "driver/decorators/forward/device.hpp"
#include "driver/decorators/messages.hpp"
#include "driver/decorators/recording/bytes.hpp"
#include "driver/decorators/recording/code.hpp"
#include "driver/decorators/recording/device.hpp"
#include "driver/decorators/recording/format.hpp"
#include "driver/decorators/recording/replay.hpp"
#include "lang/ir/text.hpp"
#include "support/runtime_case.hpp"

namespace quern::recording {
namespace {

namespace message = decorators::message;

template <typename T>
T take(base::Result<T> result) {
  EXPECT_TRUE(result.ok()) << result.error().to_string();
  return std::move(result).value();
}

class RecordingTest : public ::testing::Test {
 protected:
  std::string path() const { return folder / "calls.qrec"; }

  // Records the scenario; returns the bytes of the file.
  std::string record(std::unique_ptr<driver::Device> inner = runtime::open_sim()) {
    auto native = take(wrap(std::move(inner), path()));
    auto device = take(runtime::Device::adopt(std::move(native)));
    auto result = runtime::run_scenario(device);
    EXPECT_TRUE(result.ok()) << result.error().to_string();
    EXPECT_EQ(result.value_or(std::vector<int>()), runtime::scenario_result());
    device.reset();
    return take(base::read_file(path()));
  }

  static std::string refusal(std::string bytes) {
    auto recording = parse(std::move(bytes), "f");
    EXPECT_FALSE(recording.ok());
    return recording.ok() ? "" : recording.error().message();
  }

  base::TemporaryFolder folder;
};

// A file written by hand: records in order, with correct checksums.
class File {
 public:
  File() {
    bytes_ = kMagic;
    Writer version;
    version.number(kVersion);
    bytes_ += version.bytes();
    Writer head;
    head.text("sim:0").text("simulator").text("");
    add(RecordKind::kHead, head);
  }
  File& add(RecordKind kind, const Writer& payload) {
    const char tag = static_cast<char>(kind);
    check_ = base::Hasher(check_).add(std::string_view(&tag, 1)).add(payload.bytes()).finish().low;
    Writer front, back;
    front.number(kind).number(uint64_t{payload.bytes().size()});
    back.number(check_);
    bytes_ += front.bytes() + payload.bytes() + back.bytes();
    return *this;
  }
  File& call(std::string_view name, const Writer& arguments) {
    Writer w;
    w.text(name);
    const std::string bytes = w.bytes() + arguments.bytes();
    return add_raw(bytes);
  }
  // The message with which the replay ends.
  std::string problem() {
    auto recording = parse(bytes_, "f");
    if (!recording.ok()) return recording.error().message();
    auto device = runtime::open_sim();
    auto outcome = replay(*recording, *device);
    return outcome.ok() ? "differs: " + outcome->first : outcome.error().message();
  }

 private:
  File& add_raw(const std::string& bytes) {
    const char tag = static_cast<char>(RecordKind::kCall);
    check_ = base::Hasher(check_).add(std::string_view(&tag, 1)).add(bytes).finish().low;
    Writer front, back;
    front.number(RecordKind::kCall).number(uint64_t{bytes.size()});
    back.number(check_);
    bytes_ += front.bytes() + bytes + back.bytes();
    return *this;
  }
  std::string bytes_;
  uint64_t check_ = 0;
};

template <typename... T>
Writer numbers(T... values) {
  Writer w;
  (w.number(values), ...);
  return w;
}

TEST_F(RecordingTest, ReplaysEqual) {
  record();
  const Recording recording = take(read(path()));
  EXPECT_TRUE(recording.is_complete);
  EXPECT_EQ(recording.device, "sim:0");
  EXPECT_EQ(recording.device_name, "simulator");
  auto device = runtime::open_sim();
  const Outcome outcome = take(replay(recording, *device));
  EXPECT_EQ(outcome.first, "");
  EXPECT_EQ(outcome.differences, 0u);
  EXPECT_EQ(outcome.calls, recording.calls.size());
  EXPECT_GT(outcome.calls, 50u);
  EXPECT_EQ(outcome.downloads, 2u);
  EXPECT_EQ(outcome.bytes, 404u);
  EXPECT_TRUE(outcome.notes.empty());
}

TEST_F(RecordingTest, TheSameProgramGivesTheSameFile) {
  const std::string first = record();
  EXPECT_EQ(record(), first);
}

// A device that adds one to the first byte of every download.
class Wrong final : public forward::Device {
 public:
  using forward::Device::Device;
  driver::Result<> download(driver::Stream& stream, void* to, driver::Place from, uint64_t bytes) override {
    QUERN_TRY(forward::Device::download(stream, to, from, bytes));
    static_cast<char*>(to)[bytes - 1] ^= 1;
    return {};
  }
};

TEST_F(RecordingTest, OtherDataIsFound) {
  record();
  const Recording recording = take(read(path()));
  Wrong device(runtime::open_sim());
  const Outcome outcome = take(replay(recording, device));
  EXPECT_EQ(outcome.differences, 2u);
  EXPECT_NE(outcome.first.find("(download) returned different data: byte 399 of 400 is 0x01, but was 0x00"),
            std::string::npos)
      << outcome.first;
}

TEST_F(RecordingTest, ACallThatFailsNowEndsTheReplay) {
  record();
  const Recording recording = take(read(path()));
  auto faults = take(faulty::Faults::parse("launch:1=memory"));
  auto device = faulty::wrap(runtime::open_sim(), faults);
  const Outcome outcome = take(replay(recording, *device));
  EXPECT_EQ(outcome.differences, 1u);
  EXPECT_LT(outcome.calls, recording.calls.size());
  EXPECT_NE(outcome.first.find("(launch) succeeded when it was recorded, but failed in the replay with out "
                               "of memory: launch 1 failed (injected fault)"),
            std::string::npos)
      << outcome.first;
}

TEST_F(RecordingTest, ACallThatFailedThenIsAskedAgain) {
  {
    auto faults = take(faulty::Faults::parse("allocate:0=timeout"));
    auto device = take(wrap(faulty::wrap(runtime::open_sim(), faults), path()));
    EXPECT_FALSE(device->allocate(4, driver::MemoryKind::device).ok());
    auto buffer = take(device->allocate(8, driver::MemoryKind::device));
  }
  const Recording recording = take(read(path()));
  auto good = runtime::open_sim();
  const Outcome works = take(replay(recording, *good));
  EXPECT_EQ(works.first,
            message::kFailedWhenRecorded("call 1 (allocate)", "timeout", "allocate 0 failed (injected fault)")
                .text);
  EXPECT_EQ(works.calls, 3u);
  auto same = faulty::wrap(runtime::open_sim(), take(faulty::Faults::parse("allocate:0=timeout")));
  EXPECT_EQ(take(replay(recording, *same)).differences, 0u);
  auto other = faulty::wrap(runtime::open_sim(), take(faulty::Faults::parse("allocate:0=memory")));
  EXPECT_EQ(take(replay(recording, *other)).first,
            message::kFailedDifferently("call 1 (allocate)", "timeout", "out of memory",
                                        "allocate 0 failed (injected fault)")
                .str());
}

// Work that runs only when the host waits.
class Late final : public forward::Device {
 public:
  using forward::Device::Device;
  driver::Result<> download(driver::Stream& stream, void* to, driver::Place from, uint64_t bytes) override {
    later.push_back([=, this, &stream] { return forward::Device::download(stream, to, from, bytes); });
    return {};
  }
  driver::Result<> synchronize(driver::Stream& stream) override {
    QUERN_TRY(catch_up());
    return forward::Device::synchronize(stream);
  }
  driver::Result<> wait(driver::Event& event) override {
    QUERN_TRY(catch_up());
    return forward::Device::wait(event);
  }
  using forward::Device::wait;
  driver::Result<bool> reached(driver::Event&) override {
    if (polls++ == 0) return false;
    QUERN_TRY(catch_up());
    return true;
  }
  driver::Result<> call(driver::Stream& stream, std::function<void()> function) override {
    QUERN_TRY(catch_up());
    return forward::Device::call(stream, std::move(function));
  }
  driver::Result<> catch_up() {
    for (auto& work : later) QUERN_TRY(work());
    later.clear();
    return {};
  }
  std::vector<std::function<driver::Result<>()>> later;
  int polls = 0;
};

enum class By { kSynchronize, kWait, kReached, kCall, kOtherQueue };

class Asynchronous : public RecordingTest, public ::testing::WithParamInterface<By> {};

TEST_P(Asynchronous, DataIsTakenWhenItIsThere) {
  {
    auto device = take(wrap(std::make_unique<Late>(runtime::open_sim()), path()));
    auto stream = take(device->create_stream({}));
    auto second = take(device->create_stream({}));
    auto event = take(device->create_event());
    auto buffer = take(device->allocate(8, driver::MemoryKind::device));
    EXPECT_TRUE(device->fill(*stream, {buffer.get(), 0}, 0x5a, 1, 8).ok());
    char host[8] = {};
    EXPECT_TRUE(device->download(*stream, host, {buffer.get(), 0}, 8).ok());
    EXPECT_TRUE(device->record(*stream, *event).ok());
    switch (GetParam()) {
      case By::kSynchronize: EXPECT_TRUE(device->synchronize(*stream).ok()); break;
      case By::kWait: EXPECT_TRUE(device->wait(*event).ok()); break;
      case By::kReached:
        EXPECT_FALSE(take(device->reached(*event)));
        EXPECT_TRUE(take(device->reached(*event)));
        break;
      case By::kCall: EXPECT_TRUE(device->call(*stream, [&] { EXPECT_EQ(host[7], 0x5a); }).ok()); break;
      case By::kOtherQueue:
        EXPECT_TRUE(device->wait(*second, *event).ok());
        EXPECT_TRUE(device->synchronize(*second).ok());
        break;
    }
    EXPECT_EQ(host[7], 0x5a);
    std::memset(host, 0, sizeof host);  // the program may do so now
    (void)device->synchronize(*stream);
  }
  const Recording recording = take(read(path()));
  bool is_seen = false;
  for (const auto& call : recording.calls) {
    if (call.call != Call::kDownload) continue;
    is_seen = true;
    EXPECT_EQ(call.data, std::string(8, 0x5a));
  }
  EXPECT_TRUE(is_seen);
  Late device(runtime::open_sim());
  EXPECT_EQ(take(replay(recording, device)).first, "");
}

INSTANTIATE_TEST_SUITE_P(Ways, Asynchronous,
                         ::testing::Values(By::kSynchronize, By::kWait, By::kReached, By::kCall,
                                           By::kOtherQueue));

TEST_F(RecordingTest, AProgramThatDiesLeavesItsCalls) {
  auto device = take(wrap(runtime::open_sim(), path()));
  auto stream = take(device->create_stream({}));
  EXPECT_TRUE(device->synchronize(*stream).ok());
  const Recording recording = take(read(path()));  // nothing was closed
  EXPECT_FALSE(recording.is_complete);
  EXPECT_EQ(recording.calls.size(), 2u);
  auto other = runtime::open_sim();
  EXPECT_EQ(take(replay(recording, *other)).differences, 0u);
  stream.reset();
}

TEST_F(RecordingTest, AFileThatCannotBeWrittenIsAnError) {
  auto device = wrap(runtime::open_sim(), folder / "no/such/folder.qrec");
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.error().kind(), base::ErrorKind::not_found);
  EXPECT_EQ(device.error().message(), "cannot write the recording '" + folder.path() +
                                          "/no/such/folder.qrec': No such file or directory");
}

TEST_F(RecordingTest, EveryCutIsFound) {
  const std::string whole = record();
  size_t incomplete = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    auto recording = parse(whole.substr(0, size), "f");
    if (recording.ok()) {  // between two records: like the file of a crashed program
      EXPECT_FALSE(recording->is_complete);
      ++incomplete;
      continue;
    }
    EXPECT_EQ(recording.error().kind(), base::ErrorKind::bad_input);
  }
  EXPECT_LT(incomplete, 120u);
  EXPECT_EQ(refusal(whole.substr(0, whole.size() - 1)).substr(0, 41),
            message::kRecordingInvalid("f", message::kTruncatedInRecord("").text, "").text);
  EXPECT_EQ(refusal(""), message::kNotARecording("f").text);
  EXPECT_EQ(refusal("QUERNREC"), message::kRecordingInvalid("f", message::kTruncated().text, "").text);
  EXPECT_EQ(refusal(whole.substr(0, 12)), message::kRecordingInvalid("f", message::kIsEmpty().text, "").text);
  EXPECT_EQ(refusal(whole + "x"), message::kRecordingInvalid("f", message::kDataAfterEnd().text, "").text);
}

TEST_F(RecordingTest, EveryChangedByteIsFound) {
  const std::string whole = record();
  for (size_t at = 0; at < whole.size(); at += at < 400 ? 1 : 7) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x20);
    EXPECT_FALSE(parse(changed, "f").ok()) << at;
  }
  std::string changed = whole;
  changed[80] = static_cast<char>(changed[80] ^ 1);
  EXPECT_EQ(refusal(changed), message::kRecordingInvalid("f", message::kChecksum("2").text, "").text);
  changed = whole;
  changed[8] = 9;
  EXPECT_EQ(refusal(changed),
            message::kRecordingInvalid("f", message::kOtherVersion("9", "7", "").text, "").text);
}

TEST_F(RecordingTest, ForgedCallsAreRefused) {
  const auto made = [] {
    File f;
    f.call("create_stream", numbers(int32_t{0}, uint8_t{0}));  // 1
    f.call("allocate", numbers(uint64_t{16}, uint8_t{0}));     // 2
    f.call("create_event", {});                                // 3
    return f;
  };
  EXPECT_EQ(
      made().call("synchronize", numbers(uint64_t{2})).problem(),
      message::kCannotReplay("call 4 (synchronize)", message::kUnknownNumbered("stream", "2").text).text);
  EXPECT_EQ(made().call("synchronize", numbers(uint64_t{1}, uint8_t{0})).problem(),
            message::kCannotReplay("call 4 (synchronize)", message::kArgumentsOfCall().text).text);
  EXPECT_EQ(
      made().call("synchronize", {}).problem(),
      message::kCannotReplay("call 4 (synchronize)", message::kUnknownNumbered("stream", "0").text).text);
  EXPECT_EQ(made().call("download", numbers(uint64_t{1}, uint64_t{2}, uint64_t{0}, ~uint64_t{0})).problem(),
            message::kCannotReplay("call 4 (download)", message::kBeyondBuffer().text).text);
  EXPECT_EQ(made().call("allocate", numbers(uint64_t{16}, uint8_t{77})).problem(),
            message::kCannotReplay("call 4 (allocate)", message::kUnknownMemoryKind().text).text);
  EXPECT_EQ(made().call("open", {}).problem(),
            message::kCannotReplay("call 4 (open)", message::kNotADeviceCall().text).text);
  EXPECT_EQ(made().call("destroy", numbers(uint64_t{9})).problem(),
            message::kCannotReplay("call 4 (destroy)", message::kUnknownObject("9").text).text);
  EXPECT_EQ(made().call("dance", {}).problem(),
            message::kRecordingInvalid("f", message::kUnknownCall("dance").text, "").text);
  Writer upload = numbers(uint64_t{1}, uint64_t{2}, uint64_t{12});
  upload.text("12345678");
  EXPECT_EQ(made().call("upload", upload).problem(),
            message::kSucceededWhenRecorded(
                "differs: call 4 (upload)", "invalid use",
                "driver call upload touches 8 bytes at offset 12 of a buffer of 16 bytes")
                .text);
  EXPECT_EQ(made().add(RecordKind::kData, numbers(uint64_t{9}, uint64_t{0})).problem(),
            message::kRecordingInvalid("f", message::kUnexpectedContents("5").text, "").text);
  EXPECT_EQ(made().add(static_cast<RecordKind>(77), {}).problem(),
            message::kRecordingInvalid("f", message::kUnexpectedContents("5").text, "").text);
}

TEST_F(RecordingTest, AnOlderVersionIsRefusedInOneSentence) {
  std::string old = record();
  old[8] = 5;
  const auto recording = parse(old, "f");
  ASSERT_FALSE(recording.ok());
  EXPECT_EQ(recording.error().message(),
            message::kRecordingInvalid("f", message::kOtherVersion("5", "7", "").text, "").text);
  EXPECT_EQ(recording.error().hint(), message::kRecordAgain().text);
}

TEST_F(RecordingTest, ForgedCodeIsRefused) {
  const driver::Code code = runtime::code_of("__global__ void k(int* p, int n) { p[n] = 1; }");
  const auto problem = [](const target::PortableProgram& program) {
    driver::DeviceInfo device;
    device.code = {driver::CodeKind::kIr};
    auto portable = std::make_shared<target::PortableProgram>(program);
    Writer w;
    EXPECT_TRUE(write(w, take(target::compile_for(device, portable))).ok());
    return File().call("load", w).problem();
  };
  target::PortableProgram program{"test.cu", code.module};
  EXPECT_EQ(problem(program), "differs: ");
  const std::string start = "call 1 (load) of the recording cannot be replayed: ";
  program.checked = {{"k", {1}}};  // the second parameter is not a pointer
  Writer forged;
  forged.text("test.cu").number(driver::Math::exact).number(uint32_t{0}).number(false).number(true);
  forged.text(ir::print(*code.module)).number(uint64_t{1}).text("k").number(uint64_t{1}).number(uint32_t{1});
  EXPECT_EQ(File().call("load", forged).problem(),
            start + "kernel 'k' does not have the parameters of check mode");
  Writer broken;
  broken.text("test.cu").number(driver::Math::exact).number(uint32_t{0}).number(false).number(true);
  broken.text("module ☃").number(uint64_t{0});
  EXPECT_EQ(File().call("load", broken).problem().substr(0, start.size() + 39),
            start + "cannot parse the IR of 'test.cu': line ");
  Writer cut;
  cut.text("x")
      .number(driver::Math::exact)
      .number(uint32_t{0})
      .number(false)
      .number(true)
      .number(~uint64_t{0});
  EXPECT_EQ(File().call("load", cut).problem(), start + "it contains an incomplete module");
  Writer math;
  math.text("x").number(uint8_t{9}).number(uint32_t{0}).number(false).number(true);
  EXPECT_EQ(File().call("load", math).problem(), start + "it contains an unknown math mode");
  Writer host;  // a function of another process
  host.text("x").number(driver::Math::exact).number(uint32_t{0}).number(false).number(false);
  host.text("host").text("").number(uint64_t{0});
  EXPECT_EQ(File().call("load", host).problem(), start + "it contains code of the unknown kind 'host'");
}

TEST_F(RecordingTest, OtherDevicesCodeIsRefused) {
  Writer raw;
  raw.text("k.ptx").number(driver::Math::exact).number(uint32_t{0}).number(false).number(false);
  raw.text("ptx").text(".version 7.0").number(uint64_t{0});
  EXPECT_EQ(File().call("load", raw).problem(),
            message::kSucceededWhenRecorded("differs: call 1 (load)", "unsupported",
                                            "'k.ptx' is ptx code, which sim:0 does not accept")
                .text);
}

// A struct of pointers: addresses of the recorded device are replaced by those of the buffers here.
TEST_F(RecordingTest, AddressesInsideOfStructsAreTranslated) {
  constexpr const char* kText = "struct S { int n; int* p; }; __global__ void k(S s) { s.p[s.n] = 7; }";
  struct S {
    int n;
    uint64_t p;
  };
  {
    auto device = take(wrap(runtime::open_sim(), path()));
    auto stream = take(device->create_stream({}));
    auto program = take(device->load(runtime::code_of(kText)));
    auto kernel = take(device->kernel(*program, "k"));
    auto buffer = take(device->allocate(16, driver::MemoryKind::device));
    ASSERT_NE(buffer->address, 0u);
    EXPECT_TRUE(device->fill(*stream, {buffer.get(), 0}, 0, 4, 16).ok());
    const S s{1, buffer->address + 4};
    const driver::Argument argument{{}, &s, sizeof s};
    driver::Launch launch;
    launch.arguments = {&argument, 1};
    EXPECT_TRUE(device->launch(*stream, *kernel, launch).ok());
    int out[4] = {};
    EXPECT_TRUE(device->download(*stream, out, {buffer.get(), 0}, 16).ok());
    EXPECT_TRUE(device->synchronize(*stream).ok());
    EXPECT_EQ(out[2], 7);
    device->destroy(std::move(kernel));
    device->destroy(std::move(program));
    device->destroy(std::move(buffer));
    device->destroy(std::move(stream));
  }
  const Recording recording = take(read(path()));
  auto device = runtime::open_sim();
  const auto before = take(device->allocate(1 << 20, driver::MemoryKind::device));  // other addresses now
  const Outcome outcome = take(replay(recording, *device));
  EXPECT_EQ(outcome.first, "");
  EXPECT_EQ(outcome.downloads, 1u);
  EXPECT_TRUE(outcome.notes.empty());
}

TEST_F(RecordingTest, WhatCannotBeFollowedIsNoted) {
  {
    auto device = take(wrap(runtime::open_sim(), path()));
    auto program = take(device->load(runtime::code_of("__global__ void k(int** p) { p[0][0] = 1; }")));
    auto binary = device->binary(*program);
    EXPECT_FALSE(binary.ok());
  }
  const Recording recording = take(read(path()));
  auto device = runtime::open_sim();
  const Outcome outcome = take(replay(recording, *device));
  EXPECT_EQ(outcome.differences, 0u);
  EXPECT_EQ(outcome.notes,
            std::vector<std::string>{"kernel 'k' reads addresses from memory; they are not translated"});
}

TEST_F(RecordingTest, WhatKernelsPrintIsReplayed) {
  {
    auto device = take(runtime::Device::adopt(take(wrap(runtime::open_sim(), path()))));
    auto program = take(runtime::Module::load(
        device, runtime::source("__global__ void k(int n) { printf(\"n = %d\\n\", n); }")));
    auto kernel = take(program->kernel("k"));
    EXPECT_TRUE(
        device->default_stream().launch(*kernel, runtime::shape(1, 1), std::vector{runtime::arg(7)}).ok());
    EXPECT_EQ(take(device->default_stream().take_output()), "n = 7\n");
  }
  auto device = runtime::open_sim();
  const Recording recording = take(read(path()));
  EXPECT_EQ(take(replay(recording, *device)).printed, "n = 7\n");
}

TEST_F(RecordingTest, AKernelFaultIsSeenAgain) {
  {
    auto device = take(runtime::Device::adopt(take(wrap(runtime::open_sim(), path()))));
    auto program =
        take(runtime::Module::load(device, runtime::source("__global__ void k(int* p) { p[4] = 1; }")));
    auto kernel = take(program->kernel("k"));
    auto memory = take(device->allocate(16, driver::MemoryKind::device, ""));
    EXPECT_TRUE(device->default_stream()
                    .launch(*kernel, runtime::shape(1, 1), std::vector{runtime::arg(memory)})
                    .ok());
    EXPECT_EQ(device->default_stream().synchronize().error().kind(), base::ErrorKind::kernel_fault);
  }
  const Recording recording = take(read(path()));
  auto device = runtime::open_sim();
  EXPECT_EQ(take(replay(recording, *device)).first, "");
  auto blind = runtime::open_sim({{"check", "none"}});
  const Outcome outcome = take(replay(recording, *blind));
  EXPECT_NE(outcome.first.find("(synchronize) failed when it was recorded (kernel fault"), std::string::npos)
      << outcome.first;
}

TEST(Bytes, ReadingStopsAtTheEnd) {
  Writer w;
  w.number(uint16_t{0x1234}).text("abc").number(int32_t{-5});
  Reader r(w.bytes());
  EXPECT_EQ(r.number<uint16_t>(), 0x1234);
  EXPECT_EQ(r.text(), "abc");
  EXPECT_EQ(r.number<int32_t>(), -5);
  EXPECT_TRUE(r.ok() && r.at_end());
  EXPECT_EQ(r.u8(), 0);
  EXPECT_FALSE(r.ok());
  Writer count;
  count.number(uint64_t{3}).number(uint32_t{0});
  Reader short_one(count.bytes());
  EXPECT_EQ(short_one.count(2), 0u);
  EXPECT_FALSE(short_one.ok());
  Reader enough(count.bytes());
  EXPECT_EQ(enough.count(1), 3u);
}

TEST(RecordedCode, TheUsersOwnCodeReadsBackWhole) {
  driver::Code code;
  code.kind = driver::CodeKind::kPtx;
  code.bytes = std::string("\0ptx", 4);
  code.name = "a.ptx";
  code.is_raw = true;
  code.math = driver::Math::fast;
  code.max_registers = 32;
  code.debug = true;
  code.defines = {{"N", "4"}};
  Writer w;
  ASSERT_TRUE(write(w, code).ok());
  Reader r(w.bytes());
  const RecordedModule back = take(read_program(r));
  EXPECT_TRUE(r.at_end());
  EXPECT_EQ(back.portable, nullptr);
  Writer again;
  ASSERT_TRUE(write(again, back.raw).ok());
  EXPECT_EQ(again.bytes(), w.bytes());
  EXPECT_EQ(back.raw.bytes, code.bytes);
  EXPECT_EQ(back.raw.defines, code.defines);
  EXPECT_TRUE(back.raw.is_raw);
}

TEST(RecordedCode, APortableProgramIsStoredAsItsIr) {
  const driver::Code code = runtime::code_of("__global__ void k(int* p) { p[threadIdx.x] = 1; }");
  driver::DeviceInfo device;
  device.name = "a device that takes OpenCL C";
  device.code = {driver::CodeKind::kOpenclC};
  const auto program = std::make_shared<target::PortableProgram>(
      target::PortableProgram{"k.cu", code.module, driver::Math::fused, 16, true});
  const driver::Code text = take(target::compile_for(device, program));
  EXPECT_EQ(text.kind, driver::CodeKind::kOpenclC);
  EXPECT_EQ(target::portable_form(text), program);
  Writer w;
  ASSERT_TRUE(write(w, text).ok());
  Reader r(w.bytes());
  const RecordedModule back = take(read_program(r));
  ASSERT_NE(back.portable, nullptr);
  EXPECT_EQ(back.portable->name, "k.cu");
  EXPECT_EQ(back.portable->math, driver::Math::fused);
  EXPECT_EQ(back.portable->max_registers, 16u);
  EXPECT_TRUE(back.portable->debug);
  EXPECT_EQ(ir::print(*back.portable->module), ir::print(*code.module));
}

TEST(RecordedCode, CodeWithoutItsIrIsNotRecorded) {
  driver::Code code;
  code.kind = driver::CodeKind::kPtx;
  code.name = "k.cu";
  Writer w;
  const auto written = write(w, code);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message(), message::kRecordedCodeWithoutIr("k.cu", "ptx").text);
}

}  // namespace
}  // namespace quern::recording

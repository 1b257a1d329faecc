// Behavior visible only in a separate process: the output of kernel printf, callbacks that use the device,
// crashes, forks, and kernels that never end. Each test runs this program again as a child, which executes
// the test's mode on one device, and checks its output and exit code.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

#include "api/api_case.hpp"
#include "quern/inline.hpp"
#include "support/command.hpp"

namespace quern::test {
namespace {

constexpr int kNotHere = 77;

QUERN_KERNEL(say, (int n), {
  if (threadIdx.x == 0) {
    printf("kernel says %d\n", n);
  }
})
QUERN_KERNEL(say_all, (int n),
             { printf("line %d of %d\n", (int)(blockIdx.x * blockDim.x + threadIdx.x), n); })
QUERN_KERNEL(set_one, (int* p), { p[threadIdx.x] = 1; })

void mark(const char* where) {
  std::printf("-- %s\n", where);
  std::fflush(stdout);
}

// ---- the modes of the child

void print(const Device& device) {
  device.launch(say, grid(1, 32), 1);
  device.synchronize();
  mark("synchronize");
  const Stream stream = device.create_stream();
  stream.launch(say, grid(1, 32), 2);
  stream.record().wait();
  mark("event");
  device.launch(say, grid(1, 32), 3);
  (void)device.upload(std::vector<int>(4, 1)).download();
  mark("copy");
  const Graph graph = device.record([](const Stream& s) { s.launch(say, grid(1, 32), 4); });
  device.stream().run(graph);
  device.stream().run(graph);
  device.synchronize();
  mark("graph");
  { device.create_stream().launch(say, grid(1, 32), 5); }
  mark("end of a stream");
  {
    const auto output =
        device.on_output([](std::string_view text) { std::printf("[%.*s]", int(text.size()), text.data()); });
    device.launch(say, grid(1, 32), 6);
    device.synchronize();
  }
  mark("callback");
  device.launch(say, grid(1, 32), 7);
  std::printf("taken %zu\n", device.stream().take_output().size());
  device.launch(say, grid(1, 32), 8);
}

void use_device_in_callback(const Device& device) {
  auto buffer = device.allocate<int>(32);
  const Stream stream = device.create_stream();
  auto freed = std::make_shared<Buffer<int>>(device.allocate<int>(1 << 20));
  std::map<std::string, std::function<void()>> calls = {
      {"allocate", [&] { (void)device.allocate<int>(4); }},
      {"upload", [&] { (void)device.upload(std::vector<int>(4)); }},
      {"fill", [&] { buffer.fill(1); }},
      {"download", [&] { (void)buffer.download(); }},
      {"synchronize the stream", [&] { stream.synchronize(); }},
      {"synchronize the device", [&] { device.synchronize(); }},
      {"launch on the stream", [&] { stream.launch(set_one, grid(1, 32), buffer); }},
      {"launch on another stream", [&] { device.launch(set_one, grid(1, 32), buffer); }},
      {"call", [&] { stream.call([] {}); }},
      {"record", [&] { (void)stream.record(); }},
      {"create a stream", [&] { (void)device.create_stream(); }},
  };
  std::map<std::string, std::string> outcomes;
  stream.launch(set_one, grid(1, 32), buffer);
  stream.call([&outcomes, &calls, freed = std::move(freed), copy = stream] {
    for (const auto& [name, call] : calls) {
      try {
        call();
        outcomes[name] = "works";
      } catch (const Error& e) {
        outcomes[name] = e.kind() == ErrorKind::invalid_use ? "invalid use" : e.what();
      }
    }
  });
  stream.launch(set_one, grid(1, 32), buffer);
  stream.synchronize();
  for (const auto& [name, outcome] : outcomes) std::printf("%s: %s\n", name.c_str(), outcome.c_str());
  buffer.fill(7);
  std::printf("afterwards: %d\n", buffer.download()[31]);
}

// The last handles of the stream and of the device are released with the callback.
void end_in_callback(Device& device) {
  Stream stream = device.create_stream();
  stream.call([stream, device, buffer = std::make_shared<Buffer<int>>(device.allocate<int>(4))] {});
  stream = {};
  device = {};
  ::usleep(200'000);
}

void access_far_outside(const Device& device) {
  const Kernel far =
      device.compile("__global__ void far_access(int* p, long long at) { p[at] = 1; }").kernel("far_access");
  device.launch(far, grid(1, 1), device.allocate<int>(4), 1ll << 40);
  device.synchronize();
}

void keep_large_array(const Device& device) {
  const Kernel large =
      device
          .compile(
              "__global__ void large(int* p, int n) { int a[1 << 20]; for (int i = 0; i < n; ++i) "
              "a[(i * 13) & 0xfffff] = 0; for (int i = 0; i < n; ++i) a[(i * 77) & 0xfffff] = i + p[0]; int "
              "s = 0; for (int i = 0; i < n; ++i) "
              "s += a[(i * 13) & 0xfffff]; p[threadIdx.x] = s; }")
          .kernel("large");
  auto buffer = device.upload(std::vector<int>(64));
  device.launch(large, grid(1, 64), buffer, 1000);
  std::printf("sum %d\n", buffer.download()[0]);
}

void use_device_after_fork(const Device& device) {
  auto buffer = device.upload(std::vector<int>(32));
  device.launch(set_one, grid(1, 32), buffer);
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(30);
    const auto attempt = [](const char* name, const std::function<void()>& call) {
      try {
        call();
        std::printf("%s works\n", name);
      } catch (const Error& e) {
        std::printf("%s: %s\n", name, e.kind() == ErrorKind::invalid_use ? "invalid use" : e.what());
      }
    };
    attempt("download", [&] { (void)buffer.download(); });
    attempt("allocate", [&] { (void)device.allocate<int>(4); });
    attempt("synchronize", [&] { device.synchronize(); });
    attempt("launch", [&] { device.launch(set_one, grid(1, 32), buffer); });
    const std::string driver = device.driver();
    attempt("open", [&] { (void)open(driver).upload(std::vector<int>(4, 3)).download(); });
    return;  // the test framework ends the process as main would
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::printf("child %s %d\n", WIFEXITED(status) ? "ended" : "was killed",
              WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
  std::printf("parent %d\n", buffer.download()[31]);
}

// Does not wait for other threads: some devices do not support that.
void leave_persistent_kernel(const Device& device) {
  const Kernel count =
      device
          .compile("__global__ void count(int* p) { for (unsigned i = 0; i != 1; i += 2) atomicAdd(p, 1); }")
          .kernel("count");
  device.create_stream().launch(count, grid(1, 1), device.upload(std::vector<int>(1, 0)));
}

// ---- the child

const std::map<std::string, void (*)(Device&)> kModes = {
    {"print", [](Device& d) { print(d); }},
    {"use_device_in_callback", [](Device& d) { use_device_in_callback(d); }},
    {"end_in_callback", end_in_callback},
    {"access_far_outside", [](Device& d) { access_far_outside(d); }},
    {"keep_large_array", [](Device& d) { keep_large_array(d); }},
    {"use_device_after_fork", [](Device& d) { use_device_after_fork(d); }},
    {"leave_persistent_kernel", [](Device& d) { leave_persistent_kernel(d); }},
};

TEST(ProcessChild, Run) {
  const char* const mode = std::getenv("TEST_MODE");
  if (mode == nullptr) GTEST_SKIP() << "runs as the child of the tests below";
  Device device;
  try {
    device = open(std::getenv("TEST_DEVICE"));
  } catch (const Error& e) {
    std::printf("%s\n", e.what());
    std::fflush(stdout);
    std::_Exit(kNotHere);
  }
  mark("begin");
  try {
    kModes.at(mode)(device);
  } catch (const Error& e) {
    std::printf("error: %s\n", e.what());
  }
  mark("end");
  device = {};
  mark("closed");
}

// ---- the tests

class Process : public testing::TestWithParam<const char*> {
 protected:
  // Runs the mode on the test's device. False: the device is not available, and the test is skipped.
  bool run(const std::string& mode, const std::string& environment = {}) {
    char self[4096] = {};
    if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0) return ADD_FAILURE(), false;
    const std::string device = GetParam();
    const CommandAnswer answer =
        run_command("exec env " + environment + " TEST_MODE=" + mode + " TEST_DEVICE=" + device +
                    " timeout -k 5 90 '" + self + "' --gtest_filter=ProcessChild.Run");
    code = WIFEXITED(answer.code) ? WEXITSTATUS(answer.code) : 128 + WTERMSIG(answer.code);
    text = answer.text;
    if (code == kNotHere) std::printf("the device %s is not here: %s\n", device.c_str(), text.c_str());
    return code != kNotHere;
  }
  // The child's output between two marks.
  std::string part(const std::string& from, const std::string& to) const {
    const size_t begin = text.find("-- " + from + "\n"), end = text.find("-- " + to + "\n");
    if (begin == std::string::npos || end == std::string::npos)
      return "(a mark is missing in:\n" + text + ")";
    return text.substr(begin + from.size() + 4, end - begin - from.size() - 4);
  }
  bool has(const std::string& what) const { return text.find(what) != std::string::npos; }
  // The drivers of CUDA and HIP print themselves: nothing can be collected.
  bool collects() const { return GetParam() != std::string("cuda") && GetParam() != std::string("hip"); }
  bool compiles_text() const { return GetParam() != std::string("native"); }

  int code = 0;
  std::string text;
};

TEST_P(Process, OutputOfKernelsGoesToStandardOutput) {
  if (!run("print")) GTEST_SKIP();
  EXPECT_EQ(code, 0) << text;
  EXPECT_EQ(part("begin", "synchronize"), "kernel says 1\n");
  EXPECT_EQ(part("synchronize", "event"), "kernel says 2\n");
  EXPECT_EQ(part("event", "copy"), "kernel says 3\n");
  EXPECT_EQ(part("copy", "graph"), "kernel says 4\nkernel says 4\n");
  EXPECT_EQ(part("graph", "end of a stream"), "kernel says 5\n");
  if (collects()) {
    EXPECT_EQ(part("end of a stream", "callback"), "[kernel says 6\n]");
    EXPECT_EQ(part("callback", "end"), "taken 14\n");
    EXPECT_EQ(part("end", "closed"), "kernel says 8\n");
  }
}

TEST_P(Process, CallbacksThatUseTheDeviceAreRefused) {
  if (!run("use_device_in_callback")) GTEST_SKIP();
  EXPECT_EQ(code, 0) << text;
  EXPECT_EQ(part("begin", "end"),
            "allocate: invalid use\ncall: invalid use\ncreate a stream: invalid use\n"
            "download: invalid use\nfill: invalid use\nlaunch on another stream: invalid use\n"
            "launch on the stream: invalid use\nrecord: invalid use\nsynchronize the device: invalid use\n"
            "synchronize the stream: invalid use\nupload: invalid use\nafterwards: 7\n");
}

TEST_P(Process, StreamsAndDevicesMayEndInCallbacks) {
  if (!run("end_in_callback")) GTEST_SKIP();
  EXPECT_EQ(code, 0) << text;
  EXPECT_TRUE(has("-- closed")) << text;
}

TEST_P(Process, ACrashNamesTheKernel) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer reports it";
#endif
  if (!compiles_text() || !run("access_far_outside")) GTEST_SKIP();
  const std::vector<DeviceInfo> all = devices();
  const auto first =
      std::find_if(all.begin(), all.end(), [](const DeviceInfo& info) { return info.driver == GetParam(); });
  if (first != all.end() && first->kind == DeviceKind::discrete)
    GTEST_SKIP() << "kernels do not run in this process on " << first->name;
  if (code == 0) {
    // A separate device: it reports the fault, or the access is lost.
    EXPECT_TRUE(has("-- closed")) << text;
    return;
  }
  EXPECT_EQ(code, 128 + SIGSEGV) << text;
  EXPECT_TRUE(has("quern: the process crashed while kernel 'far_access' was running on ")) << text;
  EXPECT_TRUE(has(": signal 11, invalid access to address 0x")) << text;
}

TEST_P(Process, LocalArraysThatDoNotFitAreRefused) {
  const std::string device = GetParam();
  if (device != "cpu" && device != "opencl") GTEST_SKIP() << "the stack of a thread is not the limit there";
  if (!run("keep_large_array")) GTEST_SKIP();
  EXPECT_EQ(code, 0) << text;
  EXPECT_TRUE(has("sum 1014") || has("threads per block are too many; its resource usage allows")) << text;
}

TEST_P(Process, AChildOfAForkCannotUseTheDevice) {
  if (!run("use_device_after_fork")) GTEST_SKIP();
  EXPECT_EQ(code, 0) << text;
  EXPECT_TRUE(
      has("download: invalid use\nallocate: invalid use\nsynchronize: invalid use\nlaunch: invalid use\n"))
      << text;
  const std::string device = GetParam();
  EXPECT_TRUE(has(!is_foreign(device) ? "open works\n" : "open: invalid use\n")) << text;
  EXPECT_TRUE(has("child ended 0\n")) << text;
  EXPECT_TRUE(has("parent 1\n")) << text;
}

TEST_P(Process, AnEndlessKernelDoesNotKeepTheProcess) {
  const std::string device = GetParam();
  if (device == "sim" || device == "native") GTEST_SKIP() << "a launch returns when the kernel has ended";
  if (!run("leave_persistent_kernel")) GTEST_SKIP();
  EXPECT_EQ(code, 0) << text;
  EXPECT_FALSE(has("error: ")) << text;
  // Mesa 22.3's llvmpipe ends loops itself.
  if (device == "cpu" || device == "opencl") {
    EXPECT_TRUE(has("a kernel is still running after 10 s; it is abandoned")) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Process, testing::ValuesIn(each_driver({"std.gpu"})), device_name);

// ---- in this process

// The drivers of CUDA and HIP print themselves: nothing can be collected.
class Output : public OnDeviceThatIsHere {
  Requirements requirements() const override {
    return {.kernel_text = false, .features = {driver::Feature::print}};
  }
  void prepare() override {}
};

TEST_P(Output, IsBoundedAndCountsWhatItDrops) {
  std::string text;
  const auto output = device.on_output([&text](std::string_view more) { text += more; });
  constexpr unsigned kBlocks = 2048, kThreads = 256, kCalls = kBlocks * kThreads;
  device.launch(say_all, grid(kBlocks, kThreads), 1'000'000'000);
  device.synchronize();
  std::istringstream lines(text);
  std::string line, last;
  unsigned long long said = 0;
  while (std::getline(lines, line)) {
    if (line.starts_with("line ")) ++said;
    last = line;
  }
  EXPECT_LT(said, kCalls);
  std::string digits;
  for (const char c : last.substr(0, last.find(' '))) {
    if (c >= '0' && c <= '9') digits += c;
  }
  ASSERT_TRUE(last.ends_with(" calls of printf dropped: the output buffer is full; synchronize more often)"))
      << last;
  EXPECT_EQ(said + std::stoull(digits), kCalls);
  // It starts again.
  text.clear();
  device.launch(say, grid(1, 32), 3);
  device.synchronize();
  EXPECT_EQ(text, "kernel says 3\n");
}

// The same total amount in launches that are not waited for: the next launch writes the available output.
TEST_P(Output, DoesNotGrowOverLaunches) {
  std::uint64_t bytes = 0;
  const auto output = device.on_output([&bytes](std::string_view more) { bytes += more.size(); });
  for (int i = 0; i < 64; ++i) device.launch(say_all, grid(2, 256), 1'000'000'000);
  device.synchronize();
  EXPECT_GT(bytes, 64u * 512 * 20 / 2);
}

TEST_P(Output, GoesToTheLatestSubscription) {
  std::string first, second;
  const auto say_now = [&](int n) {
    device.launch(say, grid(1, 32), n);
    device.synchronize();
  };
  const auto outer = device.on_output([&first](std::string_view more) { first += more; });
  say_now(1);
  {
    auto inner = device.on_output([&second](std::string_view more) { second += more; });
    say_now(2);
    const Subscription moved = std::move(inner);
    EXPECT_FALSE(inner);
    EXPECT_TRUE(moved);
    say_now(3);
  }
  say_now(4);
  EXPECT_EQ(first, "kernel says 1\nkernel says 4\n");
  EXPECT_EQ(second, "kernel says 2\nkernel says 3\n");
}

TEST_P(Output, ACallbackThatUsesTheDeviceIsRefused) {
  std::string outcome;
  const auto output = device.on_output([&](std::string_view) {
    outcome = message_of([&] { device.synchronize(); });
    throw std::runtime_error("no paper");
  });
  device.launch(say, grid(1, 32), 3);
  EXPECT_EQ(
      message_of([&] { device.synchronize(); }),
      "the output callback of " + device.name() + " (" + device.driver() + ") threw an exception: no paper");
  EXPECT_EQ(outcome, "using " + device.name() + " (" + device.driver() +
                         ") failed: the call is made in a callback of this device");
  device.synchronize();
}

INSTANTIATE_TEST_SUITE_P(All, Output, testing::ValuesIn(each_driver({"cuda", "hip", "std.gpu"})),
                         device_name);

}  // namespace
}  // namespace quern::test

// Compiles one OpenCL program and exits. The library contains this program
// (src/driver/opencl/compiler_process.hpp) and runs it before it passes the same code to a driver whose
// compiler may abort. The driver caches the compiled code, so it is not compiled twice. This program uses
// only the C library, to stay small.
//
// Standard input is a file with a CompileRequest. The last line of standard output reports that the compiler
// returned. Whether the code is valid is decided by the library's own build.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/opencl/api.hpp"
#include "driver/opencl/compile_request.hpp"

namespace {

using namespace quern::opencl;  // NOLINT(google-build-using-namespace)

constexpr uint32_t kMost = 64;  // platforms, and devices of a platform

void* library = nullptr;

template <typename Function>
Function* load(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

[[noreturn]] void fail(const char* reason, const char* value) {
  std::printf("%s%s\n", reason, value);
  std::exit(1);
}

struct Request {
  explicit Request(const char* bytes) : header(reinterpret_cast<const CompileRequest*>(bytes)) {
    const char* at = bytes + sizeof(CompileRequest);
    for (uint32_t i = 0; i < kFields; ++i) {
      fields[i] = at;
      at += header->sizes[i] + 1;
    }
  }
  const char* operator[](Field field) const { return fields[static_cast<uint32_t>(field)]; }

  const CompileRequest* header;
  const char* fields[kFields] = {};
};

Request read_request() {
  struct stat status = {};
  if (::fstat(STDIN_FILENO, &status) != 0 || status.st_size < static_cast<off_t>(sizeof(CompileRequest)))
    fail("standard input is not a request", "");
  const auto size = static_cast<size_t>(status.st_size);
  void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, STDIN_FILENO, 0);
  if (bytes == MAP_FAILED) fail("standard input cannot be read", "");
  return Request(static_cast<const char*>(bytes));
}

struct Chosen {
  Platform platform;
  DeviceId device;
};

// The library has removed spaces at both ends.
bool has_text(DeviceId device, uint32_t what, const char* wanted) {
  static const auto ask = load<int32_t(DeviceId, uint32_t, size_t, void*, size_t*)>("clGetDeviceInfo");
  char text[1024] = {};
  if (ask(device, what, sizeof text - 1, text, nullptr) != 0) return false;
  return std::strncmp(text + std::strspn(text, " \t\n"), wanted, std::strlen(wanted)) == 0;
}

Chosen find_device(const Request& request) {
  const auto platforms = load<int32_t(uint32_t, Platform*, uint32_t*)>("clGetPlatformIDs");
  const auto devices = load<int32_t(Platform, uint64_t, uint32_t, DeviceId*, uint32_t*)>("clGetDeviceIDs");
  Platform all[kMost];
  uint32_t count = 0;
  if (platforms(kMost, all, &count) != 0) count = 0;
  for (uint32_t i = 0; i < count && i < kMost; ++i) {
    DeviceId ids[kMost];
    uint32_t found = 0;
    if (devices(all[i], kDeviceTypeAll, kMost, ids, &found) != 0) continue;
    for (uint32_t k = 0; k < found && k < kMost; ++k) {
      if (has_text(ids[k], kDeviceName, request[Field::kDeviceName]) &&
          has_text(ids[k], kDeviceVersion, request[Field::kDeviceVersion]))
        return {all[i], ids[k]};
    }
  }
  fail("there is no device ", request[Field::kDeviceName]);
}

ProgramId make_program(const Request& request, const Chosen& chosen) {
  int32_t status = 0;
  const Context context = load<Context(const intptr_t*, uint32_t, const DeviceId*, Notify, void*, int32_t*)>(
      "clCreateContext")(nullptr, 1, &chosen.device, nullptr, nullptr, &status);
  if (status != 0) fail("clCreateContext failed", "");
  const char* code = request[Field::kCode];
  const size_t size = request.header->sizes[static_cast<uint32_t>(Field::kCode)];
  using FromIl = ProgramId(Context, const void*, size_t, int32_t*);
  using FromSource = ProgramId(Context, uint32_t, const char**, const size_t*, int32_t*);
  ProgramId program = nullptr;
  if (request.header->is_il == 0) {
    program = load<FromSource>("clCreateProgramWithSource")(context, 1, &code, &size, &status);
  } else {
    const auto extension = load<void*(Platform, const char*)>("clGetExtensionFunctionAddressForPlatform");
    auto* make = reinterpret_cast<FromIl*>(extension(chosen.platform, "clCreateProgramWithILKHR"));
    if (make == nullptr) make = load<FromIl>("clCreateProgramWithIL");
    program = make(context, code, size, &status);
  }
  if (status != 0) fail("the driver cannot load this kind of program", "");
  return program;
}

// PoCL compiles the work-group functions named by POCL_BINARY_SPECIALIZE_WG when its binaries are queried.
void compile_work_group(ProgramId program, const char* work_group) {
  const auto ask = load<int32_t(ProgramId, uint32_t, size_t, void*, size_t*)>("clGetProgramInfo");
  ::setenv("POCL_BINARY_SPECIALIZE_WG", work_group, 1);
  size_t size = 0;
  ask(program, kProgramBinarySizes, sizeof size, &size, nullptr);
  auto* bytes = static_cast<unsigned char*>(std::malloc(size + 1));
  ask(program, kProgramBinaries, sizeof bytes, &bytes, nullptr);
  std::free(bytes);
}

}  // namespace

int main() {
  const rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const Request request = read_request();
  library = ::dlopen(request[Field::kLibrary], RTLD_NOW);
  if (library == nullptr) fail("", ::dlerror());
  const Chosen chosen = find_device(request);
  const ProgramId program = make_program(request, chosen);
  std::fputs(kStarted, stdout);
  std::fflush(stdout);
  const int32_t built = load<int32_t(ProgramId, uint32_t, const DeviceId*, const char*, Built, void*)>(
      "clBuildProgram")(program, 1, &chosen.device, request[Field::kOptions], nullptr, nullptr);
  const char* work_group = request[Field::kWorkGroup];
  if (built == 0 && *work_group != '\0') compile_work_group(program, work_group);
  std::fputs(kReturned, stdout);
  std::fflush(stdout);
  ::_exit(0);  // the driver's threads and exit handlers have nothing left to do
}

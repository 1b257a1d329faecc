#include "api/nvtx.hpp"

#include <cstddef>
#include <cstdint>

#include "base/environment.hpp"
#include "base/shared_library.hpp"

// The tool's library has a function that receives our tables and writes pointers to its functions into them.
namespace quern::nvtx {

namespace {

struct Attributes {
  uint16_t version = 3;
  uint16_t size = sizeof(Attributes);
  uint32_t category = 0;
  int32_t color_type = 0;
  uint32_t color = 0;
  int32_t payload_type = 0;
  int32_t reserved = 0;
  uint64_t payload = 0;
  int32_t message_type = 1;  // ASCII or UTF-8 text
  const char* message = nullptr;
};
static_assert(sizeof(Attributes) == 48 && offsetof(Attributes, payload) == 24 &&
              offsetof(Attributes, message_type) == 32 && offsetof(Attributes, message) == 40);

using Function = void (*)();
using PushRange = int (*)(void* domain, const Attributes*);
using PopRange = int (*)(void* domain);
using CreateDomain = void* (*)(const char* name);

// Functions are numbered within their module from 1; a table has an empty entry for 0 and one after its last.
// NVIDIA's headers pass all modules to tools, and so do we, although only the domain functions are called.
constexpr int kDomains = 5, kModules = 7;
constexpr uint32_t kSizes[kModules] = {0, 16, 9, 15, 7, 16, 7};
constexpr uint32_t kMostFunctions = 16;
enum : uint32_t { kPush = 4, kPop = 5, kCreateDomain = 12 };
enum : uint32_t { kCallbacksTable = 1, kVersionTable = 3 };

Function all_functions[kModules][kMostFunctions];
Function* tables[kModules][kMostFunctions + 1];
Function* const kFunctions = all_functions[kDomains];

int module_table(int module, Function*** out, unsigned* size) {
  if (module < 1 || module >= kModules) return 0;
  for (uint32_t i = 1; i < kSizes[module]; ++i) tables[module][i] = &all_functions[module][i];
  if (out != nullptr) *out = tables[module];
  if (size != nullptr) *size = kSizes[module];
  return 1;
}
void set_version(uint32_t) {}

struct Callbacks {
  size_t bytes = sizeof(Callbacks);
  int (*module_table)(int, Function***, unsigned*) = nvtx::module_table;
};
struct Version {
  size_t bytes = sizeof(Version);
  uint32_t version = 3;
  uint32_t reserved = 0;
  void (*set_version)(uint32_t) = nvtx::set_version;
};

const void* export_table(uint32_t id) {
  static const Callbacks kCallbacks;
  static const Version kVersion;
  if (id == kCallbacksTable) return &kCallbacks;
  return id == kVersionTable ? static_cast<const void*>(&kVersion) : nullptr;
}

// Our domain; null: no tool is attached.
void* start() {
  const auto path = base::env_text("NVTX_INJECTION64_PATH");
  if (!path) return nullptr;
  const std::string_view names[] = {*path};
  const auto library = base::SharedLibrary::open(names, "");
  if (!library.ok()) return nullptr;
  using Initialize = int (*)(const void* (*)(uint32_t));
  const auto initialize = reinterpret_cast<Initialize>(library->find("InitializeInjectionNvtx2"));
  if (initialize == nullptr || initialize(export_table) == 0) return nullptr;
  const bool is_whole = kFunctions[kPush] != nullptr && kFunctions[kPop] != nullptr;
  if (!is_whole || kFunctions[kCreateDomain] == nullptr) return nullptr;
  return reinterpret_cast<CreateDomain>(kFunctions[kCreateDomain])("quern");
}

void* domain() {
  static void* const kDomain = start();
  return kDomain;
}

}  // namespace

void push(const char* name) {
  void* const ours = domain();
  if (ours == nullptr) return;
  Attributes attributes;
  attributes.message = name;
  reinterpret_cast<PushRange>(kFunctions[kPush])(ours, &attributes);
}

void pop() {
  if (void* const ours = domain()) reinterpret_cast<PopRange>(kFunctions[kPop])(ours);
}

}  // namespace quern::nvtx

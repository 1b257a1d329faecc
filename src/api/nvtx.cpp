#include "api/nvtx.hpp"

#include <cstddef>
#include <cstdint>

#include "base/environment.hpp"
#include "base/shared_library.hpp"

// The tool's library has a function to which we show tables: it writes its own functions into places of ours.
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
  int32_t message_type = 1;  // a text in ASCII, or UTF-8
  const char* message = nullptr;
};
static_assert(sizeof(Attributes) == 48);

using Function = void (*)();
using PushRange = int (*)(void* domain, const Attributes*);
using PopRange = int (*)(void* domain);
using CreateDomain = void* (*)(const char* name);

// Functions of the module for domains, by number.
enum : uint32_t { kPush = 4, kPop = 5, kCreateDomain = 12, kFunctions = 16 };
constexpr int kDomains = 5;
enum : uint32_t { kCallbacksTable = 1, kVersionTable = 3 };

Function functions[kFunctions];
Function* table[kFunctions + 1];

int module_table(int module, Function*** out, unsigned* size) {
  if (module != kDomains) return 0;
  for (uint32_t i = 1; i < kFunctions; ++i) table[i] = &functions[i];
  *out = table;
  *size = kFunctions;
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

// The domain of ours; null: nobody listens.
void* start() {
  const auto path = base::env_text("NVTX_INJECTION64_PATH");
  if (!path) return nullptr;
  const std::string_view names[] = {*path};
  const auto library = base::SharedLibrary::open(names, "");
  if (!library.ok()) return nullptr;
  using Initialize = int (*)(const void* (*)(uint32_t));
  const auto initialize = reinterpret_cast<Initialize>(library->find("InitializeInjectionNvtx2"));
  if (initialize == nullptr || initialize(export_table) == 0) return nullptr;
  const bool is_whole = functions[kPush] != nullptr && functions[kPop] != nullptr;
  if (!is_whole || functions[kCreateDomain] == nullptr) return nullptr;
  return reinterpret_cast<CreateDomain>(functions[kCreateDomain])("quern");
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
  reinterpret_cast<PushRange>(functions[kPush])(ours, &attributes);
}

void pop() {
  if (void* const ours = domain()) reinterpret_cast<PopRange>(functions[kPop])(ours);
}

}  // namespace quern::nvtx

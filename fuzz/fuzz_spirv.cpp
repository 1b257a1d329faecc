// Arbitrary bytes as a SPIR-V module: reading returns well-formed IR or an error, and the resulting module
// runs to completion.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "driver/sim/spirv_bind.hpp"
#include "lang/ir/verify.hpp"

namespace {

using quern::sim::Binding;
using quern::spirv::Entry;
using quern::spirv::ResourceKind;

void require(bool holds, const char* what, const std::string& detail) {
  if (holds) return;
  std::fprintf(stderr, "%s\n%s\n", what, detail.c_str());
  std::abort();
}

void launch(quern::sim::Device& device, quern::sim::Module& program, const Entry& entry) {
  constexpr uint64_t kBufferBytes = 256;
  const quern::ir::Function* kernel = program.module().find_function(entry.name);
  require(kernel != nullptr && kernel->params.size() == entry.params, "The kernel is not as described.",
          entry.name);
  std::vector<Binding> bindings;
  for (const auto& r : entry.resources) {
    Binding b;
    const quern::ir::Param* param = kernel->params[r.param];
    if (r.kind == ResourceKind::kWorkgroupMemory) {
      b.bytes = kBufferBytes;
    } else if (param->type->is_ptr()) {
      auto address = device.allocate(kBufferBytes);
      if (!address.ok() || !device.fill(*address, 1, kBufferBytes).ok()) return;
      b.address = *address;
      b.bytes = kBufferBytes;
    } else {
      if (param->type->size > 65536) return;
      b.value.resize(param->type->size);
    }
    bindings.push_back(std::move(b));
  }
  quern::sim::LaunchConfig config;
  config.options.step_limit = 20'000;
  if (!quern::sim::bind_resources(entry, bindings, config).ok()) return;
  auto result = device.launch(program, entry.name, config);
  if (!result.ok()) return;
  for (const auto& r : result->reports) {
    require(r.kind != quern::sim::ReportKind::kInternal, "The simulator reported an internal error.",
            r.message);
    require(!render(r, program.module()).empty(), "A report without text.", r.message);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<uint32_t> words(size / 4);
  if (!words.empty()) std::memcpy(words.data(), data, words.size() * 4);
  auto read = quern::spirv::read(words);
  if (!read.ok()) {
    require(!read.error().message().empty(), "An error without a message.", "");
    return 0;
  }
  const std::string defect = quern::ir::verify(read->module);
  require(defect.empty(), "The reader produced a malformed module.", defect);
  quern::sim::Device device({.memory_limit = uint64_t{1} << 26});
  auto module = std::make_shared<quern::ir::Module>(std::move(read->module));
  auto program = device.load(module);
  if (!program.ok()) return 0;
  for (const Entry& entry : read->entries) launch(device, **program, entry);
  return 0;
}

#include "driver/sim/spirv/spirv.hpp"

#include <cstring>

#include "base/text.hpp"
#include "driver/sim/spirv/reader.hpp"

namespace quern::sim::spirv {

using base::Error;
using base::ErrorKind;
using base::format;

std::string_view name(ResourceKind kind) {
  switch (kind) {
    case ResourceKind::kStorageBuffer: return "storage buffer";
    case ResourceKind::kUniformBuffer: return "uniform buffer";
    case ResourceKind::kPushConstant: return "push constants";
    case ResourceKind::kParameter: return "parameter";
    case ResourceKind::kWorkgroupMemory: return "workgroup memory";
  }
  return "resource";
}

const Entry* Program::find(std::string_view wanted) const {
  for (const Entry& e : entries) {
    if (e.name == wanted) return &e;
  }
  return nullptr;
}

base::Result<Program> read(std::span<const uint32_t> words, const Options& options) {
  auto source = Source::collect(words, options.name);
  if (!source.ok()) return std::move(source).error().add_context("reading SPIR-V from " + options.name);
  auto program = Reader(**source, options).run();
  if (!program.ok()) return std::move(program).error().add_context("reading SPIR-V from " + options.name);
  return program;
}

base::Result<Program> read(std::string_view bytes, const Options& options) {
  if (bytes.size() % 4 != 0) {
    return Error(ErrorKind::kBadInput, format("%s has %zu bytes, but SPIR-V consists of 4-byte words",
                                              options.name.c_str(), bytes.size()));
  }
  std::vector<uint32_t> words(bytes.size() / 4);
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return read(words, options);
}

base::Result<void> bind_resources(const Entry& entry, std::span<const Binding> bindings,
                                  LaunchConfig& config) {
  if (bindings.size() != entry.resources.size()) {
    return Error(ErrorKind::kInvalidUse,
                 format("entry point '%s' has %s, but %zu were given", entry.name.c_str(),
                        base::format_plural(entry.resources.size(), "resource").c_str(), bindings.size()));
  }
  config.args.assign(entry.params, Arg(uint64_t{0}));
  for (size_t k = 0; k < bindings.size(); ++k) {
    const Resource& r = entry.resources[k];
    const Binding& b = bindings[k];
    if (r.kind == ResourceKind::kWorkgroupMemory) {
      constexpr uint64_t kApart = 16;  // the alignment of every type
      config.args[r.param] = Arg(config.dynamic_shared_bytes);
      config.dynamic_shared_bytes += (b.bytes + kApart - 1) / kApart * kApart;
    } else {
      config.args[r.param] = b.value.empty() ? Arg(b.address) : Arg(b.value);
    }
    if (r.length.has_value()) config.args[*r.length] = Arg(b.bytes);
  }
  if (entry.local_size.has_value()) config.block = *entry.local_size;
  return {};
}

}  // namespace quern::sim::spirv

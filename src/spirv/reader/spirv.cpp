#include "spirv/reader/spirv.hpp"

#include <cstring>

#include "spirv/reader/messages.hpp"
#include "spirv/reader/reader.hpp"

namespace quern::spirv {

using base::Error;
using base::ErrorKind;

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
    return Error(ErrorKind::bad_input, message::kNotWords(options.name, std::to_string(bytes.size())));
  }
  std::vector<uint32_t> words(bytes.size() / 4);
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return read(words, options);
}

}  // namespace quern::spirv

#include "target/descriptor.hpp"

#include "base/text.hpp"
#include "target/cstyle/descriptors.hpp"
#include "target/ptx/ptx.hpp"
#include "target/spirv/spirv.hpp"
#include "target/wgsl/wgsl.hpp"

namespace quern::target {

namespace {

base::Result<> pass_on(const ir::Module&, const Options&, driver::Code&) {
  return {};  // emit() keeps the module in Code::module
}

constexpr Descriptor kIr = {.kind = driver::CodeKind::kIr,
                            .emit = pass_on,
                            .has_printf = true,
                            .has_shuffles = true,
                            .has_grid_barrier = true};
constexpr Descriptor kCubin = {.kind = driver::CodeKind::kCubin, .suffixes = {".cubin"}};

constexpr const Descriptor* kAll[] = {
    &kIr,
    &cstyle::kOpenclC,
    &cstyle::kCudaCpp,
    &cstyle::kHipCpp,
    &spirv::kShader,
    &spirv::kKernel,
    &cstyle::kGlsl,
    &cstyle::kGlslEs,
    &cstyle::kMsl,
    &wgsl::kDescriptor,
    &ptx::kDescriptor,
    &kCubin,
};

}  // namespace

bool is_version_number(std::string_view text) { return base::parse_double(text).value_or(-1) >= 1; }

bool is_nvidia_architecture(std::string_view text) {
  return text.starts_with("sm_") && is_version_number(text.substr(3));
}

std::span<const Descriptor* const> descriptors() { return kAll; }

const Descriptor* find_descriptor(driver::CodeKind kind) {
  for (const Descriptor* d : kAll) {
    if (d->kind == kind) return d;
  }
  return nullptr;
}

driver::FeatureSet software_features(const driver::DeviceInfo& device) {
  const Descriptor* const target = device.code.empty() ? nullptr : find_descriptor(device.code.front());
  return target != nullptr ? target->software : driver::FeatureSet();
}

void add_software_features(driver::DeviceInfo& device) {
  for (const driver::Feature f : software_features(device)) {
    device.features.add(f);
    device.details.emplace_back(driver::meaning(f), "in software, from integers");
  }
}

const Descriptor* find_descriptor_by_name(std::string_view name) {
  for (const Descriptor* d : kAll) {
    if (driver::name(d->kind) == name) return d;
  }
  return nullptr;
}

const Descriptor* find_descriptor_of_file(std::string_view path) {
  for (const Descriptor* d : kAll) {
    for (const std::string_view suffix : d->suffixes) {
      if (!suffix.empty() && path.ends_with(suffix)) return d;
    }
  }
  return nullptr;
}

}  // namespace quern::target

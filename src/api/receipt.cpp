#include "quern/receipt.hpp"

#include "api/child_launches.hpp"
#include "api/library_work.hpp"
#include "api/state.hpp"
#include "base/text.hpp"

namespace quern {

namespace {

using KernelPointer = std::shared_ptr<const runtime::Kernel>;

// Null: of no launch.
const runtime::Device* device_of(const KernelPointer& kernel) {
  if (kernel != nullptr) return &kernel->device();
  const detail::LibraryWork* const work = detail::library_work_of(kernel);
  return work != nullptr ? work->device.get() : nullptr;
}

}  // namespace

std::string Receipt::device() const {
  const runtime::Device* const device = device_of(kernel_);
  return device == nullptr ? "" : device->info().name;
}
std::string Receipt::driver() const {
  const runtime::Device* const device = device_of(kernel_);
  return device == nullptr ? "" : device->info().driver;
}
std::string Receipt::kernel() const {
  if (kernel_ != nullptr) return kernel_->info().name;
  const detail::LibraryWork* const work = detail::library_work_of(kernel_);
  return work != nullptr ? work->name : "";
}
std::uint64_t Receipt::program() const { return kernel_ == nullptr ? 0 : kernel_->program_hash(); }
bool Receipt::is_native() const { return kernel_ == nullptr || kernel_->is_native(); }
std::string Receipt::fallback_reason() const {
  const runtime::Device* const device = device_of(kernel_);
  return device == nullptr ? "" : device->fallback_reason();
}

FeatureSet Receipt::software() const { return kernel_ == nullptr ? FeatureSet() : kernel_->software(); }

std::optional<double> Receipt::seconds() const {
  if (!is_timed_) return std::nullopt;
  return end_.seconds_since(begin_);
}

std::string Receipt::to_string() const {
  const auto spell = [](const Dim3& d) {
    if (d.z != 1) return base::format("(%u, %u, %u)", d.x, d.y, d.z);
    if (d.y != 1) return base::format("(%u, %u)", d.x, d.y);
    return std::to_string(d.x);
  };
  const std::optional<double> took = seconds();
  const std::string why = fallback_reason();
  std::string software_text;
  for (const Feature f : software()) software_text += "   " + std::string(driver::name(f)) + " in software";
  if (kernel_ != nullptr && kernel_->split())
    software_text += base::format("   split into %u segments", kernel_->split()->segments);
  if (kernel_ != nullptr && kernel_->launches_kernels()) {
    const uint64_t children = detail::child_launches(kernel_);
    software_text += "   " + std::to_string(children) + (children == 1 ? " child launch" : " child launches");
  }
  return base::format("%s<<<%s, %s>>> on %s (%s)%s%s%s%s", kernel().c_str(), spell(grid_).c_str(),
                      spell(block_).c_str(), device().c_str(), driver().c_str(),
                      took ? ("   " + base::format_duration(*took)).c_str() : "",
                      is_native() ? "" : "   compiled with the program", software_text.c_str(),
                      why.empty() ? "" : ("   fallback: " + why).c_str());
}

}  // namespace quern

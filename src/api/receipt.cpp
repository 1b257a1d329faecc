#include "quern/receipt.hpp"

#include "api/child_launches.hpp"
#include "api/state.hpp"
#include "base/text.hpp"

namespace quern {

std::string Receipt::device() const { return kernel_ == nullptr ? "" : kernel_->device().info().name; }
std::string Receipt::driver() const { return kernel_ == nullptr ? "" : kernel_->device().info().driver; }
std::string Receipt::kernel() const { return kernel_ == nullptr ? "" : kernel_->info().name; }
std::uint64_t Receipt::program() const { return kernel_ == nullptr ? 0 : kernel_->program_hash(); }
bool Receipt::is_native() const { return kernel_ == nullptr || kernel_->is_native(); }
std::string Receipt::fallback_reason() const {
  return kernel_ == nullptr ? "" : kernel_->device().fallback_reason();
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

#include "support/devices.hpp"

#include <algorithm>

#include "runtime/builtin_drivers.hpp"
#include "runtime/registry.hpp"
#include "target/portable.hpp"

namespace quern::test {

namespace {

std::string reason(const runtime::DriverState& state) {
  if (!state.error) return "it has no device";
  std::string text = state.error->message();
  if (!state.error->hint().empty()) text += " (hint: " + state.error->hint() + ")";
  return text;
}

}  // namespace

// The names are literals of the generated table, so they end with a zero.
std::vector<const char*> each_driver(std::initializer_list<std::string_view> except) {
  std::vector<const char*> names;
  for (const runtime::BuiltinDriver& b : runtime::builtin_drivers()) {
    if (std::find(except.begin(), except.end(), b.name) == except.end()) names.push_back(b.name.data());
  }
  return names;
}

std::vector<const char*> each_implementation(std::initializer_list<std::string_view> except) {
  std::vector<const char*> names = each_driver(except);
  std::vector<std::string_view> folders;
  for (const runtime::BuiltinDriver& b : runtime::builtin_drivers()) {
    if (std::find(folders.begin(), folders.end(), b.folder) != folders.end()) std::erase(names, b.name);
    folders.push_back(b.folder);
  }
  return names;
}

std::vector<const char*> drivers_of(std::string_view folder) {
  std::vector<const char*> names;
  for (const runtime::BuiltinDriver& b : runtime::builtin_drivers()) {
    if (b.folder == folder) names.push_back(b.name.data());
  }
  return names;
}

bool is_foreign(std::string_view driver) {
  const auto all = runtime::builtin_drivers();
  return std::any_of(all.begin(), all.end(),
                     [&](const runtime::BuiltinDriver& b) { return b.name == driver && b.is_foreign; });
}

std::string why_not(std::string_view driver, const Requirements& requirements) {
  const auto state = runtime::Registry::instance().driver(driver);
  if (!state.ok()) return state.error().message();
  const std::string name(driver);
  if (state->devices.empty()) return name + ": " + reason(*state);
  const driver::DeviceInfo& info = state->devices.front();
  if (requirements.kernel_text && target::takes_only_host_functions(info))
    return name + ": it runs inline kernels only";
  const auto missing = requirements.features.missing_from(info.features).list();
  if (!missing.empty())
    return name + ": " + info.name + " has no " + std::string(driver::meaning(missing.front()));
  return {};
}

std::vector<DeviceUnderTest> each_device() {
  std::vector<DeviceUnderTest> devices;
  for (const runtime::DriverState& state : runtime::Registry::instance().drivers()) {
    const bool is_excluded = state.error && state.error->message() == "excluded by QUERN_DRIVERS";
    if (is_excluded) continue;
    if (state.devices.empty()) devices.push_back({state.name, 0, reason(state)});
    for (const driver::DeviceInfo& info : state.devices) devices.push_back({state.name, info.index, {}});
  }
  return devices;
}

}  // namespace quern::test

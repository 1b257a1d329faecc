#include "defects.hpp"

#include "driver/support/known_defects.hpp"

namespace quern::tool {

using driver::KnownDefect;

std::string defects_text(const driver::DeviceInfo& info, const std::string& indent) {
  std::string out;
  for (const KnownDefect* d : driver::defects_of(info)) {
    out += indent + "known defect           " + std::string(d->name) + " (" + versions_text(*d) + ")\n";
    out += indent + "  effect               " + std::string(d->effect) + "\n";
    out += indent + "  workaround           " + std::string(d->action) + "\n";
  }
  return out;
}

void write_defects(base::JsonWriter& json, const driver::DeviceInfo& info, const std::string& key) {
  json.key(key).begin_array();
  for (const KnownDefect* d : driver::defects_of(info)) {
    json.begin_object().member("name", d->name).member("versions", versions_text(*d));
    json.member("effect", d->effect).member("action", d->action).member("reference", d->reference);
    json.end_object();
  }
  json.end_array();
}

std::string defects_table() {
  std::string out =
      "| name | drivers | devices | versions | effect | workaround | reference "
      "|\n|---|---|---|---|---|---|---|\n";
  for (const KnownDefect& d : driver::known_defects()) {
    out += "| `" + std::string(d.name) + "` | " + std::string(d.drivers) + " | " +
           (d.device.empty() ? "all" : "`" + std::string(d.device) + "`") + " | " + versions_text(d) + " | " +
           std::string(d.effect) + " | " + std::string(d.action) + " | " + std::string(d.reference) + " |\n";
  }
  return out;
}

}  // namespace quern::tool

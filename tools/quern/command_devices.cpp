// quern devices, quern default, quern summary: the devices of this machine, and the one that programs use.
#include <cstdio>

#include "base/environment.hpp"
#include "base/json.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "defects.hpp"
#include "runtime/device.hpp"
#include "runtime/registry.hpp"
#include "runtime/select.hpp"
#include "target/descriptor.hpp"

namespace quern::tool {

namespace {

using base::Align;
using base::Cell;
using base::Style;
using driver::DeviceInfo;
using driver::Feature;

constexpr Arguments::Option kDevicesOptions[] = {{"-v"}, {"--verbose"}, {"--json"}, {"--help"}, {"-h"}};
constexpr Arguments::Option kShortOptions[] = {{"--json"}, {"--help"}, {"-h"}};

constexpr std::string_view kDevicesHelp = R"(usage: quern devices [-v] [--json]

Lists the devices of this machine, best first. Programs that request no particular device use the first one with a
score. Hardware that several drivers support is listed once, with the other drivers below it. Names for --on and
QUERN_DEVICE: a driver ("cpu"), driver:index ("cuda:1"), the number in the first column, "gpu", "discrete",
"integrated", or part of the device's name ("H200"). Options follow after a comma: required features ("gpu,has=fp64")
and a fallback ("cuda,policy=prefer": the best other device with these features; "policy=allow": any device).

  -v, --verbose   show all properties of each device: limits, features, versions, known driver defects
  --json          machine-readable output: {"devices": [{"id", "name", "driver", "kind", …}]}

examples:
  quern devices
  quern devices -v --json

exit code: 0
)";

constexpr std::string_view kDefaultHelp = R"(usage: quern default [--json]

Prints the device that quern::open() returns, and why. QUERN_DEVICE changes it.

examples:
  quern default
  QUERN_DEVICE=sim quern default

exit code: 0 a device was found, 3 none was found
)";

constexpr std::string_view kSummaryHelp = R"(usage: quern summary [--json]

Prints one line: the requested, detected and selected devices, and the reason.

exit code: 0 a device was found, 3 none was found
)";

std::string mark(const DeviceInfo& info, Feature f) {
  if (!info.features.has(f)) return "–";
  return target::software_features(info).has(f) ? "soft" : "✓";
}

// The device that programs use, as an index into the list.
std::optional<size_t> default_of(const std::vector<DeviceInfo>& all) {
  runtime::Selection selection;
  if (!runtime::open({}, &selection).ok()) return std::nullopt;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].id() == selection.id) return i;
  }
  return std::nullopt;
}

// Known only for an open device; 0: unknown.
uint64_t free_memory(const DeviceInfo& info) {
  const auto device = runtime::open({info.id(), {}});
  return device.ok() ? (*device)->native().free_memory() : 0;
}

void print_details(const DeviceInfo& info) {
  const auto line = [](std::string_view name, const std::string& value) {
    if (!value.empty())
      std::printf("      %-22.*s %s\n", static_cast<int>(name.size()), name.data(), value.c_str());
  };
  const auto dim = [](const driver::Dim3& d) { return base::format("%u × %u × %u", d.x, d.y, d.z); };
  line("vendor", info.vendor);
  line("driver version", info.driver_version);
  line("API version", info.api_version);
  line("uuid", info.uuid);
  line("pci", info.pci);
  line("compute units", std::to_string(info.compute_units));
  if (info.clock_mhz != 0) line("clock", std::to_string(info.clock_mhz) + " MHz");
  line("largest block", dim(info.limits.block) + base::format(", %u threads", info.limits.block_threads));
  line("largest grid", dim(info.limits.grid));
  line("shared memory", base::format_bytes(info.limits.shared_bytes));
  if (const uint64_t free = free_memory(info); free != 0) line("free memory", base::format_bytes(free));
  line("largest buffer", base::format_bytes(info.limits.buffer_bytes));
  std::vector<std::string> names;
  for (Feature f : info.features.list()) names.emplace_back(driver::name(f));
  line("features", base::join(names, " "));
  names.clear();
  for (driver::CodeKind c : info.code) names.emplace_back(driver::name(c));
  line("takes", base::join(names, " "));
  for (const auto& [name, value] : info.details) line(name, value);
  std::fputs(defects_text(info, "      ").c_str(), stdout);
}

void write_json(base::JsonWriter& json, const DeviceInfo& i, bool is_default, bool verbose) {
  json.begin_object().member("id", i.id()).member("name", i.name).member("driver", i.driver);
  json.member("index", i.index).member("kind", driver::name(i.kind)).member("vendor", i.vendor);
  json.member("driver_version", i.driver_version).member("api_version", i.api_version);
  json.member("uuid", i.uuid).member("pci", i.pci).member("memory_bytes", i.memory_bytes);
  json.member("compute_units", i.compute_units).member("clock_mhz", i.clock_mhz).member("score", i.score);
  json.member("default", is_default).member("warp", i.limits.warp_size);
  json.member("block_threads", i.limits.block_threads).member("shared_bytes", i.limits.shared_bytes);
  json.member("buffer_bytes", i.limits.buffer_bytes).member("cluster_blocks", i.limits.cluster_blocks);
  const auto dim = [&](std::string_view name, const driver::Dim3& d) {
    json.key(name).begin_array().value(d.x).value(d.y).value(d.z).end_array();
  };
  json.member("same_as", i.same_as).key("also_as").begin_array();
  for (const std::string& id : i.also_as) json.value(id);
  json.end_array();
  dim("block", i.limits.block);
  dim("grid", i.limits.grid);
  if (const uint64_t free = verbose ? free_memory(i) : 0; free != 0) json.member("free_bytes", free);
  json.key("features").begin_array();
  for (Feature f : i.features.list()) json.value(driver::name(f));
  json.end_array().key("software").begin_array();
  for (Feature f : target::software_features(i)) json.value(driver::name(f));
  json.end_array().key("takes").begin_array();
  for (driver::CodeKind k : i.code) json.value(driver::name(k));
  json.end_array().key("details").begin_object();
  for (const auto& [name, value] : i.details) json.member(name, value);
  json.end_object();
  write_defects(json, i, "known_defects");
  json.end_object();
}

Outcome run_devices(const Arguments& arguments) {
  const std::vector<DeviceInfo> all = runtime::candidates();
  const auto chosen = default_of(all);
  const bool verbose = arguments.has("-v") || arguments.has("--verbose");
  if (arguments.has("--json")) {
    base::JsonWriter json(2);
    json.begin_object().key("devices").begin_array();
    for (size_t i = 0; i < all.size(); ++i) write_json(json, all[i], chosen == i, verbose);
    json.end_array().end_object();
    std::fputs(json.take().c_str(), stdout);
    return kOk;
  }
  const bool colour = base::wants_colour(stdout);
  const std::vector<base::Column> columns = {{"#", Align::kRight},
                                             {"device", Align::kLeft, 40},
                                             {"id"},
                                             {"kind"},
                                             {"memory", Align::kRight},
                                             {"fp16", Align::kCentre},
                                             {"fp64", Align::kCentre},
                                             {"i64", Align::kCentre},
                                             {"warp", Align::kRight},
                                             {"score", Align::kRight},
                                             {""}};
  base::Table table(columns);
  size_t number = 0;
  const auto add = [&](base::Table& to, size_t i) {
    const DeviceInfo& d = all[i];
    const bool simulated = d.kind == driver::DeviceKind::simulated;
    const bool is_first = all[i].same_as.empty();
    to.add_row({is_first ? std::to_string(number++) : "", Cell(d.name, Style::kBold), d.id(),
                driver::name(d.kind), base::format_bytes(d.memory_bytes), mark(d, Feature::fp16),
                mark(d, Feature::fp64), mark(d, Feature::int64), std::to_string(d.limits.warp_size),
                simulated ? std::string("–") : std::to_string(all[i].score),
                chosen == i ? Cell("default", Style::kGreen)
                : is_first  ? Cell(simulated ? "checks every access" : "")
                            : Cell("same as " + all[i].same_as)});
    if (!all[i].also_as.empty()) to.add_note("   └ also as " + base::join(all[i].also_as, ", "));
  };
  if (!verbose) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].same_as.empty() || chosen == i) add(table, i);
    }
    std::fputs(table.to_string(colour).c_str(), stdout);
    return kOk;
  }
  for (size_t i = 0; i < all.size(); ++i) {
    base::Table one(columns);
    add(one, i);
    std::fputs(one.to_string(colour).c_str(), stdout);
    print_details(all[i]);
    std::printf("\n");
  }
  return kOk;
}

Outcome run_default(const Arguments& arguments) {
  runtime::Selection how;
  const auto device = runtime::open({}, &how);
  if (!device.ok()) return fail(kBadInput, device.error());
  if (arguments.has("--json")) {
    base::JsonWriter json(2);
    json.begin_object().member("id", how.id).member("name", how.name).member("why", how.why).end_object();
    std::fputs(json.take().c_str(), stdout);
  } else {
    std::printf("%s (%s): %s\n", how.name.c_str(), how.id.c_str(), how.why.c_str());
  }
  return kOk;
}

Outcome no_summary(const Arguments& arguments, const base::Error& error) {
  const std::string requested = base::env_text("QUERN_DEVICE").value_or("best");
  std::vector<std::string> ids;
  for (const DeviceInfo& c : runtime::candidates()) ids.push_back(c.id());
  if (!arguments.has("--json")) {
    std::printf("requested %s, detected %s, selected none\n", requested.c_str(),
                base::join(ids, " ").c_str());
    return fail(kBadInput, error);
  }
  base::JsonWriter json(2);
  json.begin_object().member("requested", requested).key("detected").begin_array();
  for (const std::string& id : ids) json.value(id);
  json.end_array().key("selected").value(nullptr).key("error").begin_object();
  json.member("kind", base::to_string(error.kind())).member("message", error.message());
  json.member("hint", error.hint()).end_object().end_object();
  std::fputs(json.take().c_str(), stdout);
  return kBadInput;
}

Outcome run_summary(const Arguments& arguments) {
  runtime::Selection how;
  const auto device = runtime::open({}, &how);
  if (!device.ok()) return no_summary(arguments, device.error());
  if (!arguments.has("--json")) {
    std::printf("%s\n", how.to_string().c_str());
    return kOk;
  }
  base::JsonWriter json(2);
  json.begin_object().member("requested", how.requested).key("detected").begin_array();
  for (const std::string& id : how.detected) json.value(id);
  json.end_array().member("selected", how.id).member("why", how.why);
  if (!how.fallback_reason.empty()) json.member("fallback_reason", how.fallback_reason);
  json.end_object();
  std::fputs(json.take().c_str(), stdout);
  return kOk;
}

}  // namespace

constinit const Command kDevicesCommand = {
    "devices", "list the devices of this machine", kDevicesHelp, kDevicesOptions, run_devices, false};
constinit const Command kDefaultCommand = {"default",    "show the default device, and why it was chosen",
                                           kDefaultHelp, kShortOptions,
                                           run_default,  false};
constinit const Command kSummaryCommand = {
    "summary",    "print one line: requested, detected and selected devices",
    kSummaryHelp, kShortOptions,
    run_summary,  false};

}  // namespace quern::tool

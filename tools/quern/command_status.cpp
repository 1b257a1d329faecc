// quern status: where this installation stands, on one page.
#include <cstdio>

#include "base/environment.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "base/variables.hpp"
#include "command.hpp"
#include "runtime/registry.hpp"
#include "runtime/select.hpp"

namespace quern::tool {

namespace {

constexpr Arguments::Option kOptions[] = {{"--json"}, {"--help"}, {"-h"}};

constexpr std::string_view kHelp = R"(usage: quern status [--json]

Where this installation stands: version, how far each driver gets, devices, and the settings in the environment.

exit code: 0
)";

int run_status(const Arguments& arguments) {
  const auto drivers = runtime::Registry::instance().drivers();
  if (arguments.has("--json")) {
    base::JsonWriter json(2);
    json.begin_object().member("version", QUERN_VERSION).key("drivers").begin_object();
    for (const runtime::DriverState& d : drivers) json.member(d.name, runtime::name(d.step));
    json.end_object().key("devices").begin_array();
    for (const runtime::Candidate& c : runtime::candidates()) json.value(c.info.id());
    json.end_array().key("environment").begin_object();
    for (const base::Variable& v : base::variables()) {
      if (const auto value = base::env_text(v.name)) json.member(v.name, *value);
    }
    json.end_object().end_object();
    std::fputs(json.take().c_str(), stdout);
    return kOk;
  }
  std::printf("quern %s\n\n", QUERN_VERSION);
  for (const runtime::DriverState& d : drivers) {
    const std::string why = d.error ? d.error->message() : d.says;
    std::printf("  %-10s %-10s %s\n", d.name.c_str(), std::string(runtime::name(d.step)).c_str(),
                why.c_str());
  }
  std::printf("\n");
  for (const runtime::Candidate& c : runtime::candidates())
    std::printf("  %-10s %s\n", c.info.id().c_str(), c.info.name.c_str());
  bool any = false;
  for (const base::Variable& v : base::variables()) {
    const auto value = base::env_text(v.name);
    if (!value) continue;
    std::printf("%s  %s=%s\n", any ? "" : "\n", v.name, value->c_str());
    any = true;
  }
  return kOk;
}

}  // namespace

constinit const Command kStatusCommand = {"status", "where this installation stands", kHelp, kOptions,
                                          run_status};

}  // namespace quern::tool

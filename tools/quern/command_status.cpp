// quern status: the state of this installation on one page, or of a running program.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <limits>
#include <map>

#include <signal.h>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/json_value.hpp"
#include "base/store.hpp"
#include "base/text.hpp"
#include "base/variables.hpp"
#include "command.hpp"
#include "messages.hpp"
#include "runtime/error_history.hpp"
#include "runtime/registry.hpp"
#include "runtime/select.hpp"

namespace quern::tool {

namespace {

using base::JsonValue;

constexpr Arguments::Option kOptions[] = {{"--json"}, {"--help"}, {"-h"}};

constexpr std::string_view kHelp = R"(usage: quern status [--json] [FILE]

Shows the state of this installation: version, drivers, devices, the cache of compiled code, recent errors of your
programs (by kind, and the last ones), and settings from the environment.

With FILE: shows the state of a program that is running or has ended: its devices, their memory in use, and its errors.
The program writes the file if QUERN_STATUS names it. Use a private folder, not /tmp:

  QUERN_STATUS=$XDG_RUNTIME_DIR/app.status ./app &
  quern status $XDG_RUNTIME_DIR/app.status

exit code: 0; 3: the file cannot be used
)";

constexpr size_t kShown = 5;               // of the most recent errors
constexpr uint64_t kMostBytes = 64 << 20;  // of a status file

std::string ago(double time) {
  const double seconds = std::max(0.0, static_cast<double>(std::time(nullptr)) - time);
  return seconds < 1 ? "now" : base::format_duration(seconds) + " ago";
}

// The errors recorded by programs of this user, oldest first.
std::vector<JsonValue> kept_errors() {
  std::vector<JsonValue> out;
  const std::string text = runtime::kept_errors();
  for (const std::string_view line : base::split_lines(text)) {
    if (auto value = base::parse_json(line); value.ok()) out.push_back(std::move(*value));
  }
  return out;
}

std::map<std::string, uint64_t> counts_of(const std::vector<JsonValue>& errors) {
  std::map<std::string, uint64_t> counts;
  for (const JsonValue& e : errors) ++counts[e.text_of("kind")];
  return counts;
}

void print_errors(const std::vector<JsonValue>& errors) {
  const size_t first = errors.size() - std::min(errors.size(), kShown);
  for (size_t i = first; i < errors.size(); ++i) {
    const JsonValue& e = errors[i];
    const std::string program = e.text_of("program");
    std::printf("  %s%s%s: %s\n", ago(e.number_of("time")).c_str(), program.empty() ? "" : ", ",
                program.c_str(), base::replace_all(e.text_of("text"), "\n", "\n  ").c_str());
  }
}

void print_cache() {
  const base::Store store;
  uint64_t bytes = 0;
  const auto entries = store.list();
  if (store.folder().empty() || !entries.ok()) {
    const std::string why = entries.ok() ? store.why_not() : entries.error().message();
    std::printf("\n  cache      none: %s\n", why.c_str());
    return;
  }
  for (const base::Store::Entry& e : *entries) bytes += e.bytes;
  std::printf("\n  cache      %s in %s, %s of %s\n", base::format_count(entries->size()).c_str(),
              store.folder().c_str(), base::format_bytes(bytes).c_str(),
              base::format_bytes(store.limit()).c_str());
}

void print_json(const std::vector<runtime::DriverState>& drivers) {
  base::JsonWriter json(2);
  json.begin_object().member("version", QUERN_VERSION).key("drivers").begin_object();
  for (const runtime::DriverState& d : drivers) json.member(d.name, runtime::name(d.step));
  json.end_object().key("devices").begin_array();
  for (const driver::DeviceInfo& c : runtime::candidates()) json.value(c.id());
  json.end_array();
  const base::Store store;
  json.key("cache").begin_object().member("folder", store.folder()).member("limit_bytes", store.limit());
  if (!store.why_not().empty()) json.member("why_not", store.why_not());
  const auto entries = store.list();
  json.member("entries", entries.ok() ? entries->size() : 0).end_object();
  const std::vector<JsonValue> errors = kept_errors();
  json.key("errors").begin_object();
  for (const auto& [kind, count] : counts_of(errors)) json.member(kind, count);
  json.end_object().key("last_errors").begin_array();
  for (size_t i = errors.size() - std::min(errors.size(), kShown); i < errors.size(); ++i)
    json.value(errors[i].text_of("text"));
  json.end_array().key("environment").begin_object();
  for (const base::Variable& v : base::variables()) {
    if (const auto value = base::env_text(v.name)) json.member(v.name, *value);
  }
  json.end_object().end_object();
  std::fputs(json.take().c_str(), stdout);
}

void print_installation(const std::vector<runtime::DriverState>& drivers) {
  std::printf("quern %s\n\n", QUERN_VERSION);
  for (const runtime::DriverState& d : drivers) {
    const std::string why = d.error ? d.error->message() : d.says;
    std::printf("  %-10s %-10s %s\n", d.name.c_str(), std::string(runtime::name(d.step)).c_str(),
                why.c_str());
  }
  std::printf("\n");
  for (const driver::DeviceInfo& c : runtime::candidates())
    std::printf("  %-10s %s\n", c.id().c_str(), c.name.c_str());
  print_cache();
  const std::vector<JsonValue> errors = kept_errors();
  std::printf("  errors     %s", errors.empty() ? "none\n" : "recent:");
  const char* between = " ";
  for (const auto& [kind, count] : counts_of(errors)) {
    std::printf("%s%s %s", between, base::format_count(count).c_str(), kind.c_str());
    between = ", ";
  }
  if (!errors.empty()) std::printf("\n\n");
  print_errors(errors);
  bool any = false;
  for (const base::Variable& v : base::variables()) {
    const auto value = base::env_text(v.name);
    if (!value) continue;
    std::printf("%s  %s=%s\n", any ? "" : "\n", v.name, value->c_str());
    any = true;
  }
}

// The status that a program wrote. A program that was killed could not record its end.
Outcome show_program(const std::string& path, bool as_json) {
  const auto text = base::read_regular_file(path, kMostBytes);
  if (!text.ok()) return fail(kBadInput, text.error());
  const auto status = base::parse_json(*text);
  if (!status.ok() || status->find("process") == nullptr)
    return fail(kBadInput, message::kNotStatusFile(path));
  if (as_json) {
    std::fputs(text->c_str(), stdout);
    return kOk;
  }
  const JsonValue* running = status->find("running");
  const bool says_so = running != nullptr && running->truth;
  const auto process = static_cast<pid_t>(status->uint_of("process", std::numeric_limits<pid_t>::max()));
  const bool is_there = ::kill(process, 0) == 0 || errno == EPERM;
  std::printf("%s, process %d: %s, written %s\n\n", status->text_of("program").c_str(), process,
              !says_so   ? "ended"
              : is_there ? "running"
                         : "not running: it crashed or was killed",
              ago(status->number_of("time")).c_str());
  if (const JsonValue* devices = status->find("devices")) {
    for (const JsonValue& d : devices->items)
      std::printf("  %-10s %s: %s in use, peak %s, %s reserved by the pool\n", d.text_of("id").c_str(),
                  d.text_of("name").c_str(), base::format_bytes(d.uint_of("bytes_in_use")).c_str(),
                  base::format_bytes(d.uint_of("peak_bytes")).c_str(),
                  base::format_bytes(d.uint_of("reserved_bytes")).c_str());
    if (devices->items.empty()) std::printf("  no device is open\n");
  }
  const JsonValue* errors = status->find("errors");
  std::printf("  errors     %s", errors == nullptr || errors->members.empty() ? "none\n" : "");
  const char* between = "";
  for (const auto& [kind, count] : errors != nullptr ? errors->members : JsonValue().members) {
    std::printf("%s%.0f %s", between, count.number, kind.c_str());
    between = ", ";
  }
  if (*between != '\0') std::printf("\n\n");
  if (const JsonValue* last = status->find("last_errors")) print_errors(last->items);
  return kOk;
}

Outcome run_status(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.operands();
  if (words.size() > 1)
    return fail(kUsage, message::kUnexpectedArgument(words.back(), "see `quern status --help`"));
  const bool as_json = arguments.has("--json");
  if (!words.empty()) return show_program(words[0], as_json);
  const auto drivers = runtime::Registry::instance().drivers();
  if (as_json) {
    print_json(drivers);
  } else {
    print_installation(drivers);
  }
  return kOk;
}

}  // namespace

constinit const Command kStatusCommand = {"status", "show the state of this installation or of a program",
                                          kHelp, kOptions, run_status};

}  // namespace quern::tool

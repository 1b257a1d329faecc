// quern cache: compiled code on disk.
#include <cstdio>
#include <ctime>

#include "base/json.hpp"
#include "base/store.hpp"
#include "base/table.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "messages.hpp"

namespace quern::tool {

namespace {

using base::Store;

constexpr Arguments::Option kOptions[] = {{"--json"}, {"--limit", true}, {"--help"}, {"-h"}};

constexpr std::string_view kHelp =
    R"(usage: quern cache [list | verify | trim | clear | export FILE | import FILE] [--limit MIB] [--json]

Compiled code is cached on disk, so that a kernel is compiled once. QUERN_CACHE sets the folder ("off" disables the
cache), QUERN_CACHE_LIMIT its size limit; the least recently used entries are removed first. Cached code is executed: the
folder is used only if it belongs to you and nobody else can write to it.

  quern cache                   show the folder and its size
  quern cache list              list all entries, most recently used first
  quern cache verify            check all entries and remove damaged ones
  quern cache trim --limit 100  reduce the size to 100 MiB
  quern cache clear             remove all entries
  quern cache export FILE       write all entries to one file, for another machine with the same devices
  quern cache import FILE       add the entries of such a file. Programs will run its code with your permissions:
                                import only files that you or someone you trust exported

exit code: 0; 1: verify found damaged entries; 3: a file cannot be used
)";

std::string ago(int64_t used) {
  const int64_t seconds = std::max<int64_t>(0, static_cast<int64_t>(std::time(nullptr)) - used);
  if (seconds < 120) return "now";
  if (seconds < 2 * 3600) return base::format("%lld min ago", static_cast<long long>(seconds / 60));
  if (seconds < 48 * 3600) return base::format("%lld h ago", static_cast<long long>(seconds / 3600));
  return base::format("%lld days ago", static_cast<long long>(seconds / 86400));
}

uint64_t total(const std::vector<Store::Entry>& entries) {
  uint64_t bytes = 0;
  for (const Store::Entry& e : entries) bytes += e.bytes;
  return bytes;
}

void print_json(const Store& store, const std::vector<Store::Entry>& entries, bool with_entries) {
  base::JsonWriter json(2);
  json.begin_object().member("folder", store.folder()).member("limit_bytes", store.limit());
  if (!store.why_not().empty()) json.member("why_not", store.why_not());
  json.member("bytes", total(entries)).member("entries", static_cast<uint64_t>(entries.size()));
  if (with_entries) {
    json.key("list").begin_array();
    for (const Store::Entry& e : entries) {
      json.begin_object().member("key", e.key).member("label", e.label).member("bytes", e.bytes);
      json.member("used", e.used).member("whole", e.is_whole).end_object();
    }
    json.end_array();
  }
  json.end_object();
  std::fputs(json.take().c_str(), stdout);
}

void print_list(const std::vector<Store::Entry>& entries) {
  base::Table table({{"what", base::Align::kLeft, 60}, {"size", base::Align::kRight}, {"used"}, {"key"}}, 0);
  for (const Store::Entry& e : entries)
    table.add_row({e.is_whole ? e.label : "damaged", base::format_bytes(e.bytes), ago(e.used), e.key});
  std::fputs(table.to_string(base::wants_colour(stdout)).c_str(), stdout);
}

Outcome show(const Store& store, bool with_entries, bool as_json) {
  auto entries = store.list();
  if (!entries.ok()) return fail(kBadInput, entries.error());
  if (as_json) {
    print_json(store, *entries, with_entries);
  } else if (with_entries && !store.folder().empty()) {
    print_list(*entries);
  } else if (store.folder().empty()) {
    std::printf("the cache is disabled: %s\n", store.why_not().c_str());
  } else {
    std::printf("%s: %s, %s of %s\n", store.folder().c_str(),
                entries->size() == 1
                    ? "1 entry"
                    : base::format("%s entries", base::format_count(entries->size()).c_str()).c_str(),
                base::format_bytes(total(*entries)).c_str(), base::format_bytes(store.limit()).c_str());
  }
  return kOk;
}

Outcome verify(const Store& store) {
  auto damaged = store.verify();
  if (!damaged.ok()) return fail(kBadInput, damaged.error());
  for (const Store::Entry& e : *damaged) std::printf("removed damaged entry: %s\n", e.key.c_str());
  if (damaged->empty()) std::printf("all entries are valid\n");
  return damaged->empty() ? kOk : kFailed;
}

Outcome trim(const Store& store, uint64_t limit) {
  auto gone = store.trim(limit);
  if (!gone.ok()) return fail(kBadInput, gone.error());
  std::printf("%s removed\n", base::format_bytes(*gone).c_str());
  return kOk;
}

Outcome archive(const Store& store, const std::string& verb, const std::string& path) {
  auto count = verb == "export" ? store.write_archive(path) : store.read_archive(path);
  if (!count.ok()) return fail(kBadInput, count.error());
  std::printf("%s %s '%s'\n", base::format_count(*count).c_str(),
              verb == "export" ? "entries written to" : "entries read from", path.c_str());
  if (verb == "import") std::printf("your programs now run the code of these entries\n");
  return kOk;
}

Outcome run_cache(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.operands();
  const std::string verb = words.empty() ? "" : words[0];
  const bool takes_file = verb == "export" || verb == "import";
  if (words.size() > (takes_file ? 2u : 1u))
    return fail(kUsage, message::kUnexpectedArgument(words.back(), "see `quern cache --help`"));
  if (takes_file && words.size() < 2) return fail(kUsage, message::kCacheNeedsFile(verb));
  const Store store;
  uint64_t limit = store.limit();
  if (const auto wanted = arguments.value("--limit")) {
    const auto number = base::parse_uint(*wanted);
    if (!number || *number > (uint64_t{1} << 40))
      return fail(kUsage, message::kInvalidValue(*wanted, "--limit", "a number of MiB"));
    limit = *number << 20;
  }
  if (verb.empty() || verb == "list") return show(store, verb == "list", arguments.has("--json"));
  const bool is_known = takes_file || verb == "verify" || verb == "trim" || verb == "clear";
  if (is_known && store.folder().empty()) return fail(kBadInput, message::kCacheDisabled(store.why_not()));
  if (verb == "verify") return verify(store);
  if (verb == "trim") return trim(store, limit);
  if (verb == "clear") return trim(store, 0);
  if (takes_file) return archive(store, verb, words[1]);
  return fail(kUsage, message::kUnknownSubcommand(verb, "list, verify, trim, clear, export or import"));
}

}  // namespace

constinit const Command kCacheCommand = {"cache", "manage the cache of compiled code", kHelp, kOptions,
                                         run_cache};

}  // namespace quern::tool

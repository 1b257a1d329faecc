#include "api/tune_store.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <sys/file.h>

#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/json_value.hpp"
#include "base/sealed.hpp"
#include "base/store.hpp"
#include "base/text.hpp"

namespace quern::detail {

namespace {

constexpr std::string_view kTunePrefix = "tune-";
constexpr std::string_view kJournalMagic = "quern tune journal 1\n";
constexpr std::uint64_t kMostJournalBytes = 1 << 20;
constexpr int kTuneFormat = 1;
constexpr double kMostInteger = 9e15;

void write_variant(base::JsonWriter& json, const Variant& variant) {
  json.begin_object();
  for (const auto& [name, value] : variant.parameters()) json.member(name, value);
  json.end_object();
}

Variant read_variant(const base::JsonValue* json) {
  Variant variant;
  if (json == nullptr) return variant;
  for (const base::JsonMember& m : json->members) {
    if (m.value.kind == base::JsonValue::Kind::kNumber && std::abs(m.value.number) < kMostInteger)
      variant.set(m.name, static_cast<std::int64_t>(m.value.number));
  }
  return variant;
}

TuneState state_of(std::string_view name) {
  for (const TuneState s : {TuneState::measured, TuneState::slower, TuneState::excluded}) {
    if (name == quern::to_string(s)) return s;
  }
  return TuneState::skipped;
}

std::vector<TuneCandidate> read_candidates(const base::JsonValue* list) {
  std::vector<TuneCandidate> out;
  if (list == nullptr) return out;
  for (const base::JsonValue& item : list->items) {
    TuneCandidate c;
    c.variant = read_variant(item.find("variant"));
    c.state = state_of(item.text_of("state"));
    c.seconds = item.number_of("seconds");
    c.samples = static_cast<int>(item.uint_of("samples", 1 << 20));
    c.reason = item.text_of("reason");
    out.push_back(std::move(c));
  }
  return out;
}

// Subfolder of the cache folder.
std::optional<base::PrivateFolder> open_journals() {
  const auto cache = base::open_cache_folder();
  if (!cache.ok()) return std::nullopt;
  auto folder = cache->subfolder("tune");
  if (!folder.ok()) return std::nullopt;
  return std::move(*folder);
}

}  // namespace

std::string tuning_key(const DeviceInfo& device, const TuneRequest& request) {
  base::Hasher hasher;
  hasher.add(std::uint64_t{kTuneFormat});
  for (const std::string& text : {device.name, device.driver, device.driver_version, request.name,
                                  request.shape_class, request.types, request.source})
    hasher.add_field(text);
  hasher.add(std::uint64_t{device.compute_units}).add(std::uint64_t{request.alignment});
  // In any order: shapes of a class may have different defaults.
  std::vector<std::string> names;
  for (const Variant& v : request.variants) names.push_back(v.to_string());
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) hasher.add_field(name);
  return std::string(kTunePrefix) + hasher.finish().to_string();
}

void store_tuning(const std::string& key, const DeviceInfo& device, const TuneRequest& request,
                  const TuneResult& result) {
  base::JsonWriter json;
  json.begin_object().member("format", kTuneFormat).member("name", request.name);
  json.member("shape_class", request.shape_class).member("types", request.types);
  json.member("alignment", request.alignment).member("device", device.name + " (" + device.driver + ")");
  json.member("driver_version", device.driver_version);
  json.member("time", static_cast<std::int64_t>(std::time(nullptr))).member("reason", result.reason);
  json.member("seconds", result.seconds).member("complete", result.is_complete).key("variant");
  write_variant(json, result.variant);
  json.key("candidates").begin_array();
  for (const TuneCandidate& c : result.candidates) {
    json.begin_object().key("variant");
    write_variant(json, c.variant);
    json.member("state", quern::to_string(c.state)).member("seconds", c.seconds).member("samples", c.samples);
    json.member("reason", c.reason).end_object();
  }
  json.end_array().end_object();
  base::Store().put(key, "tuning of " + request.name + " " + request.shape_class, json.take());
}

std::optional<StoredTuning> load_tuning(const std::string& key) {
  const auto contents = base::Store().find(key);
  if (!contents) return std::nullopt;
  const auto json = base::parse_json(*contents);
  if (!json.ok() || json->number_of("format") != kTuneFormat) return std::nullopt;
  StoredTuning out;
  out.key = key;
  out.name = json->text_of("name");
  out.shape_class = json->text_of("shape_class");
  out.types = json->text_of("types");
  out.alignment = static_cast<std::uint32_t>(json->uint_of("alignment", UINT32_MAX));
  out.device = json->text_of("device");
  out.driver_version = json->text_of("driver_version");
  out.time = static_cast<std::int64_t>(json->uint_of("time", INT64_MAX));
  const base::JsonValue* const complete = json->find("complete");
  out.result = {.variant = read_variant(json->find("variant")),
                .source = TuneSource::stored,
                .reason = json->text_of("reason"),
                .candidates = read_candidates(json->find("candidates")),
                .seconds = json->number_of("seconds"),
                .is_complete = complete != nullptr && complete->truth};
  return out;
}

TuneJournal::TuneJournal(const std::string& key) : file_(key + ".running"), lock_file_(key + ".lock") {
  folder_ = open_journals();
  if (!folder_) return;
  auto lock = folder_->open_file(lock_file_);
  if (!lock.ok() || ::flock(lock->get(), LOCK_EX | LOCK_NB) != 0) {  // another program tunes the same
    folder_.reset();
    return;
  }
  lock_ = std::move(*lock);
  const auto contents = folder_->read(file_, kMostJournalBytes);
  if (!contents.ok()) return;
  const auto lines = base::unsealed(kJournalMagic, *contents, key);
  if (!lines) return;
  for (const std::string_view line : base::split_lines(*lines)) {
    if (!line.empty()) failed_.emplace(line);
  }
}

TuneJournal::~TuneJournal() {
  if (!folder_) return;
  if (!is_running_ && failed_.empty()) (void)folder_->remove(file_);
  if (!is_running_) (void)folder_->remove(lock_file_);
}

void TuneJournal::write(const std::string& running) const {
  std::string lines;
  for (const std::string& variant : failed_) lines += variant + '\n';
  if (!running.empty()) lines += running + '\n';
  const std::string key = file_.substr(0, file_.rfind('.'));
  (void)folder_->write(file_, base::sealed(kJournalMagic, lines, key));
}

void TuneJournal::begin(const Variant& variant) {
  if (!folder_) return;
  is_running_ = true;
  write(variant.to_string());
}

void TuneJournal::end() {
  if (!folder_) return;
  is_running_ = false;
  write({});
}

}  // namespace quern::detail

#include "quern/tune.hpp"

#include <algorithm>
#include <array>

#include "api/messages_tune.hpp"
#include "api/state.hpp"
#include "api/tune_run.hpp"
#include "api/tune_store.hpp"
#include "base/environment.hpp"
#include "base/store.hpp"

namespace quern {

std::int64_t Variant::at(std::string_view name) const {
  for (const auto& [known, value] : list_) {
    if (known == name) return value;
  }
  detail::raise(base::Error(base::ErrorKind::invalid_use,
                            detail::message::kNoVariantParameter(name, "'" + to_string() + "'")));
}

void Variant::set(std::string_view name, std::int64_t value) {
  for (auto& [known, old] : list_) {
    if (known == name) {
      old = value;
      return;
    }
  }
  list_.emplace_back(std::string(name), value);
}

std::vector<std::pair<std::string, std::string>> Variant::defines() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [name, value] : list_) out.emplace_back(name, std::to_string(value));
  return out;
}

std::string Variant::to_string() const {
  std::string out;
  for (const auto& [name, value] : list_)
    out += (out.empty() ? "" : " ") + name + "=" + std::to_string(value);
  return out;
}

std::vector<Variant> variants(const std::vector<TuneParameter>& parameters,
                              const std::function<bool(const Variant&)>& accepts) {
  std::vector<Variant> all{Variant()};
  for (const TuneParameter& p : parameters) {
    std::vector<Variant> longer;
    for (const Variant& v : all) {
      for (const std::int64_t value : p.values) {
        longer.push_back(v);
        longer.back().set(p.name, value);
      }
    }
    all = std::move(longer);
  }
  if (accepts) std::erase_if(all, [&](const Variant& v) { return !accepts(v); });
  return all;
}

std::string_view to_string(TuneState state) {
  static constexpr std::array<std::string_view, 4> kNames = {"measured", "slower", "excluded", "skipped"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string_view to_string(TuneSource source) {
  static constexpr std::array<std::string_view, 3> kNames = {"standard", "stored", "measured"};
  return kNames[static_cast<std::size_t>(source)];
}

const TuneCandidate* TuneResult::find(const Variant& which) const {
  const auto at = std::find_if(candidates.begin(), candidates.end(),
                               [&](const TuneCandidate& c) { return c.variant == which; });
  return at == candidates.end() ? nullptr : &*at;
}

TuneMode tune_mode() {
  static constexpr std::array<std::string_view, 3> kModes = {"off", "cached", "on"};
  constexpr auto kDefault = static_cast<std::size_t>(TuneMode::cached);
  return static_cast<TuneMode>(base::env_choice("QUERN_TUNE", kModes, kDefault).value_or(kDefault));
}

std::vector<StoredTuning> stored_tunings() {
  std::vector<StoredTuning> out;
  const auto entries = base::Store().list();
  if (!entries.ok()) return out;
  for (const base::Store::Entry& e : *entries) {
    if (!e.key.starts_with("tune-")) continue;
    if (auto tuning = detail::load_tuning(e.key)) out.push_back(std::move(*tuning));
  }
  return out;
}

Tuner::Tuner(Device device, TuneOptions options) : device_(std::move(device)), options_(std::move(options)) {}

TuneResult Tuner::tune(const TuneRequest& request) const {
  const auto refuse = [](const base::MessageText& text) {
    detail::raise(base::Error(base::ErrorKind::invalid_use, text));
  };
  if (request.variants.empty()) refuse(detail::message::kTuneNeedsVariants(request.name));
  if (!request.run) refuse(detail::message::kTuneNeedsRun(request.name));
  if (request.outputs.empty() && !request.check) refuse(detail::message::kTuneNeedsCheck(request.name));
  const DeviceInfo& info = device_.info();
  const std::string key = detail::tuning_key(info, request);
  detail::TuneJournal journal(key);
  detail::TuneRun run(device_, request, options_, journal);
  TuneResult result = run.run();
  if (options_.stores && run.is_conclusive()) detail::store_tuning(key, info, request, result);
  return result;
}

std::optional<TuneResult> Tuner::find(const TuneRequest& request) const {
  auto stored = detail::load_tuning(detail::tuning_key(device_.info(), request));
  if (!stored) return std::nullopt;
  const auto& offered = request.variants;
  if (std::find(offered.begin(), offered.end(), stored->result.variant) == offered.end()) return std::nullopt;
  return std::move(stored->result);
}

TuneResult Tuner::choose(const TuneRequest& request) const {
  if (request.variants.empty())
    detail::raise(
        base::Error(base::ErrorKind::invalid_use, detail::message::kTuneNeedsVariants(request.name)));
  TuneResult standard{.variant = request.variants.front()};
  const TuneMode mode = tune_mode();
  if (mode == TuneMode::off) {
    standard.reason = detail::message::kTuningIsOff().text;
    return standard;
  }
  if (auto stored = find(request)) return std::move(*stored);
  if (mode == TuneMode::on) return tune(request);
  standard.reason = detail::message::kNothingStored().text;
  return standard;
}

}  // namespace quern

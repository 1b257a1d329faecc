#include "driver/decorators/checked/ledger.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "driver/decorators/messages.hpp"

namespace quern::checked {

using base::ErrorKind;

namespace {

constexpr std::string_view kKindNames[] = {"buffer", "module", "kernel", "stream", "event"};

std::string with_article(Kind kind) {
  return (kind == Kind::kEvent ? "an " : "a ") + std::string(name(kind));
}

std::string describe(const Entry& e) {
  std::string text = with_article(e.kind);
  if (e.kind == Kind::kBuffer) text += " of " + base::format_bytes(e.bytes);
  return text;
}

}  // namespace

std::string_view name(Kind kind) { return kKindNames[static_cast<size_t>(kind)]; }

void Ledger::add(const driver::Object& object, Kind kind, forward::Wrapper& wrapper, uint64_t bytes,
                 EntryPtr owner) {
  const std::lock_guard lock(mutex_);
  EntryPtr& entry = live_[&object];
  if (entry != nullptr && entry->id == wrapper.id) return;  // a variable that was requested before
  entry = std::make_shared<Entry>();
  entry->kind = kind;
  entry->id = wrapper.id;
  entry->bytes = bytes;
  entry->owner = std::move(owner);
  entry->wrapper = &wrapper;
  dead_.erase(&object);
  if (kind == Kind::kStream) progress_.add_stream(wrapper.id);
}

Result<EntryPtr> Ledger::find(Call call, const driver::Object* object, Kind kind) {
  const std::lock_guard lock(mutex_);
  const std::string_view name = forward::name(call);
  if (const auto found = live_.find(object); found != live_.end()) {
    if (found->second->kind == kind) return found->second;
    return violation(ErrorKind::invalid_use,
                     decorators::message::kObjectIsOther(name, with_article(kind), describe(*found->second)));
  }
  if (object == nullptr)
    return violation(ErrorKind::invalid_use, decorators::message::kObjectIsNull(name, with_article(kind)));
  if (dead_.contains(object))
    return violation(ErrorKind::invalid_use,
                     decorators::message::kObjectWasDestroyed(name, with_article(kind)));
  return violation(ErrorKind::invalid_use, decorators::message::kObjectIsForeign(name, with_article(kind)));
}

void Ledger::use(uint64_t stream, const std::vector<EntryPtr>& objects) {
  const std::lock_guard lock(mutex_);
  const forward::Point point = progress_.submit(stream);
  const auto is_old = [&](const forward::Point& p) { return p.stream == stream || progress_.is_done(p); };
  for (const EntryPtr& object : objects) {
    for (Entry* o = object.get(); o != nullptr; o = o->owner.get()) {
      std::erase_if(o->uses, is_old);
      o->uses.push_back(point);
    }
  }
}

void Ledger::record(uint64_t stream, uint64_t event) {
  const std::lock_guard lock(mutex_);
  progress_.record(stream, event);
}

void Ledger::wait(uint64_t stream, uint64_t event) {
  const std::lock_guard lock(mutex_);
  progress_.wait(stream, event);
}

forward::Point Ledger::last(uint64_t stream) {
  const std::lock_guard lock(mutex_);
  return progress_.last(stream);
}

std::optional<forward::Point> Ledger::recorded(uint64_t event) {
  const std::lock_guard lock(mutex_);
  return progress_.recorded(event);
}

bool Ledger::is_done(const forward::Point& point) {
  const std::lock_guard lock(mutex_);
  return progress_.is_done(point);
}

void Ledger::reach(const forward::Point& point) {
  const std::lock_guard lock(mutex_);
  progress_.reach(point);
}

void Ledger::lose() {
  const std::lock_guard lock(mutex_);
  progress_.lose();
}

EntryPtr Ledger::find_live(const driver::Object& object, const forward::Wrapper& wrapper) const {
  const auto found = live_.find(&object);
  return is_closed_ || found == live_.end() || found->second->id != wrapper.id ? nullptr : found->second;
}

bool Ledger::is_in_flight(const Entry& entry) const {
  const auto in_flight = [this](const forward::Point& p) { return !progress_.is_done(p); };
  return (entry.kind == Kind::kStream && in_flight(progress_.last(entry.id))) ||
         std::any_of(entry.uses.begin(), entry.uses.end(), in_flight);
}

bool Ledger::has_kernel(const Entry& module) const {
  return module.kind == Kind::kModule && std::any_of(live_.begin(), live_.end(), [&](const auto& item) {
           return item.second->kind == Kind::kKernel && item.second->owner.get() == &module;
         });
}

bool Ledger::is_idle(const Entry& entry) const {
  const auto is_its_kernel = [&](const Deferred& d) {
    return d.entry->kind == Kind::kKernel && d.entry->owner.get() == &entry;
  };
  return !is_in_flight(entry) && !has_kernel(entry) &&
         std::none_of(deferred_.begin(), deferred_.end(), is_its_kernel);
}

bool Ledger::check_destroy(const driver::Object& object, const forward::Wrapper& wrapper) {
  std::vector<base::MessageText> wrong;
  {
    const std::lock_guard lock(mutex_);
    const EntryPtr entry = find_live(object, wrapper);
    if (entry == nullptr) return false;
    if (is_in_flight(*entry))
      wrong.push_back(entry->kind == Kind::kStream ? decorators::message::kStreamBusy()
                                                   : decorators::message::kObjectBusy(describe(*entry)));
    if (has_kernel(*entry)) wrong.push_back(decorators::message::kModuleBeforeKernel());
  }
  for (const base::MessageText& sentence : wrong) violations_->tell(sentence);
  return true;
}

std::unique_ptr<driver::Object> Ledger::remove(const driver::Object& object, forward::Wrapper& wrapper) {
  const std::lock_guard lock(mutex_);
  const EntryPtr entry = find_live(object, wrapper);
  if (entry == nullptr) return nullptr;
  entry->is_alive = false;
  live_.erase(&object);
  dead_.insert(&object);
  std::erase_if(live_, [&](const auto& item) {  // a program's variables are destroyed with it
    if (item.second->kind != Kind::kBuffer || item.second->owner != entry) return false;
    dead_.insert(item.first);
    return true;
  });
  auto below = wrapper.take();
  if (below != nullptr && !is_idle(*entry)) {
    deferred_.push_back({entry, std::move(below)});
    return nullptr;
  }
  progress_.forget(entry->id);
  return below;
}

std::vector<std::unique_ptr<driver::Object>> Ledger::take_idle() {
  std::vector<std::unique_ptr<driver::Object>> idle;
  const std::lock_guard lock(mutex_);
  for (const bool kernels : {true, false}) {  // kernels are destroyed before their programs
    std::vector<Deferred> still;
    std::vector<bool> is_over;
    for (const Deferred& d : deferred_)
      is_over.push_back((d.entry->kind == Kind::kKernel) == kernels && is_idle(*d.entry));
    for (size_t i = 0; i < deferred_.size(); ++i) {
      if (is_over[i]) {
        progress_.forget(deferred_[i].entry->id);
        idle.push_back(std::move(deferred_[i].below));
      } else {
        still.push_back(std::move(deferred_[i]));
      }
    }
    deferred_ = std::move(still);
  }
  return idle;
}

void Ledger::gone(const driver::Object& object, forward::Wrapper& wrapper) {
  if (check_destroy(object, wrapper)) (void)remove(object, wrapper);
}

std::vector<std::unique_ptr<driver::Object>> Ledger::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  std::array<size_t, std::size(kKindNames)> counts{};
  for (const auto& [object, entry] : live_) {
    const bool is_variable = entry->kind == Kind::kBuffer && entry->owner != nullptr;
    counts[static_cast<size_t>(entry->kind)] += is_variable ? 0 : 1;
  }
  std::vector<std::string> parts;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) parts.push_back(base::format_plural(counts[i], kKindNames[i]));
  }
  if (!parts.empty()) violations_->tell(decorators::message::kObjectsAlive(base::join(parts, ", ")));

  std::vector<std::unique_ptr<driver::Object>> left;
  for (const Kind kind : {Kind::kKernel, Kind::kModule, Kind::kEvent, Kind::kBuffer, Kind::kStream}) {
    for (Deferred& d : deferred_) {
      if (d.entry->kind == kind) left.push_back(std::move(d.below));
    }
    for (const auto& [object, entry] : live_) {
      if (entry->kind != kind) continue;
      if (auto below = entry->wrapper->take()) left.push_back(std::move(below));
    }
  }
  deferred_.clear();
  live_.clear();
  return left;
}

}  // namespace quern::checked

#include "driver/checked/ledger.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace quern::checked {

using base::ErrorKind;

namespace {

constexpr std::string_view kKindNames[] = {"buffer", "program", "kernel", "queue", "event"};

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

void Ledger::add(const driver::Object& object, Kind kind, forward::Coat& coat, uint64_t bytes,
                 EntryPtr owner) {
  const std::lock_guard lock(mutex_);
  EntryPtr& entry = live_[&object];
  if (entry != nullptr && entry->id == coat.id) return;  // a variable that was asked for before
  entry = std::make_shared<Entry>();
  entry->kind = kind;
  entry->id = coat.id;
  entry->bytes = bytes;
  entry->owner = std::move(owner);
  entry->coat = &coat;
  dead_.erase(&object);
  if (kind == Kind::kQueue) progress_.add_queue(coat.id);
}

Result<EntryPtr> Ledger::find(Call call, const driver::Object* object, Kind kind) {
  const std::lock_guard lock(mutex_);
  const std::string start =
      "driver call " + std::string(forward::name(call)) + " names " + with_article(kind) + " that ";
  if (const auto found = live_.find(object); found != live_.end()) {
    if (found->second->kind == kind) return found->second;
    return violation(ErrorKind::kInvalidUse, start + "is " + describe(*found->second));
  }
  if (object == nullptr) return violation(ErrorKind::kInvalidUse, start + "is null");
  if (dead_.contains(object)) return violation(ErrorKind::kInvalidUse, start + "was destroyed");
  return violation(ErrorKind::kInvalidUse, start + "is not of this device");
}

void Ledger::use(uint64_t queue, const std::vector<EntryPtr>& objects) {
  const std::lock_guard lock(mutex_);
  const forward::Point point = progress_.submit(queue);
  const auto is_old = [&](const forward::Point& p) { return p.queue == queue || progress_.is_done(p); };
  for (const EntryPtr& object : objects) {
    for (Entry* o = object.get(); o != nullptr; o = o->owner.get()) {
      std::erase_if(o->uses, is_old);
      o->uses.push_back(point);
    }
  }
}

void Ledger::record(uint64_t queue, uint64_t event) {
  const std::lock_guard lock(mutex_);
  progress_.record(queue, event);
}

void Ledger::wait(uint64_t queue, uint64_t event) {
  const std::lock_guard lock(mutex_);
  progress_.wait(queue, event);
}

forward::Point Ledger::last(uint64_t queue) {
  const std::lock_guard lock(mutex_);
  return progress_.last(queue);
}

std::optional<forward::Point> Ledger::recorded(uint64_t event) {
  const std::lock_guard lock(mutex_);
  return progress_.recorded(event);
}

void Ledger::reach(const forward::Point& point) {
  const std::lock_guard lock(mutex_);
  progress_.reach(point);
}

void Ledger::lose() {
  const std::lock_guard lock(mutex_);
  progress_.lose();
}

void Ledger::check_end(const Entry& entry, std::vector<std::string>& wrong) {
  const auto in_flight = [this](const forward::Point& p) { return !progress_.is_done(p); };
  const bool is_busy = entry.kind == Kind::kQueue && in_flight(progress_.last(entry.id));
  if (is_busy) wrong.emplace_back("a queue is destroyed before its work is known to be done");
  if (std::any_of(entry.uses.begin(), entry.uses.end(), in_flight))
    wrong.push_back(describe(entry) + " is destroyed while work in flight may use it");
  if (entry.kind != Kind::kProgram) return;
  for (const auto& [object, other] : live_) {
    if (other->kind == Kind::kKernel && other->owner->id == entry.id)
      wrong.emplace_back("a program is destroyed before its kernel");
  }
}

bool Ledger::remove(const driver::Object& object, const forward::Coat& coat) {
  std::vector<std::string> wrong;
  {
    const std::lock_guard lock(mutex_);
    const auto found = live_.find(&object);
    if (is_closed_ || found == live_.end() || found->second->id != coat.id) return false;
    const EntryPtr entry = found->second;
    check_end(*entry, wrong);
    entry->is_alive = false;
    live_.erase(found);
    dead_.insert(&object);
    progress_.forget(entry->id);
    std::erase_if(live_, [&](const auto& item) {  // a program takes its variables along
      if (item.second->kind != Kind::kBuffer || item.second->owner != entry) return false;
      dead_.insert(item.first);
      return true;
    });
  }
  for (std::string& sentence : wrong) violations_->tell(std::move(sentence));
  return true;
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
  if (!parts.empty())
    violations_->tell("the device closes while these are alive: " + base::join(parts, ", "));

  std::vector<std::unique_ptr<driver::Object>> left;
  for (const Kind kind : {Kind::kKernel, Kind::kProgram, Kind::kEvent, Kind::kBuffer, Kind::kQueue}) {
    for (const auto& [object, entry] : live_) {
      if (entry->kind != kind) continue;
      if (auto below = entry->coat->take()) left.push_back(std::move(below));
    }
  }
  live_.clear();
  return left;
}

}  // namespace quern::checked

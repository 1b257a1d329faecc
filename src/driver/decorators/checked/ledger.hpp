// The objects of a checked device: whether they are alive, which work uses them, and which object owns them.
// Objects are looked up by address and not dereferenced before they are found, so that a dangling pointer is
// reported and never followed. Thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "driver/decorators/checked/violations.hpp"
#include "driver/decorators/forward/call.hpp"
#include "driver/decorators/forward/object.hpp"
#include "driver/decorators/forward/progress.hpp"
#include "driver/interface/driver.hpp"

namespace quern::checked {

using driver::Result;
using forward::Call;

enum class Kind : uint8_t { kBuffer, kModule, kKernel, kStream, kEvent };
std::string_view name(Kind kind);

struct Entry {
  Kind kind = Kind::kBuffer;
  uint64_t id = 0;
  uint64_t bytes = 0;            // buffers
  std::shared_ptr<Entry> owner;  // kernels and variables: their program
  std::atomic<bool> is_alive{true};
  std::atomic<bool> in_call{false};  // streams
  std::vector<forward::Point> uses;  // the last use on each stream
  forward::Wrapper* wrapper = nullptr;
};
using EntryPtr = std::shared_ptr<Entry>;

class Ledger final : public forward::Watcher {
 public:
  explicit Ledger(std::shared_ptr<Violations> violations) : violations_(std::move(violations)) {}

  void add(const driver::Object& object, Kind kind, forward::Wrapper& wrapper, uint64_t bytes = 0,
           EntryPtr owner = nullptr);
  // Returns the object's entry if it is alive and belongs to this device; else the violation.
  Result<EntryPtr> find(Call call, const driver::Object* object, Kind kind);

  // Records that the stream's work, up to and including this call, uses the objects.
  void use(uint64_t stream, const std::vector<EntryPtr>& objects);
  void record(uint64_t stream, uint64_t event);
  void wait(uint64_t stream, uint64_t event);
  forward::Point last(uint64_t stream);
  std::optional<forward::Point> recorded(uint64_t event);
  bool is_done(const forward::Point& point);
  void reach(const forward::Point& point);
  void lose();

  // Reports a violation if the object must not be destroyed now. Returns false if it is not of this device.
  bool check_destroy(const driver::Object& object, const forward::Wrapper& wrapper);
  // Removes the object. Returns the inner object for destruction, or null: if it belongs to another object,
  // or if work in flight or a kernel still uses it, in which case take_idle() returns it later.
  std::unique_ptr<driver::Object> remove(const driver::Object& object, forward::Wrapper& wrapper);
  // Returns the objects whose destruction was deferred and that are no longer in use, in destruction order.
  std::vector<std::unique_ptr<driver::Object>> take_idle();
  void gone(const driver::Object& object, forward::Wrapper& wrapper) override;
  // Reports the objects that are still alive. Returns them and the deferred ones in destruction order.
  // Objects destroyed later count as foreign.
  std::vector<std::unique_ptr<driver::Object>> close();

  base::Error violation(base::ErrorKind kind, const base::MessageText& sentence) {
    return violations_->add(kind, sentence);
  }
  void tell(const base::MessageText& sentence) { violations_->tell(sentence); }

 private:
  struct Deferred {
    EntryPtr entry;
    std::unique_ptr<driver::Object> below;
  };
  EntryPtr find_live(const driver::Object& object, const forward::Wrapper& wrapper) const;
  bool is_in_flight(const Entry& entry) const;
  bool has_kernel(const Entry& module) const;  // that is still alive
  bool is_idle(const Entry& entry) const;      // no work in flight and no kernel uses it

  std::shared_ptr<Violations> violations_;
  std::mutex mutex_;
  bool is_closed_ = false;
  std::unordered_map<const driver::Object*, EntryPtr> live_;
  std::unordered_set<const driver::Object*> dead_;
  std::vector<Deferred> deferred_;
  forward::Progress progress_;
};

}  // namespace quern::checked

// Observes what the cache of compiled code finds and stores, for profiles.
#pragma once

#include <atomic>
#include <string_view>

namespace quern::base {

// `what`: "found", "missing" or "kept". Called from any thread; may be null.
using StoreWatch = void (*)(std::string_view what, std::string_view key);
inline std::atomic<StoreWatch> store_watch{nullptr};

inline void notify_store_watch(std::string_view what, std::string_view key) {
  if (const StoreWatch watch = store_watch.load(std::memory_order_relaxed)) watch(what, key);
}

}  // namespace quern::base

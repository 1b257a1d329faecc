// Queries of timestamps, which native APIs create in pools. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace quern::driver {

/// `Pool`: an Owned handle.
template <typename Pool>
class QueryPools {
 public:
  static constexpr uint32_t kQueriesPerPool = 256;

  struct Query {
    std::remove_cvref_t<decltype(std::declval<Pool>().get())> pool = {};
    uint32_t index = 0;
  };

  /// Returns a query that nobody uses. It is free again when its last owner is destroyed, which must be
  /// before this object. `make` returns a new pool of kQueriesPerPool queries, as a Result.
  template <typename Make>
  base::Result<std::shared_ptr<const Query>> take(const Make& make) {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      QUERN_TRY_ASSIGN(pools_.emplace_back(), make());
      for (uint32_t i = 0; i < kQueriesPerPool; ++i)
        free_.push_back(std::make_unique<Query>(Query{pools_.back().get(), i}));
    }
    Query* const query = free_.back().release();
    free_.pop_back();
    return std::shared_ptr<const Query>(query, [this](Query* unused) {
      const std::lock_guard queries(mutex_);
      free_.emplace_back(unused);
    });
  }

  /// Destroys all pools, before their device is destroyed.
  void clear() {
    const std::lock_guard lock(mutex_);
    free_.clear();
    pools_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<Pool> pools_;
  std::vector<std::unique_ptr<Query>> free_;
};

}  // namespace quern::driver

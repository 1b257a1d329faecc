// Results of tunings on disk: entries of the cache of compiled code, with its checks and its limit.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/descriptor.hpp"
#include "base/private_folder.hpp"
#include "quern/tune.hpp"

namespace quern::detail {

// The key of the entry for a request on a device.
std::string tuning_key(const DeviceInfo& device, const TuneRequest& request);

void store_tuning(const std::string& key, const DeviceInfo& device, const TuneRequest& request,
                  const TuneResult& result);
// Nothing if there is none, or it is not valid.
std::optional<StoredTuning> load_tuning(const std::string& key);

// Variants during which a program ended. A file lists them, and the variant that runs now; the lock tells
// whether its program still exists. Without a cache folder it does nothing.
class TuneJournal {
 public:
  explicit TuneJournal(const std::string& key);
  TuneJournal(const TuneJournal&) = delete;
  TuneJournal& operator=(const TuneJournal&) = delete;
  ~TuneJournal();

  bool has_failed(const Variant& variant) const { return failed_.contains(variant.to_string()); }
  void begin(const Variant& variant);  // before its first run
  void end();                          // the run has ended

 private:
  void write(const std::string& running) const;

  std::optional<base::PrivateFolder> folder_;  // empty: no journal
  std::string file_, lock_file_;
  base::Descriptor lock_;
  std::set<std::string> failed_;
  bool is_running_ = false;
};

}  // namespace quern::detail

// What became of drivers when they were tried in a child process, kept from one run of a program to the next:
// a library that works need not be loaded twice each time, and one that hangs costs its time once. It holds
// until the machine starts anew, this library is built anew, libraries are installed or changed, or the
// environment that finds them changes. A driver has one file, with the last surroundings in which it was
// tried.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/private_folder.hpp"
#include "base/result.hpp"

namespace quern::runtime {

// One word for all of these.
std::string probe_surroundings();

class ProbeMemory {
 public:
  // In the folder "probes" of the user's cache; without one nothing is remembered. Tests give the cache's
  // folder and the surroundings.
  ProbeMemory();
  ProbeMemory(const std::string& cache, std::string surroundings);

  std::optional<base::Result<std::string>> find(const std::string& driver) const;
  void put(const std::string& driver, const base::Result<std::string>& result) const;
  void forget(const std::string& driver) const;

 private:
  struct Entry {
    std::string surroundings;
    std::string kind;  // "ok", or the number of the error's kind
    std::string hint, text;
  };

  std::vector<Entry> read(const std::string& driver) const;
  std::vector<Entry> others(const std::string& driver) const;  // those of other surroundings
  void write(const std::string& driver, const std::vector<Entry>& entries) const;

  std::optional<base::PrivateFolder> folder_;  // empty: nothing is remembered
  std::string surroundings_;
};

}  // namespace quern::runtime

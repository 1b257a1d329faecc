// Results of trying drivers in a child process, kept between program runs. A library that works need not be
// loaded twice each time, and one that hangs costs its timeout only once. A result is valid until the machine
// restarts, this library is rebuilt, libraries are installed or changed, or the relevant environment
// variables change. A driver has one file with the most recent environments in which it was tried.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/private_folder.hpp"
#include "base/result.hpp"

namespace quern::runtime {

// One string that identifies all of these.
std::string probe_surroundings();

class ProbeMemory {
 public:
  // Uses the folder "probes" of the user's cache; without a cache nothing is remembered. Tests pass the cache
  // folder and the environment.
  ProbeMemory();
  ProbeMemory(const std::string& cache, std::string surroundings);

  std::optional<base::Result<std::string>> find(const std::string& driver) const;
  void put(const std::string& driver, const base::Result<std::string>& result) const;
  void forget(const std::string& driver) const;

 private:
  struct Entry {
    std::string surroundings;
    std::string kind;  // "ok", or the number of the error kind
    std::string hint, text;
  };

  std::vector<Entry> read(const std::string& driver) const;
  std::vector<Entry> others(const std::string& driver) const;  // those of other environments
  void write(const std::string& driver, const std::vector<Entry>& entries) const;

  std::optional<base::PrivateFolder> folder_;  // empty: nothing is remembered
  std::string surroundings_;
};

}  // namespace quern::runtime

// The results of a run: counted per file of cases, printed, and written as docs/status.md.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/interface/info.hpp"
#include "suite/expected_failures.hpp"
#include "suite/run_case.hpp"
#include "suite/run_random.hpp"

namespace quern::test {

struct Counts {
  uint32_t passed = 0, refused = 0, expected = 0, failed = 0;
};

struct DeviceStatus {
  driver::DeviceInfo info;
  std::map<std::string, Counts> files;       // by file name
  std::map<std::string, uint32_t> refusals;  // reason: count
  std::vector<std::string> failures;         // "name: what is wrong"
  RandomReport random;

  void add(const std::string& file, const std::string& name, const Outcome& outcome,
           const ExpectedFailure* expected);
  Counts total() const;
  bool is_right() const;
  std::string report() const;
};

std::string status_page(const std::vector<DeviceStatus>& devices);

}  // namespace quern::test

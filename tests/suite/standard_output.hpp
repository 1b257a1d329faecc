// Captures this process's standard output during its lifetime, for devices whose printf writes there.
#pragma once

#include <string>

namespace quern::test {

class StandardOutput {
 public:
  StandardOutput();
  ~StandardOutput();
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;

  std::string take();  // ends the capture

 private:
  int file_ = -1;
  int original_ = -1;
};

}  // namespace quern::test

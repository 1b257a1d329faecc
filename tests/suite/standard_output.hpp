// What is written to this process's standard output while the object lives, for devices whose printf ends
// there.
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

#include "suite/standard_output.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

namespace quern::test {

StandardOutput::StandardOutput() {
  std::array<char, 32> name = {"/tmp/quern_suite_XXXXXX"};
  file_ = ::mkstemp(name.data());
  if (file_ < 0) return;
  ::unlink(name.data());
  std::fflush(stdout);
  original_ = ::dup(STDOUT_FILENO);
  ::dup2(file_, STDOUT_FILENO);
}

StandardOutput::~StandardOutput() { (void)take(); }

std::string StandardOutput::take() {
  std::string text;
  if (file_ < 0) return text;
  std::fflush(stdout);
  ::dup2(original_, STDOUT_FILENO);
  ::close(original_);
  ::lseek(file_, 0, SEEK_SET);
  std::array<char, 4096> part;
  for (ssize_t n = 0; (n = ::read(file_, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<size_t>(n));
  ::close(file_);
  file_ = -1;
  return text;
}

}  // namespace quern::test

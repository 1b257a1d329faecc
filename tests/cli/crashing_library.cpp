// A library that crashes while it is loaded, for tests.
#include <csignal>

namespace {

[[maybe_unused]] const int kCrash = std::raise(SIGSEGV);

}  // namespace

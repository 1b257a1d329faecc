// A driver's library that crashes while it is loaded, for tests of those who load it.
#include <csignal>

namespace {

[[maybe_unused]] const int kCrash = std::raise(SIGSEGV);

}  // namespace

// Functions of lower layers that need an operating system, for one that is not there: a browser.
#include <cstdlib>

#include "base/processor_name.hpp"
#include "base/result.hpp"

namespace quern::base {

bool is_misnamed_processor() { return false; }

// Exceptions do not exist here. The trap ends the instance, and JavaScript reports an internal error.
namespace detail {
void throw_no_value(const Error&) { std::abort(); }
void throw_no_error() { std::abort(); }
}  // namespace detail

}  // namespace quern::base

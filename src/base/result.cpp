#include "base/result.hpp"

namespace quern::base::detail {

void throw_no_value(const Error& error) {
  throw BadResultAccess("value() of a Result that holds an error: " + error.to_string());
}

void throw_no_error() { throw BadResultAccess("error() of a Result that holds a value"); }

}  // namespace quern::base::detail

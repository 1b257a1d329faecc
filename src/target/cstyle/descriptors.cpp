#include "target/cstyle/descriptors.hpp"

#include "base/text.hpp"

namespace quern::target::cstyle {

bool is_glsl_version(std::string_view text) {
  constexpr double kLeast = 300;
  return base::parse_double(text.substr(0, text.find(' '))).value_or(0) >= kLeast;
}

}  // namespace quern::target::cstyle

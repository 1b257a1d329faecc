// Programs in recordings: everything that a driver is told of them; IR modules as their text.
#pragma once

#include "base/result.hpp"
#include "driver/interface/code.hpp"
#include "driver/recording/bytes.hpp"

namespace quern::recording {

void write(Writer& to, const driver::Code& code);

// Anything may be read; code that contradicts itself is refused.
base::Result<driver::Code> read_code(Reader& from);

}  // namespace quern::recording

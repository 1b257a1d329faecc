// Software drivers compile for the processor by its name, but the system may not offer all instructions that
// the name implies.
#pragma once

namespace quern::base {

// Whether code compiled for this processor's name may contain instructions (SVE) that it does not execute
// here.
bool is_misnamed_processor();

}  // namespace quern::base

// A trap of software drivers: they compile for the processor by its name, and the system may not offer all
// instructions that the name stands for.
#pragma once

namespace quern::base {

// Whether code made for this processor's name may have instructions (SVE) that it refuses here.
bool is_misnamed_processor();

}  // namespace quern::base

// The names of the kernel language as the host's compiler sees them inside QUERN_KERNEL and QUERN_CODE, so
// that the text is checked where it is written and can run on a host without a device. They are in
// quern::kernel; a program sees none of them outside of its kernels.
#pragma once

#include "quern/kernel/using.hpp"

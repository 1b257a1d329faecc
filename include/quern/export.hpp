#pragma once

// QUERN_API marks names that the shared library exports; everything else is hidden.
#if defined(QUERN_STATIC)
#define QUERN_API
#else
#define QUERN_API __attribute__((visibility("default")))
#endif

#pragma once

// Marks what the shared library shows to programs; everything else is hidden.
#if defined(QUERN_STATIC)
#define QUERN_API
#else
#define QUERN_API __attribute__((visibility("default")))
#endif

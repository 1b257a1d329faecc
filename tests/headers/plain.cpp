// The main header defines none of the qualifiers of the kernel language, and features are checked by the
// compiler. CASE 0 is right, the others must not compile.
#include <quern/quern.hpp>

#if defined(__device__) || defined(__global__) || defined(__shared__) || defined(__constant__) || \
    defined(__host__) || defined(QUERN_KERNEL)
#error "quern/quern.hpp defines names of the kernel language"
#endif
#if QUERN_VERSION_MAJOR * 10000 + QUERN_VERSION_MINOR * 100 + QUERN_VERSION_PATCH < 100
#error "QUERN_VERSION_* must be numbers"
#endif

bool use(const quern::DeviceInfo& info, const quern::Event& event) {
#if CASE == 1
  return info.has(quern::Feature::fp46);
#elif CASE == 2
  return info.has("fp64");
#else
  return info.has(quern::Feature::fp64) && event.wait_for(std::chrono::seconds(1)) &&
         !quern::version().empty();
#endif
}

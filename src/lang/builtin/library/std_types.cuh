// Names of types from the C headers, in the global namespace and in std.

using size_t = unsigned long;
using ssize_t = long;
using ptrdiff_t = long;
using intptr_t = long;
using uintptr_t = unsigned long;
using intmax_t = long;
using uintmax_t = unsigned long;
using max_align_t = double;
using nullptr_t = decltype(nullptr);

using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned;
using uint64_t = unsigned long;
using int_least8_t = signed char;
using int_least16_t = short;
using int_least32_t = int;
using int_least64_t = long;
using uint_least8_t = unsigned char;
using uint_least16_t = unsigned short;
using uint_least32_t = unsigned;
using uint_least64_t = unsigned long;
using int_fast8_t = signed char;
using int_fast16_t = long;
using int_fast32_t = long;
using int_fast64_t = long;
using uint_fast8_t = unsigned char;
using uint_fast16_t = unsigned long;
using uint_fast32_t = unsigned long;
using uint_fast64_t = unsigned long;

// From <sys/types.h>.
using uint = unsigned;
using ushort = unsigned short;
using ulong = unsigned long;
using off_t = long;
using time_t = long;
using pid_t = int;
using mode_t = unsigned;
using u_char = unsigned char;
using u_short = unsigned short;
using u_int = unsigned;
using u_long = unsigned long;
using u_int8_t = unsigned char;
using u_int16_t = unsigned short;
using u_int32_t = unsigned;
using u_int64_t = unsigned long;

namespace std {
using size_t = unsigned long;
using ptrdiff_t = long;
using intptr_t = long;
using uintptr_t = unsigned long;
using intmax_t = long;
using uintmax_t = unsigned long;
using max_align_t = double;
using nullptr_t = decltype(nullptr);
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned;
using uint64_t = unsigned long;
enum class byte : unsigned char {};
}  // namespace std

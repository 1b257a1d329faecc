#include "target/wgsl/helpers.hpp"

#include <cctype>

namespace quern::target::wgsl {

namespace {

struct HelperText {
  std::string_view name;
  std::string_view text;
};

constexpr std::string_view kPrefix = "quern_";

constexpr HelperText kHelpers[] = {
    // Constants that WGSL rejects if it can evaluate them: infinities, NaNs, and subnormals.
    {"f32", "fn quern_f32(bits: u32) -> f32 { return bitcast<f32>(bits); }\n"},
    // An index that it cannot prove to be out of bounds.
    {"index", "fn quern_index(i: u32) -> u32 { return i; }\n"},
    // An opaque float: implementations may fuse and reorder operations that they can analyze.
    {"keep",
     "fn quern_keep(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ quern_arguments[quern_zero].x); "
     "}\n"},
    {"is_nan", "fn quern_is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }\n"},
    {"is_inf",
     "fn quern_is_inf(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u; }\n"},
    // Implementations may assume that there are no NaNs.
    {"are_numbers",
     "fn quern_are_numbers(a: f32, b: f32) -> bool { return !(quern_is_nan(a) || quern_is_nan(b)); }\n"},
    {"eq", "fn quern_eq(a: f32, b: f32) -> bool { return quern_are_numbers(a, b) && (a == b); }\n"},
    {"ne", "fn quern_ne(a: f32, b: f32) -> bool { return !quern_eq(a, b); }\n"},
    {"lt", "fn quern_lt(a: f32, b: f32) -> bool { return quern_are_numbers(a, b) && (a < b); }\n"},
    {"le", "fn quern_le(a: f32, b: f32) -> bool { return quern_are_numbers(a, b) && (a <= b); }\n"},
    {"gt", "fn quern_gt(a: f32, b: f32) -> bool { return quern_are_numbers(a, b) && (a > b); }\n"},
    {"ge", "fn quern_ge(a: f32, b: f32) -> bool { return quern_are_numbers(a, b) && (a >= b); }\n"},
    {"div_i32", R"(fn quern_div_i32(a: i32, b: i32) -> i32 {
  if (b == 0i) { return 0i; }
  if (b == -1i) { return -a; }
  return a / b;
}
)"},
    // Not a % b: Vulkan leaves the remainder of negative numbers undefined, and implementations over it use
    // that instruction.
    {"rem_i32", R"(fn quern_rem_i32(a: i32, b: i32) -> i32 {
  if (b == 0i) { return a; }
  if (b == -1i) { return 0i; }
  return a - ((a / b) * b);
}
)"},
    // 32 bits, whatever a compiler assumes about `a` (target/known_values.hpp): half of it is not a small
    // number.
    {"div_u32", R"(fn quern_div_u32(a: u32, b: u32) -> u32 {
  if (b == 0u) { return 0u; }
  let most = ((a >> 1u) / b) << 1u;
  return select(most, most + 1u, (a - (most * b)) >= b);
}
)"},
    {"rem_u32", R"(fn quern_rem_u32(a: u32, b: u32) -> u32 {
  return a - (quern_div_u32(a, b) * b);
}
)"},
    {"mulhi_u32", R"(fn quern_mulhi_u32(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let middle = ((a >> 16u) * (b & 0xffffu)) + (low >> 16u);
  let other = ((a & 0xffffu) * (b >> 16u)) + (middle & 0xffffu);
  return ((a >> 16u) * (b >> 16u)) + (middle >> 16u) + (other >> 16u);
}
)"},
    {"mulhi_i32", R"(fn quern_mulhi_i32(a: i32, b: i32) -> i32 {
  let high = quern_mulhi_u32(u32(a), u32(b)) - select(0u, u32(b), a < 0i) - select(0u, u32(a), b < 0i);
  return i32(high);
}
)"},
    // Towards zero; saturates, NaN is 0.
    {"i32_of_f32", R"(fn quern_i32_of_f32(x: f32) -> i32 {
  if (quern_is_nan(x)) { return 0i; }
  if (x >= 2147483648.0f) { return 2147483647i; }
  if (x < -2147483648.0f) { return i32(-2147483648); }
  return i32(x);
}
)"},
    {"u32_of_f32", R"(fn quern_u32_of_f32(x: f32) -> u32 {
  if (quern_is_nan(x) || (x <= 0.0f)) { return 0u; }
  if (x >= 4294967296.0f) { return 4294967295u; }
  return u32(x);
}
)"},
    // Both halves are exact; the sum rounds once, to nearest.
    {"f32_of_u32", R"(fn quern_f32_of_u32(x: u32) -> f32 {
  return (f32(x >> 16u) * 65536.0f) + f32(x & 0xffffu);
}
)"},
    {"f32_of_i32", R"(fn quern_f32_of_i32(x: i32) -> f32 {
  return (f32(x >> 16u) * 65536.0f) + f32(x & 0xffffi);
}
)"},
    // The number of threads of the block in which it is true; uniform, also for WGSL's analysis.
    {"barrier_count", R"(var<workgroup> quern_votes: atomic<u32>;
var<workgroup> quern_counted: u32;
fn quern_barrier_count(yes: bool, thread: u32) -> i32 {
  if (thread == 0u) { atomicStore(&quern_votes, 0u); }
  workgroupBarrier();
  if (yes) { _ = atomicAdd(&quern_votes, 1u); }
  storageBarrier();
  workgroupBarrier();
  if (thread == 0u) { quern_counted = atomicLoad(&quern_votes); }
  return i32(workgroupUniformLoad(&quern_counted));
}
)"},
    // Reports to the host: driver/interface/report.hpp.
    {"report_begin", R"(fn quern_report_begin(words: u32, site: u32) -> u32 {
  let at = atomicAdd(&quern_report[1], words);
  if ((at + words) > atomicLoad(&quern_report[2])) {
    atomicSub(&quern_report[1], words);
    atomicAdd(&quern_report[3], 1u);
    return 0u;
  }
  atomicStore(&quern_report[at], site);
  return at;
}
)"},
    {"report_put", R"(fn quern_report_put(at: u32, index: u32, word: u32) {
  if (at != 0u) { atomicStore(&quern_report[at + index], word); }
}
)"},
    {"report_fail", R"(fn quern_report_fail(site: u32, thread: vec3<u32>, block: vec3<u32>) {
  loop {
    let seen = atomicCompareExchangeWeak(&quern_report[0], 0u, site + 1u);
    if (seen.exchanged) { break; }
    if (seen.old_value != 0u) { return; }
  }
  atomicStore(&quern_report[4], thread.x);
  atomicStore(&quern_report[5], thread.y);
  atomicStore(&quern_report[6], thread.z);
  atomicStore(&quern_report[7], block.x);
  atomicStore(&quern_report[8], block.y);
  atomicStore(&quern_report[9], block.z);
}
)"},
};

std::string_view find(std::string_view name) {
  for (const HelperText& h : kHelpers) {
    if (h.name == name) return h.text;
  }
  return {};
}

}  // namespace

void Helpers::require(std::string_view text) {
  for (size_t at = text.find(kPrefix); at != std::string_view::npos; at = text.find(kPrefix, at + 1)) {
    size_t end = at;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
      ++end;
    const std::string_view called = text.substr(at + kPrefix.size(), end - at - kPrefix.size());
    if (!find(called).empty()) use(called);
  }
}

std::string Helpers::use(std::string_view name) {
  const std::string full = std::string(kPrefix) + std::string(name);
  return use_made(full, std::string(find(name)));
}

std::string Helpers::use_made(const std::string& name, const std::string& text) {
  if (!known_.insert(name).second) return name;
  require(text);
  text_ += text;
  return name;
}

}  // namespace quern::target::wgsl

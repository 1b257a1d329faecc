#include "target/cuda_print.hpp"

#include "target/messages.hpp"

namespace quern::target {

using ir::TypeKind;

// CUDA's printf supports no sizes below int and no width that is an argument: the first become casts, the
// second is written into the format if it is a constant.
CudaPrint cuda_print(const ir::Inst* i) {
  CudaPrint out;
  const std::string_view given = i->attr().text;
  std::string& format = out.format;
  size_t next = 0;
  for (size_t at = 0; at < given.size(); ++at) {
    format += given[at];
    if (given[at] != '%') continue;
    size_t halves = 0;
    for (++at; at < given.size() &&
               std::string_view("-+ #0123456789.*hljzt").find(given[at]) != std::string_view::npos;
         ++at) {
      if (given[at] == 'h') {
        ++halves;
      } else if (given[at] == 'z' || given[at] == 't' || given[at] == 'j') {
        format += "ll";  // CUDA's printf accepts no other length modifier for 64 bits
      } else if (given[at] != '*') {
        format += given[at];
      } else if (next < i->operands.size()) {
        const ir::Const* width = ir::as_const(i->operands[next++]);
        if (width == nullptr) out.problem = message::kPrintsWidth().text;
        format += width != nullptr ? std::to_string(static_cast<int32_t>(width->bits)) : "";
      }
    }
    if (at < given.size()) format += given[at];
    if (at >= given.size() || given[at] == '%' || next >= i->operands.size()) continue;
    const bool is_signed = given[at] == 'd' || given[at] == 'i';
    out.arguments.push_back({i->operands[next++], halves == 0 ? TypeKind::kVoid
                                                  : halves == 1
                                                      ? (is_signed ? TypeKind::kI16 : TypeKind::kU16)
                                                      : (is_signed ? TypeKind::kI8 : TypeKind::kU8)});
  }
  constexpr size_t kMost = 32;
  if (out.arguments.size() > kMost)
    out.problem = message::kPrintsTooMany(std::to_string(out.arguments.size())).text;
  return out;
}

}  // namespace quern::target

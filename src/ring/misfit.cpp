#include "ring/misfit.hpp"

namespace quern::ring {

std::string misfit_of(std::string_view diagnostics) {
  constexpr std::string_view kMark = ": error: ";
  const std::size_t mark = diagnostics.find(kMark);
  if (mark == std::string_view::npos) return {};
  const std::size_t newline = diagnostics.rfind('\n', mark);
  const std::size_t line = newline == std::string_view::npos ? 0 : newline + 1;
  if (!diagnostics.substr(line).starts_with("quern/ring/")) return {};
  const std::string_view said = diagnostics.substr(mark + kMark.size());
  return std::string(said.substr(0, said.find('\n')));
}

}  // namespace quern::ring

#include "driver/interface/report.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "driver/interface/messages.hpp"
#include "lang/ir/format_printf.hpp"

namespace quern::driver {

namespace {

Finding failure_at(std::span<const uint32_t> words, const ReportSite& site) {
  Finding f;
  const bool is_assert = site.kind == ReportKind::kAssert;
  const bool is_limit = !is_assert && !site.text.empty();  // the driver cannot run it (pass::limit_rounds)
  f.kind = is_assert ? "assert" : is_limit ? "limit" : "trap";
  f.message = is_assert ? message::kAssertion(site.text).text : is_limit ? site.text : message::kTrap().text;
  f.kernel = site.kernel;
  f.file = site.file;
  f.line = site.line;
  f.column = site.column;
  f.thread = {words[4], words[5], words[6]};
  f.block = {words[7], words[8], words[9]};
  f.rendered = base::format("%s:%u:%u: %s\n    in kernel '%s', block (%u, %u, %u), thread (%u, %u, %u)",
                            f.file.c_str(), f.line, f.column, f.message.c_str(), f.kernel.c_str(), f.block.x,
                            f.block.y, f.block.z, f.thread.x, f.thread.y, f.thread.z);
  return f;
}

}  // namespace

void start_report(std::span<uint32_t, kReportHeader> header, uint32_t words) {
  std::fill(header.begin(), header.end(), 0u);
  header[1] = kReportHeader;
  header[2] = words;
}

Reported read_report(std::span<const uint32_t> words, std::span<const ReportSite> sites) {
  Reported out;
  if (words.size() < kReportHeader) return out;
  if (words[0] != 0 && words[0] <= sites.size()) out.failure = failure_at(words, sites[words[0] - 1]);
  const size_t end = std::min<size_t>(words[1], words.size());
  size_t at = kReportHeader;
  const ir::TypeTable types;
  while (at < end && words[at] < sites.size()) {
    const ReportSite& site = sites[words[at++]];
    std::vector<ir::PrintArgument> arguments;
    for (const ReportArgument& a : site.arguments) {
      const bool is_pointer = a.type == ir::TypeKind::kPtr;
      ir::PrintArgument p{arguments.size(), is_pointer ? types.ptr(ir::Space::kGeneric) : types.get(a.type)};
      if (!a.is_text) {
        if (at + 2 > end) return out;
        p.bits = words[at] | (uint64_t{words[at + 1]} << 32);
        at += 2;
      }
      arguments.push_back(p);
    }
    ++out.calls;
    // The address of a string literal is its number.
    out.printed += ir::format_printf(site.text, arguments, [&](uint64_t number) {
      return number < site.arguments.size() ? site.arguments[number].text : std::string();
    });
  }
  out.dropped_calls = words[3];
  return out;
}

}  // namespace quern::driver

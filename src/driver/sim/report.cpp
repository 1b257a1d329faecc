#include <algorithm>

#include "base/text.hpp"
#include "driver/sim/hint.hpp"
#include "driver/sim/reporter.hpp"

namespace quern::sim {

using base::format;

std::string_view name(ReportKind kind) {
  switch (kind) {
    case ReportKind::kOutOfBounds: return "out of bounds";
    case ReportKind::kUninitialized: return "uninitialized";
    case ReportKind::kRace: return "race";
    case ReportKind::kDivergentBarrier: return "divergent barrier";
    case ReportKind::kDeadlock: return "deadlock";
    case ReportKind::kMisaligned: return "misaligned";
    case ReportKind::kDivisionByZero: return "division by zero";
    case ReportKind::kOverflow: return "overflow";
    case ReportKind::kShift: return "shift";
    case ReportKind::kWarp: return "warp";
    case ReportKind::kBarrier: return "barrier";
    case ReportKind::kAsync: return "asynchronous";
    case ReportKind::kTexture: return "texture";
    case ReportKind::kUseAfterFree: return "use after free";
    case ReportKind::kInvalidFree: return "invalid free";
    case ReportKind::kLaunch: return "launch";
    case ReportKind::kAssert: return "assert";
    case ReportKind::kTrap: return "trap";
    case ReportKind::kLimit: return "limit";
    case ReportKind::kInternal: return "internal error";
  }
  return "report";
}

Report* Reporter::add(ReportKind kind, const ir::Pos& pos) {
  const auto [it, is_new] = known_.try_emplace(key(kind, pos), kDropped);
  if (!is_new) {
    if (it->second != kDropped) ++result_.reports[it->second].count;
    return nullptr;
  }
  if (result_.reports.size() >= max_) {
    ++result_.more_reports;
    return nullptr;
  }
  it->second = static_cast<uint32_t>(result_.reports.size());
  Report& r = result_.reports.emplace_back();
  r.kind = kind;
  r.pos = pos;
  return &r;
}

namespace {

std::string dim(const Dim3& d) { return format("(%u,%u,%u)", d.x, d.y, d.z); }

std::string who(const Dim3& thread, const Dim3& block) {
  return "thread " + dim(thread) + " of block " + dim(block);
}

std::string where(const ir::Pos& pos, const ir::Module& module) {
  if (pos.line == 0) return {};
  const std::string file = pos.file < module.files.size() ? module.files[pos.file].name : "";
  return format("%s:%u:%u", file.c_str(), pos.line, pos.column);
}

// The source line, and the caret below it; tabs are kept so that the two align.
std::string excerpt(const ir::Pos& pos, const ir::Module& module) {
  const std::string_view line = source_line(module, pos);
  if (line.empty() || pos.column == 0 || pos.column > line.size() + 1) return {};
  std::string out = format("\n%5u | ", pos.line) + std::string(line) + "\n      | ";
  for (size_t i = 0; i + 1 < pos.column; ++i) out += line[i] == '\t' ? '\t' : ' ';
  out += '^';
  const size_t room = line.size() - std::min<size_t>(line.size(), pos.column);
  out.append(std::min<size_t>(pos.length > 0 ? pos.length - 1u : 0u, room), '~');
  return out;
}

}  // namespace

std::string render(const Report& r, const ir::Module& module) {
  const std::string at = where(r.pos, module);
  std::string out = at.empty() ? "kernel '" + r.kernel + "': " : at + ": ";
  out += std::string(name(r.kind)) + ": " + r.message + excerpt(r.pos, module);
  out += "\n  " + who(r.thread, r.block) + " here";
  if (r.other.has_value()) {
    out += ", " + who(r.other->thread, r.other->block);
    const std::string other = where(r.other->pos, module);
    if (!other.empty()) out += " at " + other;
  }
  if (!at.empty()) out += ", in kernel " + r.kernel;
  if (r.count > 1) out += format("; %s times in total", base::format_count(r.count).c_str());
  if (!r.hint.empty()) out += "\n  " + r.hint;
  return out;
}

}  // namespace quern::sim

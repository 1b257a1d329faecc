// Collects reports: reports of the same kind at the same position are one report with a count.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "driver/sim/sim.hpp"

namespace quern::sim {

class Reporter {
 public:
  Reporter(LaunchResult& result, uint32_t max_reports) : result_(result), max_(max_reports) {}

  // Returns a new report to fill in, or nullptr if it already exists (then it is counted) or is one too many.
  Report* add(ReportKind kind, const ir::Pos& pos);
  bool has(ReportKind kind, const ir::Pos& pos) const { return known_.contains(key(kind, pos)); }

 private:
  static constexpr uint32_t kDropped = 0xFFFF'FFFF;
  struct Key {
    uint64_t place, kind;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& k) const {
      return (k.place * 0x9E37'79B9'7F4A'7C15u) ^ (k.kind * 0xC2B2'AE3D'27D4'EB4Fu);
    }
  };
  static Key key(ReportKind kind, const ir::Pos& pos) {
    return {pos.line | (uint64_t{pos.column} << 32) | (uint64_t{pos.file} << 48),
            static_cast<uint64_t>(kind)};
  }

  LaunchResult& result_;
  uint32_t max_;
  std::unordered_map<Key, uint32_t, Hash> known_;  // index into the reports, or kDropped
};

}  // namespace quern::sim

#include "runtime/blocks.hpp"

#include <algorithm>
#include <bit>

namespace quern::runtime {

Blocks::Blocks() {
  for (auto& level : lists_) level.fill(kNone);
  kept_.fill(kNone);
}

void Blocks::add(uint32_t stretch, uint64_t bytes) {
  const uint32_t all = new_node();
  nodes_[all].stretch = stretch;
  nodes_[all].units = bytes / kUnit;
  units_ += nodes_[all].units;
  if (lowest_.size() <= stretch) lowest_.resize(stretch + 1, kNone);
  lowest_[stretch] = all;
  link(all);
}

bool Blocks::remove(uint32_t stretch) {
  free_kept();
  const uint32_t all = lowest_[stretch];
  if (!nodes_[all].is_free || nodes_[all].above != kNone) return false;
  unlink(all);
  units_ -= nodes_[all].units;
  unused_.push_back(all);
  return true;
}

bool Blocks::lies_below(const Node& a, const Node& b) {
  return a.stretch != b.stretch ? a.stretch < b.stretch : a.first < b.first;
}

// Each size below kSteps has its own list; above, kSteps lists share each power of two.
Blocks::Class Blocks::class_of(uint64_t units) {
  if (units < kSteps) return {0, static_cast<uint32_t>(units)};
  const auto bits = static_cast<uint32_t>(std::bit_width(units)) - 1;
  return {bits - 3, static_cast<uint32_t>(units >> (bits - 4)) & (kSteps - 1)};
}

// Blocks of the same class may be large enough; those of every higher class are.
uint32_t Blocks::find(uint64_t units) const {
  constexpr int kLooks = 8;
  const Class own = class_of(units);
  if (own.level >= kLevels) return kNone;
  uint32_t id = lists_[own.level][own.step];
  for (int i = 0; i < kLooks && id != kNone; ++i, id = nodes_[id].next) {
    if (nodes_[id].units >= units) return id;
  }
  if (units >= kSteps) units += (uint64_t{1} << (std::bit_width(units) - 5)) - 1;
  const Class wanted = class_of(units);
  if (wanted.level >= kLevels) return kNone;
  uint32_t level = wanted.level;
  uint32_t steps = steps_[level] & (~uint32_t{0} << wanted.step);
  if (steps == 0) {
    const uint64_t higher = levels_ & (~uint64_t{1} << level);
    if (higher == 0) return kNone;
    level = static_cast<uint32_t>(std::countr_zero(higher));
    steps = steps_[level];
  }
  return lists_[level][static_cast<uint32_t>(std::countr_zero(steps))];
}

Blocks::Block Blocks::block(uint32_t id) {
  const Node& n = nodes_[id];
  taken_ += n.units;
  return {id, n.stretch, n.first * kUnit};
}

std::optional<Blocks::Block> Blocks::take(uint64_t bytes) {
  const uint64_t units = std::max<uint64_t>(1, (bytes + kUnit - 1) / kUnit);
  if (units <= kSmall && kept_[units] != kNone) {
    const uint32_t kept = kept_[units];
    kept_[units] = nodes_[kept].next;
    if (kept_[units] == kNone) keeps_[units / 64] &= ~(uint64_t{1} << units % 64);
    kept_units_ -= units;
    return block(kept);
  }
  uint32_t id = find(units);
  if (id == kNone && free_kept()) id = find(units);
  if (id == kNone) return std::nullopt;
  unlink(id);
  if (nodes_[id].units > units) {  // the rest becomes a separate block
    const uint32_t rest = new_node();
    Node& n = nodes_[id];
    Node& r = nodes_[rest];
    r.first = n.first + units;
    r.units = n.units - units;
    r.stretch = n.stretch;
    r.below = id;
    r.above = n.above;
    if (r.above != kNone) nodes_[r.above].below = rest;
    n.above = rest;
    n.units = units;
    link(rest);
  }
  return block(id);
}

void Blocks::give(uint32_t id) {
  Node& n = nodes_[id];
  taken_ -= n.units;
  const uint64_t most_kept = 2 * kSmall + units_ / 64;  // more would fragment the free space
  if (n.units > kSmall || kept_units_ + n.units > most_kept) return make_free(id);
  kept_units_ += n.units;
  n.next = kept_[n.units];
  kept_[n.units] = id;
  keeps_[n.units / 64] |= uint64_t{1} << n.units % 64;
}

bool Blocks::free_kept() {
  if (kept_units_ == 0) return false;
  for (size_t word = 0; word < keeps_.size(); ++word) {
    for (; keeps_[word] != 0; keeps_[word] &= keeps_[word] - 1) {
      uint32_t& first = kept_[word * 64 + static_cast<size_t>(std::countr_zero(keeps_[word]))];
      while (first != kNone) {
        const uint32_t id = first;
        first = nodes_[id].next;
        make_free(id);
      }
    }
  }
  kept_units_ = 0;
  return true;
}

void Blocks::make_free(uint32_t id) {
  const uint32_t above = nodes_[id].above, below = nodes_[id].below;
  if (above != kNone && nodes_[above].is_free) {
    unlink(above);
    join(id, above);
  }
  if (below != kNone && nodes_[below].is_free) {
    unlink(below);
    join(below, id);
    id = below;
  }
  link(id);
}

uint64_t Blocks::largest_free_bytes() {
  free_kept();
  if (levels_ == 0) return 0;
  const uint32_t level = 63 - static_cast<uint32_t>(std::countl_zero(levels_));
  const auto step = static_cast<uint32_t>(std::bit_width(steps_[level])) - 1;
  uint64_t most = 0;
  for (uint32_t id = lists_[level][step]; id != kNone; id = nodes_[id].next)
    most = std::max(most, nodes_[id].units);
  return most * kUnit;
}

uint32_t Blocks::new_node() {
  if (unused_.empty()) {
    nodes_.emplace_back();
    return static_cast<uint32_t>(nodes_.size() - 1);
  }
  const uint32_t id = unused_.back();
  unused_.pop_back();
  nodes_[id] = {};
  return id;
}

// Ordered by address: low addresses are used first, and the upper stretches keep contiguous free space.
void Blocks::link(uint32_t id) {
  Node& n = nodes_[id];
  const Class c = class_of(n.units);
  n.is_free = true;
  n.previous = kNone;
  n.next = lists_[c.level][c.step];
  while (n.next != kNone && lies_below(nodes_[n.next], n)) {
    n.previous = n.next;
    n.next = nodes_[n.next].next;
  }
  if (n.next != kNone) nodes_[n.next].previous = id;
  (n.previous != kNone ? nodes_[n.previous].next : lists_[c.level][c.step]) = id;
  steps_[c.level] = static_cast<uint16_t>(steps_[c.level] | (1U << c.step));
  levels_ |= uint64_t{1} << c.level;
}

void Blocks::unlink(uint32_t id) {
  Node& n = nodes_[id];
  n.is_free = false;
  if (n.next != kNone) nodes_[n.next].previous = n.previous;
  if (n.previous != kNone) {
    nodes_[n.previous].next = n.next;
    return;
  }
  const Class c = class_of(n.units);
  lists_[c.level][c.step] = n.next;
  if (n.next != kNone) return;
  steps_[c.level] = static_cast<uint16_t>(steps_[c.level] & ~(1U << c.step));
  if (steps_[c.level] == 0) levels_ &= ~(uint64_t{1} << c.level);
}

void Blocks::join(uint32_t low, uint32_t high) {
  Node& l = nodes_[low];
  const Node& h = nodes_[high];
  l.units += h.units;
  l.above = h.above;
  if (l.above != kNone) nodes_[l.above].below = low;
  unused_.push_back(high);
}

}  // namespace quern::runtime

#include "quern/comm/distributed.hpp"

#include <algorithm>
#include <cstring>

#include "comm/group/members.hpp"

namespace quern::detail {

namespace {

using comm::fail;

std::string rows_text(const IndexRange& rows) {
  return std::to_string(rows.begin) + " to " + std::to_string(rows.end);
}

std::string split_text(const Split& split) {
  std::string out;
  for (std::size_t i = 0; i < split.size(); ++i)
    out += (out.empty() ? "" : " + ") + std::to_string(split[i].size());
  return out;
}

std::uint64_t elements_of_row(const ops::Shape& shape) {
  std::uint64_t out = 1;
  for (std::size_t i = 1; i < shape.rank(); ++i) out *= static_cast<std::uint64_t>(shape[i]);
  return out;
}

// Waits for a member's work; a loss is its own.
void finish_member(const DeviceGroup& group, const std::string& operation, std::size_t member) {
  group.on_member(member, operation, [&] { group.stream(member).synchronize(); });
}

bool has_lost(const DeviceGroup& group, std::size_t member) {
  const std::vector<std::size_t> lost = group.lost();
  return std::find(lost.begin(), lost.end(), member) != lost.end();
}

}  // namespace

void copy_between(const DeviceGroup& group, std::size_t from, const Bytes& source, std::size_t to,
                  const Bytes& target) {
  if (source.size == 0) return;
  const Stream& stream = GroupMembers::of(group).at(to).copy_stream;
  try {
    stream.copy(Slice<std::byte>(target), Slice<const std::byte>(source));
    stream.synchronize();
  } catch (const Error&) {
    finish_member(group, "a copy to another member", from);  // if the loss is there
    group.on_member(to, "a copy from another member", [] { throw; });
  }
}

void check_same_split(const char* operation, const DistributedMemory& a, const DistributedMemory& b) {
  if (!a.group().has_same_members(b.group()) || !(a.split() == b.split()))
    fail(ErrorKind::invalid_use, comm::message::kArraysDiffer(operation));
}

DistributedMemory::DistributedMemory(const DeviceGroup& group, const Split& split, const ops::Shape& shape,
                                     std::size_t element_bytes, const DistributedOptions& options)
    : group_(group),
      split_(split),
      shape_(shape),
      options_(options),
      row_length_(elements_of_row(shape)),
      row_bytes_(row_length_ * element_bytes),
      element_bytes_(element_bytes) {
  if (shape.rank() == 0) fail(ErrorKind::invalid_use, comm::message::kNoRows(shape.to_string()));
  if (split.size() != group.size() || split.total() != static_cast<std::uint64_t>(shape[0]))
    fail(ErrorKind::invalid_use,
         comm::message::kSplitTotal(std::to_string(split.size()), std::to_string(split.total()),
                                    shape.to_string()));
  memory_ = allocate(group, split);
}

std::vector<Buffer<std::byte>> DistributedMemory::allocate(const DeviceGroup& group,
                                                           const Split& split) const {
  std::vector<Buffer<std::byte>> out(group.size());
  group.for_each_member("Distributed", [&](std::size_t member) {
    const std::uint64_t rows = split[member].size();
    if (rows == 0) return;
    out[member] = group.device(member).allocate<std::byte>((rows + 2 * options_.halo) * row_bytes_,
                                                           MemoryKind::device, options_.label);
  });
  return out;
}

Bytes DistributedMemory::rows(std::size_t member, std::uint64_t first, std::uint64_t count) const {
  const Bytes& all = memory_[member].bytes();
  if (all.memory == nullptr) return {};  // no rows
  return slice(all, first * row_bytes_, count * row_bytes_, 1);
}

DistributedMemory DistributedMemory::like(const Split& split) const {
  DistributedOptions options = options_;
  options.host_backed = false;
  return {group_, split, shape_, element_bytes_, options};
}

void DistributedMemory::check(const PartCheck& check) const {
  const std::string number = std::to_string(check.argument);
  if (!group_.has_same_members(check.group)) fail(ErrorKind::invalid_use, comm::message::kOtherGroup(number));
  if (!(split_ == check.parts))
    fail(ErrorKind::invalid_use,
         comm::message::kOtherSplit(number, split_text(split_), split_text(check.parts)));
}

void DistributedMemory::check_count(const char* operation, std::uint64_t bytes) const {
  const std::uint64_t all = split_.total() * row_bytes_;
  if (bytes != all)
    fail(ErrorKind::invalid_use,
         comm::message::kHostCount(operation, std::to_string(all), std::to_string(bytes)));
}

void DistributedMemory::scatter(const void* from, std::uint64_t bytes) {
  check_count("scatter", bytes);
  const auto* const begin = static_cast<const std::byte*>(from);
  if (options_.host_backed && begin != backup_.data()) backup_.assign(begin, begin + bytes);
  const auto for_each = [&](const auto& work) { group_.for_each_member("Distributed::scatter", work); };
  for_each([&](std::size_t i) {
    const Bytes part = local(i);
    if (part.size != 0)
      group_.stream(i).upload(Slice<std::byte>(part), {begin + split_[i].begin * row_bytes_, part.size});
  });
  for_each([&](std::size_t i) { group_.stream(i).synchronize(); });
}

void DistributedMemory::gather(void* to, std::uint64_t bytes) const {
  check_count("gather", bytes);
  auto* const begin = static_cast<std::byte*>(to);
  const auto for_each = [&](const auto& work) { group_.for_each_member("Distributed::gather", work); };
  for_each([&](std::size_t i) {
    const Bytes part = local(i);
    if (part.size != 0)
      group_.stream(i).download({begin + split_[i].begin * row_bytes_, part.size}, Slice<std::byte>(part));
  });
  for_each([&](std::size_t i) { group_.stream(i).synchronize(); });
}

void DistributedMemory::exchange_halos(HaloEdges edges) {
  group_.for_each_member("Distributed::exchange_halos",
                         [&](std::size_t i) { group_.stream(i).synchronize(); });
  copy_halos(edges, options_.halo);
}

void DistributedMemory::copy_halos(HaloEdges edges, std::uint64_t depth) {
  const std::uint64_t halo = options_.halo;
  for (std::size_t i = 0; i < group_.size(); ++i) {
    const IndexRange own = split_[i];
    if (own.empty()) continue;
    const auto begin = static_cast<std::int64_t>(own.begin), end = static_cast<std::int64_t>(own.end);
    copy_side(i, begin - static_cast<std::int64_t>(depth), halo - depth, depth, edges);
    copy_side(i, end, halo + own.size(), depth, edges);
  }
}

// Copies the rows from `first` on, which may be outside of the array, to the rows of the part from `to` on.
void DistributedMemory::copy_side(std::size_t member, std::int64_t first, std::uint64_t to,
                                  std::uint64_t depth, HaloEdges edges) {
  const auto total = static_cast<std::int64_t>(split_.total());
  for (std::uint64_t done = 0; done < depth;) {
    std::int64_t row = first + static_cast<std::int64_t>(done);
    if (edges == HaloEdges::periodic) row = (row % total + total) % total;
    if (row < 0 || row >= total) {
      ++done;
      continue;
    }
    const auto at = static_cast<std::uint64_t>(row);
    const std::uint64_t count = std::min(depth - done, split_[split_.owner(at)].end - at);
    copy_row_run(member, to + done, count, at);
    done += count;
  }
}

// Copies rows of one owner, from `row` of the array on, to the part's rows from `first` on.
void DistributedMemory::copy_row_run(std::size_t member, std::uint64_t first, std::uint64_t count,
                                     std::uint64_t row) {
  const std::size_t owner = split_.owner(row);
  copy_between(group_, owner, rows(owner, options_.halo + row - split_[owner].begin, count), member,
               rows(member, first, count));
}

// Rows of an old part that a new part gets.
struct DistributedMemory::Piece {
  std::size_t from, to;
  IndexRange rows;
  const DeviceGroup& group;  // the new one
  Bytes target;
};

// Returns whether the rows are from the host.
bool DistributedMemory::take_piece(const Piece& piece) {
  const std::uint64_t bytes = piece.rows.size() * row_bytes_;
  if (!has_lost(group_, piece.from)) {
    const Bytes source =
        rows(piece.from, options_.halo + piece.rows.begin - split_[piece.from].begin, piece.rows.size());
    const Stream& stream = piece.group.stream(piece.to);
    try {
      stream.copy(Slice<std::byte>(piece.target), Slice<const std::byte>(source));
      stream.synchronize();
      return false;
    } catch (const Error&) {
      // The loss may be that of the old member.
      try {
        finish_member(group_, "Distributed::redistribute", piece.from);
      } catch (const GroupError&) {
      }
      if (!has_lost(group_, piece.from))
        piece.group.on_member(piece.to, "Distributed::redistribute", [] { throw; });
    }
  }
  if (backup_.empty()) fail(ErrorKind::device_lost, comm::message::kRowsLost(rows_text(piece.rows)));
  piece.group.on_member(piece.to, "Distributed::redistribute", [&] {
    const Stream& stream = piece.group.stream(piece.to);
    stream.upload(Slice<std::byte>(piece.target), {backup_.data() + piece.rows.begin * row_bytes_, bytes});
    stream.synchronize();
  });
  return true;
}

std::vector<IndexRange> DistributedMemory::redistribute(const DeviceGroup& group, const Split& split) {
  if (split.size() != group.size() || split.total() != split_.total())
    fail(ErrorKind::invalid_use,
         comm::message::kSplitTotal(std::to_string(split.size()), std::to_string(split.total()),
                                    shape_.to_string()));
  for (std::size_t i = 0; i < group_.size(); ++i) {
    if (has_lost(group_, i)) continue;
    try {
      finish_member(group_, "Distributed::redistribute", i);
    } catch (const GroupError& error) {
      if (!is_loss(error)) throw;
    }
  }
  std::vector<Buffer<std::byte>> memory = allocate(group, split);
  std::vector<IndexRange> restored;
  for (std::size_t to = 0; to < group.size(); ++to) {
    for (std::size_t from = 0; from < group_.size(); ++from) {
      const IndexRange both{std::max(split[to].begin, split_[from].begin),
                            std::min(split[to].end, split_[from].end)};
      if (both.begin >= both.end) continue;
      const Bytes target =
          slice(memory[to].bytes(), (options_.halo + both.begin - split[to].begin) * row_bytes_,
                both.size() * row_bytes_, 1);
      if (take_piece({from, to, both, group, target})) restored.push_back(both);
    }
  }
  memory_ = std::move(memory);
  group_ = group;
  split_ = split;
  return restored;
}

void DistributedMemory::take_runs(const DistributedMemory& from,
                                  const std::vector<std::vector<std::uint64_t>>& cuts) {
  from.group_.synchronize();
  for (std::size_t to = 0; to < group_.size(); ++to) {
    std::uint64_t at = options_.halo;
    for (std::size_t i = 0; i < cuts.size(); ++i) {
      const std::uint64_t count = cuts[i][to + 1] - cuts[i][to];
      if (count == 0) continue;
      copy_between(group_, i, from.rows(i, from.options_.halo + cuts[i][to], count), to, rows(to, at, count));
      at += count;
    }
  }
}

void DistributedMemory::backup() {
  if (!options_.host_backed) fail(ErrorKind::invalid_use, comm::message::kNotBacked());
  std::vector<std::byte> next(split_.total() * row_bytes_);
  gather(next.data(), next.size());
  backup_ = std::move(next);
}

void DistributedMemory::restore() {
  if (backup_.empty() && split_.total() * row_bytes_ != 0)
    fail(ErrorKind::invalid_use, comm::message::kNoBackup());
  scatter(backup_.data(), backup_.size());
}

}  // namespace quern::detail

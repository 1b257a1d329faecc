// Sets up a launch: from its arguments to the first instruction of each block.
#include <algorithm>
#include <bit>
#include <numeric>

#include "base/text.hpp"
#include "driver/sim/machine.hpp"
#include "driver/sim/messages.hpp"

namespace quern::sim {

using base::Error;
using base::ErrorKind;

namespace {

constexpr size_t kMaxShuffledBlocks = 1 << 22;
constexpr uint32_t kLateClock = 1u << 31;
constexpr uint64_t kFirstLook = 1'000'000;

}  // namespace

Machine::Machine(const Code& code, Memory& memory, const ir::Module& module, const LaunchConfig& config,
                 LaunchResult& result)
    : code_(code),
      memory_(memory),
      module_(module),
      config_(config),
      checks_(config.options.checks),
      result_(result),
      reporter_(result, std::max<uint32_t>(1, config.options.max_reports)),
      dynamic_shared_(config.dynamic_shared_bytes),
      began_(std::chrono::steady_clock::now()) {}

Machine::~Machine() = default;

Dim3 Machine::block_index(uint64_t number) const {
  const Dim3& g = config_.grid;
  return {static_cast<uint32_t>(number % g.x), static_cast<uint32_t>(number / g.x % g.y),
          static_cast<uint32_t>(number / g.x / g.y)};
}

Dim3 Machine::thread_index(uint32_t index) const {
  const Dim3& b = config_.block;
  return {index % b.x, index / b.x % b.y, index / b.x / b.y};
}

// Only memory that the kernel may write can have races; other reads are not recorded.
void Machine::track_buffers() {
  std::vector<Region>& regions = memory_.regions();
  for (size_t p = 0; p < code_.params.size(); ++p) {
    const ir::Param* param = code_.kernel->params[p];
    if (!param->type->is_ptr()) continue;
    Address address = 0;
    std::memcpy(&address, config_.args[p].bytes().data(), sizeof(address));
    const Place place = place_of(address);
    if (place.tag != Tag::kGlobal || place.object >= regions.size()) continue;
    param_buffers_.push_back({place.object, place.offset, param});
    if (track_races_ && code_.writes_param[p]) regions[place.object].tracked = true;
  }
  if (!track_races_) return;
  for (size_t i = 0; i < regions.size(); ++i) {
    if (code_.writes_anywhere) regions[i].tracked = true;
    const bool is_written =
        std::any_of(code_.writes_global.begin(), code_.writes_global.end(), [&](const ir::Global* g) {
          return memory_.allocation(static_cast<uint32_t>(i)).is_variable &&
                 memory_.allocation(static_cast<uint32_t>(i)).label == g->name;
        });
    if (is_written) regions[i].tracked = true;
    if (regions[i].is_constant) regions[i].tracked = false;
  }
}

Result<> Machine::prepare() {
  const Dim3& block = config_.block;
  block_threads_ = block.x * block.y * block.z;
  warps_per_block_ = (block_threads_ + kWarpSize - 1) / kWarpSize;
  block_count_ = uint64_t{config_.grid.x} * config_.grid.y * config_.grid.z;
  id_shift_ = std::max<uint32_t>(5, static_cast<uint32_t>(std::bit_width(block_threads_ - 1)));
  grid_live_ = block_count_ * block_threads_;
  for (const SharedVar& v : code_.shared) shared_offsets_.push_back(v.offset);
  shared_bytes_ = code_.shared_bytes;
  shared_offsets_[0] = shared_bytes_;
  shared_bytes_ += dynamic_shared_;
  const uint64_t local = code_.local_bytes + code_.local_bytes / 8;
  block_bytes_ = block_threads_ * (uint64_t{code_.slots} * 12 + local + sizeof(Thread)) + shared_bytes_ * 10 +
                 warps_per_block_ * sizeof(Warp);

  track_races_ = (checks_ & kCheckRaces) != 0;
  result_.races_checked = track_races_;
  if (memory_.clock() > kLateClock) {
    memory_.drop_races();
    memory_.clock() = 0;
  }
  grid_time_ = ++memory_.clock();
  now_ = grid_time_ + 1;
  track_buffers();

  const uint64_t seed = config_.options.seed;
  random_.state = (seed + 1) * 0x9E37'79B9'7F4A'7C15u | 1;
  if (seed != 0 && block_count_ <= kMaxShuffledBlocks) {
    order_.resize(block_count_);
    std::iota(order_.begin(), order_.end(), uint64_t{0});
    for (size_t i = order_.size(); i > 1; --i)
      std::swap(order_[i - 1], order_[random_.below(static_cast<uint32_t>(i))]);
  }
  stop_at_ = config_.options.step_limit != 0 ? std::min(config_.options.step_limit, kFirstLook) : kFirstLook;
  return {};
}

Result<> Machine::make_shared(BlockState& b) {
  b.shared = zeroed<uint8_t>(shared_bytes_);
  b.shared_defined = zeroed<uint8_t>(shared_bytes_ / 8 + 1);
  if (b.shared == nullptr || b.shared_defined == nullptr) {
    return Error(ErrorKind::out_of_memory, message::kNoSharedStorage(base::format_bytes(shared_bytes_)));
  }
  b.shared_cells.resize(code_.shared.size());
  for (size_t i = 0; i < code_.shared.size(); ++i) {
    Region r;
    r.bytes = b.shared.get() + shared_offsets_[i];
    r.size = i == 0 ? dynamic_shared_ : code_.shared[i].size;
    if (i != 0) r.align_bit = align_bit_of(code_.shared[i].global->align);
    // Offsets are multiples of 16, so the bits of a variable start at a byte boundary.
    if ((checks_ & kCheckUninitialized) != 0) r.defined = b.shared_defined.get() + shared_offsets_[i] / 8;
    b.shared_regions.push_back(r);
  }
  return {};
}

void Machine::fill_fixed_slots(BlockState& b) {
  const Dim3& block = config_.block;
  const Dim3& grid = config_.grid;
  const Dim3& cluster = config_.cluster;
  const uint32_t block_dim[3] = {block.x, block.y, block.z}, grid_dim[3] = {grid.x, grid.y, grid.z},
                 cluster_dim[3] = {cluster.x, cluster.y, cluster.z};
  for (Thread& t : b.threads) {
    const Dim3 at = thread_index(t.index);
    const uint32_t id[3] = {at.x, at.y, at.z};
    for (const Code::Fixed& c : code_.constants) t.slots[c.slot] = c.bits;
    for (const Code::Fixed& v : code_.local_addresses) t.slots[v.slot] = local_address(t.index, v.bits, 0);
    for (size_t d = 0; d < 3; ++d) {
      if (code_.thread_id[d] != kNoSlot) t.slots[code_.thread_id[d]] = id[d];
      if (code_.block_dim[d] != kNoSlot) t.slots[code_.block_dim[d]] = block_dim[d];
      if (code_.grid_dim[d] != kNoSlot) t.slots[code_.grid_dim[d]] = grid_dim[d];
      if (code_.cluster_dim[d] != kNoSlot) t.slots[code_.cluster_dim[d]] = cluster_dim[d];
    }
    if (code_.lane_id != kNoSlot) t.slots[code_.lane_id] = t.lane;
    if (code_.dynamic_shared_size != kNoSlot) t.slots[code_.dynamic_shared_size] = dynamic_shared_;
    for (size_t p = 0; p < code_.params.size(); ++p) {
      const auto bytes = config_.args[p].bytes();
      if (!bytes.empty()) std::memcpy(t.slots + code_.params[p], bytes.data(), bytes.size());
    }
  }
}

Result<std::unique_ptr<BlockState>> Machine::make_block() {
  auto b = std::make_unique<BlockState>();
  const uint64_t slots = std::max<uint64_t>(1, code_.slots), local = code_.local_bytes;
  b->slots = zeroed<uint64_t>(slots * block_threads_);
  b->flags = zeroed<uint32_t>(slots * block_threads_);
  b->local = zeroed<uint8_t>(local * block_threads_);
  b->local_defined = zeroed<uint8_t>(local / 8 * block_threads_);
  if (b->slots == nullptr || b->flags == nullptr || b->local == nullptr || b->local_defined == nullptr) {
    return Error(ErrorKind::out_of_memory, message::kNoThreadStorage(base::format_bytes(block_bytes_)));
  }
  b->threads.resize(block_threads_);
  b->warps.resize(warps_per_block_);
  for (uint32_t i = 0; i < block_threads_; ++i) {
    Thread& t = b->threads[i];
    t.index = static_cast<uint16_t>(i);
    t.lane = static_cast<uint8_t>(i % kWarpSize);
    t.slots = b->slots.get() + slots * i;
    t.flags = b->flags.get() + slots * i;
    t.local = b->local.get() + local * i;
    t.local_defined = b->local_defined.get() + local / 8 * i;
    b->warps[i / kWarpSize].all |= 1u << t.lane;
  }
  QUERN_TRY(make_shared(*b));
  fill_fixed_slots(*b);
  return b;
}

void Machine::start_block(BlockState& b, uint64_t serial) {
  b.serial = static_cast<uint32_t>(serial);
  b.index = block_index(number_of(b.serial));
  b.live = block_threads_;
  b.at_barrier = b.barrier_true = b.passed_pc = b.next_warp = 0;
  b.barrier_pc = kNoSlot;
  b.steps = b.polls = b.changes = 0;
  b.refs.clear();
  b.refs_overflow = false;
  b.shared_sync.clear();
  b.sync.clear();
  b.copies.clear();
  b.copy_groups.clear();
  tick();
  b.time = b.earlier_time = b.began = now_ - 1;
  b.ptx = nullptr;
  const uint32_t at[3] = {b.index.x, b.index.y, b.index.z};
  for (Thread& t : b.threads) {
    t.pc = 0;
    t.wait = Wait::kReady;
    t.soft_done = false;
    t.undefined_pc = kNoSlot;
    t.id = (b.serial << id_shift_) | t.index;
    for (size_t d = 0; d < 3; ++d) {
      if (code_.block_id[d] != kNoSlot) t.slots[code_.block_id[d]] = at[d];
    }
    for (const Code::Fixed& u : code_.undefined) {
      for (uint64_t k = 0; k < u.bits; ++k) t.flags[u.slot + k] = kUndefinedBytes;
    }
  }
  for (Warp& w : b.warps) {
    w.ready = w.all;
    w.barrier = w.waiting = w.soft = w.grid = w.exited = 0;
    w.time = b.time;
    w.has_known = false;
  }
  b.ready_warps = warps_per_block_;
  for (Region& r : b.shared_regions) {
    r.tracked = track_races_ && !code_.maps_shared;  // races between blocks are not checked there
    if (r.defined != nullptr) set_undefined(r.defined, 0, r.size);
  }
}

Result<> Machine::run() {
  QUERN_TRY(prepare());
  const bool together = code_.has_grid_barrier || code_.has_cluster_barrier || code_.maps_shared;
  Result<> ran = together ? run_cooperative() : run_blocks();
  result_.instructions = steps_;
  result_.stopped = stopped_;
  result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  memory_.clock() = now_ + 1;
  memory_.drop_large_races();
  return ran;
}

}  // namespace quern::sim

// One launch: the threads of the running blocks, what they wait for, and the records of the checks. The
// Machine's functions are in interpreter.cpp (instructions), access*.cpp (memory), warp.cpp and barrier.cpp
// (synchronization), scheduler.cpp (scheduling), race.cpp and sync.cpp (happens-before order).
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "driver/sim/bytecode.hpp"
#include "driver/sim/fast.hpp"
#include "driver/sim/memory.hpp"
#include "driver/sim/ptx_state.hpp"
#include "driver/sim/reporter.hpp"
#include "driver/sim/sync.hpp"

namespace quern::sim {

// The last four but kExited are waits in inline PTX.
enum class Wait : uint8_t {
  kReady,
  kBarrier,
  kWarp,
  kSoft,
  kGrid,
  kCluster,
  kNamed,
  kMbarrier,
  kClusterWait,
  kWarpgroup,
  kExited
};

struct Thread {
  uint32_t pc = 0;
  Wait wait = Wait::kReady;
  uint8_t lane = 0;
  uint16_t index = 0;      // linear, in the block
  uint32_t id = 0;         // in the launch: serial of the block, then index
  uint32_t mask = 0;       // of the warp operation it waits at; the number of a barrier of inline PTX
  bool soft_done = false;  // finished a soft wait: continues without waiting again
  uint64_t* slots = nullptr;
  uint32_t* flags = nullptr;
  uint8_t* local = nullptr;
  uint8_t* local_defined = nullptr;
  uint64_t undefined_address = 0;  // last undefined memory that it read, and where
  uint32_t undefined_pc = kNoSlot;
};

// 32 threads. The lanes in each state, as bits.
struct Warp {
  uint32_t all = 0, ready = 0, barrier = 0, waiting = 0, soft = 0, grid = 0, exited = 0;
  uint32_t time = 0;        // accesses of all lanes up to here are ordered before every lane
  uint64_t soft_since = 0;  // steps of the block when the first lane began a soft wait
  bool has_known = false;   // known[] is valid
  std::array<uint32_t, kWarpSize * kWarpSize>
      known{};  // [a * 32 + b]: accesses of b up to here are ordered before a
};

// A copy to shared memory that its thread has not waited for. Until then, the bytes there are undefined.
struct AsyncCopy {
  uint32_t thread = 0;
  uint32_t group = 0;  // of its thread
  uint32_t pc = 0;
  Address to = 0;
  uint32_t size = 0;
  std::array<uint8_t, 16> bytes{};
};

struct BlockState {
  uint32_t serial = 0;  // order of start in this launch
  uint64_t number = 0;  // linear block index
  Dim3 index{0, 0, 0};
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  CBuffer<uint64_t> slots;
  CBuffer<uint32_t> flags;
  CBuffer<uint8_t> local, local_defined;
  CBuffer<uint8_t> shared, shared_defined;
  std::vector<Region> shared_regions;
  std::vector<CBuffer<RaceCell>> shared_cells;

  uint32_t live = 0;  // threads that have not ended
  uint32_t at_barrier = 0;
  uint32_t barrier_true = 0;  // of those, with a true condition
  uint32_t barrier_pc = kNoSlot;
  uint32_t barrier_thread = 0;
  uint32_t at_grid = 0;
  uint32_t passed_pc = 0;  // the last position at which a thread ended, and that thread
  uint32_t passed_thread = 0;
  uint32_t ready_warps = 0;   // number of warps with a ready lane
  uint32_t next_warp = 0;     // where the round-robin continues
  uint32_t time = 0;          // accesses of all threads up to here are ordered before every thread
  uint32_t earlier_time = 0;  // … at the previous barrier
  uint64_t steps = 0;
  uint64_t polls = 0;     // atomics and volatile reads that found no change: signs of waiting
  uint64_t changes = 0;   // … that changed something
  std::vector<Ref> refs;  // what the block acquired from others (sync.hpp)
  std::unordered_map<uint64_t, uint32_t> shared_sync;
  bool refs_overflow = false;
  std::vector<ThreadSync> sync;       // by thread; empty until one is needed
  std::vector<AsyncCopy> copies;      // pending, in the order of issue
  std::vector<uint32_t> copy_groups;  // committed, by thread; empty until there are copies
  uint32_t began = 0;                 // time at which the block began
  std::unique_ptr<BlockPtx> ptx;      // of inline PTX; null until it is used
};

class Machine {
 public:
  Machine(const Code& code, Memory& memory, const ir::Module& module, const LaunchConfig& config,
          LaunchResult& result);
  ~Machine();
  Result<> run();

 private:
  struct Xorshift {
    uint64_t state;
    uint32_t next() {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      return static_cast<uint32_t>(state >> 16);
    }
    uint32_t below(uint32_t n) { return n <= 1 ? 0 : static_cast<uint32_t>((uint64_t{next()} * n) >> 32); }
  };
  // Context of a memory access besides its address.
  struct Touch {
    uint64_t bytes;
    uint64_t align;
    bool writes;
    const uint64_t* value = nullptr;  // the value to store, if it is one scalar
  };
  // Origin of an undefined value that is not among the code's own origins.
  struct FoundOrigin {
    uint32_t pc;
    Address address;  // of memory; 0: a shuffle
    uint32_t lane;
  };

  // setup.cpp
  Result<> prepare();
  void track_buffers();
  Result<std::unique_ptr<BlockState>> make_block();
  void fill_fixed_slots(BlockState& b);
  Result<> make_shared(BlockState& b);
  void start_block(BlockState& b, uint64_t number);
  Dim3 block_index(uint64_t number) const;
  Dim3 thread_index(uint32_t index) const;

  // scheduler.cpp
  Result<> run_blocks();
  Result<> run_cooperative();
  enum class Turn : uint8_t { kOver, kStuck, kSpins };
  Turn run_block(BlockState& b, uint64_t steps);
  uint32_t pick_warp(BlockState& b);
  void run_warp(BlockState& b, uint32_t w);
  void run_thread(BlockState& b, Thread& t);
  void look_at_limits(BlockState& b, Thread& t);
  void stop() { stopped_ = true; }
  void note_poll(BlockState& b) { ++polls_, ++b.polls; }
  void set_wait(BlockState& b, Thread& t, Wait wait);
  Result<bool> admit();  // starts the next block; false: none is left
  void retire(size_t index);
  void report_stuck(BlockState& b);
  void report_limit(const BlockState& b, const Thread& t, const std::string& limit);
  uint64_t number_of(uint32_t serial) const { return order_.empty() ? serial : order_[serial]; }

  // interpreter.cpp: runs until the thread waits, ends, is interrupted or the launch stops.
  void execute(BlockState& b, Thread& t, uint64_t budget);
  uint64_t evaluate(const EvalInfo& info, const uint64_t* in, size_t count) const;

  // access.cpp: everything except the fast path.
  uint64_t load_scalar(BlockState& b, Thread& t, uint32_t pc, Address address, uint32_t bytes, bool maybe);
  void store_scalar(BlockState& b, Thread& t, uint32_t pc, Address address, uint32_t bytes, uint64_t value);
  void store_undefined(BlockState& b, Thread& t, uint32_t pc, Address address, uint32_t bytes);
  void undefine_local(Thread& t, const Ins& i, uint32_t bytes);
  void load_slow(BlockState& b, Thread& t, uint32_t pc);
  void store_slow(BlockState& b, Thread& t, uint32_t pc);
  void load_fixed(Thread& t, BlockState& b, uint32_t pc, uint32_t bytes);
  void atomic(BlockState& b, Thread& t, uint32_t pc);
  void mem_copy(BlockState& b, Thread& t, uint32_t pc);
  void mem_set(BlockState& b, Thread& t, uint32_t pc);
  void undefined_read(BlockState& b, Thread& t, uint32_t pc, Address address, uint32_t missing, bool maybe);
  void describe_undefined(Report& r, BlockState& b, const Thread& t, Address address) const;
  uint32_t found_origin(const FoundOrigin& origin);
  void read_string(BlockState& b, Thread& t, uint32_t pc, Address address, std::string& out);
  struct View {  // some bytes of memory with their definedness
    uint8_t* bytes = nullptr;
    uint8_t* defined = nullptr;
    uint64_t offset = 0;
    Region* region = nullptr;  // nullptr: local
    bool is_shared = false;
    uint32_t align_bit = 0;  // as Region::align_bit
    explicit operator bool() const { return bytes != nullptr; }
    uint32_t undefined(uint64_t count) const;  // mask of the undefined ones, of up to 8 bytes
    bool tracked() const { return region != nullptr && region->tracked; }
    void define(uint64_t count) const {
      if (defined != nullptr) set_defined(defined, offset, count);
    }
  };
  View view(BlockState& b, Thread& t, uint32_t pc, Address address, const Touch& touch);
  void remember_undefined(View& v,
                          Address address);  // allocates the bits of memory that was completely defined

  // async.cpp: asynchronous copies to shared memory.
  Address shared_pointer(BlockState& b, Thread& t, uint32_t pc);
  void async_copy(BlockState& b, Thread& t, uint32_t pc);
  void async_commit(BlockState& b, const Thread& t);
  void async_wait(BlockState& b, Thread& t, uint32_t pending);
  const AsyncCopy* pending_copy(const BlockState& b, Address address) const;

  // ptx.cpp: inline PTX that is executed as it is.
  bool execute_ptx(BlockState& b, Thread& t);
  BlockPtx& ptx_of(BlockState& b);
  static uint64_t operand(const Thread& t, const PtxInfo& info, size_t argument);
  void set_result(Thread& t, uint64_t value) const;
  void resume(BlockState& b, Thread& t);
  void report_at(ReportKind kind, const BlockState& b, const Thread& t, uint32_t pc, base::MessageText text);
  void report_ptx(ReportKind kind, const BlockState& b, const Thread& t, base::MessageText text);
  std::string place_name(Address address) const;
  void signal_sync(BlockState& b, Thread& t, Address object);
  void await_sync(BlockState& b, Thread& t, Address object);
  static Address sync_object(const BlockState& b, Address address);
  SharedPlace shared_place(BlockState& b, Thread& t, uint64_t value, const Touch& touch);
  bool resume_stuck(BlockState& b);
  base::MessageText stuck_ptx(const BlockState& b, const Thread& t) const;
  void set_registers(BlockState& b, Thread& t, const PtxInfo& info);

  // named_barrier.cpp
  bool named_barrier(BlockState& b, Thread& t, const PtxInfo& info);
  uint32_t barrier_count(BlockState& b, Thread& t, uint64_t id, std::optional<uint64_t> given);
  void complete_named(BlockState& b, uint32_t id);

  // mbarrier.cpp
  void mbarrier(BlockState& b, Thread& t, const PtxInfo& info);
  Mbarrier* find_mbarrier(BlockState& b, Thread& t, uint64_t value, SharedPlace& at);
  void mbarrier_init(BlockState& b, Thread& t, const PtxInfo& info);
  void mbarrier_invalidate(BlockState& b, Thread& t, const PtxInfo& info);
  void mbarrier_arrive(BlockState& b, Thread& t, const PtxInfo& info);
  bool mbarrier_wait(BlockState& b, Thread& t, const PtxInfo& info);
  bool is_phase_over(BlockState& b, Thread& t, const PtxInfo& info, const Mbarrier& m, Address at);
  void expect_bytes(BlockState& b, Thread& t, Mbarrier& m, uint64_t bytes, Address at);
  void complete_bytes(BlockState& b, Thread& t, uint32_t pc, const SharedPlace& at, Mbarrier& m,
                      uint64_t bytes);
  void advance_mbarrier(const SharedPlace& at, Mbarrier& m);

  // bulk_copy.cpp
  static Region* shared_region(BlockState& b, Address address);
  void guard_shared(BlockState& b);
  const BulkCopy* pending_bulk(const BlockState& b, Address address) const;
  void check_in_flight(BlockState& b, Thread& t, uint32_t pc, BlockState& owner, Address address,
                       uint64_t bytes);
  void check_proxy(BlockState& b, Thread& t, Address address, uint64_t bytes);
  void proxy_fence(BlockState& b, Thread& t, const PtxInfo& info);
  bool check_bulk_size(BlockState& b, Thread& t, uint64_t bytes);
  void bulk_copy(BlockState& b, Thread& t, const PtxInfo& info);
  bool read_source(BlockState& b, Thread& t, BulkCopy& copy, uint64_t from);
  void bulk_load(BlockState& b, Thread& t, const PtxInfo& info, uint32_t bytes, std::optional<uint32_t> rank);
  void bulk_store(BlockState& b, Thread& t, const PtxInfo& info, uint32_t bytes);
  void bulk_wait(BlockState& b, Thread& t, const PtxInfo& info);
  static void read_copy(BulkCopy& copy);
  void write_copy(BulkCopy& copy);
  void complete_copies_to(const SharedPlace& barrier);
  void finish_ptx(BlockState& b);

  // cluster.cpp: shared memory by 32-bit addresses, and the cluster's barrier in two steps.
  uint64_t shared_number(Address address) const;
  Address shared_at(uint32_t value) const;
  void map_shared(BlockState& b, Thread& t, const PtxInfo& info);
  void cluster_rank(BlockState& b, Thread& t, const PtxInfo& info);
  void cluster_arrive(BlockState& b, Thread& t);
  bool cluster_wait(BlockState& b, Thread& t);
  void complete_arrivals(uint64_t number);
  void leave_cluster(BlockState& b, const Thread& t);

  // wgmma.cpp
  struct WgmmaOperands;
  bool arrive_wgmma(BlockState& b, Thread& t);
  bool check_descriptor(BlockState& b, uint32_t first, const PtxInfo& info, size_t argument);
  void read_matrix(BlockState& b, uint32_t first, uint64_t bits, bool is_transposed, WgmmaType type,
                   uint32_t rows, uint32_t k, std::vector<float>& out, std::vector<WgmmaRead>& reads);
  static void read_a_registers(BlockState& b, uint32_t first, const PtxInfo& info, std::vector<float>& out);
  uint32_t old_accumulator(BlockState& b, Thread& t, Address address, bool is_read);
  void new_accumulator(BlockState& b, Thread& t, Address address, uint32_t value);
  void run_wgmma(BlockState& b, uint32_t first);
  void multiply_wgmma(BlockState& b, Thread& t, uint32_t thread, const PtxInfo& info,
                      const WgmmaOperands& in);
  void wgmma_fence(BlockState& b, Thread& t);
  void wgmma_wait(BlockState& b, Thread& t, const PtxInfo& info);
  const Accumulator* pending_accumulator(const BlockState& b, const Thread& t, Address address) const;

  // slots.cpp: aggregates and undefined values in slots.
  void check_defined(BlockState& b, Thread& t, uint32_t pc, uint32_t slot, uint64_t within = 0);
  void extract(BlockState& b, Thread& t, const Ins& i, uint32_t pc);
  void insert(Thread& t, const Ins& i);
  void move_bytes(Thread& t, uint32_t dst, uint64_t to, uint32_t src, uint64_t from, uint64_t count);

  // barrier.cpp
  void arrive_barrier(BlockState& b, Thread& t, uint32_t pc);
  void arrive_grid(BlockState& b, Thread& t);
  void arrive_cluster(BlockState& b, Thread& t);
  void complete_barrier(BlockState& b);
  void complete_grid();
  void complete_cluster(uint64_t cluster);
  void meet(BlockState& b, Wait wait);  // resumes the threads that wait this way
  uint64_t cluster_of(const BlockState& b) const;
  BlockState* block_of(const BlockState& b, uint32_t rank) const;  // of its cluster; null if there is none
  void thread_ended(BlockState& b, Thread& t, uint32_t pc);
  void check_grid_barrier();  // that all blocks arrive at the same one
  void report_divergent(BlockState& b, uint32_t pc, uint32_t thread, uint32_t other_pc, uint32_t other,
                        bool ended);

  // warp.cpp
  void arrive_warp(BlockState& b, Thread& t, uint32_t pc);
  bool try_complete(BlockState& b, uint32_t w, const Thread& t);
  void retry_warp(BlockState& b, uint32_t w);
  void complete_warp(BlockState& b, uint32_t w, uint32_t group);
  void shuffle(BlockState& b, uint32_t w, uint32_t group);
  void warp_value(BlockState& b, uint32_t w, uint32_t group);
  bool wait_soft(BlockState& b, Thread& t, uint32_t pc);  // false: continues immediately
  void release_soft(BlockState& b, uint32_t w);

  // race.cpp
  RaceCell* cells(BlockState& b, Region& region, bool is_shared, uint64_t offset, uint64_t bytes);
  bool split_cells(Region& region, CBuffer<RaceCell>& owner, uint8_t shift);
  void race_read(BlockState& b, Thread& t, Region& r, bool is_shared, Address address, uint64_t offset,
                 uint64_t bytes, uint32_t site);
  void race_write(BlockState& b, Thread& t, Region& r, bool is_shared, Address address, uint64_t offset,
                  uint64_t bytes, uint32_t site, bool silent);
  bool ordered(BlockState& b, const Thread& t, uint32_t who, uint32_t time, bool is_shared);
  bool conflicts(BlockState& b, const Thread& t, uint32_t who, uint32_t time, uint32_t site,
                 uint32_t other_site, bool is_shared);
  void report_race(BlockState& b, const Thread& t, Address address, uint32_t bytes, uint32_t site, bool wrote,
                   uint32_t who, uint32_t other_site, bool other_wrote);

  // sync.cpp
  void tick();
  void fence(BlockState& b, Thread& t, ir::Scope scope);
  void acquire(BlockState& b, Thread& t, Address address, bool is_shared);
  void release(BlockState& b, Thread& t, Address address, bool is_shared);
  void sync_warp(BlockState& b, uint32_t w, uint32_t group);
  void sync_block(BlockState& b);
  bool ordered_by_sync(BlockState& b, const Thread& t, uint32_t who, uint32_t time);
  bool released(const Ref& ref, uint32_t who, uint32_t time, bool same_block) const;
  bool follow(const Ref& ref, std::vector<Ref>& into);
  bool is_new_to_search(const Ref& ref);
  ThreadSync& sync_of(BlockState& b, const Thread& t);
  static void learn(std::vector<Ref>& into, bool& overflow, const Ref& ref);

  // printf.cpp
  void print(BlockState& b, Thread& t, const Ins& i, uint32_t pc);
  void report_launch(const BlockState& b, const Thread& t, const Ins& i, uint32_t pc);  // device_launch.cpp
  // heap.cpp: what the library's malloc and free report, and accesses to the heap.
  void note_heap(const BlockState& b, const Thread& t, const Ins& i, uint32_t pc);
  bool is_in_block(const BlockState& b, const Thread& t, uint32_t pc, const Region& heap, uint64_t offset,
                   const Touch& touch);
  void report_texture(const BlockState& b, const Thread& t, const Ins& i, uint32_t pc);

  // describe.cpp: reports.
  Report* new_report(ReportKind kind, const BlockState& b, const Thread& t, uint32_t pc);
  // Names the object at an address, as seen from `t` (for its local variables).
  void describe(Report& r, Address address, uint64_t bytes) const;
  const ir::Param* record_at(const Place& place) const;
  void describe_global(Report& r, const Place& place, uint64_t bytes) const;
  void report_access(BlockState& b, Thread& t, uint32_t pc, Address address, const Touch& touch);
  void report_misaligned(BlockState& b, Thread& t, uint32_t pc, Address address, const Touch& touch,
                         uint32_t declared);
  void report_division(BlockState& b, Thread& t, uint32_t pc);
  void report_arithmetic(BlockState& b, Thread& t, uint32_t pc, ReportKind kind, base::MessageText text,
                         const std::string& value);
  void check_overflow(BlockState& b, Thread& t, const Ins& i, uint32_t pc);
  void check_shift(BlockState& b, Thread& t, const Ins& i, uint32_t pc);
  Party party(uint32_t id, uint32_t pc) const;
  const ir::Pos& pos(uint32_t pc) const { return code_.pos[pc]; }

  const Code& code_;
  Memory& memory_;
  const ir::Module& module_;
  const LaunchConfig& config_;
  const uint32_t checks_;
  LaunchResult& result_;
  Reporter reporter_;

  uint32_t block_threads_ = 0;
  uint32_t warps_per_block_ = 0;
  uint32_t id_shift_ = 0;  // of a thread's id: number of bits of its index
  uint64_t block_count_ = 0;
  std::vector<uint64_t> order_;  // shuffled block numbers, if there is a seed and not too many blocks
  uint64_t next_serial_ = 0;
  uint64_t dynamic_shared_ = 0;
  std::vector<uint64_t> shared_offsets_;
  uint64_t shared_bytes_ = 0;
  uint64_t block_bytes_ = 0;  // memory that one running block needs
  struct ParamBuffer {        // a pointer argument: the name of its buffer in messages
    uint32_t object;
    int64_t offset;
    const ir::Param* param;
  };
  std::vector<ParamBuffer> param_buffers_;

  std::vector<std::unique_ptr<BlockState>> live_;
  std::vector<std::unique_ptr<BlockState>> idle_;
  Xorshift random_{1};
  bool stopped_ = false;
  bool track_races_ = false;
  uint64_t steps_ = 0;
  uint32_t polls_ = 0;    // of the running thread, in this turn
  uint64_t stop_at_ = 0;  // steps at which limits are checked again
  std::chrono::steady_clock::time_point began_;
  uint32_t now_ = 1;
  uint32_t grid_time_ = 0;
  uint64_t grid_live_ = 0;  // threads that have not ended
  uint64_t grid_waiting_ = 0;
  struct Cluster {  // threads
    uint64_t live = 0, waiting = 0;
    uint64_t arrived = 0, phase = 0;  // barrier.cluster.arrive
  };
  std::vector<Cluster> clusters_;
  std::vector<BlockState*> by_number_;  // if all blocks run at the same time
  std::vector<BulkCopy> bulk_copies_;   // that are not complete
  std::unordered_map<uint64_t, uint32_t> sync_index_;
  std::deque<SyncVar> sync_vars_;
  std::vector<Searched> searched_;  // by index of the location
  uint64_t search_ = 0;
  std::vector<Ref> search_refs_, search_next_;
  std::vector<FoundOrigin> origins_;  // numbered after the code's own
  std::unordered_map<uint32_t, uint32_t> origin_of_pc_;
  uint64_t cell_bytes_ = 0;  // of records made in this launch
};

}  // namespace quern::sim

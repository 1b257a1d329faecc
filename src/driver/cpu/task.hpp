// One launch in progress, and the execution of its blocks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "driver/interface/finding.hpp"
#include "driver/support/output_buffer.hpp"
#include "lang/ir/ir.hpp"
#include "target/llvm/abi.hpp"

namespace quern::cpu {

class Pool;
class CodeObject;
struct Guard;

// Output and findings of a stream's kernels; taken by the host.
struct Messages {
  std::mutex mutex;
  driver::OutputBuffer output;
  std::vector<driver::Finding> findings;
  std::string fault;  // of the first launch that failed since the last query
};

// What the helpers need to know about a kernel.
struct KernelFacts {
  const ir::Module* module = nullptr;
  std::string name;
  ir::Pos place;  // of the kernel
  std::vector<const ir::Inst*> sites;
};

struct Task {
  quern::llvm::BlockFunction function = nullptr;
  const CodeObject* code = nullptr;  // that contains the function
  const KernelFacts* facts = nullptr;
  Messages* messages = nullptr;
  Pool* pool = nullptr;  // for blocks that run concurrently; null: they take turns
  driver::Dim3 grid, block, cluster;
  uint64_t record_bytes = 0;
  uint64_t static_shared = 0;
  uint32_t dynamic_shared = 0;
  uint32_t width = 1;
  bool is_thread = false;       // `function` runs one thread
  bool is_by_rows = false;      // `function` runs a row of threads of all blocks, then the next
  bool is_abreast = false;      // `function` interleaves several blocks
  bool is_cooperative = false;  // all blocks run concurrently
  bool is_guarded = false;      // check mode: a crash is a fault of the kernel
  bool maps_shared = false;     // blocks access each other's shared memory, and take turns
  const std::byte* arguments = nullptr;
  const uint32_t* thread_indices = nullptr;
  uint64_t past_mask = quern::llvm::kNeverPast;
  std::atomic<bool> stopped{false};  // a fault ends the launch

  uint32_t threads() const { return static_cast<uint32_t>(block.count()); }
  uint32_t bundles() const { return (threads() + width - 1) / width; }
  uint64_t shared_bytes() const { return static_shared + dynamic_shared; }
  // Everything except the block's own memory.
  quern::llvm::BlockContext context(uint64_t block_number) const;
  void fault(uint32_t site, uint32_t block_thread, const quern::llvm::BlockContext& context);
  bool has_code(uint64_t address) const;
  void write_crash(const Guard& guard) const;  // to stderr, from a signal handler
  void crashed(const Guard& guard);

 private:
  void tell(driver::Finding finding, const quern::llvm::BlockContext& context);
};

// Memory for one block at a time, owned by each thread that runs blocks.
class Arena {
 public:
  std::byte* shared(uint64_t bytes) {
    std::byte* const all = get(shared_, bytes + 2 * quern::llvm::kSharedMargin);
    return all != nullptr ? all + quern::llvm::kSharedMargin : nullptr;
  }
  std::byte* scratch(uint64_t bytes) { return get(scratch_, bytes); }
  ~Arena();
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

 private:
  struct Memory {
    std::byte* bytes = nullptr;
    uint64_t size = 0;
  };
  static std::byte* get(Memory& memory, uint64_t bytes);  // null: out of memory
  Memory shared_, scratch_;
};

// Runs blocks [first, end) on the calling thread.
void run_blocks(Task& task, uint64_t first, uint64_t end);

}  // namespace quern::cpu

// Device memory in large chunks, cut into pieces: drivers allow few allocations, and each is slow. A chunk is
// one VkBuffer; a piece is a part of it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "driver/vulkan/abilities.hpp"

namespace quern::vulkan {

struct Chunk {
  DeviceMemory memory = {};
  BufferHandle buffer = {};
  uint64_t bytes = 0;
  uint64_t address = 0;                // 0 where the device has none
  std::byte* host = nullptr;           // where the host sees it
  std::map<uint64_t, uint64_t> holes;  // offset and bytes of what is free
};

struct Piece {
  Chunk* chunk = nullptr;
  uint64_t offset = 0;
  uint64_t bytes = 0;  // as taken from the chunk

  BufferHandle buffer() const { return chunk->buffer; }
  uint64_t address() const { return chunk->address == 0 ? 0 : chunk->address + offset; }
  std::byte* host() const { return chunk->host == nullptr ? nullptr : chunk->host + offset; }
};

class Pool {
 public:
  Pool(const DeviceApi& api, DeviceHandle device) : api_(api), device_(device) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  void use(uint32_t memory_type, uint64_t most_bytes, bool has_addresses, bool is_mapped);
  bool is_mapped() const { return is_mapped_; }
  Result<Piece> take(uint64_t bytes);
  void give(const Piece& piece);
  // The piece around memory of the host that lies in this pool; its chunk is null elsewhere.
  Piece find(const void* host, uint64_t bytes);

 private:
  Result<Chunk*> grow(uint64_t bytes);
  Result<> fill_in(Chunk& chunk);
  void release(Chunk& chunk);

  const DeviceApi& api_;
  DeviceHandle device_;
  uint32_t type_ = 0;
  uint64_t most_bytes_ = 0;
  bool has_addresses_ = false;
  bool is_mapped_ = false;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

}  // namespace quern::vulkan

// Hand-written CUDA for the jobs of bench_ring, with direct calls of the driver's library.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "driver/cuda/api.hpp"
#include "driver/cuda/compiler.hpp"
#include "ring/field.hpp"
#include "ring/measure.hpp"

namespace quern::bench {

class Raw {
 public:
  // Null if there is no CUDA; `why` then says what is missing.
  static std::unique_ptr<Raw> open(std::string& why);
  ~Raw();
  Raw(const Raw&) = delete;
  Raw& operator=(const Raw&) = delete;

  // A kernel of one thread that polls pinned memory and answers there.
  tool::Latency calls(std::uint64_t count);
  // Upload, launch, wait, download for each number.
  tool::Latency launches(std::uint64_t count);
  // A ring of 64-byte messages in pinned memory, one producer, a block of 256 threads that adds them: by
  // loads, or by asynchronous copies to shared memory.
  tool::FlowResult flow(std::uint64_t messages, bool by_copies);

  struct Mixed {
    double seconds = 0;
    std::vector<float> samples;
  };
  // The traditional way: every command is uploaded, launched, waited for, and its result downloaded; or with
  // minimal waiting: launches of steps are not waited for.
  Mixed mixed(const std::vector<FieldMessage>& messages, bool is_lazy);

  struct Steps {
    double seconds = 0;
    std::vector<float> field;
  };
  // An impulse in the middle, then steps as a loop of launches or as graphs of 100.
  Steps steps(int count, bool as_graph);

 private:
  Raw() = default;
  bool start(std::string& why);
  cuda::FunctionId kernel(const char* text, const char* name);
  void launch(cuda::FunctionId f, unsigned grid_x, unsigned grid_y, unsigned block_x, unsigned block_y,
              void** arguments, unsigned shared_bytes = 0);
  void wait();
  cuda::Address allocate(std::size_t bytes);
  template <typename T>
  T* pinned(std::size_t count);
  void clear_fields();
  void step_once(int number);

  cuda::Api api_;
  cuda::Context context_ = nullptr;
  cuda::StreamId stream_ = nullptr;
  std::unique_ptr<cuda::Compiler> compiler_;
  int architecture_ = 0;
  std::vector<cuda::ModuleId> modules_;
  std::vector<cuda::Address> addresses_;
  std::vector<void*> pinned_;
  cuda::Address fields_[2] = {};
  cuda::FunctionId step_ = nullptr;
};

}  // namespace quern::bench

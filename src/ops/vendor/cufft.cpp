// cuFFT 10 to 12. Types, names and numbers are those of its header cufft.h.
#include <list>

#include "ops/vendor/gpu_fft.hpp"

namespace quern::ops::vendor {

namespace {

constexpr int kComplexFloat = 0x29, kComplexDouble = 0x69;  // CUFFT_C2C, CUFFT_Z2Z
constexpr std::size_t kMostPlans = 64;                      // as many are kept

// clang-format off
#define QUERN_CUFFT_SYMBOLS(X)                                                                                   \
  X(create, "cufftCreate", int(int* plan))                                                                       \
  X(destroy, "cufftDestroy", int(int plan))                                                                      \
  X(version, "cufftGetVersion", int(int* version))                                                               \
  X(set_allocation, "cufftSetAutoAllocation", int(int plan, int is_automatic))                                   \
  X(make, "cufftMakePlanMany64",                                                                                 \
    int(int plan, int rank, long long* extents, long long* in_extents, long long in_step,                        \
        long long in_distance, long long* out_extents, long long out_step, long long out_distance, int type,     \
        long long batches, std::size_t* workspace))                                                              \
  X(set_workspace, "cufftSetWorkArea", int(int plan, void* memory))                                              \
  X(set_stream, "cufftSetStream", int(int plan, void* stream))                                                   \
  X(run_float, "cufftExecC2C", int(int plan, void* in, void* out, int direction))                                \
  X(run_double, "cufftExecZ2Z", int(int plan, void* in, void* out, int direction))
// clang-format on

class Cufft final : public GpuFft {
 public:
  Cufft() : library_(load(Name::kCufft)) {
#define X(name, symbol, type) require(library_, symbol, name##_);
    QUERN_CUFFT_SYMBOLS(X)
#undef X
    int version = 0;
    check(title_, "cufftGetVersion", version_(&version));
    title_ = "cufft " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 100);
  }
  ~Cufft() override {
    if (is_exiting()) return;
    for (const Kept& kept : plans_) (void)destroy_(kept.plan.id);
  }

  std::string title() const override { return title_; }

  Plan plan(const FftShape& shape) override {
    for (auto at = plans_.begin(); at != plans_.end(); ++at) {
      if (at->shape != shape) continue;
      plans_.splice(plans_.begin(), plans_, at);
      return plans_.front().plan;
    }
    plans_.push_front({shape, make_plan(shape)});
    if (plans_.size() > kMostPlans) {
      (void)destroy_(plans_.back().plan.id);
      plans_.pop_back();
    }
    return plans_.front().plan;
  }

  void transform(const Plan& plan, const FftShape& shape, int direction, void* in, void* out, void* stream,
                 const DeviceMemory& workspace) override {
    check(title_, "cufftSetStream", set_stream_(plan.id, stream));
    if (workspace.bytes != 0) check(title_, "cufftSetWorkArea", set_workspace_(plan.id, workspace.pointer));
    auto* const run = shape.is_double ? run_double_ : run_float_;
    // CUFFT_FORWARD is -1, the sign of the exponent.
    check(title_, shape.is_double ? "cufftExecZ2Z" : "cufftExecC2C", run(plan.id, in, out, -direction));
  }

 private:
  struct Kept {
    FftShape shape;
    Plan plan;
  };

  Plan make_plan(const FftShape& s) {
    Plan plan;
    check(title_, "cufftCreate", create_(&plan.id));
    if (plans_.empty()) note_initialized();
    try {
      check(title_, "cufftSetAutoAllocation", set_allocation_(plan.id, 0));
      long long count = s.count, in_extent = s.count, out_extent = s.count;
      check(title_, "cufftMakePlanMany64",
            make_(plan.id, 1, &count, &in_extent, s.in_step, s.in_distance, &out_extent, s.out_step,
                  s.out_distance, s.is_double ? kComplexDouble : kComplexFloat, s.batches,
                  &plan.workspace_bytes));
    } catch (const Error&) {
      (void)destroy_(plan.id);
      throw;
    }
    return plan;
  }

  extension::Library library_;
#define X(name, symbol, type)                                               \
  using name##_function = type; /* NOLINT(readability-identifier-naming) */ \
  name##_function* name##_ = nullptr;
  QUERN_CUFFT_SYMBOLS(X)
#undef X
  std::list<Kept> plans_;  // most recently used first
  std::string title_ = "cufft";
};

}  // namespace

std::unique_ptr<GpuFft> make_cufft() { return std::make_unique<Cufft>(); }

}  // namespace quern::ops::vendor

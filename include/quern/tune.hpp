/// @file
/// Autotuning: measures variants of a kernel on a device, chooses the fastest correct one, and remembers it.
/// See docs/tuning.md.
///
/// @code
/// const quern::TuneRequest request{
///     .name = "saxpy",
///     .shape_class = "n=2^20",
///     .types = "float",
///     .source = text,
///     .variants = quern::variants({{"BLOCK", {128, 256, 512}}, {"ITEMS", {1, 2, 4}}}),
///     .compile = [&](const quern::Variant& v) {
///       return gpu.compile(text, {.defines = v.defines()}).kernel("saxpy");
///     },
///     .launch = [&](const quern::Variant& v) { return config_for(v); },
///     .run = [&](const quern::TuneCall& c) { c.stream.launch(c.kernel, c.config, n, a, x, y); },
///     .outputs = {y},
/// };
/// const quern::TuneResult result = quern::Tuner(gpu).tune(request);
/// std::printf("%s: %s\n", result.variant.to_string().c_str(), result.reason.c_str());
/// @endcode
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "quern/buffer.hpp"
#include "quern/device.hpp"
#include "quern/error.hpp"
#include "quern/export.hpp"
#include "quern/launch.hpp"
#include "quern/module.hpp"
#include "quern/stream.hpp"

namespace quern {

/// One way to compile and launch a kernel: named integer parameters, such as {"BLOCK", 256}. They can be
/// macros (defines()) or template arguments.
class QUERN_API Variant {
 public:
  /// No parameters.
  Variant() = default;
  /// These parameters, in this order.
  Variant(std::initializer_list<std::pair<std::string, std::int64_t>> parameters) : list_(parameters) {}

  /// The value of a parameter. Throws Error with kind `invalid_use` if there is none of this name.
  std::int64_t at(std::string_view name) const;
  /// Adds a parameter, or replaces its value.
  void set(std::string_view name, std::int64_t value);
  /// Names and values, in order.
  const std::vector<std::pair<std::string, std::int64_t>>& parameters() const { return list_; }
  /// For ModuleOptions::defines.
  std::vector<std::pair<std::string, std::string>> defines() const;
  /// "BLOCK=256 ITEMS=4"; empty without parameters.
  std::string to_string() const;
  bool operator==(const Variant&) const = default;

 private:
  std::vector<std::pair<std::string, std::int64_t>> list_;
};

/// A parameter and the values to try.
struct TuneParameter {
  std::string name;                    ///< As in Variant.
  std::vector<std::int64_t> values{};  ///< The first one is part of the default variant.
};

/// All combinations of the values, except those that `accepts` rejects. The last parameter changes fastest.
QUERN_API std::vector<Variant> variants(const std::vector<TuneParameter>& parameters,
                                        const std::function<bool(const Variant&)>& accepts = {});

/// Memory that a variant writes. The tuner fills it with the byte 0xff before it checks a variant (NaN in
/// floating-point types), and compares the contents with those of the first correct variant.
class TuneOutput {
 public:
  /// Floating-point elements may differ by `tolerance` times the largest magnitude in the output. A negative
  /// tolerance means 1e-10 for 8 bytes, 1e-4 for 4 bytes, and 0.02 for 2 bytes. Other elements must be equal.
  template <typename T>
  requires(!std::is_const_v<T>) TuneOutput(const Slice<T>& memory, double tolerance = -1)
      : memory_(memory.bytes()),
        tolerance_(tolerance >= 0   ? tolerance
                   : sizeof(T) >= 8 ? 1e-10
                   : sizeof(T) >= 4 ? 1e-4
                                    : 0.02),
        difference_(&difference<T>) {}
  /// The same for a whole buffer.
  template <typename T>
  TuneOutput(Buffer<T>& memory, double tolerance = -1) : TuneOutput(Slice<T>(memory), tolerance) {}

  /// Used by the library.
  const detail::Bytes& memory() const { return memory_; }
  /// The allowed difference.
  double tolerance() const { return tolerance_; }
  /// The largest difference of two contents, divided by the largest magnitude of `want`. Infinite if elements
  /// differ that must be equal.
  double compare(const std::vector<std::uint8_t>& got, const std::vector<std::uint8_t>& want) const {
    return got.size() != want.size() ? std::numeric_limits<double>::infinity() : difference_(got, want);
  }

 private:
  using Contents = std::vector<std::uint8_t>;

  template <typename T>
  static double difference(const Contents& got, const Contents& want) {
    constexpr bool is_real =
        std::is_floating_point_v<T> || (!std::is_arithmetic_v<T> && std::is_convertible_v<T, float>);
    if constexpr (!is_real) {
      return got == want ? 0 : std::numeric_limits<double>::infinity();
    } else {
      double most = 0, scale = 0;
      for (std::size_t at = 0; at + sizeof(T) <= want.size(); at += sizeof(T)) {
        const double g = real<T>(got.data() + at), w = real<T>(want.data() + at);
        if (std::isfinite(w)) scale = std::max(scale, std::abs(w));
        if (g == w || (std::isnan(g) && std::isnan(w))) continue;
        if (!std::isfinite(g) || !std::isfinite(w)) return std::numeric_limits<double>::infinity();
        most = std::max(most, std::abs(g - w));
      }
      return most == 0 ? 0 : most / scale;
    }
  }
  template <typename T>
  static double real(const std::uint8_t* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<double>(value);
    } else {
      return static_cast<double>(static_cast<float>(value));
    }
  }

  detail::Bytes memory_;
  double tolerance_;
  double (*difference_)(const Contents& got, const Contents& want);
};

/// A call of TuneRequest::run.
struct TuneCall {
  const Variant& variant;      ///< The variant to run.
  const Kernel& kernel;        ///< The result of TuneRequest::compile; empty without it.
  const LaunchConfig& config;  ///< The result of TuneRequest::launch.
  const Stream& stream;        ///< Submit all work to this stream.
};

/// What is tuned. `name` to `variants` identify the result on disk, together with the device and the version
/// of its driver.
struct TuneRequest {
  std::string name = {};         ///< Name of the operation or kernel.
  std::string shape_class = {};  ///< Sizes for which the result is used: "n=2^20".
  std::string types = {};        ///< Element types: "float".
  std::uint32_t alignment = 0;   ///< Alignment of the operands in bytes; 0: of no importance.
  std::string source = {};       ///< Text of the kernel. Only its hash is stored.
  /// The candidates. The first one is the default.
  std::vector<Variant> variants = {};

  /// Compiles a variant. Called on several threads at the same time. May be empty: then `run` compiles.
  std::function<Kernel(const Variant&)> compile = {};
  /// Launch configuration of a variant. With `compile`, variants that exceed a limit of the device or have a
  /// much lower occupancy than others are excluded before they run. May be empty.
  std::function<LaunchConfig(const Variant&)> launch = {};
  /// Called before each measured run; not measured. For work that changes its own input.
  std::function<void(const Stream&)> prepare = {};
  /// Submits the work of a variant.
  std::function<void(const TuneCall&)> run = {};
  /// Results to compare. Required, unless `check` is given.
  std::vector<TuneOutput> outputs = {};
  /// Checks the results after a run: returns an empty text, or the reason why they are wrong.
  std::function<std::string(const Variant&)> check = {};
};

/// Progress of a tuning.
struct TuneProgress {
  /// What happens.
  enum class Stage : std::uint8_t {
    compile,  ///< Variants are compiled.
    check,    ///< Variants run once, and their results are compared.
    measure,  ///< Variants are measured in rounds.
  };
  Stage stage = Stage::compile;  ///< What happens.
  std::size_t done = 0;          ///< Finished steps of the stage.
  std::size_t total = 0;         ///< Steps of the stage.
  std::string variant = {};      ///< The current variant.
};

/// Options of a Tuner.
struct TuneOptions {
  /// Limit of the total time, in seconds. Tested between runs and between compilations, which it does not
  /// interrupt.
  double seconds = 10;
  /// Limit for one run of a variant, in seconds.
  double candidate_seconds = 2;
  /// Time that each variant runs before it is measured, in seconds. Negative: 0.3 on `cpu`, which optimizes
  /// kernels after they have run for a while, and 0.02 on other devices.
  double warm_up_seconds = -1;
  /// Measurements of each variant; at least 3.
  int rounds = 7;
  /// A variant replaces the default one only if its time is shorter by this share.
  double margin = 0.02;
  /// Threads that compile; 0: one per core, at most 8.
  std::uint32_t compile_threads = 0;
  /// Cancels the tuning between runs. Nothing is stored then.
  std::stop_token stop = {};
  /// Called for each step. Calls do not overlap; in the stage `compile` any thread may make them.
  std::function<void(const TuneProgress&)> progress = {};
  bool stores = true;  ///< Whether the result is kept on disk.
};

/// What became of a variant.
enum class TuneState : std::uint8_t {
  measured,  ///< It was measured in each round.
  slower,    ///< It was measured in some rounds, and dropped because it is much slower than another one.
  excluded,  ///< It failed: `reason` says why.
  skipped,   ///< It was not measured: the time was over, or the tuning ended early.
};
/// "measured", "slower", "excluded" or "skipped".
QUERN_API std::string_view to_string(TuneState state);

/// A variant, and what became of it.
struct TuneCandidate {
  Variant variant = {};                  ///< The variant.
  TuneState state = TuneState::skipped;  ///< What became of it.
  double seconds = 0;                    ///< Time of one run; 0: not measured.
  int samples = 0;                       ///< Number of measurements.
  std::string reason = {};               ///< Why it was excluded or skipped.
};

/// Where a choice comes from.
enum class TuneSource : std::uint8_t {
  standard,  ///< The default variant: nothing was measured or stored.
  stored,    ///< An earlier measurement.
  measured,  ///< A measurement of this call.
};
/// "standard", "stored" or "measured".
QUERN_API std::string_view to_string(TuneSource source);

/// The result of a tuning.
struct TuneResult {
  Variant variant = {};                        ///< The variant to use.
  TuneSource source = TuneSource::standard;    ///< Where the choice comes from.
  std::string reason = {};                     ///< Why it was chosen: one sentence.
  std::vector<TuneCandidate> candidates = {};  ///< All variants, in the order of the request.
  double seconds = 0;                          ///< Duration of the tuning.
  bool is_complete = false;                    ///< False: cancelled, or ended early.

  /// Of a variant; null if there is none.
  QUERN_API const TuneCandidate* find(const Variant& which) const;
};

/// A result on disk.
struct StoredTuning {
  std::string key;              ///< Name of the entry in the cache folder.
  std::string name;             ///< As in TuneRequest.
  std::string shape_class;      ///< As in TuneRequest.
  std::string types;            ///< As in TuneRequest.
  std::uint32_t alignment = 0;  ///< As in TuneRequest.
  std::string device;           ///< "NVIDIA H200 (cuda)"
  std::string driver_version;   ///< As in DeviceInfo.
  std::int64_t time = 0;        ///< When it was measured: seconds since 1970.
  TuneResult result;            ///< The result; `source` is `stored`.
};

/// What QUERN_TUNE says: whether programs use and make measurements without being asked.
enum class TuneMode : std::uint8_t {
  off,     ///< Default variants only.
  cached,  ///< Stored results; otherwise the default variant. The default.
  on,      ///< Stored results; otherwise measure.
};
/// The mode of this process: QUERN_TUNE=off, cached or on.
QUERN_API TuneMode tune_mode();

/// Tunes kernels on a device.
///
/// A variant that does not compile, throws, exceeds a limit, runs longer than
/// TuneOptions::candidate_seconds, or has other results than the first correct variant is excluded, with a
/// reason. A kernel that never ends can be stopped only by the device's time limit (open("cuda,time_limit=5")
/// or QUERN_TIME_LIMIT): then the device is lost, and the tuning ends with the results it has. Without a time
/// limit the tuning ends too, but the device stays busy. The next tuning skips a variant during which the
/// previous one ended. Thread-safe.
class QUERN_API Tuner {
 public:
  /// For a device.
  explicit Tuner(Device device, TuneOptions options = {});

  /// Measures the variants and stores the result. Throws Error with kind `invalid_use` if the request is
  /// incomplete; failing variants are part of the result.
  TuneResult tune(const TuneRequest& request) const;
  /// The result on disk, if there is one.
  std::optional<TuneResult> find(const TuneRequest& request) const;
  /// The variant to use, as QUERN_TUNE says: the stored one, a measured one, or the default.
  TuneResult choose(const TuneRequest& request) const;

 private:
  Device device_;
  TuneOptions options_;
};

/// All results on disk, of all devices; most recently used first.
QUERN_API std::vector<StoredTuning> stored_tunings();

}  // namespace quern

#include "ops/choice.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

#include "ops/checks.hpp"
#include "ops/engine.hpp"
#include "quern/extension.hpp"

namespace quern::ops {

namespace {

constexpr char kChoicesKey = 0;  // its address identifies the data of choices

// A variant of our kernels, and the library that is used instead where it can be.
struct Chosen {
  Variant own;
  vendor::Name library = vendor::Name::kNone;
};

// A class of problems: extents are rounded up to powers of two. Texts are those of tables.
struct ProblemClass {
  std::string_view operation, types;
  std::uint32_t alignment;
  std::array<std::uint64_t, Shape::max_rank> extents;

  ProblemClass(const Tunable& tunable, const Problem& problem)
      : operation(tunable.name), types(types_of(problem)), alignment(problem.alignment), extents{} {
    for (std::size_t i = 0; i < problem.shape.rank(); ++i) {
      const auto extent = static_cast<std::uint64_t>(std::max<std::int64_t>(problem.shape[i], 1));
      const bool is_exact = tunable.last_is_exact && i + 1 == problem.shape.rank();
      extents[i] = is_exact ? extent : std::bit_ceil(extent);
    }
  }
  // NOLINTNEXTLINE(modernize-use-nullptr): a mistake of clang-tidy 14
  auto operator<=>(const ProblemClass&) const = default;
};

// The variants in use on a device.
struct Choices {
  std::mutex mutex;
  std::map<ProblemClass, std::shared_ptr<const Chosen>> by_problem;
};

Chosen chosen_of(const TuneRequest& request, const TuneResult& result) {
  Chosen out{result.variant, vendor::library_of(result.variant)};
  if (out.library == vendor::Name::kNone) return out;
  out.own = request.variants.front();
  double best = std::numeric_limits<double>::infinity();
  for (const TuneCandidate& c : result.candidates) {
    const bool is_own = vendor::library_of(c.variant) == vendor::Name::kNone;
    if (!is_own || c.state != TuneState::measured || c.seconds >= best) continue;
    best = c.seconds;
    out.own = c.variant;
  }
  return out;
}

std::shared_ptr<Choices> choices_of(const Device& device) {
  return std::static_pointer_cast<Choices>(
      extension::device_data(device, &kChoicesKey, [] { return std::make_shared<Choices>(); }));
}

// The default variant if it cannot be measured: for example, if there is not enough memory for the operands.
TuneResult measured_or(const Variant& standard, const Device& device, const Tunable& tunable,
                       const Problem& problem) {
  try {
    return measure_variants(device, tunable, problem, {});
  } catch (const Error&) {
    return {.variant = standard};
  }
}

thread_local const VariantScope* innermost_scope = nullptr;

// As QUERN_TUNE says.
std::shared_ptr<const Chosen> choose(const Device& device, std::string_view operation,
                                     const Problem& problem) {
  const std::shared_ptr<Choices> choices = choices_of(device);
  const Tunable& tunable = *find_tunable(operation);
  const ProblemClass key(tunable, problem);
  {
    const std::lock_guard lock(choices->mutex);
    if (const auto found = choices->by_problem.find(key); found != choices->by_problem.end())
      return found->second;
  }
  const TuneRequest request = describe_tuning(device, tunable, problem);
  Chosen chosen{request.variants.front()};
  const TuneMode mode = tune_mode();
  if (mode != TuneMode::off) {
    // The device of a session may be replaced at any time: nothing is measured on it.
    const bool may_measure = mode == TuneMode::on && request.variants.size() > 1 &&
                             tunable.takes(problem.element, problem.precision) &&
                             !extension::survives_device_loss(device);
    if (const auto stored = Tuner(device).find(request)) {
      chosen = chosen_of(request, *stored);
    } else if (may_measure) {
      chosen = chosen_of(request, measured_or(chosen.own, device, tunable, problem));
    }
  }
  const std::lock_guard lock(choices->mutex);
  return choices->by_problem.insert_or_assign(key, std::make_shared<const Chosen>(std::move(chosen)))
      .first->second;
}

}  // namespace

std::span<const Tunable> tunables() {
  static const std::array<Tunable, 8> kAll = {
      Tunable{"matmul",
              "MxNxK",
              "product of matrices of M rows, N columns and depth K",
              {"index", "pieces", "matmul", "matmul_lanes", "matmul_tiles", "async_copy", "matmul_f32",
               "matmul_f64", "hopper", "matmul_wgmma", "matmul_pack"},
              matmul_variants},
      Tunable{"reduce", "N", "sum of N elements", {"index", "packs", "reduce"}, reduce_variants},
      Tunable{"scan",
              "N",
              "inclusive scan of N elements",
              {"index", "scan", "packs", "scan_chained"},
              scan_variants},
      Tunable{"sort",
              "N",
              "radix sort of N keys",
              {"index", "packs", "order", "sort", "sort_sweep"},
              sort_variants},
      Tunable{"layer_norm",
              "ROWSxCOLUMNS",
              "layer_norm of rows",
              {"index", "pieces", "rows", "normalize"},
              norm_variants,
              true},
      Tunable{"rms_norm",
              "ROWSxCOLUMNS",
              "rms_norm of rows",
              {"index", "pieces", "rows", "normalize"},
              norm_variants,
              true},
      Tunable{"attention",
              "HEADSxQUERIESxKEYSxELEMENTS",
              "causal attention",
              {"index", "attention_keys", "hopper", "attention_wgmma"},
              attention_variants,
              true},
      Tunable{"fft",
              "BATCHxN",
              "fft of a batch of N complex elements",
              {"index", "pieces", "fft", "fft_lines"},
              fft_variants,
              true,
              true},
  };
  return kAll;
}

bool Tunable::takes(Element element, Precision precision) const {
  if (name == "matmul" && (element == Element::i8 || is_float8(element))) return true;
  if (precision == Precision::tf32 && (name != "matmul" || element != Element::f32)) return false;
  return is_complex ? ops::is_complex(element) : is_real_type(element);
}

const Tunable* find_tunable(std::string_view name) {
  const auto all = tunables();
  const auto at = std::find_if(all.begin(), all.end(), [&](const Tunable& t) { return t.name == name; });
  return at == all.end() ? nullptr : &*at;
}

std::string_view short_name_of(Element element) {
  static constexpr std::array<std::string_view, 16> kNames = {"f64", "f32",  "f16",  "bf16", "i64", "i32",
                                                              "i16", "i8",   "u64",  "u32",  "u16", "u8",
                                                              "c64", "c128", "e4m3", "e5m2"};
  return kNames[static_cast<std::size_t>(element)];
}

std::string_view types_of(const Problem& problem) {
  return problem.precision == Precision::tf32 ? "tf32" : short_name_of(problem.element);
}

TuneRequest describe_tuning(const Device& device, const Tunable& tunable, const Problem& problem) {
  TuneRequest request;
  request.name = "ops::" + std::string(tunable.name);
  const ProblemClass rounded(tunable, problem);
  for (std::size_t i = 0; i < problem.shape.rank(); ++i)
    request.shape_class += (i == 0 ? "" : "x") + std::to_string(rounded.extents[i]);
  request.types = types_of(problem);
  request.alignment = problem.alignment;
  for (const std::string_view name : tunable.files) {
    for (const LibraryFile& file : library_files()) {
      if (file.name == std::string(name) + ".cuh") request.source.append(file.text);
    }
  }
  request.variants = tunable.variants(device.info(), problem);
  // Libraries come last. They are part of the key whether they are installed or not, so that no call loads
  // one to find the result.
  if (!extension::survives_device_loss(device)) {
    const bool is_tf32 = problem.precision == Precision::tf32;
    for (const vendor::Name library :
         vendor::candidates(device.driver(), tunable.name, problem.element, is_tf32))
      request.variants.push_back(vendor::variant_of(library));
  }
  return request;
}

std::vector<Variant> with_default(const Variant& standard, std::vector<Variant> others) {
  std::erase(others, standard);
  others.insert(others.begin(), standard);
  return others;
}

Variant variant_for(const Device& device, std::string_view operation, const Problem& problem) {
  const Variant* const forced = VariantScope::current(operation);
  if (forced == nullptr) return choose(device, operation, problem)->own;
  if (vendor::library_of(*forced) == vendor::Name::kNone) return *forced;
  return find_tunable(operation)->variants(device.info(), problem).front();
}

vendor::Choice library_for(const Device& device, std::string_view operation, const Problem& problem) {
  if (const Variant* const forced = VariantScope::current(operation))
    return {vendor::library_of(*forced), true};
  if (!vendor::exist_for(device.driver(), operation)) return {};
  return {choose(device, operation, problem)->library, false};
}

void remember_result(const Device& device, const Tunable& tunable, const Problem& problem,
                     const TuneResult& result) {
  auto chosen = std::make_shared<const Chosen>(chosen_of(describe_tuning(device, tunable, problem), result));
  const std::shared_ptr<Choices> choices = choices_of(device);
  const std::lock_guard lock(choices->mutex);
  choices->by_problem.insert_or_assign(ProblemClass(tunable, problem), std::move(chosen));
}

VariantScope::VariantScope(std::string_view operation, const Variant& variant)
    : before_(innermost_scope), operation_(operation), variant_(variant) {
  innermost_scope = this;
}

VariantScope::~VariantScope() { innermost_scope = before_; }

const Variant* VariantScope::current(std::string_view operation) {
  for (const VariantScope* s = innermost_scope; s != nullptr; s = s->before_) {
    if (s->operation_ == operation) return &s->variant_;
  }
  return nullptr;
}

}  // namespace quern::ops

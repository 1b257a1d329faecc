#include "driver/interface/info.hpp"

#include <iterator>

namespace quern::driver {

namespace {

constexpr std::string_view kFeatureNames[] = {
#define X(id, text, meaning) text,
    QUERN_FEATURES(X)
#undef X
};

constexpr std::string_view kFeatureMeanings[] = {
#define X(id, text, meaning) meaning,
    QUERN_FEATURES(X)
#undef X
};

constexpr std::string_view kCodeNames[] = {
#define X(id, text) text,
    QUERN_CODE_KINDS(X)
#undef X
};

constexpr std::string_view kDeviceKindNames[] = {"discrete", "integrated", "virtual",
                                                 "cpu",      "simulated",  "other"};

}  // namespace

std::string_view name(Feature feature) { return kFeatureNames[static_cast<size_t>(feature)]; }
std::string_view meaning(Feature feature) { return kFeatureMeanings[static_cast<size_t>(feature)]; }
std::string_view name(CodeKind kind) { return kCodeNames[static_cast<size_t>(kind)]; }
std::string_view name(DeviceKind kind) { return kDeviceKindNames[static_cast<size_t>(kind)]; }

std::vector<Feature> FeatureSet::list() const {
  std::vector<Feature> out;
  for (size_t i = 0; i < kFeatureCount; ++i) {
    if (has(static_cast<Feature>(i))) out.push_back(static_cast<Feature>(i));
  }
  return out;
}

std::vector<ir::Matrix> matrices_of_sm(int architecture) {
  using enum ir::MatrixType;
  std::vector<ir::Matrix> out;
  const auto add = [&](ir::MatrixType type, ir::MatrixShape shape, bool is_half_sum, bool is_saturating) {
    out.push_back({.type = type, .shape = shape, .is_half_sum = is_half_sum, .is_saturating = is_saturating});
  };
  const ir::MatrixShape square = ir::MatrixShape::k16x16x16;
  for (const ir::MatrixShape shape : {square, ir::MatrixShape::k32x8x16, ir::MatrixShape::k8x32x16}) {
    for (const bool yes : {false, true}) {
      if (architecture >= 75) add(kHalf, shape, yes, false);
      if (architecture >= 75) add(kI8, shape, false, yes);
      if (architecture >= 75) add(kU8, shape, false, yes);
    }
    if (architecture >= 80) add(kBfloat, shape, false, false);
  }
  if (architecture >= 80) add(kTf32, ir::MatrixShape::k16x16x8, false, false);
  if (architecture >= 80) add(kDouble, ir::MatrixShape::k8x8x4, false, false);
  return out;
}

}  // namespace quern::driver

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

}  // namespace quern::driver

// Matrix fragments as cooperative matrices. spirv-val of Debian 12 does not know SPV_KHR_cooperative_matrix;
// it knows NVIDIA's older extension, which differs in numbers and in the order of operands. So modules are
// validated as modules of that extension.
#include <cstring>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "target_spirv/emitted.hpp"

namespace quern::test {
namespace {

using Words = std::vector<uint32_t>;

enum : uint32_t {
  kExtension = 10,
  kCapability = 17,
  kTypeBool = 20,
  kTypeFloat = 22,
  kTypePointer = 32,
  kConstantTrue = 41,
  kConstantFalse = 42,
  kConstant = 43,
  kFunction = 54,
  kTypeMatrix = 4456,
  kMatrixLoad = 4457,
  kMatrixStore = 4458,
  kMatrixMulAdd = 4459,
};

struct Instruction {
  uint32_t code;
  Words operands;
};

std::vector<Instruction> read(const std::string& bytes) {
  Words all(bytes.size() / 4);
  std::memcpy(all.data(), bytes.data(), bytes.size());
  std::vector<Instruction> out;
  for (size_t at = 5; at < all.size(); at += all[at] >> 16)
    out.push_back({all[at] & 0xffff, Words(&all[at + 1], &all[at] + (all[at] >> 16))});
  return out;
}

size_t count(const std::string& bytes, uint32_t code) {
  size_t found = 0;
  for (const Instruction& i : read(bytes)) found += i.code == code ? 1 : 0;
  return found;
}

// The module in terms of SPV_NV_cooperative_matrix, whose types do not distinguish a, b and c; bfloat16,
// which spirv-val does not know either, as half.
class Translation {
 public:
  explicit Translation(const std::string& bytes) : in_(read(bytes)), header_(5) {
    std::memcpy(header_.data(), bytes.data(), 20);
  }

  std::string run() {
    for (const Instruction& i : in_) {
      if (i.code == kConstant) constants_[i.operands[1]] = i.operands[2];
      if (i.code == kTypeBool) boolean_ = i.operands[0];
    }
    for (Instruction& i : in_) take(i);
    Words all = header_;
    for (const Instruction& i : out_) {
      all.push_back(static_cast<uint32_t>(i.operands.size() + 1) << 16 | i.code);
      all.insert(all.end(), i.operands.begin(), i.operands.end());
    }
    std::string bytes(all.size() * 4, '\0');
    std::memcpy(bytes.data(), all.data(), bytes.size());
    return bytes;
  }

 private:
  uint32_t fresh() { return header_[3]++; }

  void add_booleans() {
    if (true_ != 0) return;
    if (boolean_ == 0) out_.push_back({kTypeBool, {boolean_ = fresh()}});
    out_.push_back({kConstantTrue, {boolean_, true_ = fresh()}});
    out_.push_back({kConstantFalse, {boolean_, false_ = fresh()}});
  }
  uint32_t by_column(uint32_t layout) { return constants_.at(layout) != 0 ? true_ : false_; }

  // Equal types are merged.
  bool is_known(const Words& key, uint32_t id) {
    const auto [at, is_new] = types_.try_emplace(key, id);
    if (!is_new) same_[id] = at->second;
    return !is_new;
  }
  uint32_t now(uint32_t id) const {
    const auto at = same_.find(id);
    return at == same_.end() ? id : at->second;
  }

  void take(Instruction& i) {
    constexpr uint32_t kTheirCapability = 5357, kTheirType = 5358, kTheirLoad = 5359, kTheirStore = 5360,
                       kTheirMulAdd = 5361, kOurCapability = 6022, kHalf = 9, kBfloat = 5116,
                       kBfloatMatrix = 5118;
    Words& o = i.operands;
    if (i.code == kFunction) add_booleans();
    if (i.code == kCapability && o[0] == kOurCapability) o[0] = kTheirCapability;
    if (i.code == kCapability && (o[0] == kBfloat || o[0] == kBfloatMatrix)) o[0] = kHalf;
    if (i.code == kExtension && !rename(o)) return;
    if (i.code == kTypePointer) {
      o[2] = now(o[2]);
      if (is_known({kTypePointer, o[1], o[2]}, o[0])) return;
    } else if (i.code == kTypeFloat) {
      o.resize(2);  // without how it is encoded
      if (is_known({kTypeFloat, o[1]}, o[0])) return;
    } else if (i.code == kTypeMatrix) {
      o[1] = now(o[1]);
      if (is_known({kTheirType, o[1], o[3], o[4]}, o[0])) return;
      o.pop_back();
      i.code = kTheirType;
    } else if (i.code == kMatrixLoad) {
      i.code = kTheirLoad;
      o[3] = by_column(o[3]);
      std::swap(o[3], o[4]);
    } else if (i.code == kMatrixStore) {
      i.code = kTheirStore;
      o[2] = by_column(o[2]);
      std::swap(o[2], o[3]);
    } else if (i.code == kMatrixMulAdd) {
      i.code = kTheirMulAdd;
      o.resize(5);
    }
    if (i.code > kConstantFalse && i.code != kTheirStore && !o.empty()) o[0] = now(o[0]);
    out_.push_back(i);
  }

  // False: it does not know the extension.
  static bool rename(Words& text) {
    std::string name(reinterpret_cast<const char*>(text.data()));
    if (name == "SPV_KHR_bfloat16") return false;
    if (name != "SPV_KHR_cooperative_matrix") return true;
    name = "SPV_NV_cooperative_matrix";
    std::fill(text.begin(), text.end(), 0);
    std::memcpy(text.data(), name.data(), name.size());
    return true;
  }

  std::vector<Instruction> in_, out_;
  Words header_;
  std::map<uint32_t, uint32_t> constants_, same_;
  std::map<Words, uint32_t> types_;
  uint32_t boolean_ = 0, true_ = 0, false_ = 0;
};

target::Options with_matrices() {
  target::Options options = spirv_options();
  constexpr int kAll = 80;
  options.matrices = driver::matrices_of_sm(kAll);
  return options;
}

constexpr std::string_view kStart = R"(
#include <mma.h>
using namespace nvcuda;
using A = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using B = wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major>;
using C = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;
)";

std::string emitted(const std::string& kernel, const target::Options& options) {
  const auto code = emit_spirv(std::string(kStart) + kernel, options);
  if (code.ok()) return code->bytes;
  ADD_FAILURE() << code.error().message();
  return {};
}

constexpr const char* kPlain = R"(
__global__ void k(const half* a, const half* b, float* c, float s) {
  A fa; B fb; C fc[2];
  wmma::fill_fragment(fc[0], 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc[0], fa, fb, fc[0]);
  fc[1] = fc[0];
  for (int i = 0; i < fc[1].num_elements; ++i) fc[1].x[i] *= s;
  wmma::store_matrix_sync(c, fc[1], 16, wmma::mem_row_major);
})";

TEST(SpirvMatrices, AreObjectsOfTheDevice) {
  const std::string bytes = emitted(kPlain, with_matrices());
  EXPECT_EQ(count(bytes, kMatrixLoad), 2u);
  EXPECT_EQ(count(bytes, kMatrixMulAdd), 1u);
  EXPECT_EQ(count(bytes, kMatrixStore), 1u);
}

TEST(SpirvMatrices, AreMadeOfBfloatsWhereTheDeviceHasThem) {
  constexpr const char* kBfloats = R"(
__global__ void k(const __nv_bfloat16* a, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb;
  C fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::fill_fragment(fb, __float2bfloat16(1.0f));
  wmma::load_matrix_sync(fa, a, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
})";
  constexpr int kWithoutBfloats = 75;
  target::Options options = with_matrices();
  EXPECT_EQ(count(emitted(kBfloats, options), kMatrixMulAdd), 1u);
  options.matrices = driver::matrices_of_sm(kWithoutBfloats);
  EXPECT_EQ(count(emitted(kBfloats, options), kMatrixMulAdd), 0u);
}

TEST(SpirvMatrices, ArePlainCodeWithoutUnits) {
  EXPECT_EQ(count(emitted(kPlain, spirv_options()), kTypeMatrix), 0u);
}

TEST(SpirvMatrices, ArePlainCodeWhereAFragmentIsChosenAtRunTime) {
  const std::string bytes = emitted(R"(
__global__ void k(const half* a, const half* b, float* c, int which) {
  A fa; B fb; C fc[2];
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::fill_fragment(fc[0], 0.0f);
  wmma::fill_fragment(fc[1], 1.0f);
  wmma::mma_sync(fc[0], fa, fb, fc[which]);
  wmma::store_matrix_sync(c, fc[0], 16, wmma::mem_row_major);
})",
                                    with_matrices());
  EXPECT_EQ(count(bytes, kTypeMatrix), 0u);
}

TEST(SpirvMatrices, ArePlainCodeWhereNotAllThreadsArrive) {
  const std::string bytes = emitted(R"(
__global__ void k(const half* a, const half* b, float* c) {
  if (threadIdx.x >= 32) return;
  A fa; B fb; C fc;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::fill_fragment(fc, 0.0f);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
})",
                                    with_matrices());
  EXPECT_EQ(count(bytes, kTypeMatrix), 0u);
}

TEST(SpirvMatrices, AreValidInTheWordsOfAnOlderExtension) {
  if (!has_validator()) GTEST_SKIP() << "spirv-val is not installed";
  size_t validated = 0;
  for (const EmittedModule& m : emit_cases_as_spirv(with_matrices())) {
    if (m.bytes.empty() || count(m.bytes, kTypeMatrix) == 0) continue;
    ++validated;
    const auto said = validate(Translation(m.bytes).run());
    EXPECT_FALSE(said) << m.name << "\n" << *said;
  }
  EXPECT_GE(validated, 20u);
}

}  // namespace
}  // namespace quern::test

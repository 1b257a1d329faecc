#include "target/spirv/reflect.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "base/text.hpp"

namespace quern::target::spirv {

using base::Error;
using base::ErrorKind;
using base::Result;

namespace {

enum Op : uint16_t {
  kOpName = 5,
  kOpMemberName = 6,
  kOpEntryPoint = 15,
  kOpExecutionMode = 16,
  kOpTypeBool = 20,
  kOpTypeInt = 21,
  kOpTypeFloat = 22,
  kOpTypeVector = 23,
  kOpTypeMatrix = 24,
  kOpTypeArray = 28,
  kOpTypeRuntimeArray = 29,
  kOpTypeStruct = 30,
  kOpTypePointer = 32,
  kOpConstant = 43,
  kOpConstantComposite = 44,
  kOpSpecConstantTrue = 48,
  kOpSpecConstantFalse = 49,
  kOpSpecConstant = 50,
  kOpSpecConstantComposite = 51,
  kOpFunction = 54,
  kOpFunctionEnd = 56,
  kOpFunctionCall = 57,
  kOpVariable = 59,
  kOpLoad = 61,
  kOpStore = 62,
  kOpCopyMemory = 63,
  kOpAccessChain = 65,
  kOpInBoundsPtrAccessChain = 70,
  kOpDecorate = 71,
  kOpMemberDecorate = 72,
  kOpCopyObject = 83,
  kOpAtomicLoad = 227,
  kOpAtomicStore = 228,
  kOpAtomicXor = 242,
  kOpAtomicFAdd = 6035,
  kOpAtomicFMin = 5614,
  kOpAtomicFMax = 5615,
  kOpExecutionModeId = 331,
};

enum Decoration : uint32_t {
  kSpecId = 1,
  kBufferBlock = 3,
  kArrayStride = 6,
  kMatrixStride = 7,
  kBuiltIn = 11,
  kNonWritable = 24,
  kBinding = 33,
  kDescriptorSet = 34,
  kOffset = 35,
};

enum StorageClass : uint32_t { kUniform = 2, kWorkgroup = 4, kPushConstant = 9, kStorageBuffer = 12 };

constexpr uint32_t kModelCompute = 5;
constexpr uint32_t kModeLocalSize = 17, kModeLocalSizeId = 38;
constexpr uint32_t kBuiltInWorkgroupSize = 25;

struct Instruction {
  uint16_t op = 0;
  std::span<const uint32_t> words;  // with the first
  uint32_t at(size_t i) const { return i < words.size() ? words[i] : 0; }
};

struct Function {
  std::set<uint32_t> variables, calls;
};

class Reflection {
 public:
  explicit Reflection(std::span<const uint32_t> words) : words_(words) {}

  Result<RawModule> run(const std::vector<std::pair<std::string, std::string>>& defines) {
    QUERN_TRY(read());
    RawModule out;
    for (const auto& [name, value] : defines) QUERN_TRY(define(name, value, out));
    for (const Instruction& e : entries_) {
      QUERN_TRY_ASSIGN(RawEntry entry, describe(e));
      out.entries.push_back(std::move(entry));
    }
    if (out.entries.empty()) return Error(ErrorKind::kBadInput, "the module has no compute entry point");
    return out;
  }

 private:
  static std::string text(std::span<const uint32_t> words) {
    const char* bytes = reinterpret_cast<const char*>(words.data());
    return std::string(bytes, strnlen(bytes, words.size() * 4));
  }

  Result<> read() {
    constexpr size_t kHeader = 5;
    Function* function = nullptr;
    for (size_t at = kHeader; at < words_.size();) {
      const uint32_t count = words_[at] >> 16;
      if (count == 0 || count > words_.size() - at)
        return Error(ErrorKind::kBadInput, "the SPIR-V module is truncated at word " + std::to_string(at));
      const Instruction i{static_cast<uint16_t>(words_[at] & 0xFFFF), words_.subspan(at, count)};
      at += count;
      if (i.op == kOpFunction) function = &functions_[i.at(2)];
      if (i.op == kOpFunctionEnd) function = nullptr;
      if (function != nullptr) {
        note_uses(i, *function);
      } else {
        note_global(i);
      }
    }
    return {};
  }

  void note_global(const Instruction& i) {
    switch (i.op) {
      case kOpName: names_[i.at(1)] = i.words.size() > 2 ? text(i.words.subspan(2)) : ""; break;
      case kOpMemberName:
        if (i.at(2) == 0 && i.words.size() > 3) first_members_[i.at(1)] = text(i.words.subspan(3));
        break;
      case kOpEntryPoint:
        if (i.at(1) == kModelCompute && i.words.size() > 3) entries_.push_back(i);
        break;
      case kOpExecutionMode:
      case kOpExecutionModeId: modes_.push_back(i); break;
      case kOpDecorate: decorations_[{i.at(1), i.at(2)}] = i.at(3); break;
      case kOpMemberDecorate: member_decorations_[{i.at(1), i.at(2), i.at(3)}] = i.at(4); break;
      case kOpVariable: variables_[i.at(2)] = i; break;
      case kOpTypeBool:
      case kOpTypeInt:
      case kOpTypeFloat:
      case kOpTypeVector:
      case kOpTypeMatrix:
      case kOpTypeArray:
      case kOpTypeRuntimeArray:
      case kOpTypeStruct:
      case kOpTypePointer: types_[i.at(1)] = i; break;
      case kOpConstant:
      case kOpConstantComposite:
      case kOpSpecConstantTrue:
      case kOpSpecConstantFalse:
      case kOpSpecConstant:
      case kOpSpecConstantComposite: constants_[i.at(2)] = i; break;
      default: break;
    }
  }

  // Operands that may be variables: of loads, stores, access chains, calls and atomics.
  void note_uses(const Instruction& i, Function& function) {
    size_t first = 3, last = 3;
    switch (i.op) {
      case kOpFunctionCall:
        function.calls.insert(i.at(3));
        first = 4;
        last = i.words.size();
        break;
      case kOpStore:
      case kOpCopyMemory:
        first = 1;
        last = 2;
        break;
      case kOpAtomicStore: first = last = 1; break;
      default: {
        const bool is_chain = i.op >= kOpAccessChain && i.op <= kOpInBoundsPtrAccessChain;
        const bool is_atomic = (i.op >= kOpAtomicLoad && i.op <= kOpAtomicXor) || i.op == kOpAtomicFAdd ||
                               i.op == kOpAtomicFMin || i.op == kOpAtomicFMax;
        if (i.op != kOpLoad && i.op != kOpCopyObject && !is_chain && !is_atomic) return;
      }
    }
    for (size_t w = first; w <= last; ++w) {
      if (variables_.count(i.at(w)) != 0) function.variables.insert(i.at(w));
    }
  }

  const uint32_t* decoration(uint32_t id, uint32_t what) const {
    const auto found = decorations_.find({id, what});
    return found == decorations_.end() ? nullptr : &found->second;
  }

  // Several constants may have one SpecId: a block size and the number it is used as.
  Result<> define(const std::string& name, const std::string& value, RawModule& to) {
    std::optional<RawConstant> set;
    for (const auto& [id, i] : constants_) {
      const uint32_t* const spec = decoration(id, kSpecId);
      const auto named = names_.find(id);
      if (spec == nullptr) continue;
      if (name != std::to_string(*spec) && (named == names_.end() || named->second != name)) continue;
      QUERN_TRY_ASSIGN(set, parse(i, name, value));
      set->id = *spec;
    }
    if (!set)
      return Error(ErrorKind::kInvalidUse, "the module has no specialisation constant '" + name + "'");
    for (const auto& [id, i] : constants_) {
      const uint32_t* const spec = decoration(id, kSpecId);
      if (spec != nullptr && *spec == set->id) defined_[id] = set->bits;
    }
    to.constants.push_back(*set);
    return {};
  }

  Result<RawConstant> parse(const Instruction& i, const std::string& name, const std::string& value) {
    RawConstant c;
    const auto type = types_.find(i.at(1));
    const uint16_t op = type == types_.end() ? 0 : type->second.op;
    if (op == kOpTypeInt || op == kOpTypeFloat) c.bytes = type->second.at(2) / 8;
    if (op == kOpTypeFloat && c.bytes >= 4) {
      if (const auto number = base::parse_double(value)) {
        const auto narrow = static_cast<float>(*number);
        std::memcpy(&c.bits, c.bytes == 8 ? static_cast<const void*>(&*number) : &narrow, c.bytes);
        return c;
      }
    } else if (op == kOpTypeBool && (value == "true" || value == "false")) {
      c.bits = value == "true" ? 1 : 0;
      return c;
    } else if (const auto number = base::parse_int(value);
               number && (op == kOpTypeInt || op == kOpTypeBool)) {
      c.bits = static_cast<uint64_t>(*number);
      return c;
    }
    return Error(ErrorKind::kInvalidUse, "specialisation constant '" + name + "' cannot be '" + value + "'");
  }

  uint64_t constant(uint32_t id) const {
    if (const auto own = defined_.find(id); own != defined_.end()) return own->second;
    const auto found = constants_.find(id);
    return found == constants_.end() ? 0 : found->second.at(3);
  }

  // In bytes, with the layout that the module specifies, or none.
  uint64_t size_of(uint32_t id, int depth = 0) const {
    constexpr int kMostDepth = 64;
    const auto found = types_.find(id);
    if (found == types_.end() || depth > kMostDepth) return 0;
    const Instruction& t = found->second;
    switch (t.op) {
      case kOpTypeBool: return 4;
      case kOpTypeInt:
      case kOpTypeFloat: return t.at(2) / 8;
      case kOpTypeVector:
      case kOpTypeMatrix: return size_of(t.at(2), depth + 1) * t.at(3);
      case kOpTypeArray: {
        const uint32_t* const stride = decoration(id, kArrayStride);
        return constant(t.at(3)) * (stride != nullptr ? *stride : size_of(t.at(2), depth + 1));
      }
      case kOpTypeStruct: return size_of_struct(t, depth);
      case kOpTypePointer: return 8;
      default: return 0;
    }
  }

  uint64_t size_of_struct(const Instruction& t, int depth) const {
    uint64_t end = 0;
    for (uint32_t m = 0; m + 2 < t.words.size(); ++m) {
      const auto offset = member_decorations_.find({t.at(1), m, kOffset});
      uint64_t bytes = size_of(t.words[m + 2], depth + 1);
      const auto stride = member_decorations_.find({t.at(1), m, kMatrixStride});
      const auto type = types_.find(t.words[m + 2]);
      if (stride != member_decorations_.end() && type != types_.end())
        bytes = uint64_t{stride->second} * type->second.at(3);
      end = std::max(end, offset != member_decorations_.end() ? offset->second + bytes : end + bytes);
    }
    return end;
  }

  void reach(uint32_t id, std::set<uint32_t>& seen, std::set<uint32_t>& variables) const {
    const auto found = functions_.find(id);
    if (found == functions_.end() || !seen.insert(id).second) return;
    variables.insert(found->second.variables.begin(), found->second.variables.end());
    for (const uint32_t called : found->second.calls) reach(called, seen, variables);
  }

  Result<RawEntry> describe(const Instruction& i) {
    RawEntry entry;
    entry.name = text(i.words.subspan(3));
    const uint32_t function = i.at(2);
    std::set<uint32_t> seen, used;
    reach(function, seen, used);
    for (const uint32_t id : used) QUERN_TRY(describe_variable(variables_.at(id), entry));
    std::sort(entry.buffers.begin(), entry.buffers.end(), [](const RawBuffer& a, const RawBuffer& b) {
      return std::pair(a.set, a.binding) < std::pair(b.set, b.binding);
    });
    entry.block = block_of(function);
    return entry;
  }

  Result<> describe_variable(const Instruction& v, RawEntry& entry) {
    const auto pointer = types_.find(v.at(1));
    if (pointer == types_.end()) return {};
    uint32_t type = pointer->second.at(3);
    switch (v.at(3)) {
      case kWorkgroup: entry.shared_bytes += size_of(type); return {};
      case kPushConstant:
        entry.push_bytes = static_cast<uint32_t>(size_of(type));
        entry.push_name = name_of(v.at(2), type);
        return {};
      case kUniform:
      case kStorageBuffer: break;
      default:
        if (decoration(v.at(2), kBinding) == nullptr) return {};
        return Error(ErrorKind::kUnsupported, "'" + names_[v.at(2)] + "' of entry point '" + entry.name +
                                                  "' is not a buffer: images and samplers are not supported");
    }
    RawBuffer b;
    const auto found = types_.find(type);
    if (found != types_.end() && found->second.op == kOpTypeArray) {
      b.count = static_cast<uint32_t>(constant(found->second.at(3)));
      type = found->second.at(2);
    } else if (found != types_.end() && found->second.op == kOpTypeRuntimeArray) {
      return Error(ErrorKind::kUnsupported, "'" + names_[v.at(2)] + "' is a runtime-sized array of buffers");
    }
    b.name = name_of(v.at(2), type);
    const uint32_t* const set = decoration(v.at(2), kDescriptorSet);
    const uint32_t* const binding = decoration(v.at(2), kBinding);
    b.set = set != nullptr ? *set : 0;
    b.binding = binding != nullptr ? *binding : 0;
    b.is_uniform = v.at(3) == kUniform && decoration(type, kBufferBlock) == nullptr;
    b.is_written = !b.is_uniform && decoration(v.at(2), kNonWritable) == nullptr &&
                   member_decorations_.count({type, 0, kNonWritable}) == 0;
    entry.buffers.push_back(std::move(b));
    return {};
  }

  // The variable's name, otherwise that of the block's only member, otherwise that of the block.
  std::string name_of(uint32_t variable, uint32_t type) {
    if (!names_[variable].empty()) return names_[variable];
    const auto found = types_.find(type);
    const auto member = first_members_.find(type);
    constexpr size_t kOneMember = 3;
    if (found != types_.end() && found->second.words.size() == kOneMember && member != first_members_.end())
      return member->second;
    return names_[type];
  }

  driver::Dim3 block_of(uint32_t function) const {
    const auto of = [&](uint32_t x, uint32_t y, uint32_t z) {
      return driver::Dim3{std::max(x, 1u), std::max(y, 1u), std::max(z, 1u)};
    };
    const auto value = [&](uint32_t id) { return static_cast<uint32_t>(constant(id)); };
    for (const auto& [id, c] : constants_) {
      const uint32_t* const built_in = decoration(id, kBuiltIn);
      if (built_in != nullptr && *built_in == kBuiltInWorkgroupSize && c.words.size() > 5)
        return of(value(c.at(3)), value(c.at(4)), value(c.at(5)));
    }
    for (const Instruction& m : modes_) {
      if (m.at(1) != function) continue;
      if (m.at(2) == kModeLocalSize) return of(m.at(3), m.at(4), m.at(5));
      if (m.at(2) == kModeLocalSizeId) return of(value(m.at(3)), value(m.at(4)), value(m.at(5)));
    }
    return {};
  }

  std::span<const uint32_t> words_;
  std::map<uint32_t, std::string> names_, first_members_;
  std::vector<Instruction> entries_, modes_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> decorations_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> member_decorations_;
  std::map<uint32_t, Instruction> types_, constants_, variables_;
  std::map<uint32_t, uint64_t> defined_;
  std::map<uint32_t, Function> functions_;
};

}  // namespace

Result<RawModule> reflect(std::span<const uint32_t> words,
                          const std::vector<std::pair<std::string, std::string>>& defines) {
  return Reflection(words).run(defines);
}

driver::KernelInfo describe(const RawEntry& entry) {
  driver::KernelInfo info;
  info.name = info.entry = entry.name;
  info.block = entry.block;
  info.shared_bytes = entry.shared_bytes;
  for (const RawBuffer& b : entry.buffers) {
    for (uint32_t element = 0; element < b.count; ++element) {
      driver::ParamInfo& p = info.params.emplace_back();
      p.name = b.count == 1 ? b.name : b.name + "." + std::to_string(element);
      p.spelling = b.is_uniform ? "uniform buffer" : "buffer";
      p.type = ir::TypeKind::kPtr;
      p.is_pointer = true;
      p.is_written = b.is_written;
      p.bytes = p.align = 8;
    }
  }
  if (entry.push_bytes != 0) {
    driver::ParamInfo& p = info.params.emplace_back();
    p.name = entry.push_name;
    p.spelling = "struct of " + base::format_plural(entry.push_bytes, "byte");
    p.bytes = entry.push_bytes;
    p.align = 4;
  }
  return info;
}

}  // namespace quern::target::spirv

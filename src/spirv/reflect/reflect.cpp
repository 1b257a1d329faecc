#include "spirv/reflect/reflect.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "base/text.hpp"
#include "spirv/grammar/enums.hpp"
#include "spirv/grammar/opcode.hpp"
#include "spirv/reflect/messages.hpp"

namespace quern::spirv {

using base::Error;
using base::ErrorKind;
using base::Result;

namespace {

struct Instruction {
  Opcode op = Opcode::kNop;
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
    if (out.entries.empty()) return Error(ErrorKind::bad_input, message::kNoComputeEntryPoint());
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
        return Error(ErrorKind::bad_input, message::kTruncated(std::to_string(at)));
      const Instruction i{static_cast<Opcode>(words_[at] & 0xFFFF), words_.subspan(at, count)};
      at += count;
      if (i.op == Opcode::kFunction) function = &functions_[i.at(2)];
      if (i.op == Opcode::kFunctionEnd) function = nullptr;
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
      case Opcode::kName: names_[i.at(1)] = i.words.size() > 2 ? text(i.words.subspan(2)) : ""; break;
      case Opcode::kMemberName:
        if (i.at(2) == 0 && i.words.size() > 3) first_members_[i.at(1)] = text(i.words.subspan(3));
        break;
      case Opcode::kEntryPoint:
        if (i.at(1) == to_word(ExecutionModel::kGlCompute) && i.words.size() > 3) entries_.push_back(i);
        break;
      case Opcode::kExecutionMode:
      case Opcode::kExecutionModeId: modes_.push_back(i); break;
      case Opcode::kDecorate: decorations_[{i.at(1), i.at(2)}] = i.at(3); break;
      case Opcode::kMemberDecorate: member_decorations_[{i.at(1), i.at(2), i.at(3)}] = i.at(4); break;
      case Opcode::kVariable: variables_[i.at(2)] = i; break;
      case Opcode::kTypeBool:
      case Opcode::kTypeInt:
      case Opcode::kTypeFloat:
      case Opcode::kTypeVector:
      case Opcode::kTypeMatrix:
      case Opcode::kTypeArray:
      case Opcode::kTypeRuntimeArray:
      case Opcode::kTypeStruct:
      case Opcode::kTypePointer: types_[i.at(1)] = i; break;
      case Opcode::kConstant:
      case Opcode::kConstantComposite:
      case Opcode::kSpecConstantTrue:
      case Opcode::kSpecConstantFalse:
      case Opcode::kSpecConstant:
      case Opcode::kSpecConstantComposite: constants_[i.at(2)] = i; break;
      default: break;
    }
  }

  // Operands that may be variables: of loads, stores, access chains, calls and atomics.
  void note_uses(const Instruction& i, Function& function) {
    size_t first = 3, last = 3;
    switch (i.op) {
      case Opcode::kFunctionCall:
        function.calls.insert(i.at(3));
        first = 4;
        last = i.words.size();
        break;
      case Opcode::kStore:
      case Opcode::kCopyMemory:
        first = 1;
        last = 2;
        break;
      case Opcode::kAtomicStore: first = last = 1; break;
      default: {
        const bool is_chain = i.op >= Opcode::kAccessChain && i.op <= Opcode::kInBoundsPtrAccessChain;
        const bool is_atomic = (i.op >= Opcode::kAtomicLoad && i.op <= Opcode::kAtomicXor) ||
                               i.op == Opcode::kAtomicFAddEXT || i.op == Opcode::kAtomicFMinEXT ||
                               i.op == Opcode::kAtomicFMaxEXT;
        if (i.op != Opcode::kLoad && i.op != Opcode::kCopyObject && !is_chain && !is_atomic) return;
      }
    }
    for (size_t w = first; w <= last; ++w) {
      if (variables_.count(i.at(w)) != 0) function.variables.insert(i.at(w));
    }
  }

  const uint32_t* decoration(uint32_t id, Decoration what) const {
    const auto found = decorations_.find({id, to_word(what)});
    return found == decorations_.end() ? nullptr : &found->second;
  }

  // Several constants may have one SpecId: a block size and the number it is used as.
  Result<> define(const std::string& name, const std::string& value, RawModule& to) {
    std::optional<RawConstant> set;
    for (const auto& [id, i] : constants_) {
      const uint32_t* const spec = decoration(id, Decoration::kSpecId);
      const auto named = names_.find(id);
      if (spec == nullptr) continue;
      if (name != std::to_string(*spec) && (named == names_.end() || named->second != name)) continue;
      QUERN_TRY_ASSIGN(set, parse(i, name, value));
      set->id = *spec;
    }
    if (!set) return Error(ErrorKind::invalid_use, message::kUnknownSpecialization(name));
    for (const auto& [id, i] : constants_) {
      const uint32_t* const spec = decoration(id, Decoration::kSpecId);
      if (spec != nullptr && *spec == set->id) defined_[id] = set->bits;
    }
    to.constants.push_back(*set);
    return {};
  }

  Result<RawConstant> parse(const Instruction& i, const std::string& name, const std::string& value) {
    RawConstant c;
    const auto type = types_.find(i.at(1));
    const Opcode op = type == types_.end() ? Opcode::kNop : type->second.op;
    if (op == Opcode::kTypeInt || op == Opcode::kTypeFloat) c.bytes = type->second.at(2) / 8;
    if (op == Opcode::kTypeFloat && c.bytes >= 4) {
      if (const auto number = base::parse_double(value)) {
        const auto narrow = static_cast<float>(*number);
        std::memcpy(&c.bits, c.bytes == 8 ? static_cast<const void*>(&*number) : &narrow, c.bytes);
        return c;
      }
    } else if (op == Opcode::kTypeBool && (value == "true" || value == "false")) {
      c.bits = value == "true" ? 1 : 0;
      return c;
    } else if (const auto number = base::parse_int(value);
               number && (op == Opcode::kTypeInt || op == Opcode::kTypeBool)) {
      c.bits = static_cast<uint64_t>(*number);
      return c;
    }
    return Error(ErrorKind::invalid_use, message::kSpecializationValue(name, value));
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
      case Opcode::kTypeBool: return 4;
      case Opcode::kTypeInt:
      case Opcode::kTypeFloat: return t.at(2) / 8;
      case Opcode::kTypeVector:
      case Opcode::kTypeMatrix: return size_of(t.at(2), depth + 1) * t.at(3);
      case Opcode::kTypeArray: {
        const uint32_t* const stride = decoration(id, Decoration::kArrayStride);
        return constant(t.at(3)) * (stride != nullptr ? *stride : size_of(t.at(2), depth + 1));
      }
      case Opcode::kTypeStruct: return size_of_struct(t, depth);
      case Opcode::kTypePointer: return 8;
      default: return 0;
    }
  }

  uint64_t size_of_struct(const Instruction& t, int depth) const {
    uint64_t end = 0;
    for (uint32_t m = 0; m + 2 < t.words.size(); ++m) {
      const auto offset = member_decorations_.find({t.at(1), m, to_word(Decoration::kOffset)});
      uint64_t bytes = size_of(t.words[m + 2], depth + 1);
      const auto stride = member_decorations_.find({t.at(1), m, to_word(Decoration::kMatrixStride)});
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
    switch (static_cast<StorageClass>(v.at(3))) {
      case StorageClass::kWorkgroup: entry.shared_bytes += size_of(type); return {};
      case StorageClass::kPushConstant:
        entry.push_bytes = static_cast<uint32_t>(size_of(type));
        entry.push_name = name_of(v.at(2), type);
        return {};
      case StorageClass::kUniform:
      case StorageClass::kStorageBuffer: break;
      default:
        if (decoration(v.at(2), Decoration::kBinding) == nullptr) return {};
        return Error(ErrorKind::unsupported, message::kNotABuffer(names_[v.at(2)], entry.name));
    }
    RawBuffer b;
    const auto found = types_.find(type);
    if (found != types_.end() && found->second.op == Opcode::kTypeArray) {
      b.count = static_cast<uint32_t>(constant(found->second.at(3)));
      type = found->second.at(2);
    } else if (found != types_.end() && found->second.op == Opcode::kTypeRuntimeArray) {
      return Error(ErrorKind::unsupported, message::kRuntimeArrayOfBuffers(names_[v.at(2)]));
    }
    b.name = name_of(v.at(2), type);
    const uint32_t* const set = decoration(v.at(2), Decoration::kDescriptorSet);
    const uint32_t* const binding = decoration(v.at(2), Decoration::kBinding);
    b.set = set != nullptr ? *set : 0;
    b.binding = binding != nullptr ? *binding : 0;
    b.is_uniform =
        v.at(3) == to_word(StorageClass::kUniform) && decoration(type, Decoration::kBufferBlock) == nullptr;
    b.is_written = !b.is_uniform && decoration(v.at(2), Decoration::kNonWritable) == nullptr &&
                   member_decorations_.count({type, 0, to_word(Decoration::kNonWritable)}) == 0;
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

  LocalSize block_of(uint32_t function) const {
    const auto of = [&](uint32_t x, uint32_t y, uint32_t z) {
      return LocalSize{std::max(x, 1u), std::max(y, 1u), std::max(z, 1u)};
    };
    const auto value = [&](uint32_t id) { return static_cast<uint32_t>(constant(id)); };
    for (const auto& [id, c] : constants_) {
      const uint32_t* const built_in = decoration(id, Decoration::kBuiltIn);
      if (built_in != nullptr && *built_in == to_word(BuiltIn::kWorkgroupSize) && c.words.size() > 5)
        return of(value(c.at(3)), value(c.at(4)), value(c.at(5)));
    }
    for (const Instruction& m : modes_) {
      if (m.at(1) != function) continue;
      if (m.at(2) == to_word(ExecutionMode::kLocalSize)) return of(m.at(3), m.at(4), m.at(5));
      if (m.at(2) == to_word(ExecutionMode::kLocalSizeId))
        return of(value(m.at(3)), value(m.at(4)), value(m.at(5)));
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

}  // namespace quern::spirv

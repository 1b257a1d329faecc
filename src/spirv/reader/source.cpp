#include "spirv/reader/source.hpp"

#include "spirv/reader/messages.hpp"

namespace quern::spirv {

void Failure::set(const Instruction& at, const base::MessageText& what) {
  if (error_.has_value()) return;
  error_.emplace(base::ErrorKind::bad_input, describe(at) + " " + what.str());
}

void Decorations::add(const Decorations& o) {
  const auto take = [](auto& mine, const auto& theirs) {
    if (theirs.has_value()) mine = theirs;
  };
  take(spec_id, o.spec_id);
  take(array_stride, o.array_stride);
  take(builtin, o.builtin);
  take(binding, o.binding);
  take(set, o.set);
  take(rounding, o.rounding);
  take(offset, o.offset);
  take(matrix_stride, o.matrix_stride);
  row_major |= o.row_major;
  is_block |= o.is_block;
  is_buffer_block |= o.is_buffer_block;
  is_packed |= o.is_packed;
  is_read_only |= o.is_read_only;
  is_volatile |= o.is_volatile;
  is_by_value |= o.is_by_value;
  is_saturated |= o.is_saturated;
}

namespace {

void apply(Decorations& d, std::span<const uint32_t> words) {
  if (words.empty()) return;
  const std::optional<uint32_t> value = words.size() > 1 ? std::optional(words[1]) : std::nullopt;
  switch (static_cast<Decoration>(words[0])) {
    case Decoration::kSpecId: d.spec_id = value; break;
    case Decoration::kBlock: d.is_block = true; break;
    case Decoration::kBufferBlock: d.is_block = d.is_buffer_block = true; break;
    case Decoration::kRowMajor: d.row_major = true; break;
    case Decoration::kArrayStride: d.array_stride = value; break;
    case Decoration::kMatrixStride: d.matrix_stride = value; break;
    case Decoration::kPacked: d.is_packed = true; break;
    case Decoration::kBuiltIn: d.builtin = value; break;
    case Decoration::kVolatile: d.is_volatile = true; break;
    case Decoration::kConstant:
    case Decoration::kNonWritable: d.is_read_only = true; break;
    case Decoration::kSaturatedConversion: d.is_saturated = true; break;
    case Decoration::kBinding: d.binding = value; break;
    case Decoration::kDescriptorSet: d.set = value; break;
    case Decoration::kOffset: d.offset = value; break;
    case Decoration::kFuncParamAttr:
      d.is_by_value |= value == to_word(FunctionParameterAttribute::kByVal);
      d.is_read_only |= value == to_word(FunctionParameterAttribute::kNoWrite);
      break;
    case Decoration::kRoundingMode: d.rounding = value; break;
    default: break;  // no effect on computation or layout
  }
}

bool is_declaration(Opcode op) {
  return (op >= Opcode::kTypeVoid && op <= Opcode::kSpecConstantOp) || op == Opcode::kVariable ||
         op == Opcode::kUndef;
}

bool is_terminator(Opcode op) {
  switch (op) {
    case Opcode::kBranch:
    case Opcode::kBranchConditional:
    case Opcode::kSwitch:
    case Opcode::kKill:
    case Opcode::kReturn:
    case Opcode::kReturnValue:
    case Opcode::kUnreachable:
    case Opcode::kTerminateInvocation: return true;
    default: return false;
  }
}

}  // namespace

class Collector {
 public:
  Collector(Source& source, Failure& failure) : s_(source), failure_(failure) {}

  void run() {
    for (const Instruction& i : s_.binary.instructions) {
      at_ = &i;
      if (i.result() != 0 && !s_.definitions.emplace(i.result(), &i).second)
        fail(message::kDefinedTwice(std::to_string(i.result())));
      if (function_ != nullptr || i.opcode == Opcode::kFunction) {
        in_function(i);
      } else if (is_declaration(i.opcode)) {
        s_.declarations.push_back(&i);
      } else {
        preamble(i);
      }
      if (failure_) return;
    }
    if (function_ != nullptr) fail(message::kNoFunctionEnd());
    for (const Instruction* i : modes_) execution_mode(*i);
  }

 private:
  void fail(const base::MessageText& what) { failure_.set(*at_, what); }

  uint32_t operand(size_t i) {
    if (i < at_->operands.size()) return at_->operands[i];
    fail(message::kMissingOperand());
    return 0;
  }

  void preamble(const Instruction& i) {
    switch (i.opcode) {
      case Opcode::kCapability:
      case Opcode::kExtension:
      case Opcode::kSourceExtension:
      case Opcode::kModuleProcessed:
      case Opcode::kNop:
      case Opcode::kLine:
      case Opcode::kNoLine:
      case Opcode::kDecorateString:
      case Opcode::kMemberDecorateString:
      case Opcode::kDecorateId:
      case Opcode::kDecorationGroup:
      case Opcode::kExtInst: break;  // outside of functions: debug information only
      case Opcode::kExtInstImport: import(i); break;
      case Opcode::kMemoryModel: memory_model(); break;
      case Opcode::kEntryPoint: entry_point(i); break;
      case Opcode::kExecutionMode:
      case Opcode::kExecutionModeId: modes_.push_back(&i); break;
      case Opcode::kString: s_.strings_[i.result()] = text_at(i, 1); break;
      case Opcode::kSource: source(i); break;
      case Opcode::kSourceContinued: source_continued(i); break;
      case Opcode::kName: s_.names_[operand(0)] = text_at(i, 1); break;
      case Opcode::kMemberName: s_.member_names_[{operand(0), operand(1)}] = text_at(i, 2); break;
      case Opcode::kDecorate: apply(s_.decorations_[operand(0)], rest(1)); break;
      case Opcode::kMemberDecorate: apply(s_.member_decorations_[{operand(0), operand(1)}], rest(2)); break;
      case Opcode::kGroupDecorate:
        for (const Id target : rest(1)) s_.decorations_[target].add(Decorations(s_.decorations_[operand(0)]));
        break;
      case Opcode::kGroupMemberDecorate: group_members(); break;
      default: fail(message::kOutsideFunction());
    }
  }

  std::span<const uint32_t> rest(size_t from) {
    return from < at_->operands.size() ? at_->operands.subspan(from) : std::span<const uint32_t>();
  }

  void group_members() {
    const std::span<const uint32_t> pairs = rest(1);
    for (size_t k = 0; k + 1 < pairs.size(); k += 2)
      s_.member_decorations_[{pairs[k], pairs[k + 1]}].add(s_.decorations(operand(0)));
  }

  void import(const Instruction& i) {
    const std::string name = text_at(i, 1);
    ExtendedSet set = ExtendedSet::kGlsl;
    if (name == "OpenCL.std") {
      set = ExtendedSet::kOpenCl;
    } else if (name == "NonSemantic.Shader.DebugInfo.100") {
      set = ExtendedSet::kShaderDebug;
    } else if (name.starts_with("NonSemantic.") || name == "OpenCL.DebugInfo.100" || name == "DebugInfo") {
      set = ExtendedSet::kIgnored;
    } else if (name != "GLSL.std.450") {
      fail(message::kUnknownImport(name.substr(0, 60)));
    }
    s_.extended_sets[i.result()] = set;
  }

  void memory_model() {
    using enum AddressingModel;
    const auto addressing = static_cast<AddressingModel>(operand(0));
    if (addressing != kLogical && addressing != kPhysical64 && addressing != kPhysicalStorageBuffer64)
      fail(message::kAddressingModel(std::to_string(operand(0))));
    s_.is_physical = addressing == kPhysical64;
  }

  void entry_point(const Instruction& i) {
    using enum ExecutionModel;
    const auto model = static_cast<ExecutionModel>(operand(0));
    if (model != kGlCompute && model != kKernel) return;  // another stage, not run here
    s_.entries.push_back({text_at(i, 2), operand(1), model == kKernel, &i, {}, {}});
    const std::string& name = s_.entries.back().name;
    if (name.empty()) fail(message::kNoName());
    for (size_t k = 0; k + 1 < s_.entries.size(); ++k) {
      if (s_.entries[k].name == name) fail(message::kDuplicateEntryPoint(name.substr(0, 60)));
    }
  }

  void execution_mode(const Instruction& i) {
    at_ = &i;
    for (EntryPoint& e : s_.entries) {
      if (e.function != operand(0)) continue;
      const auto mode = static_cast<ExecutionMode>(operand(1));
      if (mode == ExecutionMode::kLocalSize) e.local_size = {operand(2), operand(3), operand(4)};
      if (mode == ExecutionMode::kLocalSizeId) e.local_size_ids = {operand(2), operand(3), operand(4)};
    }
  }

  void source(const Instruction& i) {
    if (i.operands.size() < 3) return;
    const std::optional<uint16_t> file = s_.file(i.operands[2]);
    last_source_ = file;
    if (!file.has_value()) return;
    append_text(text_at(i, 3));
  }
  void source_continued(const Instruction& i) {
    if (last_source_.has_value()) append_text(text_at(i, 0));
  }
  void append_text(const std::string& more) {
    ir::File& file = s_.file_list[*last_source_];
    file.text = std::make_shared<const std::string>((file.text != nullptr ? *file.text : "") + more);
  }

  void in_function(const Instruction& i) {
    switch (i.opcode) {
      case Opcode::kFunction:
        if (function_ != nullptr) return fail(message::kInsideFunction());
        s_.function_at[i.result()] = s_.functions.size();
        function_ = &s_.functions.emplace_back();
        function_->id = i.result();
        function_->head = &i;
        function_->type = operand(3);
        return;
      case Opcode::kFunctionParameter:
        if (!function_->blocks.empty()) return fail(message::kAfterFirstBlock());
        function_->params.push_back(&i);
        return;
      case Opcode::kFunctionEnd:
        if (block_ != nullptr) return fail(message::kNoTerminator());
        function_ = nullptr;
        return;
      case Opcode::kLabel:
        if (block_ != nullptr) return fail(message::kNoTerminator());
        block_ = &function_->blocks.emplace_back();
        block_->label = i.result();
        block_->first = i.ordinal;  // ordinals count from 1: the index of the next instruction
        return;
      default: break;
    }
    if (block_ == nullptr) {
      const bool is_debug = i.opcode == Opcode::kLine || i.opcode == Opcode::kNoLine ||
                            i.opcode == Opcode::kNop || i.opcode == Opcode::kExtInst;
      if (!is_debug) fail(message::kOutsideBlocks());
      return;
    }
    if (!is_terminator(i.opcode)) return;
    block_->last = i.ordinal - 1;
    block_ = nullptr;
  }

  Source& s_;
  Failure& failure_;
  const Instruction* at_ = nullptr;
  std::vector<const Instruction*> modes_;
  FunctionSource* function_ = nullptr;
  BasicBlock* block_ = nullptr;
  std::optional<uint16_t> last_source_;
};

base::Result<std::unique_ptr<Source>> Source::collect(std::span<const uint32_t> words,
                                                      const std::string& module_name) {
  auto source = std::make_unique<Source>();
  QUERN_TRY_ASSIGN(source->binary, split(words));
  source->file_list.push_back({module_name, nullptr});
  Failure failure;
  Collector(*source, failure).run();
  if (failure) return failure.take();
  source->file_list[0].text = std::make_shared<const std::string>(listing(source->binary));
  return source;
}

std::optional<uint16_t> Source::file(Id string) {
  const auto known = files_.find(string);
  if (known != files_.end()) return known->second;
  const auto text = strings_.find(string);
  if (text == strings_.end() || file_list.size() >= UINT16_MAX) return std::nullopt;
  const auto index = static_cast<uint16_t>(file_list.size());
  file_list.push_back({text->second, nullptr});
  files_[string] = index;
  return index;
}

const Decorations& Source::decorations(Id id) const {
  static const Decorations kNone;
  const auto at = decorations_.find(id);
  return at != decorations_.end() ? at->second : kNone;
}

const Decorations& Source::member(Id structure, uint32_t index) const {
  static const Decorations kNone;
  const auto at = member_decorations_.find({structure, index});
  return at != member_decorations_.end() ? at->second : kNone;
}

std::string Source::name(Id id) const {
  const auto at = names_.find(id);
  return at != names_.end() ? at->second : std::string();
}

std::string Source::member_name(Id structure, uint32_t index) const {
  const auto at = member_names_.find({structure, index});
  return at != member_names_.end() && !at->second.empty() ? at->second : "_" + std::to_string(index);
}

}  // namespace quern::spirv

// The operations of the IR as the device library calls them: `__quern_NAME(…)`; and printf, assert, threadIdx
// and similar names, which have no body in any library.
#include <algorithm>
#include <unordered_map>

#include "lang/ir/format_printf.hpp"
#include "lang/sema/expression.hpp"
#include "lang/sema/messages.hpp"

namespace quern::lang {

namespace {

// Parameters and result of an intrinsic, a letter per argument:
//   T  a number; the first one determines T, the others are converted to it (F: T, which must be a float)
//   V  a value of the type that the preceding pointer points to
//   i u b z c  int, unsigned, bool, unsigned long, unsigned char;  n  any integer;  p  any pointer
//   s r d x  constants that become attributes: scope 0..2, rounding 0..3, dimension 0..2, matrices
//   (ir/matrix.hpp)
// Results: T, V, i, u, b as above, L unsigned long long, P the first pointer's type, C char*, - nothing.
struct Spec {
  ir::Op op{};
  std::string args;
  char result = 'T';
  int attr = 0;          // an enumerator: Rmw, ShuffleKind or Space
  size_t type_from = 0;  // which argument determines T
};

using Table = std::unordered_map<std::string_view, Spec>;

// Whether the signature of the operation (ir/op.hpp) determines the intrinsic of the same name. Others have
// variants, or work on values of the pointer's type; pointers, assertions and control are part of the
// language.
bool has_own_intrinsic(ir::Op op) {
  const ir::OpInfo& info = ir::info(op);
  if (info.signature.empty() || info.signature.starts_with('*')) return false;
  if ((ir::attributes(op) & (ir::kAttrRmw | ir::kAttrShuffle)) != 0) return false;
  return info.group != ir::OpGroup::kPointer && info.group != ir::OpGroup::kAtomic &&
         info.group != ir::OpGroup::kControl;
}

bool is_number_letter(char letter) { return letter >= 'A' && letter <= 'Z'; }

char argument_letter(char letter) {
  if (letter == 'F') return 'F';
  return is_number_letter(letter) ? 'T' : letter == 'q' ? 'L' : letter;
}

char result_letter(char letter) {
  if (is_number_letter(letter)) return 'T';
  return letter == 'q' ? 'L' : letter == 'v' ? '-' : letter;
}

Spec spec_of(ir::Op op) {
  Spec spec{op, "", result_letter(ir::result_letter(op))};
  const auto arity = static_cast<size_t>(ir::info(op).arity);
  spec.type_from = arity;
  for (size_t i = 0; i < arity; ++i) {
    const char letter = ir::operand_letter(op, i);
    if (is_number_letter(letter)) spec.type_from = std::min(spec.type_from, i);
    spec.args += argument_letter(letter);
  }
  const uint32_t attributes = ir::attributes(op);
  if ((attributes & ir::kAttrScope) != 0) spec.args += 's';
  if ((attributes & ir::kAttrRound) != 0) spec.args += 'r';
  if ((attributes & ir::kAttrDimension) != 0) spec.args += 'd';
  if ((attributes & ir::kAttrIndex) != 0) spec.args += 'x';
  return spec;
}

void add_own(Table& table) {
  for (size_t i = 0; i < ir::kOpCount; ++i) {
    const ir::Op op = static_cast<ir::Op>(i);
    if (has_own_intrinsic(op)) table[ir::info(op).name] = spec_of(op);
  }
  table["dot4"].type_from = 2;  // the sum
  table["unreachable"] = {ir::Op::kUnreachable, "", '-'};
}

void add_memory(Table& table) {
  using enum ir::Op;
  using ir::Rmw;
  static constexpr std::pair<std::string_view, Rmw> kRmw[] = {
      {"atomic_add", Rmw::kAdd}, {"atomic_sub", Rmw::kSub},           {"atomic_min", Rmw::kMin},
      {"atomic_max", Rmw::kMax}, {"atomic_and", Rmw::kAnd},           {"atomic_or", Rmw::kOr},
      {"atomic_xor", Rmw::kXor}, {"atomic_exchange", Rmw::kExchange}, {"atomic_inc", Rmw::kInc},
      {"atomic_dec", Rmw::kDec}};
  for (const auto& [name, rmw] : kRmw) table[name] = {kAtomicRmw, "pVs", 'V', static_cast<int>(rmw)};
  table["atomic_cas"] = {kAtomicCas, "pVVs", 'V'};
  table["atomic_load"] = {kAtomicLoad, "ps", 'V'};
  table["atomic_store"] = {kAtomicStore, "pVs", '-'};
  table["map_shared"] = {kMapShared, "pu", 'P'};
  table["shared_address"] = {kSharedAddress, "p", 'u'};
  table["shared_pointer"] = {kSharedPointer, "ux", 'C'};
  table["matrix_fill"] = {kMatrixFill, "pVx", '-'};
  static constexpr std::pair<std::string_view, ir::Space> kSpaces[] = {{"is_shared", ir::Space::kShared},
                                                                       {"is_global", ir::Space::kGlobal},
                                                                       {"is_local", ir::Space::kLocal},
                                                                       {"is_constant", ir::Space::kConstant}};
  for (const auto& [name, space] : kSpaces) table[name] = {kIsSpace, "p", 'b', static_cast<int>(space)};
}

void add_warps(Table& table) {
  using enum ir::Op;
  using ir::Rmw;
  using ir::ShuffleKind;
  static constexpr std::pair<std::string_view, ShuffleKind> kShuffles[] = {
      {"shuffle_index", ShuffleKind::kIndex},
      {"shuffle_up", ShuffleKind::kUp},
      {"shuffle_down", ShuffleKind::kDown},
      {"shuffle_xor", ShuffleKind::kXor}};
  for (const auto& [name, kind] : kShuffles) table[name] = {kShuffle, "uTuu", 'T', static_cast<int>(kind), 1};
  static constexpr std::pair<std::string_view, Rmw> kReduce[] = {
      {"warp_reduce_add", Rmw::kAdd}, {"warp_reduce_min", Rmw::kMin}, {"warp_reduce_max", Rmw::kMax},
      {"warp_reduce_and", Rmw::kAnd}, {"warp_reduce_or", Rmw::kOr},   {"warp_reduce_xor", Rmw::kXor}};
  for (const auto& [name, rmw] : kReduce) table[name] = {kWarpReduce, "uT", 'T', static_cast<int>(rmw), 1};
}

const Table& specs() {
  static const Table table = [] {
    Table t;
    add_own(t);
    add_memory(t);
    add_warps(t);
    return t;
  }();
  return table;
}

constexpr std::string_view kPrefix = "__quern_";
constexpr std::string_view kFast = "fast_";

bool is_cast(std::string_view name) { return name == "convert" || name == "convert_r" || name == "bitcast"; }

class IntrinsicCall {
 public:
  IntrinsicCall(Sema& sema, std::string_view name, std::vector<Expr*> args, SourceLoc loc)
      : sema_(sema), name_(name), args_(std::move(args)), loc_(loc) {}

  Expr* by_spec(const Spec& spec, bool fast);
  Expr* cast(std::span<const TemplateArg> targs);

 private:
  Expr* fail(base::MessageText message) {
    sema_.error(loc_, static_cast<uint32_t>(name_.size()), std::move(message));
    return sema_.error_expr(loc_);
  }
  bool find_types(const Spec& spec);
  bool attribute(char letter, Expr* e);
  Expr* operand(char letter, Expr* e);
  QualType result_type(char letter);
  void set_attr(const Spec& spec, bool fast);

  Sema& sema_;
  std::string_view name_;
  std::vector<Expr*> args_;
  SourceLoc loc_;
  QualType number_;   // T
  QualType pointee_;  // V
  ir::Attr attr_;
};

bool is_worked_on(QualType t, ir::Op op) {
  if (t->is_floating() || op == ir::Op::kMatrixFill) return true;
  if (t->is_pointer()) return op != ir::Op::kAtomicRmw;
  if (!t->is_integer()) return false;
  const uint32_t bits = integer_bits(t.type);
  return bits == 32 || bits == 64 || (bits == 16 && op != ir::Op::kAtomicRmw);
}

bool IntrinsicCall::find_types(const Spec& spec) {
  for (size_t i = 0; i < args_.size(); ++i) {
    const char letter = spec.args[i];
    const QualType t = args_[i]->type;
    if ((letter == 'T' || letter == 'F') && i == spec.type_from) {
      number_ = underlying(sema_, t);
      const bool fits = letter == 'F' ? number_->is_floating() : number_->is_arithmetic();
      if (!fits) {
        fail(letter == 'F' ? message::kIntrinsicNotFloat(name_, to_string(t))
                           : message::kIntrinsicNotNumber(name_, to_string(t)));
        return false;
      }
    }
    if (letter == 'p' && i == 0 && sema_.decay(args_[i])->type->is_pointer()) {
      pointee_ = sema_.decay(args_[i])->type->elem.unqualified();
    }
  }
  const bool uses_pointee = spec.result == 'V' || spec.args.find('V') != std::string::npos;
  if (uses_pointee && (!pointee_ || !is_worked_on(pointee_, spec.op))) {
    fail(pointee_ ? message::kIntrinsicUnsupportedType(name_, to_string(pointee_))
                  : message::kIntrinsicUnsupported(name_));
    return false;
  }
  return true;
}

bool IntrinsicCall::attribute(char letter, Expr* e) {
  const std::optional<int64_t> value = sema_.constant_integer(e);
  if (!value) return false;
  const int64_t most = letter == 'x' ? 8191 : letter == 'r' ? 3 : 2;
  if (*value < 0 || *value > most) {
    fail(message::kIntrinsicConstant(name_, std::to_string(most), std::to_string(*value)));
    return false;
  }
  if (letter == 's') attr_.scope = static_cast<ir::Scope>(*value);
  if (letter == 'r') attr_.round = static_cast<ir::Rounding>(*value);
  if (letter == 'd' || letter == 'x') attr_.index = static_cast<uint32_t>(*value);
  return true;
}

Expr* IntrinsicCall::operand(char letter, Expr* e) {
  using enum TypeKind;
  switch (letter) {
    case 'T':
    case 'F': return sema_.convert(e, number_);
    case 'V': return sema_.convert(e, pointee_);
    case 'i': return sema_.convert(e, sema_.basic(kInt));
    case 'u': return sema_.convert(e, sema_.basic(kUInt));
    case 'b': return sema_.to_bool(e);
    case 'z': return sema_.convert(e, sema_.basic(kULong));
    case 'L': return sema_.convert(e, sema_.basic(kULongLong));
    case 'c': return sema_.convert(e, sema_.basic(kUChar));
    case 'n': return sema_.promote(e);
    default: break;
  }
  Expr* pointer = sema_.decay(e);
  return pointer->type->is_pointer() ? pointer
                                     : fail(message::kIntrinsicNotPointer(name_, to_string(e->type)));
}

QualType IntrinsicCall::result_type(char letter) {
  using enum TypeKind;
  switch (letter) {
    case 'T': return number_;
    case 'V': return pointee_;
    case 'P': return sema_.types.pointer(pointee_);
    case 'C': return sema_.types.pointer(sema_.basic(kChar));
    case 'i': return sema_.basic(kInt);
    case 'u': return sema_.basic(kUInt);
    case 'b': return sema_.basic(kBool);
    case 'L': return sema_.basic(kULongLong);
    default: return sema_.basic(kVoid);
  }
}

void IntrinsicCall::set_attr(const Spec& spec, bool fast) {
  attr_.fast = fast;
  switch (spec.op) {
    case ir::Op::kAtomicRmw:
    case ir::Op::kWarpReduce: attr_.rmw = static_cast<ir::Rmw>(spec.attr); break;
    case ir::Op::kShuffle: attr_.shuffle = static_cast<ir::ShuffleKind>(spec.attr); break;
    case ir::Op::kIsSpace: attr_.space = static_cast<ir::Space>(spec.attr); break;
    default: break;
  }
}

Expr* IntrinsicCall::by_spec(const Spec& spec, bool fast) {
  if (args_.size() != spec.args.size()) {
    return fail(
        message::kIntrinsicArguments(name_, std::to_string(spec.args.size()), std::to_string(args_.size())));
  }
  set_attr(spec, fast);
  if (!find_types(spec)) return sema_.error_expr(loc_);
  std::vector<Expr*> operands;
  for (size_t i = 0; i < args_.size(); ++i) {
    const char letter = spec.args[i];
    if (std::string_view("srdx").find(letter) != std::string_view::npos) {
      if (!attribute(letter, args_[i])) return sema_.error_expr(loc_);
      continue;
    }
    operands.push_back(operand(letter, args_[i]));
    if (is_error(operands.back())) return sema_.error_expr(loc_);
  }
  Expr* e = make_intrinsic(sema_, spec.op, result_type(spec.result), std::move(operands), loc_);
  as<IntrinsicExpr>(e)->attr = std::move(attr_);
  return e;
}

// __quern_convert<To>(x), __quern_convert_r<To>(x, MODE), __quern_bitcast<To>(x)
Expr* IntrinsicCall::cast(std::span<const TemplateArg> targs) {
  const bool has_mode = name_.ends_with("convert_r");
  const bool is_bits = name_.ends_with("bitcast");
  if (targs.size() != 1 || targs[0].kind != TemplateArg::Kind::kType)
    return fail(message::kIntrinsicTypeMissing(name_));
  if (args_.size() != (has_mode ? 2U : 1U)) return fail(message::kIntrinsicArgumentCount(name_));
  const QualType to = targs[0].type.unqualified();
  const QualType from = underlying(sema_, args_[0]->type);
  if (!to->is_arithmetic() || !from->is_arithmetic())
    return fail(message::kIntrinsicNotNumber(name_, to_string(from)));
  if (is_bits && size_of(to) != size_of(from)) {
    return fail(message::kIntrinsicSizes(name_, to_string(from), to_string(to)));
  }
  if (has_mode && !attribute('r', args_[1])) return sema_.error_expr(loc_);
  const ir::Op op = has_mode ? ir::Op::kConvertR : is_bits ? ir::Op::kBitcast : ir::Op::kConvert;
  Expr* value = sema_.convert(args_[0], from);
  Expr* e = make_intrinsic(sema_, op, to, {value}, loc_);
  as<IntrinsicExpr>(e)->attr = std::move(attr_);
  return e;
}

Expr* print(Sema& sema, std::vector<Expr*> args, SourceLoc loc) {
  if (args.empty() || args[0]->kind != ExprKind::kString) {
    sema.error(loc, 6, message::kPrintfFormat());
    return sema.error_expr(loc);
  }
  std::vector<Expr*> operands;
  for (size_t i = 1; i < args.size(); ++i) {
    Expr* e = sema.promote(args[i]);
    if (is_error(e)) return e;
    if (!e->type->is_scalar()) {
      sema.error(args[i], message::kPrintfArgument(to_string(args[i]->type.unqualified())));
      return sema.error_expr(loc);
    }
    if (e->type->is_enum()) e = scalar_cast(sema, e, underlying(sema, e->type));
    if (e->type->is_floating()) e = sema.convert(e, sema.basic(TypeKind::kDouble));
    operands.push_back(e);
  }
  // Devices never see a %n; its argument is evaluated and ignored.
  std::vector<size_t> dropped;
  std::string format = ir::without_counts(as<StringExpr>(args[0])->text, dropped);
  std::vector<Expr*> unused;
  for (size_t i = dropped.size(); i-- > 0;) {
    if (dropped[i] >= operands.size()) continue;
    unused.push_back(operands[dropped[i]]);
    operands.erase(operands.begin() + static_cast<ptrdiff_t>(dropped[i]));
  }
  Expr* call = make_intrinsic(sema, ir::Op::kPrintf, sema.basic(TypeKind::kVoid), std::move(operands), loc);
  call->length = 6;
  as<IntrinsicExpr>(call)->attr.text = std::move(format);
  for (Expr* e : unused) call = make_binary(sema, BinaryOp::kComma, e, call, call->type, loc);
  // CUDA's printf returns the number of its arguments.
  const QualType type = sema.basic(TypeKind::kInt);
  return make_binary(sema, BinaryOp::kComma, call, sema.int_constant(type, args.size() - 1, loc), type, loc);
}

// __quern_ptx("constraints\ntext", operands …): those that are written are variables, and come first.
Expr* inline_ptx(Sema& sema, std::vector<Expr*> args, SourceLoc loc) {
  if (args.empty() || args[0]->kind != ExprKind::kString) return sema.error_expr(loc);
  Expr* e =
      make_intrinsic(sema, ir::Op::kPtx, sema.basic(TypeKind::kVoid), {args.begin() + 1, args.end()}, loc);
  as<IntrinsicExpr>(e)->attr.text = as<StringExpr>(args[0])->text;
  return e;
}

constexpr std::string_view kInlinePtx = "__quern_ptx";

}  // namespace

bool Sema::is_intrinsic(std::string_view name) {
  if (name == "printf" || name == "assert" || name == kInlinePtx) return true;
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  if (specs().contains(name) || is_cast(name) || is_type_query(name)) return true;
  return name.starts_with(kFast) && specs().contains(name.substr(kFast.size()));
}

Expr* Sema::intrinsic(std::string_view name, std::vector<Expr*> args, std::span<const TemplateArg> targs,
                      SourceLoc loc) {
  if (!is_intrinsic(name)) return nullptr;
  if (any_error(args)) return error_expr(loc);
  if (name == "printf") return print(*this, std::move(args), loc);
  if (name == kInlinePtx) return inline_ptx(*this, std::move(args), loc);
  if (name == "assert") {
    if (args.size() == 1) return assert_call(args[0], "", loc);
    error(loc, 6, message::kAssertArguments(std::to_string(args.size())));
    return error_expr(loc);
  }
  std::string_view short_name = name.substr(kPrefix.size());
  // __quern_is_shared(p) queries a pointer, __quern_is_const<T>() a type.
  if (is_type_query(short_name) && !specs().contains(short_name))
    return type_query(*this, short_name, targs, loc);
  IntrinsicCall call(*this, name, std::move(args), loc);
  if (is_cast(short_name)) return call.cast(targs);
  bool fast = false;
  if (!specs().contains(short_name)) {
    short_name.remove_prefix(kFast.size());
    fast = true;
  }
  return call.by_spec(specs().at(short_name), fast);
}

Expr* Sema::assert_call(Expr* condition, std::string text, SourceLoc loc) {
  if (is_error(condition)) return error_expr(loc);
  condition = to_bool(condition);
  if (is_error(condition)) return error_expr(loc);
  Expr* e = make_intrinsic(*this, ir::Op::kAssert, basic(TypeKind::kVoid), {condition}, loc);
  as<IntrinsicExpr>(e)->attr.text = std::move(text);
  return e;
}

Expr* Sema::index_variable(Ident* name, SourceLoc loc) {
  const std::string_view text = name->text;
  if (text == "warpSize") return int_constant(basic(TypeKind::kInt), 32, loc);
  const bool is_index = text == "threadIdx" || text == "blockIdx";
  const bool is_extent = text == "blockDim" || text == "gridDim";
  if (!is_index && !is_extent) return nullptr;
  const ir::Op op = text == "threadIdx"  ? ir::Op::kThreadId
                    : text == "blockIdx" ? ir::Op::kBlockId
                    : text == "blockDim" ? ir::Op::kBlockDim
                                         : ir::Op::kGridDim;
  ClassDecl* decl = nullptr;
  for (Decl* d : lookup_in(idents.get(is_index ? "uint3" : "dim3"), global)) {
    if (d->kind == DeclKind::kClass) decl = static_cast<ClassDecl*>(d);
  }
  if (decl == nullptr || !complete_class(decl)) return error_expr(loc);
  AggregateExpr* e = make_expr<AggregateExpr>(*this, decl->type, loc);
  e->length = static_cast<uint32_t>(text.size());
  for (uint32_t i = 0; i < 3; ++i) {
    Expr* member = make_intrinsic(*this, op, basic(TypeKind::kUInt), {}, loc);
    as<IntrinsicExpr>(member)->attr.index = i;
    e->members.push_back(member);
  }
  return e;
}

}  // namespace quern::lang

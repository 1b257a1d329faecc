// The text form: its appearance, round trips, and error messages.
#include "lang/ir/text.hpp"

#include <array>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "ir/sample.hpp"
#include "ir/sentences.hpp"
#include "lang/ir/literal.hpp"
#include "lang/ir/verify.hpp"

namespace quern::ir {
namespace {

Module parsed(const std::string& text) {
  ParseError error;
  std::optional<Module> module = parse(text, error);
  EXPECT_TRUE(module.has_value()) << error.line << ":" << error.column << ": " << error.message << "\n"
                                  << text;
  return module ? std::move(*module) : Module();
}

std::set<Op> ops_of(const Module& module) {
  std::set<Op> result;
  for (Function* function : module.functions)
    walk(function->body, [&](Inst* inst) { result.insert(inst->op); });
  return result;
}

TEST(IrText, SampleHasEveryOpAndIsWellFormed) {
  const Module module = every_op();
  EXPECT_EQ(verify(module), "");
  const std::set<Op> ops = ops_of(module);
  for (size_t i = 0; i < kOpCount; ++i) {
    EXPECT_TRUE(ops.contains(static_cast<Op>(i)))
        << info(static_cast<Op>(i)).name << " is missing from every_op()";
  }
}

TEST(IrText, EveryOpRoundTrips) {
  const Module module = every_op();
  const std::string text = print(module);
  const Module again = parsed(text);
  EXPECT_EQ(print(again), text);
  EXPECT_EQ(verify(again), "");
  EXPECT_EQ(ops_of(again), ops_of(module));
}

TEST(IrText, WithoutPositionsNoneArePrinted) {
  const std::string text = print(every_op(), {.positions = false});
  const Module again = parsed(text);
  EXPECT_EQ(print(again), text);
  for (const Function* function : again.functions) {
    walk(function->body, [](const Inst* inst) { EXPECT_EQ(inst->pos, Pos()); });
  }
}

TEST(IrText, KeepsWhatOperandsDoNotSay) {
  const Module module = parsed(print(every_op()));
  const Function* kernel = module.find_function("sample");
  ASSERT_NE(kernel, nullptr);
  EXPECT_TRUE(kernel->is_kernel);
  EXPECT_EQ(kernel->max_threads, 256u);
  EXPECT_EQ(kernel->min_blocks, 2u);
  EXPECT_EQ(kernel->cluster, (std::array<uint32_t, 3>{2, 1, 4}));
  EXPECT_EQ(kernel->pos, (Pos{3, 1, 6, 0}));
  ASSERT_EQ(kernel->params.size(), 5u);
  const Param& data = *kernel->params[1];
  EXPECT_EQ(data.spelling, "const float* __restrict__");
  EXPECT_EQ(data.elem, module.types().get(TypeKind::kF32));
  EXPECT_TRUE(data.is_const_elem);
  EXPECT_TRUE(data.is_restrict);
  EXPECT_EQ(kernel->params[2]->name, "by value");
  EXPECT_EQ(kernel->params[3]->name, "map");
  EXPECT_EQ(kernel->params[4]->name, "");
  const Function* callee = module.find_function("ns::twice<int>");
  ASSERT_NE(callee, nullptr);
  EXPECT_TRUE(callee->no_inline);
  const Global* hello = module.find_global("hello");
  ASSERT_NE(hello, nullptr);
  EXPECT_TRUE(hello->is_literal);
  EXPECT_EQ(hello->init, (std::vector<uint8_t>{'h', 'i', '\n', '\t', '"', '\\', 0}));
  const Global* table = module.find_global("table");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->init, (std::vector<uint8_t>{1, 0, 255, 128}));
  EXPECT_EQ(table->pos, (Pos{7, 3, 5, 1}));
  EXPECT_EQ(module.find_global("ns::dynamic")->align, 16u);
  EXPECT_EQ(module.files[0].name, "a \"quoted\" name.cu");
}

TEST(IrText, IsPleasantToRead) {
  const std::string text =
      "file 0 \"saxpy.cu\"\n"
      "struct %float2 { x: f32 @0, y: f32 @4 } size 8 align 8\n"
      "shared @tile: [16 x [16 x f32]] align 4\n"
      "constant @greeting: [3 x u8] align 1 literal = \"hi\\x00\" @2:1\n"
      "global @seed: u32 align 4 = hex \"efbeadde\"\n"
      "\n"
      "kernel @saxpy(%n: i32, %a: f32, %x: ptr<global> of f32 const restrict \"const float*\") bounds(256, "
      "0) {\n"
      "  %0 = block_id.x @3:11\n"
      "  %1 = convert i32 %0 @3:11+8\n"
      "  %i = var i32\n"
      "  store %i, %1 align 4\n"
      "  %2 = lt i32 %1, %n\n"
      "  if %2 {\n"
      "    %3 = offset ptr<global> %x, %1 scale 4\n"
      "    %4 = load.volatile f32 %3\n"
      "    %5 = mul f32 %4, 0.5\n"
      "    %6 = atomic.add.device f32 @tile, %5\n"
      "  } else {\n"
      "    printf \"%d\\n\", %1, @greeting\n"
      "    return\n"
      "  }\n"
      "  loop L0 unroll(4) {\n"
      "    yield %2\n"
      "  } body {\n"
      "    switch L1 %1 {\n"
      "      case 1, -2 {\n"
      "        exit L0\n"
      "      }\n"
      "      default {\n"
      "        continue L0\n"
      "      }\n"
      "    }\n"
      "  } step {\n"
      "    %i.2 = var %float2\n"
      "  }\n"
      "  %7 = call f32 @\"step<float, 256>\"(%a, true, null:ptr<local>)\n"
      "  return\n"
      "}\n"
      "\n"
      "func @\"step<float, 256>\"(%0: f32, %1: bool, %2: ptr<local>) -> f32 noinline {\n"
      "  return 1.5\n"
      "}\n";
  EXPECT_EQ(print(parsed(text)), text);
}

TEST(IrText, AcceptsCommentsAndAnyBlanks) {
  const Module module =
      parsed("// nothing\nkernel@k(%n:i32){%0=add i32 %n,5// five\nif true{return}else{trap}}");
  EXPECT_EQ(
      print(module),
      "kernel @k(%n: i32) {\n  %0 = add i32 %n, 5\n  if true {\n    return\n  } else {\n    trap\n  }\n}\n");
}

TEST(IrText, OneFunctionPrintsAlone) {
  const Module module = parsed("func @a() {\n  return\n}\nfunc @b(%x: i32) {\n  return\n}\n");
  EXPECT_EQ(print(*module.find_function("b")), "func @b(%x: i32) {\n  return\n}\n");
}

TEST(IrText, PrintsWhatDoesNotVerify) {
  Module module;
  Builder b(module);
  Function* function = module.add_function("broken");
  b.at(function->body);
  Inst* lost = module.new_inst(Op::kAdd, module.types().get(TypeKind::kI32), {});
  b.emit(Op::kAdd, lost->type, {lost, nullptr});
  b.exit(nullptr);
  b.emit(Op::kCall, nullptr, {});
  b.emit(Op::kFieldPtr, nullptr, {});
  const std::string text = print(module);
  EXPECT_NE(text.find("%?"), std::string::npos);
  EXPECT_NE(text.find("<no value>"), std::string::npos);
}

TEST(IrText, LiteralsRoundTripExactly) {
  TypeTable types;
  uint64_t state = 1;
  for (int k = static_cast<int>(TypeKind::kI8); k <= static_cast<int>(TypeKind::kF64); ++k) {
    const Type* type = types.get(static_cast<TypeKind>(k));
    for (int i = 0; i < 20000; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      uint64_t bits = i < 300 ? static_cast<uint64_t>(i) - 150 : state >> 32 | state << 32;
      if (type->size < 8) bits &= (uint64_t{1} << type->bits()) - 1;
      std::string text;
      append_literal(text, type, bits);
      if (text.starts_with("nan(")) continue;
      ASSERT_EQ(parse_number(type, text), bits) << text << " as " << to_string(type);
    }
  }
}

TEST(IrText, EveryHalfLiteralRoundTrips) {
  TypeTable types;
  for (const TypeKind kind : {TypeKind::kF16, TypeKind::kBF16}) {
    for (uint64_t bits = 0; bits < 65536; ++bits) {
      std::string text;
      append_literal(text, types.get(kind), bits);
      if (text.starts_with("nan(")) continue;
      ASSERT_EQ(parse_number(types.get(kind), text), bits) << text;
    }
  }
}

TEST(IrText, LiteralsAreShort) {
  TypeTable types;
  const auto shown = [&](TypeKind kind, uint64_t bits) {
    std::string text;
    append_literal(text, types.get(kind), bits);
    return text;
  };
  EXPECT_EQ(shown(TypeKind::kF32, 0x3f800000), "1.0");
  EXPECT_EQ(shown(TypeKind::kF32, 0x3dcccccd), "0.1");
  EXPECT_EQ(shown(TypeKind::kF32, 0x80000000), "-0.0");
  EXPECT_EQ(shown(TypeKind::kF32, 0xff800000), "-inf");
  EXPECT_EQ(shown(TypeKind::kF32, 0x7fc00000), "nan(0x7fc00000)");
  EXPECT_EQ(shown(TypeKind::kF32, 1), "0x1p-149");
  EXPECT_EQ(shown(TypeKind::kF64, 0x3ff8000000000001), "0x1.8000000000001p+0");
  EXPECT_EQ(shown(TypeKind::kI8, 0x80), "-128");
  EXPECT_EQ(shown(TypeKind::kI64, uint64_t{1} << 63), "-9223372036854775808");
  EXPECT_EQ(shown(TypeKind::kU64, ~uint64_t{0}), "18446744073709551615");
  EXPECT_EQ(shown(TypeKind::kBool, 1), "true");
}

TEST(IrText, RefusesNumbersThatDoNotFit) {
  TypeTable types;
  const auto number = [&](TypeKind kind, const char* text) { return parse_number(types.get(kind), text); };
  for (const char* text :
       {"128", "-129", "", "-", "0x", "1x", "1.0", "99999999999999999999999", "--1", "+1"}) {
    EXPECT_FALSE(number(TypeKind::kI8, text).has_value()) << text;
  }
  EXPECT_FALSE(number(TypeKind::kU8, "-1").has_value());
  EXPECT_EQ(number(TypeKind::kU8, "0xff"), 255u);
  EXPECT_EQ(number(TypeKind::kI8, "-0x80"), 128u);
  for (const char* text :
       {"", ".", "1e", "1e99999", "0x1p", "0x1.8p+", "1.0.0", "1e5x", "infinity", "0x1p+5000"}) {
    EXPECT_FALSE(number(TypeKind::kF64, text).has_value()) << text;
  }
  EXPECT_EQ(number(TypeKind::kF64, "0x1p-1074"), 1u);
  EXPECT_EQ(number(TypeKind::kF32, "0x1p-150"), 0u);
  EXPECT_EQ(number(TypeKind::kF32, "-inf"), 0xff800000u);
}

struct Wrong {
  const char* text;
  uint32_t line;
  uint32_t column;
  std::string message;
};

class IrTextErrors : public testing::TestWithParam<Wrong> {};

TEST_P(IrTextErrors, AreOneSentenceAtAPlace) {
  ParseError error;
  EXPECT_FALSE(parse(GetParam().text, error).has_value()) << GetParam().text;
  EXPECT_EQ(error.message, GetParam().message) << GetParam().text;
  EXPECT_EQ(error.line, GetParam().line) << GetParam().text;
  EXPECT_EQ(error.column, GetParam().column) << GetParam().text;
}

const Wrong kWrong[] = {
    {"nonsense", 1, 1,
     sentence(message::kExpected("file, struct, kernel, func, or the space of a variable", "\"nonsense\""))},
    {"\x01", 1, 1,
     sentence(message::kExpected("file, struct, kernel, func, or the space of a variable", "the byte 1"))},
    {"file 1 \"a\"", 1, 6, sentence(message::kFileNumber())},
    {"file 0 \"a", 1, 8, sentence(message::kUnterminatedString())},
    {"file 0 \"\\q\"", 1, 8, sentence(message::kUnknownEscape())},
    {"file 0 \"\\x4\"", 1, 8, sentence(message::kUnknownEscape())},
    {"struct %s {} size 1 align 1 struct %s {} size 1 align 1", 1, 37, sentence(message::kDuplicateStruct())},
    {"struct %s { a: f32 } size 4 align 4", 1, 20,
     sentence(message::kExpected("the offset of the field", "\"}\""))},
    {"struct %s { a: f32 @4 } size 4 align 4", 1, 1, sentence(message::kFieldBeyondEnd("The struct s", "a"))},
    {"struct %s { a: %s @0 } size 4 align 4", 1, 17, sentence(message::kUnknownStruct())},
    {"struct %s {} size 4 align 3", 1, 1, sentence(message::kStructAlignment("The struct s"))},
    {"global @x: i32 align 4 global @x: i32 align 4", 1, 32, sentence(message::kDuplicateVariable())},
    {"global @x: [3 x void] align 4", 1, 12, sentence(message::kElementWithoutSize())},
    {"global @x: [99999999999999999999 x i8] align 1", 1, 13, sentence(message::kMalformedNumber())},
    {"global @x: [999999999999999999 x i64] align 8", 1, 12, sentence(message::kArrayTooLarge())},
    {"global @x: i32 align 4 = hex \"012\"", 1, 30, sentence(message::kOddHexDigits())},
    {"global @x: i32 align 4 = hex \"0g\"", 1, 30, sentence(message::kHexDigit())},
    {"global @x: i32 align 4 = hex \"00\"", 1, 1,
     sentence(message::kInitialDataSize("The variable x", "1", "4"))},
    {"global @x: ptr<far> align 4", 1, 16, sentence(message::kExpected("an address space", "\"far\""))},
    {"kernel @k(", 1, 11, sentence(message::kUnexpectedEnd("\"%\""))},
    {"kernel @k() {", 1, 14, sentence(message::kUnexpectedEnd("an instruction or \"}\""))},
    {"kernel @k() {} kernel @k() {}", 1, 24, sentence(message::kDuplicateFunction())},
    {"kernel @k(%a: i32, %a: i32) {}", 1, 20, sentence(message::kDuplicateValue())},
    {"kernel @k() {\n  %0 = sum i32 1, 2\n}", 2, 8, sentence(message::kExpected("an operation", "\"sum\""))},
    {"kernel @k() {\n  add i32 1, 2\n}", 2, 3, sentence(message::kUnnamedResult())},
    {"kernel @k() {\n  %0 = trap\n}", 2, 3, sentence(message::kNoResultToName())},
    {"kernel @k() {\n  %0 = if true {}\n}", 2, 3, sentence(message::kNoResultToName())},
    {"kernel @k() {\n  %0 = add i32 %1, 2\n}", 2, 16, sentence(message::kUnknownValue())},
    {"kernel @k() {\n  %0 = add i32 %0, 2\n}", 2, 16, sentence(message::kUnknownValue())},
    {"kernel @k() {\n  %0 = add i32 1 2\n}", 2, 18, sentence(message::kExpected("\",\"", "\"2\""))},
    {"kernel @k() {\n  %0 = add i8 1, 200\n}", 2, 18, sentence(message::kNotValueOfType("\"200\"", "i8"))},
    {"kernel @k() {\n  %0 = add i8 1, maybe\n}", 2, 18,
     sentence(message::kNotValueOfType("\"maybe\"", "i8"))},
    {"kernel @k() {\n  %0 = add f32 1.0, nan(0x3f800000)\n}", 2, 21,
     sentence(message::kNotValueOfType("\"nan\"", "f32"))},
    {"kernel @k() {\n  %0 = popc 1\n}", 2, 13, sentence(message::kConstantWithoutType())},
    {"kernel @k() {\n  %0 = load f32 @nowhere\n}", 2, 18, sentence(message::kUnknownVariableAbove())},
    {"kernel @k() {\n  call @nobody()\n}", 2, 9, sentence(message::kUnknownFunction())},
    {"kernel @k() {\n  exit L0\n}", 2, 8, sentence(message::kUnknownLabel())},
    {"kernel @k() {\n  scope L0 {} scope L0 {}\n}", 2, 21, sentence(message::kDuplicateLabel())},
    {"kernel @k() {\n  scope L0 {}\n  exit L0\n}", 3, 3,
     sentence(2, "exit", message::kTargetDoesNotEnclose())},
    {"kernel @k() {\n  %0 = thread_id\n}", 3, 1,
     sentence(message::kExpected("a period and the kind of thread_id", "\"}\""))},
    {"kernel @k() {\n  %0 = thread_id.w\n}", 2, 18, sentence(message::kUnexpectedWord("thread_id", "\"w\""))},
    {"kernel @k() {\n  fence.device.device\n}", 2, 16,
     sentence(message::kUnexpectedWord("fence", "\"device\""))},
    {"kernel @k() {\n  loop L0 {}\n}", 3, 1, sentence(message::kExpected("\"body\"", "\"}\""))},
    {"kernel @k() {\n  switch L0 1:i32 { when 2 {} }\n}", 2, 21,
     sentence(message::kExpected("case, default or \"}\"", "\"when\""))},
    {"kernel @k() {\n  trap @3\n}", 3, 1, sentence(message::kIncompletePosition())},
    {"kernel @k() {\n  trap @1:70000\n}", 3, 1, sentence(message::kPositionTooLarge())},
    {"kernel @k() {\n  trap @9:1:1\n}", 2, 3, sentence(1, "trap at 1:1", message::kFileNotInModule("9"))},
    {"kernel @k() {\n  return\n  trap\n}", 2, 3, sentence(1, "return", message::kTerminatorNotLast())},
    {"kernel @k() {\n  if 1:i32 {}\n}", 2, 3, sentence(1, "if", message::kOperandType("1", "i32", "bool"))},
};
INSTANTIATE_TEST_SUITE_P(All, IrTextErrors, testing::ValuesIn(kWrong));

std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

TEST(IrText, DeepNestingIsRefused) {
  ParseError error;
  EXPECT_FALSE(parse("kernel @k() {" + repeated("if true {", 100000), error).has_value());
  EXPECT_EQ(error.message, sentence(message::kBlocksTooDeep()));
  EXPECT_FALSE(parse("global @x: " + repeated("[1 x ", 100000), error).has_value());
  EXPECT_EQ(error.message, sentence(message::kArraysTooDeep()));
  EXPECT_TRUE(parse("kernel @k() {" + repeated("if true {", 200) + repeated("}", 201), error).has_value());
}

TEST(IrText, AnyPrefixAndAnyChangedByteIsSafe) {
  const std::string text = print(every_op());
  ParseError error;
  for (size_t length = 0; length < text.size(); length += 61) parse(text.substr(0, length), error);
  uint64_t state = 7;
  for (int i = 0; i < 1000; ++i) {
    std::string changed = text;
    for (int k = 0; k < 2; ++k) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      changed[(state >> 20) % changed.size()] = static_cast<char>(state >> 56);
    }
    const std::optional<Module> module = parse(changed, error);
    if (!module) {
      EXPECT_NE(error.message, "");
      EXPECT_NE(error.line, 0u);
      continue;
    }
    const std::string once = print(*module);
    const std::optional<Module> again = parse(once, error);
    ASSERT_TRUE(again.has_value()) << error.message << "\n" << once;
    ASSERT_EQ(print(*again), once);
  }
}

}  // namespace
}  // namespace quern::ir

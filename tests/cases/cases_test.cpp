// Runs every case of tests/cases and tests/defects on the simulator: valid programs with checked results and
// no report, and kernels with a planted defect, which must be found in the right line. The same for
// tests/hopper, whose inline PTX other devices than NVIDIA's refuse.
#include <algorithm>

#include <gtest/gtest.h>

#include "driver/sim/sim.hpp"
#include "lang/expand/expand.hpp"
#include "lang/ir/verify.hpp"
#include "lang/pass/matrices.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"
#include "support/case_run.hpp"

namespace quern::test {
namespace {

struct Bound {
  const ir::Param* param = nullptr;
  sim::Address address = 0;
  uint64_t bytes = 0;
};

// The reasons for which pass::lower_pointers may leave something unchanged.
constexpr std::string_view kUnlowered[] = {
    "the address is used as an integer",
    "the pointer is made from an integer",
    "a pointer is written to memory",
    "the pointer is read from memory",
    "the pointer is held in a local struct or union",
    "the pointer is in a struct that is selected at run time",
    "the pointer is always null",
    "the pointer is null or points to a variable whose lifetime has ended",
};

// The reasons for which expand::lower_wide_integers may leave something unchanged.
constexpr std::string_view kNotNarrowed[] = {
    "does a 64-bit atomic operation",
    "uses an address as an integer",
    "reads a clock",
    "rounds a conversion of a 64-bit integer",
};

bool is_one_of(std::string_view reason, std::span<const std::string_view> known) {
  return std::any_of(known.begin(), known.end(), [&](std::string_view k) { return reason.starts_with(k); });
}

class Cases : public testing::TestWithParam<Case> {
 protected:
  void compile(ir::MatrixForm form = ir::MatrixForm::kLoops) {
    ASSERT_NO_FATAL_FAILURE(compile_case(GetParam(), program_));
    legalize_case(program_, form);
  }
  // With the operations that only the simulator keeps.
  void compile_for_simulator() {
    ASSERT_NO_FATAL_FAILURE(compile_case(GetParam(), program_));
    legalize_case(program_, ir::MatrixForm::kLoops,
                  {.ptx = 2, .has_shared_addresses = true, .checks_library = true});
  }
  // Misuse of inline PTX is found in those operations only.
  bool is_lost_by_lowering() const {
    return !GetParam().reports.empty() && std::string_view(GetParam().file).ends_with("ptx.cu");
  }

  void bind() {
    const Case& c = GetParam();
    std::vector<CaseArgument> arguments;
    ASSERT_NO_FATAL_FAILURE(parse_case_arguments(c, program_, arguments));
    for (CaseArgument& a : arguments) {
      const ir::Param& p = *a.param;
      if (!p.type->is_ptr() && !a.is_texture) {
        config_.args.emplace_back(a.value);
        continue;
      }
      if (a.is_null) {
        config_.args.emplace_back(uint64_t{0});
        continue;
      }
      Bound b{&p, 0, a.bytes()};
      auto address =
          device_.allocate(b.bytes, {p.name, p.elem != nullptr ? static_cast<uint32_t>(p.elem->size) : 1});
      ASSERT_TRUE(address.ok()) << address.error().to_string();
      b.address = *address;
      if (!a.buffer.is_undefined) {
        ASSERT_TRUE(device_.upload(b.address, a.buffer.bytes).ok());
      }
      bound_.push_back(b);
      if (a.is_texture) {
        a.set_address(b.address);
        config_.args.emplace_back(a.value);
        continue;
      }
      config_.args.emplace_back(b.address);
    }
    config_.grid = {c.grid[0], c.grid[1], c.grid[2]};
    config_.block = {c.block[0], c.block[1], c.block[2]};
    if (const auto& cluster = program_.kernel->cluster; cluster[0] != 0)
      config_.cluster = {cluster[0], cluster[1], cluster[2]};
    config_.dynamic_shared_bytes = c.shared;
    config_.options.seed = c.seed;
    config_.options.time_limit_s = 30;
    if (c.checks == "overflow") config_.options.checks |= sim::kCheckOverflow;
    if (c.checks == "shifts") config_.options.checks |= sim::kCheckShifts;
  }

  void launch() {
    auto program = device_.load(program_.module);
    ASSERT_TRUE(program.ok()) << program.error().to_string();
    auto result = device_.launch(**program, program_.kernel->name, config_);
    ASSERT_TRUE(result.ok()) << result.error().to_string();
    result_ = std::move(*result);
  }

  // `done`: whether everything was lowered. Otherwise the code is not complete, and targets reject it.
  void lower_pointers(const pass::PointerOptions& options, bool& done) {
    done = true;
    for (const pass::Unlowered& unlowered : pass::lower_pointers(*program_.module, options)) {
      done = done && !unlowered.reason.starts_with("a pointer is written to memory");
      EXPECT_TRUE(is_one_of(unlowered.reason, kUnlowered))
          << GetParam().file << ":" << unlowered.pos.line << ": " << unlowered.reason;
    }
    ASSERT_EQ(ir::verify(*program_.module), "");
  }

  // Whether everything was lowered.
  void lower_wide_integers(bool& done) {
    auto left = expand::lower_wide_integers(*program_.module);
    ASSERT_TRUE(left.ok()) << left.error().to_string();
    for (const expand::Unlowered& u : *left) {
      EXPECT_TRUE(is_one_of(u.reason, kNotNarrowed))
          << GetParam().file << ":" << u.pos.line << ": " << u.reason;
    }
    done = left->empty();
    if (!done) return;
    ASSERT_EQ(ir::verify(*program_.module), "");
    for (const ir::Function* f : program_.module->functions) expect_narrow(*f);
    ASSERT_EQ(pass::inline_calls(*program_.module), "");
    pass::traverse(program_.kernel->body, [&](const ir::Inst* i) {
      for (const ir::Value* v : i->operands) done = done && !(i->is(ir::Op::kPrintf) && v->type->is_struct());
    });
  }
  static void expect_narrow(const ir::Function& f) {
    const auto is_wide = [](const ir::Type* t) { return t->is_int() && t->size == 8; };
    pass::traverse(f.body, [&](const ir::Inst* i) {
      const bool copies = i->is(ir::Op::kMemCopy) || i->is(ir::Op::kMemSet);
      EXPECT_FALSE(is_wide(i->type)) << f.name << " line " << i->pos.line << " " << ir::info(i->op).name;
      for (const ir::Value* v : i->operands)
        EXPECT_FALSE(!copies && is_wide(v->type))
            << f.name << " line " << i->pos.line << " " << ir::info(i->op).name;
    });
  }

  void run() {
    ASSERT_NO_FATAL_FAILURE(bind());
    ASSERT_NO_FATAL_FAILURE(run_bound());
  }
  void run_bound() {
    ASSERT_NO_FATAL_FAILURE(launch());
    expect_reports();
    for (const Expectation& e : GetParam().expected) expect_values(e);
    if (GetParam().expects_print) {
      EXPECT_EQ(result_.printed, GetParam().prints);
    }
  }

  // Each planted defect is found in its line. Races and barriers have two parties, and their consequences may
  // be reported too; any other defect is the only report.
  void expect_reports() {
    std::string rendered;
    for (const sim::Report& r : result_.reports) rendered += sim::render(r, *program_.module) + "\n";
    bool may_have_consequences = false;
    for (const ExpectedReport& wanted : GetParam().reports) {
      may_have_consequences |= wanted.kind == "race" || wanted.kind == "divergent barrier";
      const bool found =
          std::any_of(result_.reports.begin(), result_.reports.end(), [&](const sim::Report& r) {
            return sim::name(r.kind) == wanted.kind &&
                   (r.pos.line == wanted.line || (r.other && r.other->pos.line == wanted.line));
          });
      EXPECT_TRUE(found) << "no report of '" << wanted.kind << "' in line " << wanted.line << "\n"
                         << rendered;
    }
    if (!may_have_consequences) {
      EXPECT_EQ(result_.reports.size(), GetParam().reports.size()) << rendered;
    }
  }

  void expect_values(const Expectation& e) {
    const Bound* bound = nullptr;
    for (const Bound& b : bound_) {
      if (b.param->name == e.name) bound = &b;
    }
    ASSERT_NE(bound, nullptr) << GetParam().file << ":" << e.line << ": there is no buffer '" << e.name
                              << "'";
    std::vector<std::byte> bytes(bound->bytes);
    ASSERT_TRUE(device_.download(bound->address, bytes).ok());
    expect_case_values(GetParam(), e, *bound->param, bytes);
  }

  CaseProgram program_;
  sim::Device device_;
  sim::LaunchConfig config_;
  sim::LaunchResult result_;
  std::vector<Bound> bound_;
};

TEST_P(Cases, Lowered) {
  ASSERT_NO_FATAL_FAILURE(compile_case(GetParam(), program_, false));
  EXPECT_EQ(ir::verify(*program_.module), "");
  EXPECT_EQ(ir::verify_lifetimes(*program_.module), "");
}

// The same results, and the same defects found, after the passes for targets with fewer features.
TEST_P(Cases, LowerExits) {
  ASSERT_NO_FATAL_FAILURE(compile_for_simulator());
  pass::lower_exits(*program_.module);
  ASSERT_EQ(ir::verify(*program_.module), "");
  ASSERT_NO_FATAL_FAILURE(run());
}

TEST_P(Cases, LowerPointers) {
  if (is_lost_by_lowering()) GTEST_SKIP() << "the defect is in an operation that only the simulator keeps";
  ASSERT_NO_FATAL_FAILURE(compile());
  bool done = false;
  ASSERT_NO_FATAL_FAILURE(lower_pointers({.wide = true}, done));
  if (!done) GTEST_SKIP() << "pointers are written to memory: rejected on targets without pointers";
  ASSERT_NO_FATAL_FAILURE(run());
}

TEST_P(Cases, LowerPointersTo32Bits) {
  if (is_lost_by_lowering()) GTEST_SKIP() << "the defect is in an operation that only the simulator keeps";
  ASSERT_NO_FATAL_FAILURE(compile());
  bool done = false;
  ASSERT_NO_FATAL_FAILURE(lower_pointers({.wide = false}, done));
  if (!done) GTEST_SKIP() << "pointers are written to memory: rejected on targets without pointers";
  ASSERT_NO_FATAL_FAILURE(run());
}

// Without the defects: an access of two words becomes two faulty ones, and gathered threads do not diverge.
class AcceptedCases : public Cases {};

// 64-bit integers as two words: with and without pointers.
TEST_P(AcceptedCases, LowerWideIntegers) {
  ASSERT_NO_FATAL_FAILURE(compile());
  ASSERT_NO_FATAL_FAILURE(bind());  // the user's view of the parameters
  bool done = false;
  ASSERT_NO_FATAL_FAILURE(lower_wide_integers(done));
  if (done) {
    ASSERT_NO_FATAL_FAILURE(run_bound());
  }
}

TEST_P(AcceptedCases, LowerPointersAndWideIntegers) {
  ASSERT_NO_FATAL_FAILURE(compile());
  ASSERT_NO_FATAL_FAILURE(bind());  // the user's view of the parameters
  bool done = false;
  ASSERT_NO_FATAL_FAILURE(lower_pointers({.wide = false}, done));
  ASSERT_NO_FATAL_FAILURE(lower_wide_integers(done));
  if (done) {
    ASSERT_NO_FATAL_FAILURE(run_bound());
  }
}

TEST_P(Cases, Sim) {
  ASSERT_NO_FATAL_FAILURE(compile_for_simulator());
  ASSERT_NO_FATAL_FAILURE(run());
  expect_case_checks_something(GetParam());
}

// Warp operations through shared memory, wherever they are; the same results.
TEST_P(AcceptedCases, GatherThreads) {
  ASSERT_NO_FATAL_FAILURE(compile(pass::kLoopsByMemory));
  pass::gather_threads(*program_.module);
  ASSERT_EQ(ir::verify(*program_.module), "");
  expand::Library library(*program_.module);
  for (const expand::Unlowered& problem : expand::lower_warps(*program_.module, library))
    EXPECT_EQ(problem.reason, "has a barrier that not all threads of a block are guaranteed to reach");
  ASSERT_EQ(library.link(), "");
  ASSERT_EQ(pass::inline_calls(*program_.module), "");
  ASSERT_EQ(ir::verify(*program_.module), "");
  ASSERT_NO_FATAL_FAILURE(run());
}

// Inline PTX that only the simulator and NVIDIA devices execute.
class HopperCases : public Cases {};

TEST_P(HopperCases, Sim) {
  ASSERT_NO_FATAL_FAILURE(compile_for_simulator());
  ASSERT_NO_FATAL_FAILURE(run());
  expect_case_checks_something(GetParam());
}

// In another order of threads.
TEST_P(HopperCases, SimWithSeed) {
  ASSERT_NO_FATAL_FAILURE(compile_for_simulator());
  ASSERT_NO_FATAL_FAILURE(bind());
  config_.options.seed = 7;
  ASSERT_NO_FATAL_FAILURE(run_bound());
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return test_name(info.param.file, info.param.kernel, info.param.line);
}

INSTANTIATE_TEST_SUITE_P(Accepted, Cases, testing::ValuesIn(load_cases("cases")), name_of);
INSTANTIATE_TEST_SUITE_P(All, AcceptedCases, testing::ValuesIn(load_cases("cases")), name_of);
INSTANTIATE_TEST_SUITE_P(Defects, Cases, testing::ValuesIn(load_cases("defects")), name_of);

INSTANTIATE_TEST_SUITE_P(Accepted, HopperCases, testing::ValuesIn(load_cases("hopper/cases")), name_of);
INSTANTIATE_TEST_SUITE_P(Defects, HopperCases, testing::ValuesIn(load_cases("hopper/defects")), name_of);

// The number of cases must not shrink unnoticed.
TEST(CaseFolders, HoldEnough) {
  EXPECT_GE(load_cases("cases").size(), 650u);
  size_t with_report = 0;
  for (const Case& c : load_cases("defects")) with_report += c.reports.empty() ? 0 : 1;
  EXPECT_GE(with_report, 65u);
  EXPECT_GE(load_cases("hopper/cases").size(), 45u);
  EXPECT_GE(load_cases("hopper/defects").size(), 75u);
}

}  // namespace
}  // namespace quern::test

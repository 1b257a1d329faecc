// Runs every case of tests/cases and tests/defects on the simulator: accepted programs with checked results
// and no report, and kernels with a planted defect, which must be found in the right line.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "driver/sim/sim.hpp"
#include "lang/compile.hpp"
#include "lang/ir/verify.hpp"
#include "lang/pass/pass.hpp"
#include "runtime/argument_text.hpp"
#include "support/case_file.hpp"

namespace quern::test {
namespace {

std::vector<Case> load(const char* folder) {
  auto cases = read_cases(std::string(QUERN_SOURCE_DIR) + "/tests/" + folder);
  if (!cases.ok()) {
    ADD_FAILURE() << cases.error().to_string();
    return {};
  }
  return *cases;
}

struct Bound {
  const ir::Param* param = nullptr;
  sim::Address address = 0;
  uint64_t bytes = 0;
};

// What pass::lower_pointers may say that it cannot lower.
constexpr std::string_view kUnlowered[] = {
    "the address is used as an integer",
    "the pointer is made from an integer",
    "a pointer is written to memory",
    "the pointer is read from memory",
    "the pointer is held in a local struct or union",
    "the pointer comes out of a struct that is chosen at run time",
    "the pointer is always null",
    "the pointer is null or points to a variable that is gone",
};

class Cases : public testing::TestWithParam<Case> {
 protected:
  void compile(bool prepare = true) {
    auto text = base::read_file(GetParam().file);
    ASSERT_TRUE(text.ok()) << text.error().to_string();
    lang::CompileOptions options;
    options.kernels = {GetParam().kernel};
    options.prepare = prepare;
    lang::Compilation compiled = lang::compile(GetParam().file, *text, options);
    ASSERT_TRUE(compiled.ok) << compiled.rendered;
    ASSERT_EQ(compiled.kernels.size(), 1u);
    module_ = std::make_shared<ir::Module>(std::move(compiled.module));
    kernel_ = module_->find_function(compiled.kernels[0].name);
    ASSERT_NE(kernel_, nullptr);
  }

  void bind() {
    const Case& c = GetParam();
    ASSERT_EQ(c.arguments.size(), kernel_->params.size());
    for (size_t i = 0; i < c.arguments.size(); ++i) {
      const ir::Param& p = *kernel_->params[i];
      if (!p.type->is_ptr()) {
        auto bytes = runtime::parse_value(c.arguments[i], p.type, p.name);
        ASSERT_TRUE(bytes.ok()) << bytes.error().to_string();
        config_.args.emplace_back(*bytes);
        continue;
      }
      if (c.arguments[i] == "null") {
        config_.args.emplace_back(uint64_t{0});
        continue;
      }
      auto buffer = runtime::parse_buffer(c.arguments[i]);
      ASSERT_TRUE(buffer.ok()) << buffer.error().to_string();
      auto fits = runtime::check_buffer(*buffer, p);
      ASSERT_TRUE(fits.ok()) << fits.error().to_string();
      Bound b{&p, 0, buffer->count * buffer->element_bytes()};
      auto address =
          device_.allocate(b.bytes, {p.name, p.elem != nullptr ? static_cast<uint32_t>(p.elem->size) : 1});
      ASSERT_TRUE(address.ok()) << address.error().to_string();
      b.address = *address;
      if (!buffer->is_undefined) {
        ASSERT_TRUE(device_.upload(b.address, buffer->bytes).ok());
      }
      bound_.push_back(b);
      config_.args.emplace_back(b.address);
    }
    config_.grid = {c.grid[0], c.grid[1], c.grid[2]};
    config_.block = {c.block[0], c.block[1], c.block[2]};
    config_.dynamic_shared_bytes = c.shared;
    config_.options.seed = c.seed;
    config_.options.time_limit_s = 30;
    if (c.checks == "overflow") config_.options.checks |= sim::kCheckOverflow;
    if (c.checks == "shifts") config_.options.checks |= sim::kCheckShifts;
  }

  void launch() {
    auto program = device_.load(module_);
    ASSERT_TRUE(program.ok()) << program.error().to_string();
    auto result = device_.launch(**program, kernel_->name, config_);
    ASSERT_TRUE(result.ok()) << result.error().to_string();
    result_ = std::move(*result);
  }

  void lower_pointers(const pass::PointerOptions& options) {
    for (const pass::Unlowered& unlowered : pass::lower_pointers(*module_, options)) {
      const bool is_known =
          std::any_of(std::begin(kUnlowered), std::end(kUnlowered),
                      [&](std::string_view reason) { return unlowered.reason.starts_with(reason); });
      EXPECT_TRUE(is_known) << GetParam().file << ":" << unlowered.pos.line << ": " << unlowered.reason;
    }
    ASSERT_EQ(ir::verify(*module_), "");
  }

  void run() {
    ASSERT_NO_FATAL_FAILURE(bind());
    ASSERT_NO_FATAL_FAILURE(launch());
    expect_reports();
    for (const Expectation& e : GetParam().expected) expect_values(e);
    if (GetParam().expects_print) {
      EXPECT_EQ(result_.printed, GetParam().prints);
    }
  }

  // Each planted defect is found in its line. Races and barriers have two parties, and what they do to the
  // rest of the launch may be reported too; any other defect stands alone.
  void expect_reports() {
    std::string rendered;
    for (const sim::Report& r : result_.reports) rendered += sim::render(r, *module_) + "\n";
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
    const ir::Type* type = bound->param->elem;
    const uint64_t count = bound->bytes / type->size;
    const uint64_t first = e.has_range ? e.first : 0, last = e.has_range ? e.last : count;
    ASSERT_LE(last, count);
    std::vector<std::byte> bytes(bound->bytes);
    ASSERT_TRUE(device_.download(bound->address, bytes).ok());
    std::vector<std::string> printed;
    for (uint64_t i = first; i < last; ++i) {
      const std::string value = runtime::print_value(type, bytes.data() + i * type->size);
      for (std::string_view word : base::split(value, ' ')) printed.emplace_back(word);
    }
    if (e.tolerance == 0) {
      EXPECT_EQ(base::join(printed, " "), base::join(e.values, " ")) << GetParam().file << ":" << e.line;
      return;
    }
    ASSERT_EQ(printed.size(), e.values.size());
    for (size_t i = 0; i < printed.size(); ++i) {
      const auto got = base::parse_double(printed[i]), want = base::parse_double(e.values[i]);
      ASSERT_TRUE(got && want) << printed[i] << " against " << e.values[i];
      if (std::isnan(*want) && std::isnan(*got)) continue;
      EXPECT_LE(std::fabs(*got - *want), e.tolerance * std::max(1e-30, std::fabs(*want)))
          << GetParam().file << ":" << e.line << ": element " << i << " is " << printed[i] << ", not "
          << e.values[i];
    }
  }

  std::shared_ptr<ir::Module> module_;
  const ir::Function* kernel_ = nullptr;
  sim::Device device_;
  sim::LaunchConfig config_;
  sim::LaunchResult result_;
  std::vector<Bound> bound_;
};

TEST_P(Cases, Lowered) {
  ASSERT_NO_FATAL_FAILURE(compile(false));
  EXPECT_EQ(ir::verify(*module_), "");
  EXPECT_EQ(ir::verify_lifetimes(*module_), "");
}

// The same results, and the same defects found, after the passes that poorer targets ask for.
TEST_P(Cases, LowerExits) {
  ASSERT_NO_FATAL_FAILURE(compile());
  pass::lower_exits(*module_);
  ASSERT_EQ(ir::verify(*module_), "");
  ASSERT_NO_FATAL_FAILURE(run());
}

TEST_P(Cases, LowerPointers) {
  ASSERT_NO_FATAL_FAILURE(compile());
  ASSERT_NO_FATAL_FAILURE(lower_pointers({.wide = true}));
  ASSERT_NO_FATAL_FAILURE(run());
}

TEST_P(Cases, LowerPointersTo32Bits) {
  ASSERT_NO_FATAL_FAILURE(compile());
  ASSERT_NO_FATAL_FAILURE(lower_pointers({.wide = false}));
  ASSERT_NO_FATAL_FAILURE(run());
}

TEST_P(Cases, Sim) {
  ASSERT_NO_FATAL_FAILURE(compile());
  ASSERT_NO_FATAL_FAILURE(run());
  const bool checks_something =
      !GetParam().expected.empty() || GetParam().expects_print || !GetParam().reports.empty();
  EXPECT_TRUE(checks_something) << GetParam().file << ":" << GetParam().line << ": the case expects nothing";
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return test_name(info.param.file, info.param.kernel, info.param.line);
}

INSTANTIATE_TEST_SUITE_P(Accepted, Cases, testing::ValuesIn(load("cases")), name_of);
INSTANTIATE_TEST_SUITE_P(Defects, Cases, testing::ValuesIn(load("defects")), name_of);

// The folders must not shrink unnoticed.
TEST(CaseFolders, HoldEnough) {
  EXPECT_GE(load("cases").size(), 650u);
  size_t with_report = 0;
  for (const Case& c : load("defects")) with_report += c.reports.empty() ? 0 : 1;
  EXPECT_GE(with_report, 65u);
}

}  // namespace
}  // namespace quern::test

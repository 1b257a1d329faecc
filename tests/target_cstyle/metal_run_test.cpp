// Runs every case of tests/cases that has a Metal text: text that compiles may still have the wrong meaning.
#include <algorithm>
#include <cstring>
#include <map>
#include <span>

#include <gtest/gtest.h>

#include "driver/interface/arguments.hpp"
#include "driver/interface/report.hpp"
#include "support/case_run.hpp"
#include "target_cstyle/emitted.hpp"
#include "target_cstyle/metal_program.hpp"

namespace quern::test {
namespace {

using driver::Feature;

struct Prepared {
  Case test;
  CaseProgram program;
  driver::Code code;
};

// The alignment of device allocations, which kernels may test.
struct alignas(256) Line {
  std::byte bytes[256];
};
using Memory = std::vector<Line>;

Memory memory_of(std::span<const std::byte> bytes) {
  Memory memory(bytes.size() / sizeof(Line) + 1);
  std::ranges::copy(bytes, reinterpret_cast<std::byte*>(memory.data()));
  return memory;
}

// The buffers of one launch, in the order of target.hpp.
class Launch {
 public:
  explicit Launch(const Prepared& prepared)
      : code_(prepared.code), info_(prepared.code.kernels.front()), test_(prepared.test) {
    parse_case_arguments(prepared.test, prepared.program, arguments_);
    for (CaseArgument& a : arguments_) {
      if (a.param->type->is_ptr() && !a.is_null) a.buffer.bytes.resize(a.bytes());
    }
    for (const driver::VariableInfo& v : code_.variables) {
      variables_.emplace_back(v.bytes);
      std::memcpy(variables_.back().data(), v.initial.data(), v.initial.size());
    }
    pack();
  }

  void run(MetalProgram::Launch function) {
    std::vector<void*> buffers;
    std::vector<Memory> memories;
    for (const CaseArgument& a : arguments_) {
      if (!a.param->type->is_ptr()) continue;
      memories.push_back(memory_of(a.buffer.bytes));
      buffers.push_back(memories.back().data());
    }
    for (auto& v : variables_) buffers.push_back(v.data());
    if (info_.needs.has(Feature::print) || info_.needs.has(Feature::assert)) {
      report_.resize(1 << 16);
      driver::start_report(std::span<uint32_t, driver::kReportHeader>(report_.data(), driver::kReportHeader),
                           static_cast<uint32_t>(report_.size()));
      buffers.push_back(report_.data());
    }
    buffers.push_back(block_.data());
    std::vector<std::byte> shared(test_.shared + 16);
    function(buffers.data(), test_.grid, test_.block, shared.data());
    auto memory = memories.begin();
    for (CaseArgument& a : arguments_) {
      if (!a.param->type->is_ptr()) continue;
      const auto* bytes = reinterpret_cast<const std::byte*>(memory++->data());
      std::copy_n(bytes, a.buffer.bytes.size(), a.buffer.bytes.begin());
    }
  }

  void compare() const {
    if (test_.expects_print) {
      EXPECT_EQ(driver::read_report(report_, code_.sites).printed, test_.prints)
          << test_.file << ":" << test_.line;
    }
    for (const Expectation& e : test_.expected) {
      for (const CaseArgument& a : arguments_) {
        if (a.param->name == e.name) expect_case_values(test_, e, *a.param, a.buffer.bytes);
      }
    }
  }

 private:
  void pack() {
    block_.resize(info_.block_bytes + 16);
    size_t at = 0;
    for (const CaseArgument& a : arguments_) {
      if (a.param->type->is_ptr()) continue;
      const uint64_t align = a.param->type->align;
      at = (at + align - 1) / align * align;
      std::memcpy(block_.data() + at, a.value.data(), a.value.size());
      at += a.value.size();
    }
    at = (at + 3) / 4 * 4;
    const auto put = [&](uint32_t word) {
      std::memcpy(block_.data() + at, &word, 4);
      at += 4;
    };
    for (const CaseArgument& a : arguments_) {
      if (a.param->type->is_ptr()) put(a.is_null ? driver::kNullOffset : 0);
    }
    if (info_.needs.has(Feature::dynamic_shared)) put(static_cast<uint32_t>(test_.shared));
    EXPECT_EQ(at, info_.block_bytes) << test_.kernel;
  }

  const driver::Code& code_;
  const driver::KernelInfo& info_;
  const Case& test_;
  std::vector<CaseArgument> arguments_;
  std::vector<std::vector<std::byte>> variables_;
  std::vector<uint32_t> report_;
  std::vector<std::byte> block_;
};

size_t run_file(std::vector<Prepared>& cases) {
  std::vector<MetalProgram::Kernel> kernels;
  for (const Prepared& p : cases) kernels.push_back({p.code.bytes, p.code.kernels.front().entry});
  auto program = MetalProgram::make(kernels);
  if (!program.ok()) {
    ADD_FAILURE() << cases.front().test.file << "\n" << program.error().message().substr(0, 3000);
    return 0;
  }
  for (size_t i = 0; i < cases.size(); ++i) {
    Launch launch(cases[i]);
    launch.run((*program)->launch(i));
    launch.compare();
  }
  return cases.size();
}

// `usual`: cases with the same text as with these options are omitted.
void run_cases(const target::Options& options, const target::Options* usual, size_t at_least) {
  if (!MetalProgram::has_compiler()) GTEST_SKIP() << "clang++ is not installed: Metal text is not run";
  std::map<std::string, std::vector<Prepared>> files;
  size_t all = 0, ran = 0;
  for (const Case& c : load_cases("cases")) {
    Prepared p{c, {}, {}};
    compile_case(c, p.program);
    ++all;
    auto code = target::emit(p.program.module, c.file, options);
    if (!code.ok()) continue;
    if (usual != nullptr) {
      const auto other = target::emit(p.program.module, c.file, *usual);
      if (other.ok() && other->bytes == code->bytes) continue;
    }
    p.code = std::move(*code);
    files[c.file].push_back(std::move(p));
  }
  for (auto& [file, cases] : files) ran += run_file(cases);
  std::printf("%zu cases, %zu run as Metal text\n", all, ran);
  EXPECT_GE(ran, at_least);
}

TEST(MetalRuns, TheCases) { run_cases(options_for(driver::CodeKind::kMsl), nullptr, 680); }

TEST(MetalRuns, TheCasesWithoutWarps) {
  const target::Options usual = options_for(driver::CodeKind::kMsl);
  target::Options options = usual;
  options.native = {};
  run_cases(options, &usual, 40);
}

}  // namespace
}  // namespace quern::test

#include "support/case_run.hpp"

#include <algorithm>
#include <cmath>

#include "base/file.hpp"
#include "base/text.hpp"
#include "lang/compile.hpp"
#include "lang/ir/verify.hpp"
#include "lang/pass/matrices.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/texture_references.hpp"

namespace quern::test {

std::vector<Case> load_cases(const char* folder) {
  auto cases = read_cases(std::string(QUERN_SOURCE_DIR) + "/tests/" + folder);
  if (!cases.ok()) {
    ADD_FAILURE() << cases.error().to_string();
    return {};
  }
  return *cases;
}

void compile_case(const Case& c, CaseProgram& program, bool prepare) {
  auto text = base::read_file(c.file);
  ASSERT_TRUE(text.ok()) << text.error().to_string();
  lang::CompileOptions options;
  options.kernels = {c.kernel};
  options.prepare = prepare;
  lang::Compilation compiled = lang::compile(c.file, *text, options);
  ASSERT_TRUE(compiled.ok) << compiled.rendered;
  ASSERT_GE(compiled.kernels.size(), 1u);  // and the kernels that it launches
  program.module = std::make_shared<ir::Module>(std::move(compiled.module));
  if (prepare) pass::pass_texture_references(*program.module);
  program.kernel = program.module->find_function(compiled.kernels[0].name);
  ASSERT_NE(program.kernel, nullptr);
}

void legalize_case(CaseProgram& program, ir::MatrixForm form, const pass::Forms& forms) {
  pass::legalize_forms(*program.module, forms);
  pass::legalize_matrices(*program.module, [&](const ir::Function&, const ir::Matrix&) { return form; });
  ASSERT_EQ(ir::verify(*program.module), "");
}

void parse_case_arguments(const Case& c, const CaseProgram& program, std::vector<CaseArgument>& arguments) {
  std::vector<std::string> texts = c.arguments;
  for (size_t i = texts.size(); i < program.kernel->params.size(); ++i) {  // texture references
    const auto bound = c.textures.find(program.kernel->params[i]->name);
    ASSERT_NE(bound, c.textures.end())
        << c.file << ":" << c.line << ": no texture is given for '" << program.kernel->params[i]->name << "'";
    texts.push_back(bound->second);
  }
  ASSERT_EQ(texts.size(), program.kernel->params.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    CaseArgument a;
    a.param = program.kernel->params[i];
    if (runtime::is_texture_text(texts[i])) {
      auto texture = runtime::parse_texture(texts[i]);
      ASSERT_TRUE(texture.ok()) << texture.error().to_string();
      a.is_texture = true;
      a.buffer = std::move(texture->texels);
      a.value.resize(sizeof texture->descriptor);
      std::memcpy(a.value.data(), &texture->descriptor, a.value.size());
    } else if (!a.param->type->is_ptr()) {
      auto bytes = runtime::parse_value(texts[i], a.param->type, a.param->name);
      ASSERT_TRUE(bytes.ok()) << bytes.error().to_string();
      a.value = std::move(*bytes);
    } else if (texts[i] == "null") {
      a.is_null = true;
    } else {
      auto buffer = runtime::parse_buffer(texts[i]);
      ASSERT_TRUE(buffer.ok()) << buffer.error().to_string();
      auto fits = runtime::check_buffer(*buffer, *a.param);
      ASSERT_TRUE(fits.ok()) << fits.error().to_string();
      a.buffer = std::move(*buffer);
    }
    arguments.push_back(std::move(a));
  }
}

void expect_case_values(const Case& c, const Expectation& e, const ir::Param& param,
                        std::span<const std::byte> contents) {
  const ir::Type* type = param.elem;
  const uint64_t count = contents.size() / type->size;
  const uint64_t first = e.has_range ? e.first : 0, last = e.has_range ? e.last : count;
  ASSERT_LE(last, count);
  std::vector<std::string> printed;
  for (uint64_t i = first; i < last; ++i) {
    const std::string value = runtime::print_value(type, contents.data() + i * type->size);
    for (std::string_view word : base::split(value, ' ')) printed.emplace_back(word);
  }
  if (e.tolerance == 0) {
    EXPECT_EQ(base::join(printed, " "), base::join(e.values, " ")) << c.file << ":" << e.line;
    return;
  }
  ASSERT_EQ(printed.size(), e.values.size());
  for (size_t i = 0; i < printed.size(); ++i) {
    const auto got = base::parse_double(printed[i]), want = base::parse_double(e.values[i]);
    ASSERT_TRUE(got && want) << printed[i] << " against " << e.values[i];
    if (std::isnan(*want) && std::isnan(*got)) continue;
    EXPECT_LE(std::fabs(*got - *want), e.tolerance * std::max(1e-30, std::fabs(*want)))
        << c.file << ":" << e.line << ": element " << i << " is " << printed[i] << ", not " << e.values[i];
  }
}

void expect_case_checks_something(const Case& c) {
  const bool checks_something = !c.expected.empty() || c.expects_print || !c.reports.empty();
  EXPECT_TRUE(checks_something) << c.file << ":" << c.line << ": the case expects nothing";
}

}  // namespace quern::test

#include "suite/exchange.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"
#include "runtime/argument_text.hpp"
#include "runtime/module.hpp"
#include "runtime/select.hpp"
#include "runtime/texture_text.hpp"
#include "suite/run_case.hpp"

namespace quern::test {

namespace {

using base::Error;
using base::ErrorKind;
using base::Result;

constexpr double kLeastPart = 0.75;  // of the cases that must run

std::string to_hex(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte b : bytes) {
    text += kDigits[std::to_integer<size_t>(b) >> 4];
    text += kDigits[std::to_integer<size_t>(b) & 15];
  }
  return text;
}

std::vector<std::byte> from_hex(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::vector<std::byte> bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(digit(text[i]) * 16 + digit(text[i + 1])));
  return bytes;
}

// The functions of the cases, compiled for the simulator.
class Functions {
 public:
  static Result<Functions> open() {
    Functions all;
    QUERN_TRY_ASSIGN(all.device_, runtime::open({"sim", {}}));
    return all;
  }

  Result<const ir::Function*> find(const Case& test) {
    auto& module = modules_[test.file];
    if (module == nullptr) {
      QUERN_TRY_ASSIGN(runtime::Source source, runtime::read_source(test.file));
      QUERN_TRY_ASSIGN(module, runtime::Module::load(device_, std::move(source)));
    }
    QUERN_TRY(module->kernel(test.kernel));
    const ir::Function* const function = module->function(test.kernel);
    if (function == nullptr || function->params.size() != test.arguments.size())
      return Error(ErrorKind::bad_input, "case '" + test.kernel + "' does not match its kernel");
    return function;
  }

 private:
  std::shared_ptr<runtime::Device> device_;
  std::map<std::string, std::shared_ptr<runtime::Module>> modules_;
};

Result<> write_argument(base::JsonWriter& json, const std::string& text, const ir::Param& p) {
  if (!p.type->is_ptr()) {
    QUERN_TRY_ASSIGN(const auto bytes, runtime::parse_value(text, p.type, p.name));
    json.begin_object().member("value", to_hex(bytes)).end_object();
  } else if (text == "null") {
    json.value(nullptr);
  } else {
    QUERN_TRY_ASSIGN(const runtime::HostBuffer buffer, runtime::parse_buffer(text));
    QUERN_TRY(runtime::check_buffer(buffer, p));
    json.begin_object().member("memory", buffer.is_undefined ? std::string() : to_hex(buffer.bytes));
    json.member("size", buffer.count * buffer.element_bytes()).end_object();
  }
  return {};
}

size_t position(const ir::Function& function, const std::string& name) {
  size_t at = 0;
  while (at < function.params.size() && function.params[at]->name != name) ++at;
  return at;
}

Result<> write_case(base::JsonWriter& json, const Case& test, const ir::Function& function) {
  json.begin_object().member("name", test_name(test.file, test.kernel, test.line));
  json.member("source", test.file).member("kernel", test.kernel);
  json.key("grid").begin_array().value(test.grid[0]).value(test.grid[1]).value(test.grid[2]).end_array();
  json.key("block").begin_array().value(test.block[0]).value(test.block[1]).value(test.block[2]).end_array();
  json.member("shared", test.shared).key("arguments").begin_array();
  for (size_t i = 0; i < test.arguments.size(); ++i)
    QUERN_TRY(write_argument(json, test.arguments[i], *function.params[i]));
  json.end_array().key("reads").begin_array();
  std::map<size_t, bool> read;
  for (const Expectation& e : test.expected) {
    if (!read[position(function, e.name)]) json.value(position(function, e.name));
    read[position(function, e.name)] = true;
  }
  json.end_array().end_object();
  return {};
}

Result<> compare_one(const Case& test, const ir::Function& function, const base::JsonValue& result) {
  if (result.find("failed") != nullptr) return Error(ErrorKind::internal, result.text_of("failed"));
  const base::JsonValue* const memory = result.find("memory");
  for (const Expectation& e : test.expected) {
    const size_t at = position(function, e.name);
    const base::JsonValue* const bytes = memory != nullptr ? memory->find(std::to_string(at)) : nullptr;
    if (bytes == nullptr || at == function.params.size() || function.params[at]->elem == nullptr)
      return Error(ErrorKind::bad_input, "there is no result for '" + e.name + "'");
    QUERN_TRY(compare_bytes(e, *function.params[at]->elem, from_hex(bytes->text)));
  }
  const std::string printed = result.text_of("printed");
  if (test.expects_print && printed != test.prints)
    return Error(ErrorKind::internal, "prints '" + printed + "' instead of '" + test.prints + "'");
  return {};
}

// The JavaScript API has no textures.
bool uses_textures(const Case& test) {
  return !test.textures.empty() ||
         std::any_of(test.arguments.begin(), test.arguments.end(), runtime::is_texture_text);
}

}  // namespace

Result<> export_cases(const std::vector<Case>& cases, const std::string& path) {
  QUERN_TRY_ASSIGN(Functions functions, Functions::open());
  base::JsonWriter json;
  std::map<std::string, std::string> sources;
  json.begin_object().key("cases").begin_array();
  for (const Case& test : cases) {
    if (uses_textures(test)) continue;
    QUERN_TRY_ASSIGN(const ir::Function* const function, functions.find(test));
    QUERN_TRY(write_case(json, test, *function));
    if (sources[test.file].empty()) {
      QUERN_TRY_ASSIGN(const runtime::Source source, runtime::read_source(test.file));
      sources[test.file] = source.text;
    }
  }
  json.end_array().key("sources").begin_object();
  for (const auto& [name, text] : sources) json.member(name, text);
  json.end_object().end_object();
  return base::write_file(path, json.take());
}

Result<> compare_results(const std::vector<Case>& cases, const std::string& path) {
  QUERN_TRY_ASSIGN(Functions functions, Functions::open());
  QUERN_TRY_ASSIGN(const std::string text, base::read_file(path));
  QUERN_TRY_ASSIGN(const base::JsonValue results, base::parse_json(text));
  std::map<std::string, const base::JsonValue*> by_name;
  for (const base::JsonValue& r : results.items) by_name[r.text_of("name")] = &r;
  size_t right = 0, refused = 0, wrong = 0;
  for (const Case& test : cases) {
    const std::string name = test_name(test.file, test.kernel, test.line);
    const base::JsonValue* const result = by_name[name];
    if (uses_textures(test) || (result != nullptr && result->find("refused") != nullptr)) {
      ++refused;
      continue;
    }
    QUERN_TRY_ASSIGN(const ir::Function* const function, functions.find(test));
    const Result<> same = result != nullptr ? compare_one(test, *function, *result)
                                            : Result<>(Error(ErrorKind::not_found, "there is no result"));
    ++(same.ok() ? right : wrong);
    if (!same.ok()) std::printf("%s: %s\n", name.c_str(), same.error().message().c_str());
  }
  std::printf("%zu right, %zu refused, %zu wrong of %zu\n", right, refused, wrong, cases.size());
  if (wrong != 0) return Error(ErrorKind::internal, base::format_plural(wrong, "case") + " failed");
  if (static_cast<double>(right) < kLeastPart * static_cast<double>(cases.size()))
    return Error(ErrorKind::internal, base::format("only %zu of %zu cases ran", right, cases.size()));
  return {};
}

}  // namespace quern::test

// Every function of the device library compiles: plain functions are called with arguments of their own parameter
// types, generated here from the library's text; templates are used in templates.cu beside this file. A name that
// neither of the two mentions fails the test.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lang/builtin/library.hpp"
#include "lang/compile.hpp"

namespace quern::lang {
namespace {

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

// "unsigned mask = 3" -> "unsigned".
std::string type_of_parameter(std::string text) {
  text = trimmed(text.substr(0, text.find('=')));
  size_t name = text.find_last_of(" *&");
  static const std::set<std::string> kTypeWords = {"int", "unsigned", "long", "short", "char", "float", "double"};
  if (name == std::string::npos || name + 1 == text.size() || kTypeWords.contains(text.substr(name + 1))) return text;
  return trimmed(text.substr(0, name + 1));
}

// The types of a declaration's parameters; false when it is no function without template parameters.
bool parameter_types(std::string_view decl, std::string_view name, std::vector<std::string>& types) {
  if (!decl.starts_with("__device__")) return false;
  size_t open = decl.find(std::string(name) + "(");
  if (open == std::string_view::npos) return false;
  open += name.size() + 1;
  std::string_view inside = decl.substr(open, decl.find(')', open) - open);
  std::stringstream parts{std::string(inside)};
  for (std::string part; std::getline(parts, part, ',');) {
    std::erase(part, '\n');
    types.push_back(type_of_parameter(part));
  }
  return true;
}

// A statement that calls the function.
std::string call_of(std::string_view name, const std::vector<std::string>& types) {
  std::string code = "{ ";
  std::string args;
  for (size_t i = 0; i < types.size(); ++i) {
    std::string arg = "a" + std::to_string(i);
    std::string type = types[i];
    if (type.ends_with('&')) {
      type = trimmed(type.substr(0, type.size() - 1));
      if (type.starts_with("const ")) type = type.substr(6);
    }
    if (type.ends_with("coalesced_group") || type.ends_with("thread_group")) {
      code += "cooperative_groups::" + type + " " + arg + "(1u); ";
    } else if (type.ends_with('*')) {
      code += type + " " + arg + " = (" + type + ")memory; ";
    } else {
      code += type + " " + arg + "{}; ";
    }
    args += (i > 0 ? ", " : "") + arg;
  }
  return code + std::string(name) + "(" + args + "); }";
}

std::string read_source(std::string_view name) {
  std::ifstream file(std::string(QUERN_SOURCE_DIR "/tests/builtin/") + std::string(name));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool mentions(const std::string& text, std::string_view name) {
  if (size_t colons = name.rfind("::"); colons != std::string_view::npos) name = name.substr(colons + 2);
  auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    bool begins = at == 0 || !is_word(text[at - 1]);
    bool ends = at + name.size() >= text.size() || !is_word(text[at + name.size()]);
    if (begins && ends) return true;
  }
  return false;
}

std::string generated_kernels() {
  std::map<uint32_t, std::string> bodies;
  for (std::string_view name : library_names()) {
    for (const LibraryDecl& decl : find_library_decls(name)) {
      std::string_view text = library_files()[decl.file].text.substr(decl.begin, decl.end - decl.begin);
      std::string_view short_name = name.substr(name.rfind("::") == std::string_view::npos ? 0 : name.rfind("::") + 2);
      std::vector<std::string> types;
      if (!parameter_types(text, short_name, types)) continue;
      std::string& body = bodies[decl.file];
      body += "  if (which == " + std::to_string(decl.begin) + ") " + call_of(name, types) + "\n";
    }
  }
  std::string text;
  for (const auto& [file, body] : bodies) {
    std::string name(library_files()[file].name.substr(0, library_files()[file].name.find('.')));
    text += "__global__ void use_" + name + "(char* memory, unsigned which) {\n" + body + "}\n";
  }
  return text;
}

void expect_compiles(std::string name, std::string text, size_t kernels) {
  Compilation result = compile(std::move(name), std::move(text));
  EXPECT_TRUE(result.ok) << result.rendered;
  EXPECT_GE(result.kernels.size(), kernels);
  for (const KernelInfo& kernel : result.kernels) EXPECT_TRUE(kernel.ok) << kernel.name << ": " << kernel.reason;
}

TEST(LibraryCoverage, EveryFunctionCompiles) { expect_compiles("generated.cu", generated_kernels(), 15); }

TEST(LibraryCoverage, EveryTemplateCompiles) { expect_compiles("templates.cu", read_source("templates.cu"), 8); }

TEST(LibraryCoverage, NoNameIsLeftOut) {
  std::string text = generated_kernels() + read_source("templates.cu");
  for (std::string_view name : library_names()) {
    if (name.find("__") == 0 || name.find("::__") != std::string_view::npos) {
      if (mentions(text, name)) continue;
      // Helpers of the library's own.
      bool is_cuda = false;
      for (const LibraryDecl& decl : find_library_decls(name)) {
        is_cuda |= library_files()[decl.file].text.substr(decl.begin, 10) == "__device__";
      }
      EXPECT_FALSE(is_cuda && name.find("::") == std::string_view::npos) << name;
      continue;
    }
    EXPECT_TRUE(mentions(text, name)) << name;
  }
}

}  // namespace
}  // namespace quern::lang

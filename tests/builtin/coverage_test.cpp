// Every function of the device library compiles: plain functions are called with arguments of their parameter
// types, generated here from the library's text; templates are used in templates.cu in this folder. A name
// that occurs in neither of the two fails the test.
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "builtin/signature.hpp"
#include "lang/compile.hpp"

namespace quern::lang {
namespace {

// A statement that calls the function.
std::string call_of(const Signature& function) {
  std::string code = "{ ";
  std::string args;
  for (size_t i = 0; i < function.types.size(); ++i) {
    std::string arg = "a" + std::to_string(i);
    std::string type = function.types[i];
    if (type.ends_with('&')) {
      type = trimmed(type.substr(0, type.size() - 1));
      if (type.starts_with("const ")) type = type.substr(6);
    }
    if (type.starts_with("sem_") || type.starts_with("scope_") || type.starts_with("space_")) {
      code += "cuda::ptx::" + type + " " + arg + "; ";
    } else if (type.ends_with("coalesced_group") || type.ends_with("thread_group")) {
      code += "cooperative_groups::" + type + " " + arg + "(1u); ";
    } else if (type.ends_with('*')) {
      code += type + " " + arg + " = (" + type + ")memory; ";
    } else {
      code += type + " " + arg + "{}; ";
    }
    args += (i > 0 ? ", " : "") + arg;
  }
  return code + function.name + "(" + args + "); }";
}

std::string read_source(std::string_view name) {
  std::ifstream file(std::string(QUERN_SOURCE_DIR "/tests/builtin/") + std::string(name));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool mentions(const std::string& text, std::string_view name) {
  name = unqualified(name);
  auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    bool begins = at == 0 || !is_word(text[at - 1]);
    bool ends = at + name.size() >= text.size() || !is_word(text[at + name.size()]);
    if (begins && ends) return true;
  }
  return false;
}

std::string generated_kernels() {
  std::map<std::string, std::string> bodies;
  for (const Signature& function : library_functions()) {
    std::string file(function.file().substr(0, function.file().find('.')));
    bodies[file] += "  if (which == " + std::to_string(function.decl.begin) + ") " + call_of(function) + "\n";
  }
  std::string text;
  for (const auto& [file, body] : bodies) {
    text += "__global__ void use_" + file + "(char* memory, unsigned which) {\n" + body + "}\n";
  }
  return text;
}

void expect_compiles(std::string name, std::string text, size_t kernels) {
  Compilation result = compile(std::move(name), std::move(text));
  EXPECT_TRUE(result.ok) << result.rendered;
  EXPECT_GE(result.kernels.size(), kernels);
  for (const KernelInfo& kernel : result.kernels)
    EXPECT_TRUE(kernel.ok) << kernel.name << ": " << kernel.reason;
}

TEST(LibraryCoverage, EveryFunctionCompiles) { expect_compiles("generated.cu", generated_kernels(), 15); }

TEST(LibraryCoverage, EveryTemplateCompiles) {
  expect_compiles("templates.cu", read_source("templates.cu"), 9);
  expect_compiles("templates_cub.cu", read_source("templates_cub.cu"), 10);
  expect_compiles("templates_std.cu", read_source("templates_std.cu"), 5);
  expect_compiles("templates_texture.cu", read_source("templates_texture.cu"), 3);
  expect_compiles("templates_launch.cu", read_source("templates_launch.cu"), 3);
}

TEST(LibraryCoverage, NoNameIsLeftOut) {
  std::string text = generated_kernels() + read_source("templates.cu") + read_source("templates_cub.cu") +
                     read_source("templates_std.cu") + read_source("templates_texture.cu") +
                     read_source("templates_launch.cu");
  for (std::string_view name : library_names()) {
    if (name.find("__") == 0 || name.find("::__") != std::string_view::npos) {
      if (mentions(text, name)) continue;
      // Internal helpers of the library.
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

// Functions for operations that a target lacks: written in the kernel language (library/*.cuh), compiled when
// a kernel needs them, and added to its module as functions that it calls.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::expand {

// The name prefix of all functions of the library.
constexpr std::string_view kLibraryNamespace = "quern_expand::";

struct LibraryFile {
  std::string_view name;
  std::string_view text;
};
std::span<const LibraryFile> library_files();  // generated: the texts of library/

class Library {
 public:
  explicit Library(ir::Module& module) : module_(module) {}

  // Whether there is a function of that name.
  static bool has(std::string_view name);
  // Returns the function, which can be called immediately; link() adds its body. Half and bfloat16 are passed
  // as u16.
  ir::Function* use(const std::string& name, std::span<const ir::Type* const> params, const ir::Type* result);
  // Compiles all used functions that have no body yet, and adds the bodies. Returns a sentence if the text
  // does not compile.
  std::string link();

 private:
  std::string program() const;

  ir::Module& module_;
  std::map<std::string, ir::Function*> known_;
  std::map<std::string, ir::Function*> used_;  // of these, the ones that are not linked
};

}  // namespace quern::expand

// The functions of the device library, parsed from its text: enough of C++ for the style of these texts.
#pragma once

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lang/builtin/library.hpp"

namespace quern::lang {

struct Signature {
  std::string name;  // qualified
  std::string result;
  std::vector<std::string> types;  // of the parameters
  LibraryDecl decl;
  std::string_view file() const { return library_files()[decl.file].name; }
};

inline std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

// "unsigned mask = 3" -> "unsigned".
inline std::string type_of_parameter(std::string text) {
  text = trimmed(text.substr(0, text.find('=')));
  size_t name = text.find_last_of(" *&");
  static const std::set<std::string> kTypeWords = {"int",  "unsigned", "long",  "short",
                                                   "char", "float",    "double"};
  bool unnamed =
      name == std::string::npos || name + 1 == text.size() || kTypeWords.contains(text.substr(name + 1));
  return unnamed ? text : trimmed(text.substr(0, name + 1));
}

inline std::string_view unqualified(std::string_view name) {
  size_t colons = name.rfind("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

// All functions that are not templates, operators or members.
inline std::vector<Signature> library_functions() {
  std::vector<Signature> functions;
  for (std::string_view name : library_names()) {
    for (const LibraryDecl& decl : find_library_decls(name)) {
      std::string text(library_files()[decl.file].text.substr(decl.begin, decl.end - decl.begin));
      size_t open = text.find(" " + std::string(unqualified(name)) + "(");
      if (!text.starts_with("__device__ ") || open == std::string::npos) continue;
      Signature function{std::string(name), text.substr(11, open - 11), {}, decl};
      if (function.result.starts_with("constexpr ")) function.result.erase(0, 10);
      open = text.find('(', open) + 1;
      std::stringstream parts{text.substr(open, text.find(')', open) - open)};
      for (std::string part; std::getline(parts, part, ',');) {
        std::erase(part, '\n');
        function.types.push_back(type_of_parameter(part));
      }
      functions.push_back(std::move(function));
    }
  }
  return functions;
}

}  // namespace quern::lang

// The device library's texts and their index.
#include "lang/builtin/library.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace quern::lang {
namespace {

std::string_view text_of(const LibraryDecl& decl) {
  return library_files()[decl.file].text.substr(decl.begin, decl.end - decl.begin);
}

std::vector<std::string> texts_of(std::string_view name) {
  std::vector<std::string> texts;
  for (const LibraryDecl& decl : find_library_decls(name)) texts.emplace_back(text_of(decl));
  return texts;
}

// A slow and careful second implementation: blanks out comments and string literals.
std::string code_of(std::string_view text) {
  std::string code(text);
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i] == '/' && i + 1 < code.size() && code[i + 1] == '/') {
      for (; i < code.size() && code[i] != '\n'; ++i) code[i] = ' ';
    } else if (code[i] == '"') {
      for (code[i++] = ' '; i < code.size() && code[i] != '"'; ++i) code[i] = ' ';
      code[i] = ' ';
    }
  }
  return code;
}

bool is_balanced(const std::string& code) {
  std::string open;
  for (char c : code) {
    if (c == '(' || c == '[' || c == '{') open.push_back(c);
    if (c == ')' || c == ']' || c == '}') {
      char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (open.empty() || open.back() != wanted) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

// Without spaces at their ends.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(line);
    begin = end + 1;
  }
  return lines;
}

TEST(Library, CarriesItsFiles) {
  std::set<std::string_view> names;
  for (const LibraryFile& file : library_files()) {
    EXPECT_TRUE(names.insert(file.name).second) << file.name;
    EXPECT_FALSE(file.text.empty()) << file.name;
    EXPECT_EQ(file.text.back(), '\n') << file.name;
    EXPECT_EQ(file.text.data()[file.text.size()], '\0') << "lexers need a NUL after the text";
  }
  EXPECT_TRUE(names.contains("math_float.cuh"));
  EXPECT_TRUE(names.contains("cooperative_groups.cuh"));
}

TEST(Library, FindsFunctions) {
  EXPECT_EQ(texts_of("sinf"),
            std::vector<std::string>{"__device__ float sinf(float x) { return __quern_sin(x); }"});
  EXPECT_TRUE(texts_of("no_such_function").empty());
  EXPECT_TRUE(texts_of("").empty());
  EXPECT_TRUE(texts_of("no_such_space::sinf").empty());
}

TEST(Library, FindsAllOverloadsTogether) {
  EXPECT_EQ(texts_of("sin").size(), 3U);  // float, double, and integers as a template
  EXPECT_GE(texts_of("min").size(), 18U);
  for (const std::string& text : texts_of("atomicAdd")) {
    EXPECT_NE(text.find(" atomicAdd("), std::string::npos) << text;
  }
}

TEST(Library, FindsTypesAliasesAndVariables) {
  EXPECT_EQ(texts_of("float4"),
            std::vector<std::string>{"struct __align__(16) float4 { float x, y, z, w; };"});
  EXPECT_EQ(texts_of("size_t"), std::vector<std::string>{"using size_t = unsigned long;"});
  ASSERT_EQ(texts_of("std::is_same_v").size(), 1U);
  ASSERT_EQ(texts_of("std::memory_order_relaxed").size(), 1U);
  EXPECT_EQ(texts_of("std::sinf"), std::vector<std::string>{"using ::sinf;"});
  std::vector<std::string> dim3 = texts_of("dim3");
  ASSERT_EQ(dim3.size(), 1U);
  EXPECT_TRUE(dim3[0].starts_with("struct dim3 {"));
  EXPECT_TRUE(dim3[0].ends_with("};"));
}

TEST(Library, KeepsSpecialisationsWithTheirTemplate) {
  std::vector<std::string> limits = texts_of("std::numeric_limits");
  EXPECT_GE(limits.size(), 16U);
  EXPECT_TRUE(limits.front().starts_with("template <class T>\nstruct numeric_limits : __limits {"));
  EXPECT_TRUE(std::ranges::any_of(limits, [](const std::string& text) {
    return text.find("numeric_limits<float>") != std::string::npos;
  }));
  EXPECT_EQ(texts_of("std::enable_if").size(), 2U);
}

TEST(Library, FindsOperators) {
  EXPECT_FALSE(texts_of("operator+").empty());
  EXPECT_FALSE(texts_of("operator<=").empty());
  EXPECT_FALSE(texts_of("std::operator==").empty());
}

TEST(Library, KnowsItsNamespaces) {
  for (std::string_view space : {"std", "cuda", "cuda::std", "cooperative_groups",
                                 "cooperative_groups::experimental", "nvcuda::wmma"}) {
    EXPECT_TRUE(is_library_namespace(space)) << space;
  }
  for (std::string_view space : {"", "boost", "std::std", "thrust"})
    EXPECT_FALSE(is_library_namespace(space)) << space;
  EXPECT_EQ(texts_of("cuda::std::is_same"), texts_of("std::is_same"));
  EXPECT_TRUE(texts_of("is_same").empty());
  EXPECT_FALSE(texts_of("cooperative_groups::experimental::reduce").empty());
}

// The index relies on the layout; this is the required result: every byte of the texts is in exactly one
// declaration, or in a comment, or opens or closes a namespace.
TEST(Library, CoversTheTexts) {
  std::vector<std::vector<LibraryDecl>> decls(library_files().size());
  for (const LibraryDecl& decl : library_decls()) decls[decl.file].push_back(decl);
  for (size_t i = 0; i < library_files().size(); ++i) {
    const LibraryFile& file = library_files()[i];
    std::ranges::sort(decls[i], {}, &LibraryDecl::begin);
    // A plain enum is found under its own name and under each enumerator's.
    const auto is_same = [](const LibraryDecl& a, const LibraryDecl& b) {
      return a.begin == b.begin && a.end == b.end;
    };
    const auto again = std::ranges::unique(decls[i], is_same);
    decls[i].erase(again.begin(), again.end());
    std::string code = code_of(file.text);
    for (size_t k = 0; k < decls[i].size(); ++k) {
      const LibraryDecl& decl = decls[i][k];
      ASSERT_LT(decl.begin, decl.end);
      if (k + 1 < decls[i].size()) {
        ASSERT_LE(decl.end, decls[i][k + 1].begin) << file.name << ": " << text_of(decl);
      }
      std::string own = code.substr(decl.begin, decl.end - decl.begin);
      EXPECT_TRUE(is_balanced(own)) << file.name << ": " << own;
      EXPECT_TRUE(own.ends_with(";") || own.ends_with("}")) << file.name << ": " << own;
      std::fill_n(code.begin() + decl.begin, decl.end - decl.begin, ' ');
    }
    for (const std::string& line : lines_of(code)) {
      EXPECT_TRUE(line.empty() || line == "}" || (line.starts_with("namespace ") && line.ends_with(" {")))
          << file.name << ": " << line;
    }
  }
}

TEST(Library, HasAPlainLayout) {
  for (const LibraryFile& file : library_files()) {
    size_t lines = 0;
    for (size_t begin = 0; begin < file.text.size(); ++lines) {
      size_t end = file.text.find('\n', begin);
      std::string_view line = file.text.substr(begin, end - begin);
      EXPECT_LE(line.size(), 110U) << file.name << ":" << lines + 1;
      EXPECT_FALSE(line.ends_with(' ')) << file.name << ":" << lines + 1;
      EXPECT_FALSE(line.starts_with('#'))
          << file.name << ":" << lines + 1 << ": the texts are not preprocessed";
      EXPECT_TRUE(std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; }))
          << file.name << ":" << lines + 1 << ": plain ASCII only";
      begin = end + 1;
    }
    EXPECT_LT(lines, 800U) << file.name;
  }
}

TEST(Library, OffersNamesForSuggestions) {
  std::set<std::string_view> names(library_names().begin(), library_names().end());
  EXPECT_EQ(names.size(), library_names().size());
  EXPECT_TRUE(names.contains("__syncthreads"));
  EXPECT_TRUE(names.contains("std::numeric_limits"));
  EXPECT_TRUE(names.contains("cooperative_groups::this_thread_block"));
  EXPECT_TRUE(std::ranges::none_of(names, [](std::string_view name) {
    return name.find("operator") != std::string_view::npos || name.starts_with("__lib_");
  }));
}

}  // namespace
}  // namespace quern::lang

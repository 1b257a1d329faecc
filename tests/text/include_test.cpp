#include <algorithm>

#include <gtest/gtest.h>

#include "lang/builtin/headers.hpp"
#include "lang/text/find_include.hpp"
#include "lang/text/path.hpp"
#include "text_case.hpp"

namespace quern::lang {
namespace {

TEST(Path, Normalise) {
  EXPECT_EQ(normalise_path("a/./b//../c.h"), "a/c.h");
  EXPECT_EQ(normalise_path("./a.h"), "a.h");
  EXPECT_EQ(normalise_path("../../a/../b.h"), "../../b.h");
  EXPECT_EQ(normalise_path("/../a"), "/a");
  EXPECT_EQ(normalise_path("..\\common\\book.h"), "../common/book.h");
  EXPECT_EQ(normalise_path("a/.."), "");
  EXPECT_EQ(parent_path("a/b/c.cu"), "a/b");
  EXPECT_EQ(parent_path("c.cu"), "");
  EXPECT_EQ(parent_path("/c.cu"), "/");
  EXPECT_EQ(join_path("a/b", "../c.h"), "a/c.h");
  EXPECT_EQ(join_path("a", "/c.h"), "/c.h");
  EXPECT_EQ(join_path("", "c.h"), "c.h");
}

TEST(Include, RelativeToTheIncludingFile) {
  const TextCase::Files files{{"src/in/a.h", "a\n#include \"b.h\"\n#include \"../c.h\"\n"},
                              {"src/in/b.h", "b"},
                              {"src/c.h", "c"},
                              {"b.h", "wrong"}};
  const TextCase run("#include \"in/a.h\"\nend", files, {}, "src/t.cu");
  EXPECT_EQ(run.text(), "a b c end");
}

TEST(Include, ThenTheIncludeDirectories) {
  PreprocessOptions options;
  options.include_dirs = {"first", "second/"};
  EXPECT_EQ(expand("#include \"x.h\"\n#include <y.h>",
                   {{"second/x.h", "x2"}, {"second/y.h", "y2"}, {"first/y.h", "y1"}}, options),
            "x2 y1");
}

TEST(Include, AngleBracketsDoNotSearchTheFolderOfTheFile) {
  EXPECT_EQ(expand("#include <local.h>\na", {{"local.h", "wrong"}}), "a");
}

TEST(Include, UnknownSystemHeadersAreSkippedInSilence) {
  const TextCase run("#include <no_such_system_header>\n#include <sys/also/not.h>\na");
  EXPECT_EQ(run.text(), "a");
  EXPECT_TRUE(run.diagnostics.all().empty());
  ASSERT_EQ(run.missing.size(), 2u);
  EXPECT_TRUE(run.missing[0].is_angled && run.missing[1].is_angled);
}

TEST(Include, MissingQuotedHeadersAreRemembered) {
  const TextCase run("a\n#include \"not_there.h\"\nb");
  EXPECT_EQ(run.text(), "a b");
  EXPECT_TRUE(run.diagnostics.all().empty());
  ASSERT_EQ(run.missing.size(), 1u);
  EXPECT_EQ(run.missing[0].name, "not_there.h");
  EXPECT_EQ(run.sources.resolve(run.missing[0].loc).line, 2u);
  EXPECT_EQ(run.sources.resolve(run.missing[0].loc).column, 10u);
}

TEST(Include, HeadersThatWeDoNotCarryAreRememberedWithTheReason) {
  const TextCase run("#include <cub/device/device_reduce.cuh>\n");
  ASSERT_EQ(run.missing.size(), 1u);
  EXPECT_EQ(run.missing[0].name, "cub/device/device_reduce.cuh");
  EXPECT_EQ(run.missing[0].reason, find_unsupported_header("cub/device/device_reduce.cuh"));
}

TEST(Include, BuiltInHeadersAreFoundByBothForms) {
  for (const BuiltinHeader& header : builtin_headers()) {
    const std::string name(header.name);
    if (name == "quern_prelude") continue;
    const TextCase run("#include <" + name + ">\n#include \"" + name + "\"\n#if __has_include(<" + name +
                       ">)\nyes\n#endif");
    EXPECT_EQ(run.text(), "yes") << name << "\n" << run.diagnostics.render();
    EXPECT_TRUE(run.missing.empty()) << name;
  }
}

TEST(Include, ALocalFileHidesABuiltInOneWhenQuoted) {
  if (find_builtin_header("cuda_runtime.h") == nullptr) GTEST_SKIP();
  EXPECT_EQ(expand("#include \"cuda_runtime.h\"\nend", {{"cuda_runtime.h", "mine"}}), "mine end");
  EXPECT_EQ(expand("#include <cuda_runtime.h>\nend", {{"cuda_runtime.h", "mine"}}), "end");
}

TEST(Include, NamedByAMacro) {
  EXPECT_EQ(expand("#define H \"a.h\"\n#include H\n", {{"a.h", "a"}}), "a");
  PreprocessOptions options;
  options.include_dirs = {"d"};
  EXPECT_EQ(expand("#define DIR sub\n#define H <DIR/a.h>\n#include H\n", {{"d/sub/a.h", "a"}}, options), "a");
  EXPECT_EQ(expand("#define S(x) #x\n#define H(x) S(x.h)\n#include H(a)\n", {{"a.h", "a"}}), "a");
}

TEST(Include, Malformed) {
  EXPECT_EQ(complaint("#include"), at("1:2", message::kIncludeNameMissing("include")));
  EXPECT_EQ(complaint("#include foo"), at("1:10", message::kIncludeNameMissing("include")));
  EXPECT_EQ(complaint("#include \"foo"), at("1:10", message::kIncludeNameMissing("include")));
  EXPECT_EQ(complaint("#include \"\""), at("1:10", message::kIncludeNameMissing("include")));
}

TEST(Include, OnceAndGuards) {
  const TextCase::Files files{
      {"once.h", "#pragma once\no"}, {"guard.h", "#ifndef G\n#define G\ng\n#endif\n"}, {"many.h", "m"}};
  EXPECT_EQ(expand("#include \"once.h\"\n#include \"./once.h\"\n#include \"x/../once.h\"\n", files), "o");
  EXPECT_EQ(expand("#include \"guard.h\"\n#include \"guard.h\"\n", files), "g");
  EXPECT_EQ(expand("#include \"many.h\"\n#include \"many.h\"\n", files), "m m");
}

TEST(Include, EachPathIsReadOnce) {
  const TextCase run("#include \"a.h\"\n#include \"a.h\"\n#include \"no.h\"\n#include \"no.h\"",
                     {{"a.h", "a"}});
  EXPECT_EQ(std::ranges::count(run.reads, "a.h"), 1);
  EXPECT_EQ(std::ranges::count(run.reads, "no.h"), 1);
}

TEST(Include, GuardedCyclesAreFine) {
  EXPECT_EQ(expand("#include \"a.h\"\n", {{"a.h", "#pragma once\n#include \"b.h\"\na"},
                                          {"b.h", "#pragma once\n#include \"a.h\"\nb"}}),
            "b a");
  EXPECT_EQ(expand("#include \"a.h\"\n", {{"a.h", "#ifndef A\n#define A\n#include \"b.h\"\na\n#endif"},
                                          {"b.h", "#include \"a.h\"\nb"}}),
            "b a");
}

TEST(Include, UnguardedCyclesAreNamed) {
  const TextCase::Files files{{"a.cuh", "a\n#include \"b.cuh\"\n"}, {"b.cuh", "b\n#include \"a.cuh\"\n"}};
  EXPECT_EQ(complaint("#include \"a.cuh\"\nend", files),
            at("2:10", message::kIncludesItself("a.cuh", "a.cuh -> b.cuh -> a.cuh")));
  EXPECT_EQ(complaint("#include \"t.cu\"\nend", {}),
            at("1:10", message::kIncludesItself("t.cu", "t.cu -> t.cu")));
  EXPECT_EQ(TextCase("#include \"a.cuh\"\nend", files).text(), "a b end");
}

TEST(Include, ConditionalCyclesEndToo) {
  EXPECT_EQ(complaint("#include \"a.h\"", {{"a.h", "#if 1\n#include \"a.h\"\n#include \"a.h\"\n#endif\n"}}),
            at("2:10", message::kIncludesItself("a.h", "a.h -> a.h")));
  // A file may include itself with other macros set.
  EXPECT_EQ(expand("#define A\n#include \"a.h\"",
                   {{"a.h", "#ifdef A\n#undef A\n1\n#include \"a.h\"\n#else\n2\n#endif\n"}}),
            "1 2");
}

TEST(Include, DepthLimit) {
  TextCase::Files files;
  for (int i = 0; i < 300; ++i)
    files["h" + std::to_string(i)] = "#include \"h" + std::to_string(i + 1) + "\"\n";
  EXPECT_EQ(complaint("#include \"h0\"", files), at("1:10", message::kIncludeTooDeep("200")));
}

TEST(Include, ExponentialIncludesAreCutOff) {
  TextCase::Files files;
  for (int i = 0; i < 60; ++i) {
    const std::string line = "#include \"h" + std::to_string(i + 1) + "\"\n";
    files["h" + std::to_string(i)] = line + line;
  }
  files["h60"] = "x";
  PreprocessOptions options;
  options.max_tokens = 10000;
  EXPECT_NE(complaint("#include \"h0\"", files, options).find("expand to more than 10000 tokens"),
            std::string::npos);
}

TEST(Include, ConditionalsDoNotCrossFiles) {
  EXPECT_EQ(complaint("#if 1\n#include \"a.h\"\n#endif", {{"a.h", "#endif\n"}}),
            at("1:2", message::kIfMissing("endif")));
  EXPECT_EQ(complaint("#include \"a.h\"\nx", {{"a.h", "#if 1\n"}}), at("1:2", message::kEndifMissing()));
  EXPECT_EQ(TextCase("#include \"a.h\"\nx", {{"a.h", "#if 0\n"}}).text(), "x");
}

TEST(Include, WithoutAReader) {
  SourceMap sources;
  IdentTable idents;
  Diagnostics diagnostics(sources);
  const Preprocessed done =
      preprocess(sources, sources.add("t.cu", "#include \"a.h\"\n"), idents, diagnostics, {});
  ASSERT_EQ(done.missing_includes.size(), 1u);
  EXPECT_EQ(done.missing_includes[0].reason, message::kIncludesDisabled().text);
  EXPECT_EQ(done.tokens.back().kind, Tok::kEnd);
}

// It exists, so the search for it does not say that it is missing; another folder may have a readable one.
TEST(Include, AFileThatMustNotBeReadIsSkippedWithTheReason) {
  SourceMap sources;
  IdentTable idents;
  Diagnostics diagnostics(sources);
  PreprocessOptions options;
  options.include_dirs = {"one", "two"};
  options.read_file = [](const std::string& path) -> base::Result<std::string> {
    if (path == "two/both.h") return std::string("int x;\n");
    if (path.starts_with("one/")) return base::Error(base::ErrorKind::io, "'" + path + "' is too large");
    return base::Error(base::ErrorKind::not_found, "no such file");
  };
  const Preprocessed done = preprocess(
      sources, sources.add("t.cu", "#include \"both.h\"\n#include \"large.h\"\n#include <large.h>\n"), idents,
      diagnostics, options);
  ASSERT_EQ(done.missing_includes.size(), 2u);
  for (const MissingInclude& m : done.missing_includes) {
    EXPECT_EQ(m.name, "large.h");
    EXPECT_EQ(m.reason, "'one/large.h' is too large");
  }
}

// Where a header that was not found could be.
std::string directory_of(const std::string& includer, const std::string& include,
                         const std::vector<std::string>& existing) {
  SourceMap sources;
  IdentTable idents;
  Diagnostics diagnostics(sources);
  PreprocessOptions options;
  options.read_file = [&](const std::string& path) -> base::Result<std::string> {
    if (path == includer) return "#include " + include + "\n";
    if (std::find(existing.begin(), existing.end(), path) != existing.end()) return std::string();
    return base::Error(base::ErrorKind::not_found, "no such file");
  };
  const Preprocessed done = preprocess(sources, sources.add("t.cu", "#include \"" + includer + "\"\n"),
                                       idents, diagnostics, options);
  if (done.missing_includes.size() != 1) return "found";
  return find_include_directory(done.missing_includes[0], options.read_file).value_or("none");
}

TEST(Include, TheDirectoryOfAMissingHeaderIsFoundNearby) {
  EXPECT_EQ(directory_of("src/a.h", "\"util.h\"", {"include/util.h"}), "include");
  EXPECT_EQ(directory_of("src/a.h", "\"lib/util.h\"", {"lib/util.h"}), ".");
  EXPECT_EQ(directory_of("src/a.h", "<mine.h>", {"src/mine.h"}), "src");
  EXPECT_EQ(directory_of("a/b/c.h", "\"common.h\"", {"a/common/inc/common.h"}), "a/common/inc");
  EXPECT_EQ(directory_of("c.h", "\"x.h\"", {"../inc/x.h"}), "../inc");
  EXPECT_EQ(directory_of("/p/q/c.h", "\"x.h\"", {"/p/include/x.h"}), "/p/include");
  EXPECT_EQ(directory_of("src/a.h", "\"util.h\"", {"far/away/util.h"}), "none");
  EXPECT_EQ(directory_of("src/a.h", "\"util.h\"", {"src/util.h"}), "found");
}

TEST(Include, EndHasAPlaceInTheUsersFile) {
  SourceMap sources;
  IdentTable idents;
  Diagnostics diagnostics(sources);
  const auto file = sources.add("t.cu", "a\nb\n");
  const Preprocessed done = preprocess(sources, file, idents, diagnostics, {});
  ASSERT_EQ(sources.file_of(done.tokens.back().loc), file);
  EXPECT_EQ(sources.resolve(done.tokens.back().loc).line, 3u);
}

TEST(Include, PositionsAreThoseOfTheHeader) {
  const TextCase run("#include \"a.h\"\nx", {{"a.h", "\n  y"}});
  ASSERT_EQ(run.tokens.size(), 2u);
  EXPECT_EQ(run.sources.resolve(run.tokens[0].loc).file, "a.h");
  EXPECT_EQ(run.sources.resolve(run.tokens[0].loc).line, 2u);
  EXPECT_EQ(run.sources.resolve(run.tokens[1].loc).file, "t.cu");
}

TEST(Include, FileNameOfTheHeader) {
  EXPECT_EQ(expand("#include \"d/a.h\"\n__FILE__", {{"d/a.h", "__FILE__"}}), "\"d/a.h\" \"t.cu\"");
}

}  // namespace
}  // namespace quern::lang

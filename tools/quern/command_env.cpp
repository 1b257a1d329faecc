// quern env: the environment variables that Quern reads.
#include <cstdio>

#include "base/environment.hpp"
#include "base/json.hpp"
#include "base/table.hpp"
#include "base/terminal.hpp"
#include "base/variables.hpp"
#include "command.hpp"
#include "runtime/registry.hpp"

namespace quern::tool {

namespace {

constexpr Arguments::Option kOptions[] = {{"--json"}, {"--help"}, {"-h"}};

constexpr std::string_view kHelp = R"(usage: quern env [--json]

Lists the environment variables that Quern reads: value, origin and meaning. Misspelled names and invalid values are
reported below the table.

  QUERN_DEVICE=vulkan quern env      the settings of a program that is started with this variable

exit code: 0; 1: a name or a value is invalid
)";

struct Problems {
  std::vector<std::string> sentences;

  static Problems find() {
    Problems all;
    for (const base::Misspelt& m : base::misspelt_variables()) all.sentences.push_back(m.sentence());
    for (const base::Variable& v : base::variables()) {
      if (auto is_right = base::check(v); !is_right.ok()) all.sentences.push_back(is_right.error().message());
    }
    if (auto names = runtime::Registry::check_allowed(); !names.ok())
      all.sentences.push_back(names.error().message());
    return all;
  }
};

void print_json(const Problems& problems) {
  base::JsonWriter json(2);
  json.begin_object().key("variables").begin_array();
  for (const base::Variable& v : base::variables()) {
    const auto value = base::env_text(v.name);
    json.begin_object().member("name", v.name).member("value", value.value_or(std::string(v.otherwise)));
    json.member("source", value ? "environment" : "default").member("meaning", v.meaning);
    if (!v.choices.empty()) json.member("choices", v.choices);
    json.end_object();
  }
  json.end_array().key("problems").begin_array();
  for (const std::string& sentence : problems.sentences) json.value(sentence);
  json.end_array().end_object();
  std::fputs(json.take().c_str(), stdout);
}

void print_table() {
  base::Table table({{"variable"}, {"value"}, {"source"}, {"meaning"}}, 0);
  for (const base::Variable& v : base::variables()) {
    const auto value = base::env_text(v.name);
    const base::Style style = value ? base::Style::kBold : base::Style::kPlain;
    std::string meaning(v.meaning);
    if (!v.choices.empty()) meaning += " (" + std::string(v.choices) + ")";
    table.add_row({{v.name, style},
                   {value ? *value : std::string(v.otherwise), style},
                   value ? "environment" : "default",
                   meaning});
  }
  std::fputs(table.to_string(base::wants_colour(stdout)).c_str(), stdout);
}

Outcome run_env(const Arguments& arguments) {
  const Problems problems = Problems::find();
  if (arguments.has("--json")) {
    print_json(problems);
  } else {
    print_table();
    for (const std::string& sentence : problems.sentences)
      std::fprintf(stderr, "quern: %s\n", sentence.c_str());
  }
  return problems.sentences.empty() ? kOk : kFailed;
}

}  // namespace

constinit const Command kEnvCommand = {
    "env", "list environment variables and their values", kHelp, kOptions, run_env, false};

}  // namespace quern::tool

// quern completion, quern man: generated from the table of commands, so that they are always up to date.
#include <cstdio>

#include "base/text.hpp"
#include "command.hpp"
#include "messages.hpp"

namespace quern::tool {

namespace {

constexpr Arguments::Option kOptions[] = {{"--help"}, {"-h"}};

constexpr std::string_view kCompletionHelp = R"(usage: quern completion bash|zsh|fish

Prints shell completion for commands, options, devices and files.

examples:
  source <(quern completion bash)                                   for this shell
  quern completion bash > ~/.local/share/bash-completion/completions/quern
  quern completion fish > ~/.config/fish/completions/quern.fish

exit code: 0, or 2 for an unknown shell
)";

constexpr std::string_view kManHelp = R"(usage: quern man

Prints the manual page. `quern man | man -l -` shows it.

exit code: 0
)";

std::string option_words(const Command& c) {
  std::string words;
  for (const Arguments::Option& o : c.options) words += (words.empty() ? "" : " ") + std::string(o.name);
  return words;
}

std::string command_words() {
  std::string words;
  for (const Command& c : commands()) words += (words.empty() ? "" : " ") + std::string(c.name);
  return words;
}

std::string bash() {
  std::string out =
      "_quern() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
      "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '" +
      command_words() +
      " --help --version' -- \"$word\"))\n"
      "    return\n  fi\n"
      "  case $before in\n"
      "    --on | --against) COMPREPLY=($(compgen -W \"$(quern devices --json 2>/dev/null | sed -n 's/^ "
      "*\"id\": "
      "\"\\(.*\\)\",$/\\1/p')\" -- \"$word\")); return ;;\n"
      "  esac\n"
      "  case ${COMP_WORDS[1]} in\n";
  for (const Command& c : commands())
    out += "    " + std::string(c.name) + ") words='" + option_words(c) + "' ;;\n";
  return out +
         "  esac\n"
         "  case $word in\n"
         "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
         "  esac\n}\n"
         "complete -o filenames -F _quern quern\n";
}

std::string zsh() { return "#compdef quern\nautoload -U +X bashcompinit && bashcompinit\n" + bash(); }

std::string fish() {
  std::string out;
  for (const Command& c : commands()) {
    const std::string name(c.name);
    out += "complete -c quern -n __fish_use_subcommand -a " + name + " -d '" + std::string(c.summary) + "'\n";
    for (const Arguments::Option& o : c.options) {
      const std::string_view plain = o.name.substr(o.name.find_first_not_of('-'));
      out += "complete -c quern -n '__fish_seen_subcommand_from " + name + "' " +
             (o.name.substr(0, 2) == "--" ? "-l " : "-s ") + std::string(plain) +
             (o.takes_value ? " -r" : "") + "\n";
    }
  }
  return out;
}

Outcome run_completion(const Arguments& arguments) {
  const std::string shell = arguments.operands().size() == 1 ? arguments.operands()[0] : "";
  std::string text;
  if (shell == "bash") text = bash();
  if (shell == "zsh") text = zsh();
  if (shell == "fish") text = fish();
  if (text.empty()) return fail(kUsage, message::kCompletionNeedsShell());
  std::fputs(text.c_str(), stdout);
  return kOk;
}

// roff: a line that begins with '.' or ''' is a request, and a backslash an escape.
std::string roff(std::string_view text) {
  std::string out;
  for (std::string_view line : base::split_lines(text)) {
    if (!line.empty() && (line[0] == '.' || line[0] == '\'')) out += "\\&";
    for (char c : line)
      out += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
    out += "\n";
  }
  return out;
}

Outcome run_man(const Arguments&) {
  std::string out =
      ".TH QUERN 1\n.SH NAME\nquern \\- CUDA C++ kernels on any hardware\n.SH SYNOPSIS\n.B "
      "quern\n"
      "COMMAND [ARGUMENT...]\n.SH DESCRIPTION\nquern checks, compiles and runs kernels written in CUDA C++ "
      "on every "
      "device that a machine has, the CPU and a checking simulator included.\n.SH COMMANDS\n";
  for (const Command& c : commands())
    out += ".SS " + std::string(c.name) + "\n" + roff(c.summary) + ".PP\n.nf\n" + roff(c.help) + ".fi\n";
  out +=
      ".SH EXIT STATUS\n.nf\n0  success\n1  a check failed\n2  the command line is invalid\n"
      "3  an input cannot be used\n.fi\n";
  std::fputs(out.c_str(), stdout);
  return kOk;
}

}  // namespace

constinit const Command kCompletionCommand = {"completion", "print completion for bash, zsh and fish",
                                              kCompletionHelp, kOptions, run_completion};
constinit const Command kManCommand = {"man", "print the manual page", kManHelp, kOptions, run_man, false};

}  // namespace quern::tool

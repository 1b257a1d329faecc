#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/progress.hpp"
#include "base/table.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "sources.hpp"

namespace quern::tool {

namespace {

constexpr Arguments::Option kOptions[] = {{"--json"},   {"--help"}, {"-h"},      {"-I", true},
                                          {"-D", true}, {"--all"},  {"--quiet"}, {"--targets", true}};
constexpr std::string_view kHelp = R"(usage: quern check PATH… [options]

Says for every kernel of the given files and folders whether each target takes it, and the first reason when not.
In a folder, every .cu file is checked; a file that others include is judged by how they include it, and headers
that an #include names are searched for in the whole folder.

  --all              list every kernel, not only those with a problem
  --quiet            only the totals
  --json             for machines: {"kernels": [{"file", "line", "kernel", "targets": {…}}], "errors": […]}
  --targets LIST     the targets to ask, separated by commas (now: ir)
  -I FOLDER          look for headers there too
  -D NAME[=VALUE]    define a macro

examples:
  quern check nbody.cu
  quern check ~/src/simulation -I ~/src/include --all

exit code: 0 all kernels pass, 1 some do not, 2 wrong usage, 3 nothing could be read
)";

// What one compiled file says about the kernels at one place; of several files the kindest counts.
using Verdicts = std::vector<lang::KernelInfo>;

struct Place {
  std::string file;
  uint32_t line = 0;
  bool operator<(const Place& o) const { return file != o.file ? file < o.file : line < o.line; }
};

class Checker {
 public:
  explicit Checker(const Arguments& arguments) : arguments_(arguments), options_(compile_options(arguments)) {
    options_.check_uninstantiated = true;
    options_.max_errors = 1000;
  }

  int run() {
    if (!collect()) return kBadInput;
    base::Progress progress("check", files_.size(), "files");
    for (const std::string& file : files_) {
      progress.set_detail(file);
      check_file(file);
      progress.advance();
    }
    for (const std::string& header : headers_) {  // kernels in headers that no .cu file includes
      if (!reached_.contains(header)) check_file(header);
    }
    progress.finish();
    return arguments_.has("--json") ? print_json() : print_table();
  }

 private:
  bool collect() {
    for (const std::string& path : arguments_.operands()) {
      if (!base::file_exists(path) && !base::is_folder(path)) {
        fail(kBadInput, "there is no file or folder '" + path + "'");
        return false;
      }
      if (!base::is_folder(path)) {
        files_.push_back(path);
        continue;
      }
      auto listed = base::list_files(path);
      if (!listed.ok()) {
        fail(kBadInput, listed.error());
        return false;
      }
      for (const std::string& file : *listed) {
        search_.add_file(file);
        const std::string_view extension = base::path_extension(file);
        if (extension == ".cu") files_.push_back(file);
        if (extension == ".cuh") headers_.push_back(file);
      }
      searching_ = true;
    }
    if (files_.empty() && headers_.empty()) {
      fail(kBadInput, "there is no .cu file in " + base::join(arguments_.operands(), ", "));
      return false;
    }
    return true;
  }

  void check_file(const std::string& file) {
    lang::CompileOptions options = options_;
    if (searching_) {
      for (std::string& folder : search_.folders_for(file)) options.include_dirs.push_back(std::move(folder));
    }
    auto compiled = compile_file(file, options);
    if (!compiled.ok()) {
      errors_.push_back(compiled.error().message());
      return;
    }
    std::map<Place, Verdicts> here;
    for (lang::KernelInfo& k : compiled->kernels) {
      reached_.insert(k.file);
      here[{k.file, k.line}].push_back(std::move(k));
    }
    for (auto& [place, verdicts] : here) offer(place, std::move(verdicts));
    if (compiled->kernels.empty() && !compiled->ok) {
      for (const lang::Diagnostic& d : compiled->diagnostics) {
        if (d.severity != lang::Severity::kError) continue;
        const lang::FilePos pos = compiled->sources->resolve(d.loc);
        errors_.push_back(base::format("%.*s:%u:%u: %s", static_cast<int>(pos.file.size()), pos.file.data(),
                                       pos.line, pos.column, d.message.c_str()));
        break;
      }
    }
  }

  void offer(const Place& place, Verdicts verdicts) {
    auto good = [](const Verdicts& v) {
      return std::count_if(v.begin(), v.end(), [](const lang::KernelInfo& k) { return k.ok; });
    };
    Verdicts& known = kernels_[place];
    if (known.empty() || good(verdicts) * static_cast<ptrdiff_t>(known.size()) >
                             good(known) * static_cast<ptrdiff_t>(verdicts.size())) {
      known = std::move(verdicts);
    }
  }

  int code() const {
    if (!errors_.empty()) return kFailed;
    for (const auto& [place, verdicts] : kernels_) {
      for (const lang::KernelInfo& k : verdicts) {
        if (!k.ok) return kFailed;
      }
    }
    return kOk;
  }

  int print_json() const {
    base::JsonWriter json(2);
    json.begin_object().key("kernels").begin_array();
    for (const auto& [place, verdicts] : kernels_) {
      for (const lang::KernelInfo& k : verdicts) {
        json.begin_object().member("file", k.file).member("line", k.line).member("kernel", k.name);
        json.key("targets").begin_object().key("ir").begin_object().member("ok", k.ok);
        if (!k.ok) json.member("reason", k.reason);
        json.end_object().end_object().end_object();
      }
    }
    json.end_array().key("errors").begin_array();
    for (const std::string& e : errors_) json.value(e);
    json.end_array().end_object();
    const std::string text = json.take();
    std::fwrite(text.data(), 1, text.size(), stdout);
    return code();
  }

  int print_table() const {
    const bool colour = base::wants_colour(stdout);
    base::Table table({{"kernel"}, {"file"}, {"ir", base::Align::kCentre}, {"first reason"}});
    size_t total = 0, passed = 0;
    for (const auto& [place, verdicts] : kernels_) {
      for (const lang::KernelInfo& k : verdicts) {
        ++total;
        passed += k.ok ? 1 : 0;
        if (k.ok && !arguments_.has("--all") && total > kShownAlways) continue;
        rows(table, k);
      }
    }
    if (!arguments_.has("--quiet") && table.row_count() > 0)
      std::fputs(table.to_string(colour).c_str(), stdout);
    for (const std::string& e : errors_) std::printf("  %s\n", e.c_str());
    if (total == 0 && errors_.empty()) {
      return fail(kBadInput, "there is no kernel in " + base::join(arguments_.operands(), ", "),
                  "a kernel is a function marked __global__");
    }
    std::printf("%s%s in %s: %zu pass, %zu do not\n",
                table.row_count() > 0 && !arguments_.has("--quiet") ? "\n" : "",
                base::format_plural(total, "kernel").c_str(),
                base::format_plural(files_.size(), "file").c_str(), passed, total - passed);
    return code();
  }

  void rows(base::Table& table, const lang::KernelInfo& k) const {
    table.add_row({k.name, k.file + ":" + std::to_string(k.line),
                   k.ok ? base::Cell("✓", base::Style::kGreen) : base::Cell("✗", base::Style::kRed),
                   k.reason});
  }

  static constexpr size_t kShownAlways = 40;  // short lists show what passes too

  const Arguments& arguments_;
  lang::CompileOptions options_;
  HeaderSearch search_;
  bool searching_ = false;
  std::vector<std::string> files_, headers_, errors_;
  std::map<Place, Verdicts> kernels_;
  std::set<std::string> reached_;
};

int run_check(const Arguments& arguments) {
  if (arguments.operands().empty())
    return fail(kUsage, "check wants files or folders", "quern check --help shows examples");
  for (std::string_view target : base::split(arguments.value("--targets").value_or("ir"), ',')) {
    if (target != "ir")
      return fail(kUsage, "there is no target '" + std::string(target) + "'", "the targets are: ir");
  }
  return Checker(arguments).run();
}

}  // namespace

constinit const Command kCheckCommand = {"check", "which kernels of files and folders every target takes",
                                         kHelp, kOptions, run_check};

}  // namespace quern::tool

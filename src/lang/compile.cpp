#include "lang/compile.hpp"

#include <algorithm>
#include <cstdlib>

#include "lang/lower/lower.hpp"
#include "lang/messages.hpp"
#include "lang/pass/pass.hpp"
#include "lang/sema/impl.hpp"
#include "lang/sema/launches.hpp"
#include "lang/sema/messages.hpp"
#include "lang/text/find_include.hpp"
#include "lang/text/preprocessor.hpp"

namespace quern::lang {

namespace {

// The parts of one compilation, in the order of their creation.
class Compiler {
 public:
  Compiler(std::string name, std::string text, const CompileOptions& options)
      : options_(options),
        sources_(std::make_shared<SourceMap>()),
        diagnostics_(*sources_, options.max_errors) {
    file_ = sources_->add(std::move(name), std::move(text));
  }

  Compilation run() {
    PreprocessOptions pp;
    pp.defines = options_.defines;
    pp.include_dirs = options_.include_dirs;
    pp.read_file = options_.read_file;
    Preprocessed input = preprocess(*sources_, file_, idents_, diagnostics_, pp);
    if (!diagnostics_.has_errors()) {
      Sema sema(*sources_, idents_, diagnostics_);
      if (!input.missing_includes.empty())
        sema.impl->skipped_header = [&] { return skipped_header(input.missing_includes); };
      sema.impl->heap_bytes = heap_bytes();
      sema.impl->pending_launches = pending_launches();
      TokenRange range{input.tokens.data(), input.tokens.data() + input.tokens.size()};
      while (range.end > range.begin && (range.end - 1)->kind == Tok::kEnd) --range.end;
      sema.scan(range, sema.global, false);
      compile(sema);
    }
    out_.diagnostics = diagnostics_.all();
    out_.rendered = diagnostics_.render();
    if (!options_.quotes_includes) hide_includes();
    out_.ok = !diagnostics_.has_errors();
    out_.sources = sources_;
    return std::move(out_);
  }

 private:
  // A header that exists in a folder without -I is the likely one; then the first that was skipped.
  std::optional<base::MessageText> skipped_header(const std::vector<MissingInclude>& missing) const {
    const MissingInclude* first = nullptr;
    for (const MissingInclude& m : missing) {
      if (first == nullptr && !m.is_angled) first = &m;
      if (!m.reason.empty()) continue;
      if (const auto directory = find_include_directory(m, options_.read_file))
        return message::kHeaderElsewhere(*directory, m.name);
    }
    if (first == nullptr) return std::nullopt;
    return first->reason.empty() ? message::kHeaderNotFound(first->name)
                                 : message::kHeaderSkipped(first->name, first->reason);
  }

  // A location in another file becomes part of the message: without a location, no source text is shown for
  // it.
  void hide_place(Diagnostic& d) const {
    if (d.loc && sources_->file_of(d.loc) != file_) {
      const FilePos pos = sources_->resolve(d.loc);
      d.message.text.insert(0, std::string(pos.file) + ":" + std::to_string(pos.line) + ":" +
                                   std::to_string(pos.column) + ": ");
      d.loc = {};
    }
    for (Diagnostic& note : d.notes) hide_place(note);
  }

  void hide_includes() {
    out_.rendered.clear();
    for (Diagnostic& d : out_.diagnostics) {
      hide_place(d);
      out_.rendered += render(d, *sources_, false);
    }
    for (ir::File& file : out_.module.files) {
      if (file.name != sources_->name(file_)) file.text = nullptr;
    }
  }

  void add_info(const Decl* decl, std::string name, bool is_template, std::string reason = {}) {
    KernelInfo info;
    const FilePos pos = sources_->resolve(decl->loc);
    info.name = std::move(name);
    info.file = std::string(pos.file);
    info.line = pos.line;
    info.is_template = is_template;
    info.reason = std::move(reason);
    out_.kernels.push_back(std::move(info));
  }

  void take(FunctionDecl* f) {
    add_info(f, kernel_name(f), f->from_template != nullptr);
    info_of_.push_back(out_.kernels.size() - 1);
    chosen_.push_back(f);
    names_.push_back(out_.kernels.back().name);
  }

  void choose_all(Sema& sema) {
    for (FunctionDecl* f : sema.kernels) {
      const bool again = std::any_of(chosen_.begin(), chosen_.end(), [&](FunctionDecl* o) {
        return o->name == f->name && o->parent == f->parent;
      });
      if (!f->body_range.empty() && !again) take(f);
    }
    const std::vector<FunctionDecl*> launched = launched_instances(sema);
    for (TemplateDecl* t : sema.kernel_templates) {
      if (static_cast<FunctionDecl*>(t->pattern)->body_range.empty()) continue;
      bool any = false;
      for (FunctionDecl* f : launched) {
        if (f->from_template != t) continue;
        take(f);
        any = true;
      }
      if (any) continue;
      std::string why;
      FunctionDecl* guess = options_.check_uninstantiated ? likely_instance(sema, t, why) : nullptr;
      if (guess != nullptr) {
        take(guess);
      } else if (!why.empty()) {
        add_info(t, kernel_name(t), true, message::kNoInstanceCompiles(why).str());
      } else {
        add_info(t, kernel_name(t), true, message::kTemplateNotLaunched().str());
      }
    }
  }

  void choose_named(Sema& sema) {
    for (const std::string& name : options_.kernels) {
      base::MessageText why;
      FunctionDecl* f = find_kernel(sema, name, why);
      if (f != nullptr) {
        if (std::find(chosen_.begin(), chosen_.end(), f) == chosen_.end()) take(f);
        continue;
      }
      if (why.text.empty()) {
        why = message::kNoSuchKernel(name, sources_->name(file_));
        std::string near = sema.nearest_name(idents_.get(name.substr(0, name.find('<'))), sema.global);
        for (const FunctionDecl* k : sema.kernels) {
          if (k->name->text == near) why = with_hint(std::move(why), message::kDidYouMean(near));
        }
      }
      diagnostics_.error(SourceLoc{}, std::move(why));
    }
  }

  // Kernels that device code launches, and that are not compiled so far.
  std::vector<LaunchedKernel> launched_since(Sema& sema) {
    std::vector<LaunchedKernel> more;
    for (FunctionDecl* f : sema.impl->launched) {
      const auto name = kernel_name(f);
      if (std::find(out_.launched.begin(), out_.launched.end(), name) == out_.launched.end())
        out_.launched.push_back(name);
      if (std::find(chosen_.begin(), chosen_.end(), f) != chosen_.end()) continue;
      take(f);
      more.push_back({f, names_.back()});
    }
    return more;
  }

  void compile(Sema& sema) {
    if (options_.kernels.empty()) {
      choose_all(sema);
    } else {
      choose_named(sema);
    }
    // Kernels that are launched by these are found when the bodies are read.
    const std::vector<std::string> why =
        lower(sema, chosen_, names_, out_.module, [&] { return launched_since(sema); });
    if (options_.prepare) {
      const std::string problem = pass::prepare(out_.module, stack_bytes());
      if (!problem.empty()) diagnostics_.error(SourceLoc{}, message::kReason(problem));
    }
    for (size_t i = 0; i < chosen_.size(); ++i) {
      KernelInfo& info = out_.kernels[info_of_[i]];
      info.ok = out_.module.find_function(names_[i]) != nullptr;
      if (!info.ok) info.reason = why[i].empty() ? message::kKernelNotPrepared().str() : why[i];
    }
  }

  // -D QUERN_STACK_BYTES=65536
  uint64_t stack_bytes() const { return defined_number("QUERN_STACK_BYTES", pass::kDefaultStackBytes); }

  // -D QUERN_HEAP_BYTES=1048576: at most 256 MiB, in units of 16 bytes.
  uint32_t heap_bytes() const {
    constexpr uint64_t kUnit = 16, kMost = 256U << 20;
    const uint64_t bytes = defined_number("QUERN_HEAP_BYTES", Sema::Impl::kDefaultHeapBytes);
    return static_cast<uint32_t>(std::clamp(bytes / kUnit * kUnit, kUnit, kMost));
  }

  // -D QUERN_PENDING_LAUNCHES=65536
  uint32_t pending_launches() const {
    constexpr uint64_t kMost = 1U << 20;
    const uint64_t count = defined_number("QUERN_PENDING_LAUNCHES", Sema::Impl::kDefaultPendingLaunches);
    return static_cast<uint32_t>(std::clamp<uint64_t>(count, 1, kMost));
  }

  uint64_t defined_number(std::string_view wanted, uint64_t otherwise) const {
    uint64_t number = otherwise;
    for (const auto& [name, value] : options_.defines) {
      if (name == wanted) number = std::strtoull(value.c_str(), nullptr, 0);
    }
    return number;
  }

  const CompileOptions& options_;
  std::shared_ptr<SourceMap> sources_;
  IdentTable idents_;
  Diagnostics diagnostics_;
  SourceMap::FileId file_{};
  Compilation out_;
  std::vector<FunctionDecl*> chosen_;
  std::vector<std::string> names_;
  std::vector<size_t> info_of_;
};

}  // namespace

Compilation compile(std::string name, std::string text, const CompileOptions& options) {
  return Compiler(std::move(name), std::move(text), options).run();
}

}  // namespace quern::lang

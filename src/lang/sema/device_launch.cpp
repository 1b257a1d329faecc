// Launches in device code: a call of the library that writes a record (lang/ir/launch_record.hpp).
#include <algorithm>

#include "lang/ir/launch_record.hpp"
#include "lang/sema/expression.hpp"
#include "lang/sema/impl.hpp"
#include "lang/sema/launches.hpp"
#include "lang/sema/messages.hpp"

namespace quern::lang {

namespace {

bool convert_launch_arguments(Sema& sema, FunctionDecl* f, std::vector<Expr*>& args, SourceLoc loc) {
  if (!sema.complete_signature(f)) {
    if (!f->failure.empty()) sema.error(loc, message::kCannotCall(name_of(f), f->failure));
    return false;
  }
  for (size_t i = 0; i < f->params.size(); ++i) {
    if (i >= args.size()) args.push_back(sema.default_argument(f, f->params[i]));
    if (!is_error(args[i])) args[i] = sema.convert(args[i], f->params[i]->type);
    if (is_error(args[i])) return false;
  }
  return true;
}

}  // namespace

Expr* launch_from_device(Sema& sema, const OverloadSet& kernel, std::vector<Expr*> config,
                         std::vector<Expr*> args, SourceLoc loc) {
  constexpr size_t kFewest = 2, kMost = 4;
  if (any_error(config) || any_error(args)) return sema.error_expr(loc);
  if (config.size() < kFewest || config.size() > kMost) {
    sema.error(loc, kernel.length, message::kLaunchValues(std::to_string(config.size())));
    return sema.error_expr(loc);
  }
  FunctionDecl* const f = sema.resolve(kernel, args);
  if (f == nullptr) return sema.error_expr(loc);
  if (!f->is_kernel) {
    sema.error(loc, kernel.length, message::kLaunchOfFunction(name_of(f)));
    return sema.error_expr(loc);
  }
  if (!convert_launch_arguments(sema, f, args, loc)) return sema.error_expr(loc);
  auto& launched = sema.impl->launched;
  if (std::find(launched.begin(), launched.end(), f) == launched.end()) launched.push_back(f);

  const QualType u32 = sema.basic(TypeKind::kUInt);
  OverloadSet set;
  set.name = sema.idents.get("__lib_launch");
  set.loc = loc;
  set.length = kernel.length;
  set.candidates = sema.lookup_in(set.name, sema.global);
  set.has_explicit_args = true;
  for (const VarDecl* p : f->params) {
    TemplateArg& given = set.explicit_args.emplace_back();
    given.kind = TemplateArg::Kind::kType;
    given.type = p->type.unqualified();
  }
  std::vector<Expr*> all{sema.int_constant(u32, ir::launch_number(kernel_name(f)), loc),
                         sema.int_constant(u32, sema.sources.resolve(loc).line, loc)};
  while (config.size() < kMost) config.push_back(sema.int_constant(sema.basic(TypeKind::kInt), 0, loc));
  all.insert(all.end(), config.begin(), config.end());
  all.insert(all.end(), args.begin(), args.end());
  return sema.call(set, std::move(all), loc);
}

}  // namespace quern::lang

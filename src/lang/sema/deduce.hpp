// Template argument deduction: matches patterns (types that contain template parameters) against actual
// types.
#pragma once

#include "lang/sema/sema.hpp"

namespace quern::lang {

// Bindings start as kNone; matching sets them and fails on a contradiction.
bool match_type(Sema& sema, QualType pattern, QualType actual, std::vector<TemplateArg>& bindings);
bool match_args(Sema& sema, const std::vector<TemplateArg>& patterns, const std::vector<TemplateArg>& actual,
                std::vector<TemplateArg>& bindings);

// Parses a function template's parameters as patterns; once.
void parse_patterns(Sema& sema, TemplateDecl* t);
// Parses a specialisation's argument list as patterns; once.
void parse_specialisation(Sema& sema, TemplateDecl* specialisation);
bool more_specialised_args(Sema& sema, TemplateDecl* a, TemplateDecl* b);

// The bindings for which each pattern matches its argument.
bool deduce_each(Sema& sema, std::span<const QualType> patterns, std::span<Expr* const> args,
                 std::vector<TemplateArg>& bindings);

bool mentions_params(const std::vector<TemplateArg>& args);  // patterns: whether they contain placeholders

// template.cpp
// A scope with placeholders for the parameters, for parsing patterns.
Scope* bind_placeholders(Sema& sema, const std::vector<TemplateParam>& params, Scope* parent);
// A scope that binds the parameters' names to arguments.
Scope* bind_params(Sema& sema, const std::vector<TemplateParam>& params, const std::vector<TemplateArg>& args,
                   Scope* parent);
Scope* bind_template(Sema& sema, const TemplateDecl* t, const std::vector<TemplateArg>& args);
bool complete_args(Sema& sema, const TemplateDecl* t, const std::vector<TemplateArg>& given, SourceLoc loc,
                   std::vector<TemplateArg>& out);

}  // namespace quern::lang

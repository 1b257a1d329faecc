// Evaluates trees at compile time: constant expressions, constexpr functions and objects.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lang/tree/tree.hpp"

namespace quern::lang {

class Sema;

// A value known at compile time.
struct ConstValue {
  QualType type;
  uint64_t bits = 0;                 // integers: extended to 64 by the type
  double number = 0;                 // floating types
  std::vector<ConstValue> members;   // classes: bases first, then fields; arrays: elements
  FunctionDecl* function = nullptr;  // pointer to function
  // Pointers and references to objects: the variable it points into and the path of indices to the member;
  // `pointee` nullptr with bits 0 is a null pointer.
  const VarDecl* pointee = nullptr;
  const StringExpr* literal = nullptr;  // in place of `pointee`: a string literal
  std::vector<int64_t> path;
};

struct ConstEvalLimits {
  uint64_t steps = 1'000'000;
  int depth = 256;
  bool is_wanted = true;  // false: speculative evaluation, where the program does not require a constant
};

// Returns false if the expression is not constant; `why` is then the first reason as a short clause ("'n' is
// not known at compile time").
bool evaluate(Sema& sema, const Expr* expr, ConstValue& out, std::string* why = nullptr,
              const ConstEvalLimits& = {});

// Converts a constant back to a tree (kConst, kAggregate, kFunction) of the value's type. nullptr if it has
// no literal form.
Expr* to_expr(Sema& sema, const ConstValue& value, SourceLoc loc);

// A pointer or reference within a constant.
struct ConstAddress {
  uint64_t at = 0;  // byte
  const ConstValue* value = nullptr;
};

// Whether the highest bit of a bit-field is a sign.
bool is_signed_bits(const FieldDecl* field);

// The bytes of a constant in device layout, for initial values of __constant__ and __device__ variables.
// Addresses, which cannot be expressed as bytes yet, are listed; without a list they cause a failure.
bool to_bytes(const ConstValue& value, std::vector<uint8_t>& out,
              std::vector<ConstAddress>* addresses = nullptr);

// The byte offset of a pointer into its variable or literal.
int64_t distance(const ConstValue& pointer);

}  // namespace quern::lang

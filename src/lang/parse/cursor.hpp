// A position in a range of tokens, and skipping of bracketed text. The base of Scanner and Parser.
#pragma once

#include <algorithm>

#include "lang/tree/decl.hpp"

namespace quern::lang {

class Cursor {
 public:
  explicit Cursor(TokenRange range) : cur_(range.begin), end_(range.end) {}

  const Token* position() const { return cur_; }
  void position(const Token* at) { cur_ = at; }
  const Token* end() const { return end_; }

  const Token& peek(size_t n = 0) const {
    // A missing range (nullptr to nullptr) counts as empty.
    const bool inside = cur_ != nullptr && n < static_cast<size_t>(end_ - cur_);
    return inside ? cur_[n] : kEndToken;
  }
  Tok kind(size_t n = 0) const { return peek(n).kind; }
  bool at(Tok k) const { return kind() == k; }
  bool at_end() const { return cur_ >= end_; }
  bool accept(Tok k) {
    if (!at(k)) return false;
    advance();
    return true;
  }
  void advance(size_t n = 1) { cur_ = static_cast<size_t>(end_ - cur_) > n ? cur_ + n : end_; }
  // The location for an error here: the token, or after the last one at the end.
  SourceLoc loc() const {
    if (cur_ < end_) return cur_->loc;
    return end_loc_;
  }
  void end_loc(SourceLoc loc) { end_loc_ = loc; }

  // At an opening bracket: moves past its partner (or to the end). Other brackets inside are balanced.
  void skip_balanced();
  // The same; returns the text between the two.
  TokenRange inside_brackets() {
    const Token* const open = cur_;
    skip_balanced();
    return {open + 1, std::max(open + 1, cur_ - 1)};
  }
  // At '<' of a template argument or parameter list: moves past its '>'. False (and unmoved) when it is none.
  bool skip_angles();
  // Moves to the first of the given tokens outside of brackets (angle brackets are ignored), or to the end.
  void skip_to(std::initializer_list<Tok> stops);

 protected:
  static const Token kEndToken;
  const Token* cur_;
  const Token* end_;
  SourceLoc end_loc_;
};

}  // namespace quern::lang

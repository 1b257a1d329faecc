// The user's names made legal and unique in the text.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace quern::target::cstyle {

// `ns::scan<float, 256>` as a word: "ns_scan_float_256". Never empty, never begins with a digit.
std::string legal_word(std::string_view name);

// Words that have a meaning in one of the languages, or in the emitted text.
bool is_reserved(std::string_view word);

class Names {
 public:
  Names() = default;
  explicit Names(const Names* outer) : outer_(outer) {}

  // An unused name similar to `wanted`.
  std::string make(std::string_view wanted) { return make(wanted, {}); }
  // The name with each of the suffixes is unused as well, and is reserved too.
  std::string make(std::string_view wanted, std::initializer_list<std::string_view> endings);
  void take(std::string word) { taken_.insert(std::move(word)); }

 private:
  bool is_taken(const std::string& word) const {
    return taken_.count(word) != 0 || (outer_ != nullptr && outer_->is_taken(word));
  }

  const Names* outer_ = nullptr;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> next_;
};

}  // namespace quern::target::cstyle

// The program's macros in the text of an inline kernel. The host's preprocessor provides the text twice: as
// written, and with all macros expanded. Both are aligned token by token. The device gets the text as
// written, including line breaks and keywords such as __shared__, with the program's macros expanded.
#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/stepper.hpp"
#include "lang/builtin/macros.hpp"
#include "quern/inline.hpp"

namespace quern::detail {

namespace {

struct Token {
  std::string_view text;
  std::size_t begin = 0;
  bool is_name = false;
};

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> out;
  Stepper step(text);
  for (auto kind = step.next(); kind != Stepper::Kind::kEnd; kind = step.next()) {
    if (kind == Stepper::Kind::kBlank) continue;
    const std::string_view piece = step.piece();
    const bool is_name = kind == Stepper::Kind::kName && !(piece[0] >= '0' && piece[0] <= '9');
    out.push_back({piece, step.at() - piece.size(), is_name});
  }
  return out;
}

// Keywords of the kernel language, which stay as written.
bool is_word(std::string_view name) {
  constexpr std::array<std::string_view, 8> kWords = {"__device__",      "__global__",  "__host__",
                                                      "__constant__",    "__managed__", "__grid_constant__",
                                                      "__forceinline__", "__shared__"};
  return std::find(kWords.begin(), kWords.end(), name) != kWords.end();
}
// The token that the host compiler sees instead (words.hpp); empty: none.
std::string_view token_of_word(std::string_view word) {
  if (word == "__shared__") return "thread_local";
  return word == "__forceinline__" ? "inline" : "";
}

// Macros with the same meaning for the device compiler.
bool is_known(std::string_view name) {
  return name == "assert" || name == "__align__" || name == "__launch_bounds__" || name == "QUERN_UNROLL" ||
         name == "QUERN_DYNAMIC_SHARED" || is_word(name) || lang::find_predefined_macro(name) != nullptr;
}

bool takes_arguments(std::string_view known) {
  const lang::PredefinedMacro* macro = lang::find_predefined_macro(known);
  return macro == nullptr || !macro->params.empty();
}

class Alignment {
 public:
  Alignment(std::string_view written, std::string_view expanded)
      : written_(written), expanded_(expanded), from_(tokens_of(written)), to_(tokens_of(expanded)) {}

  // The text as written, with the program's macros replaced by their expansions.
  std::string text() {
    if (same() || (from_.size() + 1) * (to_.size() + 1) > kMostCells) return std::string(written_);
    classify();
    find_costs();
    if (cost(0, 0) == 0 || cost(0, 0) == kNever) return std::string(written_);
    return rebuilt();
  }

 private:
  using Cost = std::uint16_t;
  static constexpr Cost kNever = 0xffff;
  static constexpr std::size_t kMostCells = std::size_t{40} << 20;  // texts of 6000 tokens

  // A token as written, and the end of its macro call.
  struct Place {
    std::size_t call_end = 0;
    bool is_word = false, is_known = false, is_known_call = false, needs_call = false;
  };
  // How the token at a position is matched: the next positions in both texts.
  struct Step {
    std::size_t from = 0, to = 0;
    bool is_kept = true, is_any = false;  // `is_any`: `to` is the first possible end of the expansion
    Cost cost = kNever;
  };

  bool same() const {
    return std::equal(from_.begin(), from_.end(), to_.begin(), to_.end(),
                      [](const Token& a, const Token& b) { return a.text == b.text; });
  }

  void classify() {
    for (const Token& t : to_) {
      if (t.is_name) names_.insert(t.text);
    }
    places_.resize(from_.size());
    for (std::size_t i = 0; i < from_.size(); ++i) {
      if (!from_[i].is_name) continue;
      Place& place = places_[i];
      place.call_end = end_of_call(i);
      place.is_word = is_word(from_[i].text);
      place.is_known = is_known(from_[i].text);
      place.needs_call = place.is_known && takes_arguments(from_[i].text);
      place.is_known_call = place.is_known && !has_foreign(i + 1, place.call_end);
    }
  }

  Cost& cost(std::size_t i, std::size_t j) { return costs_[i * (to_.size() + 1) + j]; }
  // The least cost at any position from j on.
  Cost& least(std::size_t i, std::size_t j) { return least_[i * (to_.size() + 1) + j]; }

  void find_costs() {
    const std::size_t m = from_.size(), n = to_.size();
    costs_.assign((m + 1) * (n + 1), kNever);
    least_.assign((m + 1) * (n + 1), kNever);
    cost(m, n) = 0;
    for (std::size_t j = 0; j <= n; ++j) least(m, j) = 0;
    for (std::size_t i = m; i-- > 0;) {
      for (std::size_t j = n + 1; j-- > 0;) {
        cost(i, j) = best(i, j).cost;
        least(i, j) = j < n ? std::min(cost(i, j), least(i, j + 1)) : cost(i, j);
      }
    }
  }

  // The cheapest step. A macro of the program costs 2, and 3 if it expands to nothing. Of several alignments
  // that produce the expanded text, this finds the one that a reader would choose.
  Step best(std::size_t i, std::size_t j) {
    Step best;
    const auto consider = [&](const Step& step, Cost rest, int own) {
      const auto total = static_cast<Cost>(std::min<int>(kNever, rest + own));
      if (total >= best.cost) return;
      best = step;
      best.cost = total;
    };
    const auto keep = [&](std::size_t to) { consider({i + 1, to, true, false}, cost(i + 1, to), 0); };
    const auto expand = [&](std::size_t from, bool is_foreign) {
      if (j < to_.size()) consider({from, j + 1, false, true}, least(from, j + 1), is_foreign ? 2 : 0);
      consider({from, j, false, false}, cost(from, j), is_foreign ? 3 : 0);
    };
    const Token& token = from_[i];
    const Place& place = places_[i];
    if (j < to_.size() && token.text == to_[j].text) keep(j + 1);
    if (!token.is_name) return best;
    if (place.is_word) {
      const bool is_there = j < to_.size() && to_[j].text == token_of_word(token.text);
      keep(is_there ? j + 1 : j);
    } else if (const std::size_t end = place.is_known ? end_of_own(token.text, j) : 0; end != 0) {
      consider({place.call_end, end, false, false}, cost(place.call_end, end), place.is_known_call ? 0 : 2);
    } else {
      if (!place.needs_call) expand(i + 1, !place.is_known);
      if (place.call_end > i + 1) expand(place.call_end, !place.is_known_call);
    }
    return best;
  }

  // After "NAME ( … )", or after NAME.
  std::size_t end_of_call(std::size_t i) const {
    if (i + 1 >= from_.size() || from_[i + 1].text != "(") return i + 1;
    const std::size_t close = closing(from_, i + 1);
    return close < from_.size() ? close + 1 : i + 1;
  }
  static std::size_t closing(const std::vector<Token>& list, std::size_t open) {
    int depth = 0;
    for (std::size_t k = open; k < list.size(); ++k) {
      if (list[k].text == "(") ++depth;
      if (list[k].text == ")" && --depth == 0) return k;
    }
    return list.size();
  }
  // Whether a name in the range must be a macro, because the expanded text does not contain it.
  bool has_foreign(std::size_t begin, std::size_t end) const {
    return std::any_of(
        from_.begin() + static_cast<std::ptrdiff_t>(begin), from_.begin() + static_cast<std::ptrdiff_t>(end),
        [&](const Token& t) { return t.is_name && !is_known(t.text) && !names_.contains(t.text); });
  }

  // QUERN_UNROLL and QUERN_DYNAMIC_SHARED expand to known tokens, from which the arguments are recovered.
  std::size_t end_of_own(std::string_view name, std::size_t j) const {
    if (name == "QUERN_UNROLL" && j < to_.size() && to_[j].text == "static_assert")
      return std::min(to_.size(), closing(to_, j + 1) + 2);
    if (name != "QUERN_DYNAMIC_SHARED") return 0;
    for (std::size_t k = j; k + 3 < to_.size() && to_[k].text != ";"; ++k) {
      if (to_[k].text == "dynamic_shared") return k + 4;
    }
    return 0;
  }
  std::string own_macro(std::string_view name, std::size_t begin, std::size_t end) const {
    if (name == "QUERN_UNROLL") {
      const bool has_count = to_[begin + 2].text == "(";
      const std::size_t close = has_count ? closing(to_, begin + 2) : 0;
      return "QUERN_UNROLL(" + (has_count ? range(begin + 3, close) : "") + ")";
    }
    std::size_t star = begin;  // TYPE * const NAME = …
    while (star + 3 < end &&
           !(to_[star].text == "*" && to_[star + 1].text == "const" && to_[star + 3].text == "="))
      ++star;
    return "QUERN_DYNAMIC_SHARED(" + range(begin, star) + ", " + std::string(to_[star + 2].text) + ")";
  }

  // An assertion is kept, with its condition expanded, so that a failure shows the condition. Otherwise it is
  // replaced by the expansion of the host's headers (nothing, with NDEBUG).
  std::string assertion(std::size_t begin, std::size_t end) const {
    constexpr std::array<std::string_view, 6> kStart = {"(", "static_cast", "<", "bool", ">", "("};
    bool is_usual = end - begin > kStart.size();
    for (std::size_t k = 0; is_usual && k < kStart.size(); ++k) is_usual = to_[begin + k].text == kStart[k];
    if (!is_usual) return range(begin, end);
    const std::size_t open = begin + kStart.size() - 1;
    return "assert(" + range(open + 1, closing(to_, open)) + ")";
  }

  // The replacement of the macro at `i`, whose expansion is [begin, end).
  std::string replacement(std::size_t i, std::size_t begin, std::size_t end) const {
    if (end_of_own(from_[i].text, begin) != 0) return own_macro(from_[i].text, begin, end);
    return from_[i].text == "assert" ? assertion(begin, end) : range(begin, end);
  }

  // Tokens of the expanded text.
  std::string range(std::size_t begin, std::size_t end) const {
    if (begin >= end) return {};
    const std::size_t last = to_[end - 1].begin + to_[end - 1].text.size();
    return std::string(expanded_.substr(to_[begin].begin, last - to_[begin].begin));
  }

  std::string rebuilt() {
    std::string out;
    std::size_t done = 0, j = 0;  // `done`: characters of the written text
    for (std::size_t i = 0; i < from_.size();) {
      Step step = best(i, j);
      if (step.is_any) {
        const Cost end = least(step.from, step.to);
        while (cost(step.from, step.to) != end) ++step.to;
      }
      if (!step.is_kept) {
        const std::size_t last = from_[step.from - 1].begin + from_[step.from - 1].text.size();
        const std::string_view replaced = written_.substr(from_[i].begin, last - from_[i].begin);
        out += written_.substr(done, from_[i].begin - done);
        out += " " + replacement(i, j, step.to) + " ";
        out.append(static_cast<std::size_t>(std::count(replaced.begin(), replaced.end(), '\n')), '\n');
        done = last;
      }
      i = step.from;
      j = step.to;
    }
    out += written_.substr(done);
    return out;
  }

  std::string_view written_, expanded_;
  std::vector<Token> from_, to_;
  std::set<std::string_view> names_;  // of the expanded text
  std::vector<Place> places_;
  std::vector<Cost> costs_, least_;
};

}  // namespace

std::string with_macros(std::string_view written, std::string_view expanded) {
  return Alignment(written, expanded).text();
}

}  // namespace quern::detail

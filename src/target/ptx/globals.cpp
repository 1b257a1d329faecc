// Variables of the module: bytes, and addresses where their initial values have some.
#include <algorithm>
#include <cctype>
#include <set>

#include "base/text.hpp"
#include "target/describe.hpp"
#include "target/messages.hpp"
#include "target/ptx/unit.hpp"

namespace quern::target::ptx {

using ir::Global;
using ir::Space;

namespace {

constexpr std::string_view kFirst = "quern_";  // before names that begin with a digit

std::string bytes_of(const uint8_t* bytes, uint64_t count) {
  std::string text = "{";
  for (uint64_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + std::to_string(bytes[i]);
  return text + "}";
}

bool is_dynamic(const Global& g) { return g.object->is_array() && g.object->count == 0; }

std::string head(const Unit& unit, const Global& g, const char* type, uint64_t count, bool is_later = false) {
  const std::string_view space = g.space == Space::kShared                      ? ".shared"
                                 : g.space == Space::kConstant && !g.is_literal ? ".const"
                                                                                : ".global";
  const bool is_visible = g.space != Space::kShared && (!g.is_literal || !g.pointers.empty());
  return std::string(is_later     ? ".extern "
                     : is_visible ? ".visible "
                                  : "") +
         std::string(space) + " .align " + std::to_string(std::max(g.align, g.object->align)) + " " + type +
         " " + unit.globals.at(&g) + "[" + std::to_string(count) + "]";
}

uint64_t words_of(const Global& g) { return (g.object->size + 7) / 8; }

// 64-bit numbers, since an address is one. Variables that are used before their definition are declared.
std::string with_addresses(Unit& unit, const Global& g, std::set<const Global*>& known) {
  const uint64_t words = words_of(g);
  std::string before;
  std::vector<std::string> parts(words);
  for (uint64_t w = 0; w < words; ++w) {
    uint64_t bits = 0;
    for (uint64_t k = 0; k < 8 && w * 8 + k < g.init.size(); ++k)
      bits |= static_cast<uint64_t>(g.init[w * 8 + k]) << (8 * k);
    parts[w] = base::format("0x%llx", static_cast<unsigned long long>(bits));
  }
  for (const ir::Relocation& r : g.pointers) {
    if (r.at % 8 != 0 || g.object->size % 8 != 0) {
      unit.unsayable[&g] = message::kInitialAddressesNotAligned(g.name).text;
      return {};
    }
    if (!r.target->pointers.empty() && known.insert(r.target).second)
      before += head(unit, *r.target, ".u64", words_of(*r.target), true) + ";\n";
    parts[r.at / 8] = "generic(" + unit.globals.at(r.target) + ")" +
                      (r.distance != 0 ? "+" + std::to_string(r.distance) : "");
  }
  return before + head(unit, g, ".u64", words) + " = {" + base::join(parts, ", ") + "};\n";
}

}  // namespace

std::string Unit::name(std::string_view wanted) {
  std::string name;
  for (const char c : wanted) name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0)
    name = std::string(kFirst) + name;
  std::string unique = name;
  for (int n = 2; !taken_.insert(unique).second; ++n) unique = name + "_" + std::to_string(n);
  return unique;
}

std::string Unit::string(const std::string& text) {
  const auto [at, is_new] = strings.try_emplace(text);
  if (is_new) at->second = name("quern_text");
  return at->second;
}

size_t Unit::file(const std::string& name) { return files.try_emplace(name, files.size() + 1).first->second; }

void name_globals(Unit& unit) {
  for (const Global* g : unit.module.globals) unit.globals[g] = unit.name(g->name);
}

std::string global_variables(Unit& unit) {
  std::string plain, linked;
  std::set<const Global*> known;
  for (const Global* g : unit.module.globals) {
    if (g->space == Space::kShared && is_dynamic(*g)) continue;
    if (!g->pointers.empty()) {
      known.insert(g);
      linked += with_addresses(unit, *g, known);
      continue;
    }
    const uint64_t size = std::max<uint64_t>(g->object->size, 1);
    plain += head(unit, *g, ".b8", size);
    if (!g->init.empty() && g->space != Space::kShared)
      plain += " = " + bytes_of(g->init.data(), std::min<uint64_t>(g->init.size(), size));
    plain += ";\n";
  }
  return plain + linked;
}

std::string declarations(const Unit& unit) {
  std::string text;
  for (const auto& [string, name] : unit.strings)
    text += ".global .align 1 .b8 " + name + "[" + std::to_string(string.size() + 1) +
            "] = " + bytes_of(reinterpret_cast<const uint8_t*>(string.c_str()), string.size() + 1) + ";\n";
  if (unit.prints)
    text += ".extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);\n";
  if (unit.asserts)
    text +=
        ".extern .func __assertfail(.param .b64 text, .param .b64 file, .param .b32 line, .param .b64 "
        "function, "
        ".param .b64 width);\n";
  if (unit.counts_blocks) text += ".global .align 4 .u32 " + std::string(kGridArrived) + " = 0;\n";
  if (unit.has_dynamic_shared)
    text += ".extern .shared .align " + std::to_string(alignment_of_dynamic_shared(unit.module)) + " .b8 " +
            std::string(kDynamicShared) + "[];\n";
  return text;
}

}  // namespace quern::target::ptx

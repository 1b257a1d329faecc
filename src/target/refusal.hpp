// Why a target refuses a kernel: the kernel cannot be expressed there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/message.hpp"
#include "lang/ir/ir.hpp"

namespace quern::target {

struct Refusal {
  Refusal(const ir::Pos& at, std::string why) : pos(at), reason(std::move(why)) {}
  Refusal(const ir::Pos& at, const base::MessageText& why) : pos(at), reason(why.str()) {}

  ir::Pos pos;
  std::string reason;  // a sentence without its subject, the kernel: "does …"
};

// As a sentence with the place in the source: "kernel 'k' does … (k.cu:3)".
std::string refusal_text(const ir::Module& module, std::string_view kernel, const Refusal& why);

// Keeps the first refusal.
struct FirstRefusal {
  void refuse(const ir::Pos& pos, std::string reason) {
    if (!refusal) refusal.emplace(pos, std::move(reason));
  }
  void refuse(const ir::Pos& pos, const base::MessageText& reason) { refuse(pos, reason.str()); }

  std::optional<Refusal> refusal;
};

}  // namespace quern::target

// The types of an actor's text as the compiler sees them. Used to parse messages from the command line and to
// print replies.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "lang/compile.hpp"
#include "quern/ring/options.hpp"

namespace quern::tool {

class ActorTypes {
 public:
  // `options` are those used to spawn the actor; `kind` is the namespace that contains it.
  static base::Result<ActorTypes> read(const std::string& text, const ring::Options& options,
                                       lang::CompileOptions compile);

  base::Result<std::vector<std::byte>> parse_message(const std::string& text) const;
  base::Result<std::vector<std::byte>> parse_state(const std::string& text) const;
  bool has_reply() const { return reply_ != nullptr; }
  std::string print_reply(const std::vector<std::byte>& bytes) const;
  std::string print_state(const std::vector<std::byte>& bytes) const;
  const std::string& message_fields() const { return message_fields_; }

 private:
  lang::Compilation compilation_;  // it owns the types
  const ir::Type* state_ = nullptr;
  const ir::Type* message_ = nullptr;
  const ir::Type* reply_ = nullptr;  // null: void
  std::string message_fields_;       // "int add, float by"
};

}  // namespace quern::tool

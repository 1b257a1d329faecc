// An actor as `quern ring run`, `top` and `inspect` are asked for one: a file, how to spawn it, and messages.
#pragma once

#include <string>
#include <vector>

#include "actor_types.hpp"
#include "base/result.hpp"
#include "command.hpp"
#include "quern/device.hpp"
#include "quern/ring.hpp"

namespace quern::tool {

struct ActorRequest {
  std::string file, text;
  ring::Options options;
  std::vector<std::string> kinds;  // one for each actor; those of a group may stand there more than once
  std::vector<ActorTypes> types;   // of each; messages go to the first
  std::vector<std::string> message_texts;
  std::vector<std::vector<std::byte>> messages;
  std::vector<Buffer<std::byte>> buffers;  // that the options refer to
  std::uint64_t count = 1;
};

// A count behind an option, at least 1; `usual` when it is not given.
base::Result<std::uint64_t> count_option(const Arguments& arguments, std::string_view name,
                                         std::uint64_t usual);

// As they are asked for, and what to call them.
std::vector<ring::Actor> spawn_actors(const Device& device, const ActorRequest& request);
std::vector<std::string> names_of(const ActorRequest& request);

// Reads the file and everything that is said about the actor. Operand 0 is the subcommand, 1 the file.
base::Result<ActorRequest> parse_actor(const Arguments& arguments, const Device& device);

}  // namespace quern::tool

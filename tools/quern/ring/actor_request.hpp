// An actor as requested on the command line of `quern ring run`, `top` and `inspect`: a file, options and
// messages.
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
  std::vector<std::string> kinds;  // one per actor; kinds may repeat
  std::vector<ActorTypes> types;   // per actor; messages go to the first
  std::vector<std::string> message_texts;
  std::vector<std::vector<std::byte>> messages;
  std::vector<Buffer<std::byte>> buffers;  // referenced by the options
  std::uint64_t count = 1;
};

// The value of a count option, at least 1; `usual` if it is not given.
base::Result<std::uint64_t> count_option(const Arguments& arguments, std::string_view name,
                                         std::uint64_t usual);

// The actors to spawn, and their names.
std::vector<ring::Actor> spawn_actors(const Device& device, const ActorRequest& request);
std::vector<std::string> names_of(const ActorRequest& request);

// Reads the file and all actor options. Operand 0 is the subcommand, 1 the file.
base::Result<ActorRequest> parse_actor(const Arguments& arguments, const Device& device);

}  // namespace quern::tool

#include "actor_request.hpp"

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "messages.hpp"
#include "runtime/argument_text.hpp"
#include "sources.hpp"

namespace quern::tool {
namespace {

using base::Error;
using base::ErrorKind;

template <typename T>
struct Choice {
  std::string_view name;
  T value;
};

constexpr Choice<ring::Shape> kShapes[] = {{"thread", ring::Shape::thread},
                                           {"block", ring::Shape::block},
                                           {"grid", ring::Shape::grid},
                                           {"parallel", ring::Shape::parallel}};
constexpr Choice<ring::Engine> kEngines[] = {{"automatic", ring::Engine::automatic},
                                             {"persistent", ring::Engine::persistent},
                                             {"driven", ring::Engine::driven}};

template <typename T, std::size_t N>
base::Result<T> choose(const Arguments& arguments, std::string_view option, const Choice<T> (&choices)[N],
                       T usual) {
  const auto text = arguments.value(option);
  if (!text) return usual;
  std::vector<std::string_view> names;
  for (const Choice<T>& c : choices) {
    if (c.name == *text) return c.value;
    names.push_back(c.name);
  }
  return Error(ErrorKind::invalid_use, message::kInvalidValue(*text, option, base::join(names, ", ")));
}

base::Result<void> add_buffers(const Arguments& arguments, const Device& device, ActorRequest& request) {
  for (const std::string& text : arguments.values("--buffer")) {
    QUERN_TRY_ASSIGN(const runtime::HostBuffer given, runtime::parse_buffer(text));
    Buffer<std::byte>& buffer =
        request.buffers.emplace_back(device.allocate<std::byte>(given.count * given.element_bytes()));
    if (!given.is_undefined) buffer.upload(given.bytes);
    request.options.buffers.emplace_back(buffer);
  }
  return {};
}

}  // namespace

std::vector<ring::Actor> spawn_actors(const Device& device, const ActorRequest& request) {
  std::vector<ring::Member> members;
  for (const std::string& kind : request.kinds) members.push_back({kind, {}});
  members[0].state = request.options.state;
  return ring::spawn(device, request.text, request.options, members);
}

std::vector<std::string> names_of(const ActorRequest& request) {
  if (request.kinds[0].empty()) return {request.file};
  return request.kinds;
}

base::Result<std::uint64_t> count_option(const Arguments& arguments, std::string_view name,
                                         std::uint64_t usual) {
  const auto text = arguments.value(name);
  if (!text) return usual;
  const auto count = base::parse_uint(*text);
  if (!count || *count == 0)
    return Error(ErrorKind::invalid_use, message::kInvalidValue(*text, name, "a count of at least 1"));
  return *count;
}

namespace {

// 0 if it is not given. A value that is too large for the number is too large for the actor, too.
base::Result<std::uint32_t> small_count(const Arguments& arguments, std::string_view name) {
  QUERN_TRY_ASSIGN(const std::uint64_t count, count_option(arguments, name, 0));
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, UINT32_MAX));
}

}  // namespace

base::Result<ActorRequest> parse_actor(const Arguments& arguments, const Device& device) {
  ActorRequest request;
  const std::vector<std::string>& words = arguments.operands();
  const KernelPath path = split_kernel_path(words[1]);
  request.file = path.file;
  QUERN_TRY_ASSIGN(request.text, base::read_file(path.file));
  for (const std::string_view kind : base::split(path.kernel, ',')) request.kinds.emplace_back(kind);
  if (request.kinds.empty()) request.kinds = {""};
  if (request.kinds.size() > 1 &&
      std::find(request.kinds.begin(), request.kinds.end(), "") != request.kinds.end())
    return Error(ErrorKind::invalid_use, message::kEmptyActorName(words[1]));
  request.options.module.name = path.file;
  const lang::CompileOptions compile = compile_options(arguments);
  request.options.module.defines = compile.defines;
  request.options.module.include_dirs = compile.include_dirs;
  QUERN_TRY_ASSIGN(request.options.shape, choose(arguments, "--shape", kShapes, ring::Shape::thread));
  QUERN_TRY_ASSIGN(request.options.engine, choose(arguments, "--engine", kEngines, ring::Engine::automatic));
  QUERN_TRY_ASSIGN(request.options.threads, small_count(arguments, "--threads"));
  QUERN_TRY_ASSIGN(request.options.blocks, small_count(arguments, "--blocks"));
  QUERN_TRY_ASSIGN(request.count, count_option(arguments, "--count", 1));
  QUERN_TRY_ASSIGN(request.options.timers, small_count(arguments, "--timers"));
  QUERN_TRY_ASSIGN(const std::uint32_t slots, small_count(arguments, "--slots"));
  if (slots != 0) request.options.slots = request.options.peer_slots = slots;
  for (const std::string& kind : request.kinds) {
    request.options.kind = kind;
    QUERN_TRY_ASSIGN(ActorTypes types, ActorTypes::read(request.text, request.options, compile));
    request.types.push_back(std::move(types));
  }
  request.options.kind = request.kinds[0];
  const ActorTypes& first = request.types[0];
  if (const auto state = arguments.value("--state")) {
    QUERN_TRY_ASSIGN(request.options.state, first.parse_state(*state));
  }
  request.message_texts.assign(words.begin() + 2, words.end());
  for (const std::string& text : request.message_texts) {
    QUERN_TRY_ASSIGN(std::vector<std::byte> message, first.parse_message(text));
    request.messages.push_back(std::move(message));
  }
  if (request.messages.empty())
    return Error(ErrorKind::invalid_use, message::kNoMessage(path.file, first.message_fields()));
  QUERN_TRY(add_buffers(arguments, device, request));
  return request;
}

}  // namespace quern::tool

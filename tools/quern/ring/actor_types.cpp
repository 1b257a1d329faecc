#include "actor_types.hpp"

#include "base/text.hpp"
#include "messages.hpp"
#include "ring/misfit.hpp"
#include "ring/text.hpp"
#include "runtime/argument_text.hpp"

namespace quern::tool {
namespace {

using base::Error;
using base::ErrorKind;

constexpr const char* kProbe = "quern_ring_types";

ring::Plan probe_plan(const ring::Options& options) {
  ring::Plan plan;
  plan.kinds = {options.kind};
  plan.kind_of = {0};
  plan.slots = plan.replies = plan.events = plan.peer_slots = 2;
  return plan;
}

// Our text around the user's, as for the actor, and a kernel with its types as parameters.
std::string probe_text(const ring::Plan& plan, const std::string& text, const ring::Options& options) {
  const std::string in = options.kind.empty() ? "::" : "::" + options.kind + "::";
  return ring::make_text(plan, text, options.module.name) + "__global__ void " + kProbe + "(" + in +
         "State* state, " + in + "Message* message, " + in + "Reply* reply) {}\n";
}

std::string fields_of(const ir::Type& type) {
  std::vector<std::string> names;
  for (const ir::Field& f : type.fields) names.push_back(f.name);
  return base::join(names, ", ");
}

// A message of one field may be written without braces.
std::string in_braces(const std::string& text, const ir::Type& type) {
  const bool has_braces = !text.empty() && text.front() == '{';
  return has_braces || !type.is_struct() ? text : "{" + text + "}";
}

}  // namespace

base::Result<ActorTypes> ActorTypes::read(const std::string& text, const ring::Options& options,
                                          lang::CompileOptions compile) {
  const ring::Plan plan = probe_plan(options);
  ActorTypes types;
  compile.kernels = {kProbe};
  types.compilation_ = lang::compile(options.module.name, probe_text(plan, text, options), compile);
  const ir::Function* const probe = types.compilation_.module.find_function(kProbe);
  if (probe == nullptr || probe->params.size() != 3) {
    const std::string lack = ring::lack_of(plan, text, options.module.name);
    const std::string misfit = ring::misfit_of(types.compilation_.rendered);
    const bool needs_kind = options.kind.empty() && text.find("namespace") != std::string::npos;
    const std::string why = misfit.empty() ? "\n" + types.compilation_.rendered : misfit;
    return Error(ErrorKind::compile, !lack.empty() ? lack : message::kNoActor(options.module.name, why).text)
        .add_hint(needs_kind ? message::kNameKind(options.module.name).text : ring::kActorHint);
  }
  types.state_ = probe->params[0]->elem;
  types.message_ = probe->params[1]->elem;
  types.reply_ = probe->params[2]->elem;
  if (types.reply_ != nullptr && types.reply_->is_void()) types.reply_ = nullptr;
  types.message_fields_ = fields_of(*types.message_);
  return types;
}

base::Result<std::vector<std::byte>> ActorTypes::parse_message(const std::string& text) const {
  auto value = runtime::parse_value(in_braces(text, *message_), message_, "Message");
  if (value.ok()) return value;
  Error error = std::move(value).error();
  return std::move(error.add_hint(message::kWriteFields(message_fields_).text));
}

base::Result<std::vector<std::byte>> ActorTypes::parse_state(const std::string& text) const {
  return runtime::parse_value(in_braces(text, *state_), state_, "State");
}

std::string ActorTypes::print_reply(const std::vector<std::byte>& bytes) const {
  return reply_ == nullptr ? "" : runtime::print_value(reply_, bytes.data());
}

std::string ActorTypes::print_state(const std::vector<std::byte>& bytes) const {
  return runtime::print_value(state_, bytes.data());
}

}  // namespace quern::tool

#include "driver/decorators/faulty/faults.hpp"

#include "base/text.hpp"
#include "driver/decorators/messages.hpp"

namespace quern::faulty {

namespace {

using base::Error;
using base::ErrorKind;

struct Effect {
  std::string_view name;
  ErrorKind kind;
};
constexpr Effect kEffects[] = {
    {"lost", ErrorKind::device_lost},        {"memory", ErrorKind::out_of_memory},
    {"timeout", ErrorKind::timeout},         {"fault", ErrorKind::kernel_fault},
    {"unsupported", ErrorKind::unsupported}, {"compile", ErrorKind::compile},
    {"missing", ErrorKind::not_found},       {"io", ErrorKind::io},
    {"internal", ErrorKind::internal},
};

Error refuse(std::string_view part, std::string_view word, std::string_view what,
             const std::vector<std::string_view>& allowed) {
  const auto near = base::nearest(word, std::span<const std::string_view>(allowed));
  const base::MessageText hint =
      near ? decorators::message::kDidYouMean(*near)
           : decorators::message::kUseOneOf(base::join(std::span<const std::string_view>(allowed), ", "));
  return Error(ErrorKind::bad_input, decorators::message::kUnknownFaultWord(part, word, what, hint.text));
}

base::Result<std::optional<Call>> parse_call(std::string_view part, std::string_view word) {
  if (word == "any") return std::optional<Call>();
  const auto call = forward::find_call(word);
  if (call && forward::can_fail(*call)) return call;
  std::vector<std::string_view> allowed = {"any"};
  for (size_t i = 0; i < forward::kCallCount; ++i) {
    if (forward::can_fail(static_cast<Call>(i))) allowed.push_back(forward::name(static_cast<Call>(i)));
  }
  return refuse(part, word, "call", allowed);
}

base::Result<ErrorKind> parse_effect(std::string_view part, std::string_view word) {
  std::vector<std::string_view> allowed;
  for (const Effect& e : kEffects) {
    if (e.name == word) return e.kind;
    allowed.push_back(e.name);
  }
  return refuse(part, word, "effect", allowed);
}

base::Result<Fault> parse_fault(std::string_view part) {
  const size_t colon = part.find(':');
  const size_t equals = part.find('=');
  if (colon == std::string_view::npos || equals == std::string_view::npos || equals < colon) {
    return Error(ErrorKind::bad_input, decorators::message::kFaultForm(part));
  }
  Fault fault;
  QUERN_TRY_ASSIGN(fault.call, parse_call(part, part.substr(0, colon)));
  const std::string_view number = part.substr(colon + 1, equals - colon - 1);
  const auto parsed = base::parse_uint(number);
  if (!parsed) {
    return Error(ErrorKind::bad_input, decorators::message::kFaultNumber(part, number));
  }
  fault.number = *parsed;
  QUERN_TRY_ASSIGN(fault.kind, parse_effect(part, part.substr(equals + 1)));
  return fault;
}

}  // namespace

base::Result<std::shared_ptr<Faults>> Faults::parse(std::string_view text) {
  std::vector<Fault> plan;
  for (std::string_view part : base::split(text, ',')) {
    QUERN_TRY_ASSIGN(const Fault fault, parse_fault(base::trim(part)));
    plan.push_back(fault);
  }
  return std::make_shared<Faults>(std::move(plan));
}

base::Result<> Faults::stands() const {
  if (lost_) return Error(ErrorKind::device_lost, decorators::message::kInjectedLoss());
  return {};
}

base::Result<> Faults::pass(Call call) {
  const uint64_t number = counts_[static_cast<size_t>(call)]++;
  const uint64_t place = total_++;
  QUERN_TRY(stands());
  for (const Fault& f : plan_) {
    const bool is_turn = f.call ? *f.call == call && f.number == number : f.number == place;
    if (!is_turn) continue;
    ++fired_;
    if (f.kind == ErrorKind::device_lost) lost_ = true;
    return Error(f.kind, decorators::message::kInjectedFault(forward::name(call), std::to_string(number)));
  }
  return {};
}

}  // namespace quern::faulty

// Finds the error in an actor's text when the compiler reports it in our surrounding text.
#pragma once

#include <string>
#include <string_view>

namespace quern::ring {

// `diagnostics`: as the compiler rendered them. Returns the message of the first error if that is in
// generated text, else an empty string.
std::string misfit_of(std::string_view diagnostics);

inline constexpr const char* kHandlerHint =
    "declare `__device__ Reply on_message(State& state, const Message& message, quern::ring::Context& "
    "context)`";

}  // namespace quern::ring

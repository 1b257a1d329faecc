// The functions that JavaScript calls (web/instance.js). A request and its reply are JSON texts.
#include <cstdlib>
#include <cstring>

#include "web/session.hpp"

namespace quern::web {

namespace {

Session& session() {
  static Session one;  // of this instance
  return one;
}

std::string answer(std::string_view text) {
  Json value;
  Failure failure{base::Error(base::ErrorKind::internal, std::string())};
  auto request = base::parse_json(text);
  Result<> done =
      request.ok() ? session().call(*request, value, failure) : Result<>(std::move(request).error());
  std::string reply = value.take();
  std::string problem = "null";
  if (!done.ok()) {
    failure.error = std::move(done).error();
    Json error;
    write(error, failure);
    problem = error.take();
  }
  return "{\"value\":" + (reply.empty() ? "null" : reply) + ",\"error\":" + problem + "}";
}

}  // namespace

extern "C" {

#define QUERN_EXPORT(name) __attribute__((export_name(#name))) name

void* QUERN_EXPORT(quern_allocate)(size_t bytes) { return std::malloc(bytes); }
void QUERN_EXPORT(quern_free)(void* memory) { std::free(memory); }

/// Returns the size of the reply (4 bytes) and its text, which the caller frees.
char* QUERN_EXPORT(quern_call)(const char* request, size_t bytes) {
  const std::string reply = answer({request, bytes});
  const auto size = static_cast<uint32_t>(reply.size());
  auto* const out = static_cast<char*>(std::malloc(sizeof size + size));
  if (out == nullptr) std::abort();
  std::memcpy(out, &size, sizeof size);
  std::memcpy(out + sizeof size, reply.data(), size);
  return out;
}
}

}  // namespace quern::web

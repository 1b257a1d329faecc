// The interface of everything that connects ranks. Above it, calls are checked and put in order
// (comm/member.hpp); a provider only moves and combines elements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/operation.hpp"
#include "quern/comm/transport.hpp"
#include "quern/error.hpp"

namespace quern::comm {

class Provider {
 public:
  Provider() = default;
  virtual ~Provider() = default;
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual std::string name() const = 0;

  // Carries out an operation: the operands may be read and written now, and are complete when it returns. One
  // thread at a time calls it, not always the same. Throws AgreedError if the ranks remain consistent, and
  // Error, not later than shortly after the deadline, if they do not; it is not called again then.
  virtual void run(const Operation& operation, const Deadline& deadline) = 0;

  // This rank cannot take part in the operation because of the error. The others get an error. Does not
  // throw.
  virtual void give_up(const Operation& operation, const Error& error) noexcept = 0;

  // Of providers with several transports. The lists do not change after the constructor.
  virtual std::vector<TransportInfo> transports() const { return {}; }
  virtual std::vector<TransportChoice> transport_choices() const { return {}; }
  // Of the last call of run(), by the thread that called it.
  virtual std::optional<Transport> used_transport() const { return {}; }
};

}  // namespace quern::comm

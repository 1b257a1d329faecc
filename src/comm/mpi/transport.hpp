// The interface of transports: how the elements of an operation travel between the devices of processes.
#pragma once

#include <memory>
#include <string>

#include "comm/mpi/link.hpp"
#include "comm/operation.hpp"
#include "quern/comm/transport.hpp"

namespace quern::comm {

class TransportBackend {
 public:
  TransportBackend() = default;
  virtual ~TransportBackend() = default;
  TransportBackend(const TransportBackend&) = delete;
  TransportBackend& operator=(const TransportBackend&) = delete;

  virtual Transport transport() const = 0;
  // Whether it can carry out the operation. Equal on all ranks: it depends only on what the ranks agree on.
  virtual bool supports(const Operation& operation) const = 0;
  // As Provider::run, for operations with elements.
  virtual void run(const Operation& operation, const Deadline& deadline) = 0;
};

// What became of a transport's set-up: a backend, or the reason why there is none. Equal on all ranks.
struct Setup {
  std::unique_ptr<TransportBackend> backend = {};
  std::string reason = {};
};

// Exchanges the reasons of all ranks: the first that is not empty, with its rank; empty if all are.
std::string first_reason(Link& link, const std::string& own, const Deadline& deadline);

// The message of the exception that is being handled.
std::string current_reason();

// Fails on all ranks if one has an error: the rank that passes one throws it, the others throw `io`. The
// ranks remain consistent.
void check_all(Link& link, const char* operation, const std::exception_ptr& own, const Deadline& deadline);

// All ranks call each of these, at the same time. They throw only if the ranks are no longer consistent.
Setup set_up_staged(Link& link, const Device& device);
Setup set_up_gpu_aware(Link& link, const Device& device, const Options& options);
Setup set_up_ipc(Link& link, const Device& device, const Options& options);
Setup set_up_nccl(Link& link, const Device& device, const Options& options);

}  // namespace quern::comm

// The transports of a communicator, and which of them carries out an operation. Equal on all ranks.
#pragma once

#include <memory>
#include <vector>

#include "comm/mpi/transport.hpp"

namespace quern::comm {

class Transports {
 public:
  // Sets up, tests and measures. All ranks call it at the same time. Throws Error on all ranks if the
  // requested transport is not available.
  Transports(Link& link, const Device& device, const MpiOptions& options);

  const std::vector<TransportInfo>& infos() const { return infos_; }
  const std::vector<TransportChoice>& choices() const { return choices_; }
  // All that are available, in the same order on all ranks.
  const std::vector<std::unique_ptr<TransportBackend>>& all() const { return backends_; }
  // `bytes`: of a message, or of a piece of the operands.
  TransportBackend& choose(const Operation& operation, std::uint64_t bytes) const;

 private:
  std::optional<Transport> requested(const MpiOptions& options, bool& is_gpu);
  void set_up(Transport transport);
  void add(Transport transport, Setup setup);
  void drop(Transport transport, const std::string& reason);
  void test_all();
  void measure_all();
  std::string test(TransportBackend& backend, TransportPattern pattern);
  double measure(TransportBackend& backend, TransportPattern pattern, std::uint64_t bytes);
  Operation operation_of(TransportPattern pattern, std::uint64_t bytes);
  void run(TransportBackend& backend, const Operation& operation) const;
  TransportBackend* find(Transport transport) const;

  Link& link_;
  const Device device_;
  const Options options_;
  std::vector<std::unique_ptr<TransportBackend>> backends_;
  std::vector<TransportInfo> infos_;
  std::vector<TransportChoice> choices_;
  Buffer<float> in_, out_;  // of the measurement
};

TransportPattern pattern_of(detail::Kind kind);

}  // namespace quern::comm

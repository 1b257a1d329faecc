/// @file
/// Where an operation runs.
#pragma once

#include "quern/device.hpp"
#include "quern/stream.hpp"

namespace quern::ops {

/// Where an operation runs: a stream, or the default stream of a device. Every operation takes one as its
/// first argument; devices and streams convert to it.
class On {
 public:
  /// The default stream.
  On(const Device& device) : stream_(device.stream()) {}
  /// A stream, which may be recording a graph.
  On(const Stream& stream) : stream_(stream) {}
  /// The stream.
  const Stream& stream() const { return stream_; }

 private:
  Stream stream_;
};

}  // namespace quern::ops

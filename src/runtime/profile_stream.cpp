// Stream functions while a profile is active.
#include "base/text.hpp"
#include "runtime/graph.hpp"
#include "runtime/module.hpp"
#include "runtime/profile/recorder.hpp"
#include "runtime/stream.hpp"

namespace quern::runtime {

using driver::Command;
using profile::Kind;
using profile::Site;
using profile::SiteKey;

namespace {

// Deferred compilation happens now, so that it is not part of the launch.
Site describe(driver::Device& device, const Kernel& kernel, const driver::Launch& launch) {
  Site site;
  site.name = kernel.info().name;
  if (kernel.split()) site.name += base::format(" (split into %u segments)", kernel.split()->segments);
  {
    const profile::Scope scope("compile", "prepare " + site.name);
    (void)device.prepare(kernel.native(), launch.block,
                         launch.shared_bytes);  // the launch reports errors
  }
  const auto threads = static_cast<uint32_t>(launch.block.count());
  const driver::Occupancy o = device.occupancy(kernel.native(), threads, launch.shared_bytes);
  if (o.max_threads_per_unit != 0)
    site.occupancy = static_cast<float>(o.max_blocks_per_unit * uint64_t{threads}) /
                     static_cast<float>(o.max_threads_per_unit);
  return site;
}

Kind kind_of(Command::Kind kind) {
  switch (kind) {
    case Command::Kind::kLaunch: return Kind::kKernel;
    case Command::Kind::kUpload: return Kind::kUpload;
    case Command::Kind::kDownload: return Kind::kDownload;
    case Command::Kind::kCopy: return Kind::kCopy;
    case Command::Kind::kFill: return Kind::kFill;
  }
  return Kind::kCopy;
}

}  // namespace

profile::Track& Stream::track() {
  if (track_ == nullptr) track_ = profile::Recorder::instance().open_track(device_.native(), number_);
  return *track_;
}

void Stream::close_track() {
  profile::Recorder::instance().close_track(track_);
  track_.reset();
}

Result<> Stream::launch_profiled(Kernel& kernel, const driver::Launch& launch,
                                 std::span<const HostArgument> arguments) {
  driver::Device& native = device_.native();
  SiteKey key{kernel.program_hash(), launch.grid, launch.block, launch.shared_bytes, 0};
  for (const HostArgument& a : arguments) {
    if (a.has_memory()) key.bytes += a.slice.bytes;
  }
  profile::Track& t = track();
  const profile::SiteId& site = t.site(key, [&] { return describe(native, kernel, launch); });
  return t.run(*driver_stream_, site, true,
               [&] { return native.launch(*driver_stream_, kernel.native(), launch); });
}

Result<> Stream::submit_profiled(const Command& command) {
  const Kind kind = kind_of(command.kind);
  // A copy reads and writes.
  const uint64_t bytes = kind == Kind::kCopy ? command.bytes * 2 : command.bytes;
  const SiteKey key{static_cast<uint64_t>(kind), {0, 0, 0}, {0, 0, 0}, 0, bytes};
  profile::Track& t = track();
  const profile::SiteId& site = t.site(key, [&] {
    Site made;
    made.kind = kind;
    made.name = name(kind);
    return made;
  });
  return t.run(*driver_stream_, site, true,
               [&] { return device_.native().submit(*driver_stream_, command); });
}

// A graph that the device executes as a whole is one command; otherwise its commands are recorded
// individually.
Result<> Stream::run_profiled(Graph& graph) {
  driver::Device& native = device_.native();
  profile::Track& t = track();
  if (!graph.is_native()) {
    return graph.run_each(
        *driver_stream_, [&](const Command& c, const Kernel* kernel, uint64_t bytes) -> Result<> {
          if (kernel == nullptr) return submit_profiled(c);
          const SiteKey key{kernel->program_hash(), c.launch.grid, c.launch.block, c.launch.shared_bytes,
                            bytes};
          const profile::SiteId& site = t.site(key, [&] { return describe(native, *kernel, c.launch); });
          return t.run(*driver_stream_, site, true, [&] { return native.submit(*driver_stream_, c); });
        });
  }
  const uint64_t size = graph.size();
  const SiteKey key{
      static_cast<uint64_t>(Kind::kGraph) + (size << 8), {0, 0, 0}, {0, 0, 0}, 0, graph.moved_bytes()};
  const profile::SiteId& site = t.site(key, [&] {
    Site made;
    made.kind = Kind::kGraph;
    made.name = "graph of " + base::format_plural(size, "command");
    return made;
  });
  return t.run(*driver_stream_, site, false, [&] { return graph.run(*driver_stream_); });
}

}  // namespace quern::runtime

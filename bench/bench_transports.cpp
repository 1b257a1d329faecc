// The transports between processes: mpirun -n 2 bench_transports [MIB]
//
// For each transport that is available and for several sizes: time and bandwidth of messages and of
// all-reduce, and the ratio to MPI's own time on host memory in the same run. Then the time of a step of a
// stencil whose halos are exchanged while the interior is computed, compared with the interior alone. The
// first argument is the size of the largest message in MiB (default 64). Each result is a line, and the last
// line is JSON. Set QUERN_MPI and LD_LIBRARY_PATH if MPI is not installed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "quern/comm.hpp"
#include "quern/inline.hpp"
#include "quern/quern.hpp"
#include "shortest_of.hpp"

namespace {

namespace comm = quern::comm;
using quern::bench::shortest_of;

QUERN_KERNEL(stencil_rows, (int nx, int ny, int first, int count, const float* u, float* v), {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = first + blockIdx.z;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1 || z >= first + count) return;
  long i = ((long)z * ny + y) * nx + x;
  long plane = (long)nx * ny;
  v[i] = 0.4f * u[i] + 0.1f * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] + u[i - plane] + u[i + plane]);
})

std::string json;

void record(const std::string& transport, const char* what, std::size_t bytes, double microseconds,
            double ratio) {
  char line[200];
  std::printf("%-14s %-12s %10zu B %10.1f us %8.2f GB/s %8.2f\n", transport.c_str(), what, bytes,
              microseconds, static_cast<double>(bytes) / microseconds * 1e-3, ratio);
  std::snprintf(line, sizeof line,
                "{\"transport\":\"%s\",\"what\":\"%s\",\"bytes\":%zu,\"us\":%.2f,\"ratio\":%.3f}",
                transport.c_str(), what, bytes, microseconds, ratio);
  json += (json.empty() ? "" : ",") + std::string(line);
}

// Ends the program if an element differs. Called after the measurement.
void check_all(const quern::Slice<float>& got, float want, const char* what) {
  for (const float v : got.download()) {
    if (v == want) continue;
    std::fprintf(stderr, "bench_transports: %s: an element is %g instead of %g\n", what,
                 static_cast<double>(v), static_cast<double>(want));
    std::exit(1);
  }
}

struct Neighbors {
  int next, last;
};

Neighbors neighbors_of(const comm::Communicator& ranks) {
  const int rank = ranks.rank(), size = ranks.size();
  return {(rank + 1) % size, (rank + size - 1) % size};
}

double time_messages(const comm::Communicator& ranks, std::size_t count, quern::MemoryKind kind,
                     int repeats) {
  const quern::Device gpu = ranks.device();
  const Neighbors to = neighbors_of(ranks);
  quern::Buffer<float> in = gpu.allocate<float>(count, kind), out = gpu.allocate<float>(count, kind);
  in.fill(static_cast<float>(ranks.rank()));
  const double time = shortest_of(repeats, [&] { ranks.send_receive(gpu, in, to.next, out, to.last); });
  check_all(out, static_cast<float>(to.last), "send_receive");
  return time;
}

double time_sums(const comm::Communicator& ranks, std::size_t count, quern::MemoryKind kind, int repeats) {
  const quern::Device gpu = ranks.device();
  quern::Buffer<float> in = gpu.allocate<float>(count, kind), out = gpu.allocate<float>(count, kind);
  in.fill(1);
  const double time = shortest_of(repeats, [&] { ranks.all_reduce(gpu, comm::Combine::sum, in, out); });
  check_all(out, static_cast<float>(ranks.size()), "all_reduce");
  return time;
}

// Slabs of nz planes, with a plane of each neighbor at both ends.
void time_halos(const comm::Communicator& ranks, const std::string& name) {
  const quern::Device gpu = ranks.device();
  const int nx = 512, ny = 512, nz = gpu.info().kind == quern::DeviceKind::cpu ? 16 : 256;
  const auto plane = static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
  const auto planes = static_cast<std::size_t>(nz);
  quern::Buffer<float> u = gpu.allocate<float>(plane * (planes + 2)),
                       v = gpu.allocate<float>(plane * (planes + 2));
  u.fill(static_cast<float>(ranks.rank()));
  v.fill(1);
  const quern::Stream work = gpu.create_stream(), edge = gpu.create_stream();
  const Neighbors to = neighbors_of(ranks);
  const auto rows = [&](const quern::Stream& on, int first, int count) {
    on.launch(
        stencil_rows,
        quern::threads(static_cast<unsigned>(nx), static_cast<unsigned>(ny), static_cast<unsigned>(count)),
        nx, ny, first, count, u, v);
  };
  const double interior = shortest_of(20, [&] {
    rows(work, 2, nz - 2);
    work.synchronize();
  });
  const double step = shortest_of(20, [&] {
    rows(work, 2, nz - 2);
    ranks.send_receive(edge, u.slice(plane * planes, plane), to.next, u.slice(0, plane), to.last);
    ranks.send_receive(edge, u.slice(plane, plane), to.last, u.slice(plane * (planes + 1), plane), to.next);
    rows(edge, 1, 1);
    rows(edge, nz, 1);
    edge.synchronize();
    work.synchronize();
  });
  check_all(u.slice(0, plane), static_cast<float>(to.last), "halo of the previous rank");
  check_all(u.slice(plane * (planes + 1), plane), static_cast<float>(to.next), "halo of the next rank");
  if (ranks.rank() == 0) record(name, "halo step", plane * sizeof(float), step, step / interior);
}

// `forced`: nothing for the automatic choice.
std::optional<comm::Communicator> connect(const quern::Device& gpu, std::optional<comm::Transport> forced) {
  comm::MpiOptions options;
  options.check = false;
  options.transport = forced;
  try {
    return comm::mpi(gpu, options);
  } catch (const quern::Error& error) {
    if (error.kind() != quern::ErrorKind::unsupported || !forced) throw;
    return std::nullopt;  // on all ranks
  }
}

void run(std::size_t most) {
  const quern::Device gpu = comm::open_for_rank();
  const comm::Communicator chosen = *connect(gpu, std::nullopt);
  const comm::Communicator host =
      *connect(gpu, comm::Transport::staged);  // pinned memory is exchanged in place
  const bool prints = chosen.rank() == 0;
  if (prints) {
    std::printf("%d ranks, %s, %s\n", chosen.size(), chosen.provider().c_str(), gpu.name().c_str());
    for (const comm::TransportInfo& info : chosen.transports())
      std::printf("%s: %s\n", std::string(to_string(info.transport)).c_str(),
                  info.is_available ? "available" : info.reason.c_str());
    std::printf("%-14s %-12s %12s %13s %13s %8s\n", "transport", "operation", "size", "time", "bandwidth",
                "ratio");
  }
  for (const comm::TransportInfo& info : chosen.transports()) {
    const std::optional<comm::Communicator> ranks = connect(gpu, info.transport);
    if (!ranks) continue;
    const std::string name(to_string(info.transport));
    for (std::size_t bytes = 8; bytes <= most; bytes *= 8) {
      const int repeats = bytes > (1 << 20) ? 20 : 200;
      const std::size_t count = bytes / sizeof(float);
      using Kind = quern::MemoryKind;
      const double message = time_messages(*ranks, count, Kind::device, repeats);
      const double message_host = time_messages(host, count, Kind::pinned, repeats);
      const double sum = time_sums(*ranks, count, Kind::device, repeats);
      const double sum_host = time_sums(host, count, Kind::pinned, repeats);
      if (!prints) continue;
      record(name, "send_receive", bytes, message, message / message_host);
      record(name, "all_reduce", bytes, sum, sum / sum_host);
    }
    time_halos(*ranks, name);
  }
  time_halos(chosen, "automatic");
  if (prints)
    std::printf("{\"bench\":\"transports\",\"ranks\":%d,\"device\":\"%s\",\"results\":[%s]}\n", chosen.size(),
                gpu.name().c_str(), json.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run((argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 64) << 20);
    return 0;
  } catch (const quern::Error& error) {
    std::fprintf(stderr, "bench_transports: %s\n", error.what());
    return 1;
  }
}

#include "comm/mpi/transports.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <limits>

#include "comm/failure.hpp"
#include "comm/staging.hpp"
#include "quern/process.hpp"

namespace quern::comm {

using detail::Kind;

namespace {

constexpr std::array kOrder = {Transport::nccl, Transport::ipc, Transport::gpu_aware_mpi, Transport::staged};
constexpr std::array kPatterns = {TransportPattern::pairs, TransportPattern::copies, TransportPattern::sums};

// Classes of sizes: the largest message of the class, and the size that represents it.
struct SizeClass {
  std::uint64_t most, measured;
};
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
constexpr std::array<SizeClass, 3> kClasses{{{32 << 10, 4 << 10}, {1 << 20, 256 << 10}, {kNoLimit, 8 << 20}}};
constexpr int kRepeats = 3;

const char* operation_name(TransportPattern pattern) {
  switch (pattern) {
    case TransportPattern::pairs: break;
    case TransportPattern::copies: return "all_gather";
    case TransportPattern::sums: return "all_reduce";
  }
  return "send_receive";
}

std::optional<Transport> named_transport(const MpiOptions& options) {
  if (options.transport) return options.transport;
  const auto name = extension::environment("QUERN_COMM_TRANSPORT");
  if (!name) return std::nullopt;
  for (const Transport transport : kOrder) {
    if (*name == to_string(transport)) return transport;
  }
  fail(ErrorKind::invalid_use, message::kBadTransport(*name));
}

// Enough for a slow start; then the ranks still agree within the time limit of the program.
Deadline test_deadline(const Options& options) {
  return Deadline(std::min<std::chrono::nanoseconds>(options.timeout / 2, std::chrono::seconds(10)));
}

}  // namespace

TransportPattern pattern_of(Kind kind) {
  if (!is_collective(kind)) return TransportPattern::pairs;
  return is_combining(kind) ? TransportPattern::sums : TransportPattern::copies;
}

Transports::Transports(Link& link, const Device& device, const MpiOptions& options)
    : link_(link), device_(device), options_(options) {
  bool is_gpu = false;
  const std::optional<Transport> wanted = requested(options, is_gpu);
  for (const Transport transport : kOrder) {
    if (transport == Transport::staged) {
      add(transport, set_up_staged(link_, device_));
    } else if (wanted && *wanted != transport) {
      add(transport, {{}, message::kTransportRequested(to_string(*wanted)).text});
    } else if (!is_gpu) {
      add(transport, {{}, message::kTransportNoGpu().text});
    } else if (link_.size() == 1 && !wanted) {
      add(transport, {{}, message::kTransportOneRank().text});
    } else {
      set_up(transport);
    }
  }
  if (backends_.size() > 1) test_all();
  if (wanted && find(*wanted) == nullptr) {
    const auto info = std::find_if(infos_.begin(), infos_.end(),
                                   [&](const TransportInfo& i) { return i.transport == *wanted; });
    fail(ErrorKind::unsupported, message::kTransportMissing(to_string(*wanted), info->reason));
  }
  if (!wanted && backends_.size() > 1) {
    measure_all();
  } else {
    for (const TransportPattern pattern : kPatterns)
      choices_.push_back({pattern, kNoLimit, wanted.value_or(Transport::staged)});
  }
  in_ = {};
  out_ = {};
}

// All ranks must request the same. `is_gpu`: all devices are ones that have more than one transport.
std::optional<Transport> Transports::requested(const MpiOptions& options, bool& is_gpu) {
  const std::optional<Transport> wanted = named_transport(options);
  const std::string driver = device_.driver();
  const std::uint64_t number = wanted ? static_cast<std::uint64_t>(*wanted) + 1 : 0;
  std::array<std::uint64_t, 3> words = {number, ~number, driver == "cuda" || driver == "hip" ? 0u : 1u};
  link_.maximum("mpi", words.data(), words.size(), Deadline(options.timeout));
  if (words[0] != ~words[1]) fail(ErrorKind::invalid_use, message::kDifferentWords("mpi", "transports"));
  is_gpu = words[2] == 0;
  return wanted;
}

void Transports::set_up(Transport transport) {
  switch (transport) {
    case Transport::nccl: return add(transport, set_up_nccl(link_, device_, options_));
    case Transport::ipc: return add(transport, set_up_ipc(link_, device_, options_));
    case Transport::gpu_aware_mpi: return add(transport, set_up_gpu_aware(link_, device_, options_));
    case Transport::staged: break;
  }
}

void Transports::add(Transport transport, Setup setup) {
  infos_.push_back({transport, setup.backend != nullptr, std::move(setup.reason)});
  if (setup.backend != nullptr) backends_.push_back(std::move(setup.backend));
}

void Transports::drop(Transport transport, const std::string& reason) {
  std::erase_if(backends_, [&](const auto& backend) { return backend->transport() == transport; });
  for (TransportInfo& info : infos_) {
    if (info.transport == transport) info = {transport, false, reason};
  }
}

TransportBackend* Transports::find(Transport transport) const {
  for (const auto& backend : backends_) {
    if (backend->transport() == transport) return backend.get();
  }
  return nullptr;
}

// Ranks send to the next rank; others use all ranks. `bytes`: as for choose().
Operation Transports::operation_of(TransportPattern pattern, std::uint64_t bytes) {
  const int size = link_.size(), rank = link_.rank();
  const std::uint64_t count = bytes / sizeof(float);
  const auto range = [&](const Slice<float>& slice, std::uint64_t length) {
    return detail::Range{slice.slice(0, length).bytes(), length};
  };
  detail::Call call{.element_bytes = sizeof(float)};
  call.in = range(in_, count);
  call.out =
      range(out_, pattern == TransportPattern::copies ? count * static_cast<std::uint64_t>(size) : count);
  if (pattern == TransportPattern::copies) {
    call.kind = Kind::all_gather;
  } else if (pattern == TransportPattern::sums) {
    call.kind = Kind::all_reduce;
    call.element = Element::f32;
  } else {
    call.kind = Kind::send_receive;
    call.peer = (rank + 1) % size;
    call.source = (rank + size - 1) % size;
  }
  return checked(call, options_, rank, size);
}

void Transports::run(TransportBackend& backend, const Operation& operation) const {
  backend.run(operation, test_deadline(options_));
}

// Why the transport cannot be used; empty if it works. Equal on all ranks.
std::string Transports::test(TransportBackend& backend, TransportPattern pattern) {
  constexpr std::uint64_t kCount = 100;
  const Operation operation = operation_of(pattern, kCount * sizeof(float));
  if (!backend.supports(operation)) return {};
  const auto rank_value = [](int rank) { return static_cast<float>(rank + 1); };
  const int size = link_.size();
  std::string why;
  try {
    in_.fill(rank_value(link_.rank()));
    out_.fill(0);
    run(backend, operation);
    std::vector<float> got(operation.call.out.count), want;
    Slice<float>(operation.call.out.bytes).download(got);
    for (std::size_t i = 0; i < got.size(); ++i) {
      want.push_back(pattern == TransportPattern::copies ? rank_value(static_cast<int>(i / kCount))
                     : pattern == TransportPattern::sums
                         ? static_cast<float>(size) * static_cast<float>(size + 1) / 2
                         : rank_value(operation.call.source));
    }
    if (got != want) why = message::kTransportWrong(operation_name(pattern)).text;
  } catch (...) {
    if (link_.is_broken) throw;
    why = current_reason();
  }
  link_.has_ended = false;
  return first_reason(link_, why, Deadline(options_.timeout));
}

void Transports::test_all() {
  const std::uint64_t most = std::min<std::uint64_t>(kClasses.back().measured, 2 * options_.chunk_bytes);
  const std::size_t count = std::max<std::uint64_t>(most / sizeof(float), 100);
  in_ = device_.allocate<float>(count, MemoryKind::device, "measurement of comm");
  out_ = device_.allocate<float>(count * static_cast<std::size_t>(link_.size()), MemoryKind::device,
                                 "measurement of comm");
  for (const Transport transport : kOrder) {
    if (transport == Transport::staged) continue;
    for (const TransportPattern pattern : kPatterns) {
      TransportBackend* const backend = find(transport);
      if (backend == nullptr) break;
      if (const std::string reason = test(*backend, pattern); !reason.empty()) drop(transport, reason);
    }
  }
}

// The shortest time in microseconds of the slowest rank.
double Transports::measure(TransportBackend& backend, TransportPattern pattern, std::uint64_t bytes) {
  const Operation operation = operation_of(pattern, bytes);
  double shortest = std::numeric_limits<double>::max();
  run(backend, operation);
  for (int i = 0; i < kRepeats; ++i) {
    std::uint64_t nanoseconds = 0;
    link_.maximum("mpi", &nanoseconds, 1, Deadline(options_.timeout));  // all begin together
    const auto begin = Deadline::Clock::now();
    run(backend, operation);
    nanoseconds = static_cast<std::uint64_t>((Deadline::Clock::now() - begin).count());
    link_.maximum("mpi", &nanoseconds, 1, Deadline(options_.timeout));
    shortest = std::min(shortest, static_cast<double>(nanoseconds) * 1e-3);
  }
  return shortest;
}

void Transports::measure_all() {
  const std::uint64_t most = in_.size() * sizeof(float);
  for (const TransportPattern pattern : kPatterns) {
    for (const SizeClass& size : kClasses) {
      const std::uint64_t bytes = std::min(size.measured, most);
      TransportChoice choice{pattern, size.most};
      double best = std::numeric_limits<double>::max();
      for (const auto& backend : backends_) {
        if (!backend->supports(operation_of(pattern, bytes))) continue;
        const double time = measure(*backend, pattern, bytes);
        choice.microseconds.emplace_back(backend->transport(), time);
        if (time >= best) continue;
        best = time;
        choice.transport = backend->transport();
      }
      std::sort(choice.microseconds.begin(), choice.microseconds.end(),
                [](const auto& a, const auto& b) { return a.second < b.second; });
      choices_.push_back(std::move(choice));
    }
  }
}

TransportBackend& Transports::choose(const Operation& operation, std::uint64_t bytes) const {
  const TransportPattern pattern = pattern_of(operation.kind());
  const auto choice = std::find_if(choices_.begin(), choices_.end(), [&](const TransportChoice& c) {
    return c.pattern == pattern && bytes <= c.most_bytes;
  });
  TransportBackend* const first = find(choice->transport);
  if (first->supports(operation)) return *first;
  for (const auto& [transport, time] : choice->microseconds) {
    TransportBackend* const backend = find(transport);
    if (backend->supports(operation)) return *backend;
  }
  return *backends_.back();  // staged
}

}  // namespace quern::comm

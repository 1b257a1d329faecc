// The component of one MPI implementation, compiled with its mpi.h.
#include "comm/mpi/component.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>

#include <mpi.h>

#include "comm/combine.hpp"

namespace quern::comm::mpi_component {

namespace {

using detail::Kind;

struct Connection {
  MPI_Comm communicator = MPI_COMM_NULL;
  int rank = 0;
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  bool receives = false;  // the last request is a receive
  int received = 0;       // bytes, when it is complete
};

bool is_serialized = false;  // MPI allows one call at a time
bool is_broken_anywhere = false;
std::mutex one_call;

class Turn {
 public:
  Turn() {
    if (is_serialized) one_call.lock();
  }
  ~Turn() {
    if (is_serialized) one_call.unlock();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
};

// Ranks that are gone would let it wait forever.
void finalize() {
  int is_finalized = 0;
  MPI_Finalized(&is_finalized);
  if (is_finalized == 0 && !is_broken_anywhere) MPI_Finalize();
}

int initialize() {
  int is_done = 0, level = MPI_THREAD_SINGLE;
  MPI_Finalized(&is_done);
  if (is_done != 0) return kIsFinalized;
  MPI_Initialized(&is_done);
  if (is_done == 0) {
    const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
    if (code != MPI_SUCCESS) return code;
    // Errors that belong to no communicator. The program does not use MPI, so no one else handles them.
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::atexit(finalize);
  } else {
    MPI_Query_thread(&level);
  }
  if (level < MPI_THREAD_SERIALIZED) return kOneThread;
  is_serialized = level < MPI_THREAD_MULTIPLE;
  return kNone;
}

// The new communicator inherits the error handler; the program keeps its own.
int duplicate(MPI_Comm from, Connection& connection) {
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(from, &before);
  MPI_Comm_set_errhandler(from, MPI_ERRORS_RETURN);
  const int code = MPI_Comm_idup(from, &connection.communicator, &connection.requests[0]);
  MPI_Comm_set_errhandler(from, before);
  MPI_Errhandler_free(&before);
  return code;
}

int connect(const int* communicator, void** connection, int* rank, int* size) {
  if (const int code = initialize(); code != kNone) return code;
  const Turn turn;
  MPI_Comm const from = communicator != nullptr ? MPI_Comm_f2c(*communicator) : MPI_COMM_WORLD;
  auto* const made = new (std::nothrow) Connection();
  if (made == nullptr) return MPI_ERR_NO_MEM;
  *connection = made;
  MPI_Comm_rank(from, rank);
  MPI_Comm_size(from, size);
  made->rank = *rank;
  return duplicate(from, *made);
}

template <typename T>
MPI_Datatype datatype_of(T) {
  if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
  if constexpr (std::is_same_v<T, float>) return MPI_FLOAT;
  if constexpr (std::is_same_v<T, std::int64_t>) return MPI_INT64_T;
  if constexpr (std::is_same_v<T, std::int32_t>) return MPI_INT32_T;
  if constexpr (std::is_same_v<T, std::int16_t>) return MPI_INT16_T;
  if constexpr (std::is_same_v<T, std::int8_t>) return MPI_INT8_T;
  if constexpr (std::is_same_v<T, std::uint64_t>) return MPI_UINT64_T;
  if constexpr (std::is_same_v<T, std::uint32_t>) return MPI_UINT32_T;
  if constexpr (std::is_same_v<T, std::uint8_t>) return MPI_UINT8_T;
  return MPI_UINT16_T;  // also half and bfloat16, as bits
}

// MPI's minima and maxima of NaN depend on the implementation, and it has no 16-bit floats.
template <typename T, ops::Combine combine>
void combine_function(void* in, void* result, int* count, MPI_Datatype*) {
  combine_into<combine>(static_cast<T*>(result), static_cast<const T*>(in), static_cast<std::size_t>(*count));
}

template <typename T, ops::Combine combine>
MPI_Op own_operation() {
  static const MPI_Op kOne = [] {
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(combine_function<T, combine>, 1, &op);
    return op;
  }();
  return kOne;
}

template <typename T, ops::Combine combine>
MPI_Op operation_of() {
  constexpr bool kIsExtreme = combine == ops::Combine::min || combine == ops::Combine::max;
  if constexpr (std::is_integral_v<T>) {
    static const std::array<MPI_Op, 4> kOperations{MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
    return kOperations[static_cast<std::size_t>(combine)];
  } else if constexpr (std::is_floating_point_v<T> && !kIsExtreme) {
    return combine == ops::Combine::sum ? MPI_SUM : MPI_PROD;
  } else {
    return own_operation<T, combine>();
  }
}

// The elements of an exchange: combined ones have a type, others are bytes.
struct Elements {
  MPI_Datatype type = MPI_BYTE;
  MPI_Op operation = MPI_OP_NULL;
  int count = 0;
};

Elements elements_of(const Exchange& e) {
  if (!e.combines) return {MPI_BYTE, MPI_OP_NULL, static_cast<int>(e.count * e.element_bytes)};
  return with_type(e.element, [&]<typename T>(T) {
    return with_combine(e.combine, [&](auto combine) {
      return Elements{datatype_of(T{}), operation_of<T, combine>(), static_cast<int>(e.count)};
    });
  });
}

int begin_reduction(Connection& c, const Exchange& e, const Elements& x) {
  const void* const in = e.in == e.out ? MPI_IN_PLACE : e.in;
  MPI_Request* const request = c.requests.data();
  if (e.kind == Kind::all_reduce)
    return MPI_Iallreduce(in, e.out, x.count, x.type, x.operation, c.communicator, request);
  if (e.kind == Kind::reduce_scatter)
    return MPI_Ireduce_scatter_block(in, e.out, x.count, x.type, x.operation, c.communicator, request);
  return MPI_Ireduce(c.rank == e.peer ? in : e.in, e.out, x.count, x.type, x.operation, e.peer,
                     c.communicator, request);
}

int begin_gather(Connection& c, const Exchange& e, const Elements& x) {
  const std::size_t own = static_cast<std::size_t>(c.rank) * static_cast<std::size_t>(x.count);
  const bool is_in_place = e.in == static_cast<std::byte*>(e.out) + own;
  return MPI_Iallgather(is_in_place ? MPI_IN_PLACE : e.in, x.count, x.type, e.out, x.count, x.type,
                        c.communicator, c.requests.data());
}

int begin_send(Connection& c, const Exchange& e) {
  const int bytes = static_cast<int>(e.count * e.element_bytes);
  return MPI_Issend(e.in, bytes, MPI_BYTE, e.peer, e.tag, c.communicator, c.requests.data());
}

int begin_receive(Connection& c, const Exchange& e, int from, std::uint64_t count) {
  const int bytes = static_cast<int>(count * e.element_bytes);
  c.receives = true;
  return MPI_Irecv(e.out, bytes, MPI_BYTE, from, e.tag, c.communicator, &c.requests[1]);
}

int begin(void* connection, const Exchange* exchange) {
  auto& c = *static_cast<Connection*>(connection);
  const Exchange& e = *exchange;
  const Turn turn;
  const Elements x = elements_of(e);
  c.receives = false;
  MPI_Request* const request = c.requests.data();
  switch (e.kind) {
    case Kind::barrier: return MPI_Ibarrier(c.communicator, request);
    case Kind::broadcast: return MPI_Ibcast(e.out, x.count, x.type, e.peer, c.communicator, request);
    case Kind::reduce:
    case Kind::all_reduce:
    case Kind::reduce_scatter: return begin_reduction(c, e, x);
    case Kind::all_gather: return begin_gather(c, e, x);
    case Kind::all_to_all:
      return MPI_Ialltoall(e.in, x.count, x.type, e.out, x.count, x.type, c.communicator, request);
    case Kind::send: return begin_send(c, e);
    case Kind::receive: return begin_receive(c, e, e.peer, e.count);
    case Kind::send_receive: break;
  }
  if (const int code = begin_receive(c, e, e.source, e.out_count); code != MPI_SUCCESS) return code;
  return begin_send(c, e);
}

// One request at a time: MPI reports errors of several requests to the handler of MPI_COMM_SELF or
// MPI_COMM_WORLD, which may end the process, and those of one to the handler of its communicator.
int test(void* connection, bool* is_done, std::uint64_t* received_bytes) {
  auto& c = *static_cast<Connection*>(connection);
  const Turn turn;
  *is_done = true;
  for (std::size_t i = 0; i < c.requests.size(); ++i) {
    if (c.requests[i] == MPI_REQUEST_NULL) continue;
    int done = 0;
    MPI_Status state{};
    if (const int code = MPI_Test(&c.requests[i], &done, &state); code != MPI_SUCCESS) return code;
    *is_done = *is_done && done != 0;
    const bool is_receive = i == 1 && c.receives;
    if (done != 0 && is_receive) MPI_Get_count(&state, MPI_BYTE, &c.received);
  }
  if (*is_done && c.receives) *received_bytes = static_cast<std::uint64_t>(c.received);
  return MPI_SUCCESS;
}

void close(void* connection, bool is_broken) {
  auto* const c = static_cast<Connection*>(connection);
  if (is_broken) {
    is_broken_anywhere = true;
    return;  // MPI may still write to the requests
  }
  int is_finalized = 0;
  MPI_Finalized(&is_finalized);
  const Turn turn;
  if (is_finalized == 0 && c->communicator != MPI_COMM_NULL) MPI_Comm_free(&c->communicator);
  delete c;
}

void describe(int code, char* text, std::size_t size) {
  std::array<char, MPI_MAX_ERROR_STRING> all{};
  int length = 0;
  if (MPI_Error_string(code, all.data(), &length) != MPI_SUCCESS) length = 0;
  std::snprintf(text, size, "%s", length > 0 ? all.data() : "an unknown error");
}

Class class_of(int code) {
  int number = MPI_SUCCESS;
  if (MPI_Error_class(code, &number) != MPI_SUCCESS) return Class::kOther;
  if (number == MPI_ERR_TRUNCATE) return Class::kTruncated;
  if (number == MPI_ERR_NO_MEM) return Class::kNoMemory;
#ifdef MPIX_ERR_PROC_FAILED
  if (number == MPIX_ERR_PROC_FAILED || number == MPIX_ERR_REVOKED) return Class::kRankFailed;
#endif
  return Class::kOther;
}

constexpr Component kComponent{.name = QUERN_MPI_NAME,
                               .connect = connect,
                               .begin = begin,
                               .test = test,
                               .close = close,
                               .text = describe,
                               .class_of = class_of};

}  // namespace

extern "C" __attribute__((visibility("default"))) const Component* quern_comm_mpi_component() {
  return &kComponent;
}

}  // namespace quern::comm::mpi_component

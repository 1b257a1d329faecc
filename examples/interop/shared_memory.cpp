// Two processes with one buffer. The parent allocates it and sends it over a socket; the child imports it and
// runs a kernel on it; the parent reads the result. On `cpu` the buffer is a memory file, on `vulkan` an
// exported VkDeviceMemory, on `cuda` memory of CUDA IPC (or a file descriptor with the argument `cuda_fd`).
//
// usage: example_shared_memory [device] [cuda_fd]        (exits with 77 if the device cannot share memory)
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <quern/inline.hpp>
#include <quern/interop.hpp>

namespace interop = quern::interop;

namespace {

constexpr int kElements = 100'000, kNotHere = 77;

QUERN_KERNEL(twice, (int n, int* data), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 2;
})

void run_child(const quern::Device& gpu, int socket) {
  auto data = interop::import_memory<int>(gpu, interop::receive(socket), "imported");
  gpu.launch(twice, quern::threads(data.size()), static_cast<int>(data.size()), data);
  gpu.synchronize();
  const char done = 1;
  if (::write(socket, &done, 1) != 1) std::exit(1);
}

int run_parent(const quern::Device& gpu, int socket, interop::ShareKind kind) {
  std::vector<int> host(kElements);
  for (int i = 0; i < kElements; ++i) host[i] = i;
  auto data = interop::allocate_shared<int>(gpu, kElements, kind, "shared");
  data.upload(host);
  const interop::SharedMemory memory = interop::export_memory(data);
  interop::send(socket, memory);
  char done = 0;
  if (::read(socket, &done, 1) != 1) {
    std::fprintf(stderr, "shared_memory: the other process failed\n");
    return 1;
  }
  const std::vector<int> result = data.download();
  int wrong = 0;
  for (int i = 0; i < kElements; ++i) wrong += result[i] == 2 * i ? 0 : 1;
  std::printf("%s: %d of %d elements from the other process are wrong\n", gpu.name().c_str(), wrong,
              kElements);
  return wrong == 0 ? 0 : 1;
}

// Starts this program again with one end of a socket. Before the first use of a device: a forked process
// cannot use the devices of its parent.
int start_child(const char* program, const std::string& device) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return -1;
  if (::fork() == 0) {
    ::close(ends[0]);
    const std::string socket = std::to_string(ends[1]);
    ::execl(program, program, device.c_str(), "child", socket.c_str(), nullptr);
    std::_Exit(1);
  }
  ::close(ends[1]);
  return ends[0];
}

int run(int argc, char** argv) {
  const std::string device = argc > 1 ? argv[1] : "cpu";
  const std::string option = argc > 2 ? argv[2] : "";
  if (option == "child") {
    run_child(quern::open(device), std::atoi(argv[3]));
    return 0;
  }
  const int socket = start_child("/proc/self/exe", device);
  const auto kind = option == "cuda_fd" ? interop::ShareKind::cuda_fd : interop::ShareKind::automatic;
  int code = 1;
  try {
    code = run_parent(quern::open(device), socket, kind);
  } catch (const quern::Error& e) {
    std::printf("shared_memory: %s\n", e.what());
    code =
        e.kind() == quern::ErrorKind::unsupported || e.kind() == quern::ErrorKind::not_found ? kNotHere : 1;
  }
  ::close(socket);
  int status = 0;
  (void)::wait(&status);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "shared_memory: %s\n", e.what());
    return 1;
  }
}

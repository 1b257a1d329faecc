__global__ void quern_ring_run(unsigned long long* to_device, unsigned long long* to_host,
                               unsigned long long* own, void* buffer0, void* buffer1, void* buffer2,
                               void* buffer3, unsigned first, unsigned workers, unsigned limit) {
  const quern::ring::Blocks blocks{to_device, to_host, own, buffer0, buffer1, buffer2, buffer3};
  quern::ring::run_worker(blocks, first + blockIdx.x, workers, limit);
}

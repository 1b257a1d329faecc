// Host cost of a launch on a Vulkan device (launch_cost.hpp). By hand: record, push, dispatch, barrier,
// submit.
#include <vector>

#include "driver/vulkan/api/abilities.hpp"
#include "driver/vulkan/driver.hpp"
#include "launch_cost.hpp"

namespace {

using namespace quern;          // NOLINT(google-build-using-namespace)
using namespace quern::vulkan;  // NOLINT(google-build-using-namespace)
using namespace quern::bench;   // NOLINT(google-build-using-namespace)

// `x[i] = x[i] * 3 + 1` for i < n; x and n are push constants, the block size is a specialization constant.
constexpr uint32_t kModule[] = {
    0x7230203, 0x10500,    0x8000b,    0x34,       0x0,     0x20011, 0x1,     0x20011, 0x14e3,  0x6000b,
    0x1,       0x4c534c47, 0x6474732e, 0x3035342e, 0x0,     0x3000e, 0x14e4,  0x1,     0x7000f, 0x5,
    0x4,       0x6e69616d, 0x0,        0xb,        0x17,    0x60010, 0x4,     0x11,    0x1,     0x1,
    0x1,       0x40047,    0xb,        0xb,        0x1c,    0x50048, 0x13,    0x0,     0x23,    0x0,
    0x50048,   0x13,       0x1,        0x23,       0x8,     0x30047, 0x13,    0x2,     0x40047, 0x14,
    0x6,       0x4,        0x50048,    0x15,       0x0,     0x23,    0x0,     0x30047, 0x15,    0x2,
    0x40047,   0x30,       0x1,        0x0,        0x40047, 0x31,    0x1,     0x1,     0x40047, 0x32,
    0x1,       0x2,        0x40047,    0x33,       0xb,     0x19,    0x20013, 0x2,     0x30021, 0x3,
    0x2,       0x40015,    0x6,        0x20,       0x0,     0x40017, 0x9,     0x6,     0x3,     0x40020,
    0xa,       0x1,        0x9,        0x4003b,    0xa,     0xb,     0x1,     0x4002b, 0x6,     0xc,
    0x0,       0x40020,    0xd,        0x1,        0x6,     0x30027, 0x11,    0x14e5,  0x40015, 0x12,
    0x20,      0x1,        0x4001e,    0x13,       0x11,    0x12,    0x3001d, 0x14,    0x12,    0x3001e,
    0x15,      0x14,       0x40020,    0x11,       0x14e5,  0x15,    0x40020, 0x16,    0x9,     0x13,
    0x4003b,   0x16,       0x17,       0x9,        0x4002b, 0x12,    0x18,    0x1,     0x40020, 0x19,
    0x9,       0x12,       0x20014,    0x1d,       0x4002b, 0x12,    0x21,    0x0,     0x40020, 0x22,
    0x9,       0x11,       0x40020,    0x29,       0x14e5,  0x12,    0x4002b, 0x12,    0x2c,    0x3,
    0x40032,   0x6,        0x30,       0x1,        0x40032, 0x6,     0x31,    0x1,     0x40032, 0x6,
    0x32,      0x1,        0x60033,    0x9,        0x33,    0x30,    0x31,    0x32,    0x50036, 0x2,
    0x4,       0x0,        0x3,        0x200f8,    0x5,     0x50041, 0xd,     0xe,     0xb,     0xc,
    0x4003d,   0x6,        0xf,        0xe,        0x50041, 0x19,    0x1a,    0x17,    0x18,    0x4003d,
    0x12,      0x1b,       0x1a,       0x4007c,    0x6,     0x1c,    0x1b,    0x500b0, 0x1d,    0x1e,
    0xf,       0x1c,       0x300f7,    0x20,       0x0,     0x400fa, 0x1e,    0x1f,    0x20,    0x200f8,
    0x1f,      0x50041,    0x22,       0x23,       0x17,    0x21,    0x4003d, 0x11,    0x24,    0x23,
    0x60041,   0x29,       0x2a,       0x24,       0x21,    0xf,     0x6003d, 0x12,    0x2b,    0x2a,
    0x2,       0x4,        0x50084,    0x12,       0x2d,    0x2b,    0x2c,    0x50080, 0x12,    0x2e,
    0x2d,      0x18,       0x5003e,    0x2a,       0x2e,    0x2,     0x4,     0x200f9, 0x20,    0x200f8,
    0x20,      0x100fd,    0x10038,
};

struct Push {
  uint64_t x = 0;
  int32_t n = kNumbers;
};

class ByHand {
 public:
  explicit ByHand(std::shared_ptr<InstanceApi> instance) : instance_(std::move(instance)) {
    const PhysicalDevice physical = instance_->devices()->at(0);
    has_ = *Abilities::of(*instance_, physical);
    const float priority = 1;
    DeviceQueueCreateInfo queues;
    queues.family = has_.family;
    queues.count = 1;
    queues.priorities = &priority;
    has_.core.next = has_.chain();
    DeviceCreateInfo info;
    info.next = &has_.core;
    info.queue_count = 1;
    info.queues = &queues;
    info.extension_count = static_cast<uint32_t>(has_.extensions.size());
    info.extensions = has_.extensions.data();
    need(instance_->vkCreateDevice(physical, &info, nullptr, &device_) == 0, "vkCreateDevice");
    (void)api_.load(*instance_, device_);
    api_.vkGetDeviceQueue(device_, has_.family, 0, &queue_);
    make_memory();
    make_pipeline();
    make_commands();
  }
  ~ByHand() {
    (void)api_.vkDeviceWaitIdle(device_);
    api_.vkDestroyCommandPool(device_, pool_, nullptr);
    api_.vkDestroySemaphore(device_, timeline_, nullptr);
    api_.vkDestroyPipeline(device_, pipeline_, nullptr);
    api_.vkDestroyPipelineLayout(device_, layout_, nullptr);
    api_.vkDestroyBuffer(device_, buffer_, nullptr);
    api_.vkFreeMemory(device_, memory_, nullptr);
    api_.vkDestroyDevice(device_, nullptr);
  }
  ByHand(const ByHand&) = delete;
  ByHand& operator=(const ByHand&) = delete;

  double round_us() {
    const double start = thread_us();
    for (const CommandBuffer commands : commands_) launch(commands);
    const double each = (thread_us() - start) / kLaunches;
    SemaphoreWaitInfo wait;
    wait.semaphores = &timeline_;
    wait.values = &value_;
    need(api_.vkWaitSemaphores(device_, &wait, UINT64_MAX) == 0, "vkWaitSemaphores");
    return each;
  }
  int32_t result() const { return numbers_[kNumbers - 1]; }

 private:
  void launch(CommandBuffer commands) {
    const CommandBufferBeginInfo begin;
    (void)api_.vkBeginCommandBuffer(commands, &begin);
    api_.vkCmdBindPipeline(commands, kBindCompute, pipeline_);
    api_.vkCmdPushConstants(commands, layout_, kStageCompute, 0, 12, &push_);
    api_.vkCmdDispatch(commands, 1, 1, 1);
    MemoryBarrier barrier;
    barrier.from = kWriteShader;
    barrier.to = kReadShader | kWriteShader | kReadHost;
    api_.vkCmdPipelineBarrier(commands, kPipeCompute, kPipeCompute | kPipeHost, 0, 1, &barrier, 0, nullptr, 0,
                              nullptr);
    (void)api_.vkEndCommandBuffer(commands);
    ++value_;
    TimelineSubmitInfo values;
    values.signal_count = 1;
    values.signal_values = &value_;
    SubmitInfo submit;
    submit.next = &values;
    submit.command_count = 1;
    submit.commands = &commands;
    submit.signal_count = 1;
    submit.signals = &timeline_;
    need(api_.vkQueueSubmit(queue_, 1, &submit, Fence{}) == 0, "vkQueueSubmit");
  }

  void make_memory() {
    BufferCreateInfo info;
    info.bytes = kNumbers * 4;
    info.usage = kBufferStorage | kBufferAddress;
    need(api_.vkCreateBuffer(device_, &info, nullptr, &buffer_) == 0, "vkCreateBuffer");
    MemoryAllocateFlagsInfo flags;
    flags.flags = kAllocateAddress;
    MemoryRequirements needs{};
    api_.vkGetBufferMemoryRequirements(device_, buffer_, &needs);
    MemoryAllocateInfo allocate;
    allocate.next = &flags;
    allocate.bytes = needs.bytes;
    for (uint32_t i = has_.memory.type_count; i > 0; --i) {
      constexpr uint32_t kSight = kMemoryHostVisible | kMemoryHostCoherent;
      if ((has_.memory.types[i - 1].flags & kSight) == kSight && (needs.types >> (i - 1) & 1) != 0)
        allocate.memory_type = i - 1;
    }
    need(api_.vkAllocateMemory(device_, &allocate, nullptr, &memory_) == 0, "vkAllocateMemory");
    need(api_.vkBindBufferMemory(device_, buffer_, memory_, 0) == 0, "vkBindBufferMemory");
    void* host = nullptr;
    need(api_.vkMapMemory(device_, memory_, 0, needs.bytes, 0, &host) == 0, "vkMapMemory");
    numbers_ = static_cast<int32_t*>(host);
    std::fill_n(numbers_, kNumbers, 1);
    BufferDeviceAddressInfo address;
    address.buffer = buffer_;
    push_.x = api_.vkGetBufferDeviceAddress(device_, &address);
  }

  void make_pipeline() {
    const PushConstantRange range{kStageCompute, 0, 16};
    PipelineLayoutCreateInfo layout;
    layout.range_count = 1;
    layout.ranges = &range;
    need(api_.vkCreatePipelineLayout(device_, &layout, nullptr, &layout_) == 0, "vkCreatePipelineLayout");
    ShaderModuleCreateInfo module;
    module.bytes = sizeof kModule;
    module.code = kModule;
    ComputePipelineCreateInfo info;
    need(api_.vkCreateShaderModule(device_, &module, nullptr, &info.stage.module) == 0,
         "vkCreateShaderModule");
    const uint32_t block[] = {kNumbers, 1, 1};
    const SpecializationEntry entries[] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}};
    SpecializationInfo constants;
    constants.count = 3;
    constants.entries = entries;
    constants.bytes = sizeof block;
    constants.data = block;
    info.stage.entry = "main";
    info.stage.constants = &constants;
    info.layout = layout_;
    need(api_.vkCreateComputePipelines(device_, PipelineCache{}, 1, &info, nullptr, &pipeline_) == 0,
         "vkCreateComputePipelines");
    api_.vkDestroyShaderModule(device_, info.stage.module, nullptr);
  }

  void make_commands() {
    CommandPoolCreateInfo pool;
    pool.family = has_.family;
    need(api_.vkCreateCommandPool(device_, &pool, nullptr, &pool_) == 0, "vkCreateCommandPool");
    CommandBufferAllocateInfo allocate;
    allocate.pool = pool_;
    allocate.count = kLaunches;
    commands_.resize(kLaunches);
    need(api_.vkAllocateCommandBuffers(device_, &allocate, commands_.data()) == 0,
         "vkAllocateCommandBuffers");
    const SemaphoreTypeCreateInfo kind;
    SemaphoreCreateInfo semaphore;
    semaphore.next = &kind;
    need(api_.vkCreateSemaphore(device_, &semaphore, nullptr, &timeline_) == 0, "vkCreateSemaphore");
  }

  std::shared_ptr<InstanceApi> instance_;
  Abilities has_;
  DeviceHandle device_ = nullptr;
  DeviceApi api_;
  QueueHandle queue_ = nullptr;
  BufferHandle buffer_ = {};
  DeviceMemory memory_ = {};
  int32_t* numbers_ = nullptr;
  Push push_;
  PipelineLayout layout_ = {};
  Pipeline pipeline_ = {};
  CommandPool pool_ = {};
  Semaphore timeline_ = {};
  uint64_t value_ = 0;
  std::vector<CommandBuffer> commands_;
};

}  // namespace

int main() {
  auto instances = find_instances();
  if (!instances.ok()) {
    std::printf("%s\n", instances.error().to_string().c_str());
    return 0;
  }
  ByHand hand(instances->at(0));
  driver::Code code;
  code.kind = driver::CodeKind::kSpirv;
  code.bytes.assign(reinterpret_cast<const char*>(kModule), sizeof kModule);
  driver::KernelInfo info;
  info.name = info.entry = "main";
  info.params.resize(2);
  info.params[0].is_pointer = true;
  info.params[0].bytes = info.params[0].align = 8;
  info.params[1].bytes = info.params[1].align = 4;
  info.block_bytes = 12;
  code.kernels = {info};
  ByDriver driver(make_driver(), 0, code, "main");
  return compare_launches(hand, driver);
}

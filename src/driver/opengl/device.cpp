#include "driver/opengl/device.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "driver/support/identity.hpp"
#include "driver/support/known_defects.hpp"
#include "driver/support/language_limits.hpp"
#include "target/descriptor.hpp"

namespace quern::opengl {

namespace {

using driver::Feature;

std::string text(const Api& gl, uint32_t what) {
  const uint8_t* says = gl.glGetString(what);
  return says != nullptr ? reinterpret_cast<const char*>(says) : "";
}

uint64_t number(const Api& gl, uint32_t what) {
  int64_t value = 0;
  gl.glGetInteger64v(what, &value);
  return value > 0 ? static_cast<uint64_t>(value) : 0;
}

driver::Dim3 three(const Api& gl, uint32_t what) {
  std::array<int32_t, 3> values{};
  for (uint32_t i = 0; i < values.size(); ++i) gl.glGetIntegeri_v(what, i, &values[i]);
  const auto to_unsigned = [](int32_t n) { return static_cast<uint32_t>(std::max(n, 0)); };
  return {to_unsigned(values[0]), to_unsigned(values[1]), to_unsigned(values[2])};
}

bool has_extension(const Api& gl, std::string_view name) {
  const uint64_t count = number(gl, kNumExtensions);
  for (uint32_t i = 0; i < count; ++i) {
    const uint8_t* says = gl.glGetStringi(kExtensions, i);
    if (says != nullptr && name == reinterpret_cast<const char*>(says)) return true;
  }
  return false;
}

driver::FeatureSet features_of(const Api& gl, bool is_es) {
  // No memory is shared: only the device accesses it, so all atomics have system scope.
  driver::FeatureSet f = driver::kMadeByEmitters;
  f.add(Feature::system_scope);
  int64_t now = 0;
  if (gl.has_timer()) gl.glGetInteger64v(kTimestamp, &now);
  if (now != 0) f.add(Feature::timestamps);
  const uint64_t version = number(gl, kMajorVersion) * 10 + number(gl, kMinorVersion);
  if (is_es || version < 45 || !has_extension(gl, "GL_ARB_gpu_shader_int64")) return f;
  f.add(Feature::fp64);  // GL 4.0; the emitter requires it for both 64-bit types
  if (has_extension(gl, "GL_NV_shader_atomic_int64") || has_extension(gl, "GL_EXT_shader_atomic_int64")) {
    f.add(Feature::atomics64);
    f.add(Feature::atomics_f64);  // by compare-and-swap
  }
  return f;
}

driver::Limits limits_of(const Api& gl) {
  driver::Limits l;
  const uint64_t exchange = 8 * l.block_threads + 16;  // shared memory that warp operations may need
  constexpr uint64_t kMostBytes = 0x7ffffffc;          // offsets are i32
  l.block_threads = static_cast<uint32_t>(number(gl, kMaxInvocations));
  l.block = three(gl, kMaxGroupSize);
  l.grid = three(gl, kMaxGroupCount);
  const uint64_t shared = number(gl, kMaxSharedBytes);
  l.shared_bytes = shared > 2 * exchange ? shared - exchange : shared / 2;
  l.buffer_bytes = std::min(number(gl, kMaxStorageBytes), kMostBytes);
  l.argument_bytes = std::min<uint64_t>(number(gl, kMaxUniformBlock) - 64, 4096);
  l.buffers = static_cast<uint32_t>(std::min(number(gl, kMaxStorageBlocks), number(gl, kMaxStorageBindings)));
  l.warp_size = 1;
  return driver::within_language(l);
}

// OpenGL has no query for this; derived from the names.
driver::DeviceKind kind_of(std::string_view renderer, std::string_view vendor) {
  for (const std::string_view cpu : {"llvmpipe", "softpipe", "SwiftShader"}) {
    if (renderer.find(cpu) != std::string_view::npos) return driver::DeviceKind::cpu;
  }
  if (vendor.find("NVIDIA") != std::string_view::npos && renderer.find("Tegra") == std::string_view::npos)
    return driver::DeviceKind::discrete;
  if (vendor.find("Intel") != std::string_view::npos && renderer.find("Arc") == std::string_view::npos)
    return driver::DeviceKind::integrated;
  return driver::DeviceKind::other;
}

// If the driver reports it, in KiB.
uint64_t memory_of(const Api& gl) {
  if (has_extension(gl, "GL_NVX_gpu_memory_info")) return number(gl, kNvidiaMemory) << 10;
  return 0;
}

// The same UUID as in Vulkan and CUDA, if the driver supports memory objects.
std::string uuid_of(const Api& gl) {
  if (gl.get_bytes == nullptr || !has_extension(gl, "GL_EXT_memory_object")) return {};
  std::array<uint8_t, 16> bytes{};
  gl.get_bytes(kDeviceUuid, 0, bytes.data());
  return gl.glGetError() == 0 ? driver::hex_of(bytes) : std::string();
}

}  // namespace

driver::DeviceInfo describe(const Api& gl, bool is_es) {
  driver::DeviceInfo info;
  info.name = text(gl, kRenderer);
  info.driver = is_es ? "gles" : "opengl";
  info.vendor = text(gl, kVendor);
  info.kind = kind_of(info.name, info.vendor);
  info.memory_bytes = memory_of(gl);
  info.uuid = uuid_of(gl);
  info.driver_version = text(gl, kVersion);
  info.api_version = (is_es ? "OpenGL ES " : "OpenGL ") + std::to_string(number(gl, kMajorVersion)) + "." +
                     std::to_string(number(gl, kMinorVersion));
  info.features = features_of(gl, is_es);
  if (info.features.has(Feature::fp64) && !driver::has_defect(info, driver::Defect::kWidenedComparison))
    info.native.add(Feature::int64);
  info.limits = limits_of(gl);
  if (driver::has_defect(info, driver::Defect::kLoopLimit)) info.limits.loop_rounds = driver::kMesaLoopRounds;
  info.code = {is_es ? driver::CodeKind::kGlslEs : driver::CodeKind::kGlsl};
  info.details = {{"division", "not correctly rounded: GLSL guarantees 2.5 ULP"}, {"EGL", gl.version}};
  target::add_software_features(info);
  return info;
}

namespace {

// Reads both clocks in sequence.
Result<driver::ClockPair> look_at_clocks(Gl& gl) {
  int64_t ticks = 0;
  gl->glGetInteger64v(kTimestamp, &ticks);
  QUERN_TRY(gl.check("glGetInteger64v"));
  return driver::ClockPair{driver::host_nanoseconds(), static_cast<uint64_t>(ticks)};
}

}  // namespace

Result<std::unique_ptr<driver::Device>> Device::open(const Api& api, bool is_es, uint32_t index,
                                                     Seconds patience, EglContext share,
                                                     driver::KeepAlive keep_alive) {
  struct Made {
    driver::DeviceInfo info;
    BufferId arguments = 0, nothing = 0;
  };
  QUERN_TRY_ASSIGN(auto context, Context::create(api, is_es, patience, share));
  std::unique_ptr<Device> device(new Device(context));
  device->keep_alive_ = std::move(keep_alive);
  QUERN_TRY_ASSIGN(Made made, context->run<Made>([is_es](Gl& gl) -> Result<Made> {
    Made m;
    m.info = describe(*gl, is_es);
    gl.loss->set_name(m.info.name);
    gl->glGenBuffers(1, &m.arguments);
    gl->glGenBuffers(1, &m.nothing);
    gl->glBindBuffer(kCopyWrite, m.nothing);
    gl->glBufferData(kCopyWrite, 64, nullptr, kDynamicCopy);
    QUERN_TRY(gl.check("glBufferData"));
    return m;
  }));
  device->info_ = std::move(made.info);
  device->info_.index = index;
  device->arguments_ = made.arguments;
  device->nothing_ = made.nothing;
  QUERN_TRY(device->make_own_stream());
  if (device->info_.features.has(Feature::timestamps))
    device->clock_.emplace([context] { return context->run<driver::ClockPair>(look_at_clocks); }, true);
  return std::unique_ptr<driver::Device>(std::move(device));
}

Device::~Device() {
  (void)context_->run<void>([ids = std::array{arguments_, nothing_}](Gl& gl) -> Result<> {
    QUERN_TRY(gl.settle());
    gl->glDeleteBuffers(static_cast<int32_t>(ids.size()), ids.data());
    return {};
  });
}

}  // namespace quern::opengl

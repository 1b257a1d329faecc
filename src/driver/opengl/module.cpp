#include <algorithm>

#include "driver/opengl/device.hpp"
#include "driver/opengl/messages.hpp"
#include "driver/support/known_defects.hpp"
#include "driver/support/messages.hpp"

namespace quern::opengl {

using base::Error;
using base::ErrorKind;

namespace {

// Defect::kSharedRead: volatile memory is read every time.
constexpr std::string_view kReadsAnew = "#define readonly readonly volatile\n";

// Inserts a variant's constants after the #version line.
std::string with_constants(const std::string& text, const std::string& entry, const driver::BlockConfig& v,
                           bool is_es32, bool reads_anew) {
  const size_t line = text.find('\n') + 1;
  const std::string version = is_es32 ? "#version 320 es\n" : text.substr(0, line);
  return version + std::string(reads_anew ? kReadsAnew : "") + "#define " + entry +
         " 1\n#define QUERN_BLOCK_X " + std::to_string(v.block.x) + "\n#define QUERN_BLOCK_Y " +
         std::to_string(v.block.y) + "\n#define QUERN_BLOCK_Z " + std::to_string(v.block.z) +
         "\n#define QUERN_SHARED_BYTES " + std::to_string(v.shared_bytes) + "\n" + text.substr(line);
}

// The info log of a shader or program, by the given functions.
std::string log_of(decltype(Api::glGetShaderiv) get, decltype(Api::glGetShaderInfoLog) take, uint32_t of) {
  int32_t size = 0;
  get(of, kLogLength, &size);
  std::string log(static_cast<size_t>(std::max(size, 1)), '\0');
  take(of, size, &size, log.data());
  return log.substr(0, static_cast<size_t>(std::max(size, 0)));
}

// Links a GL program with the one kernel; on the context's thread.
Result<uint32_t> build(Gl& gl, const std::string& text, const std::string& name, const std::string& device) {
  const auto refuse = [&](const std::string& log) {
    return Error(ErrorKind::compile, message::kCompileFailed(name, device, log));
  };
  const uint32_t shader = gl->glCreateShader(kComputeShader);
  const char* begin = text.c_str();
  const auto length = static_cast<int32_t>(text.size());
  gl->glShaderSource(shader, 1, &begin, &length);
  gl->glCompileShader(shader);
  int32_t works = 0;
  gl->glGetShaderiv(shader, kCompileStatus, &works);
  if (works == 0) {
    const std::string log = log_of(gl->glGetShaderiv, gl->glGetShaderInfoLog, shader);
    gl->glDeleteShader(shader);
    return refuse(log);
  }
  const uint32_t program = gl->glCreateProgram();
  gl->glAttachShader(program, shader);
  gl->glLinkProgram(program);
  gl->glDeleteShader(shader);
  gl->glGetProgramiv(program, kLinkStatus, &works);
  if (works == 0) {
    const std::string log = log_of(gl->glGetProgramiv, gl->glGetProgramInfoLog, program);
    gl->glDeleteProgram(program);
    return refuse(log);
  }
  QUERN_TRY(gl.check("glLinkProgram"));
  return program;
}

}  // namespace

Kernel::~Kernel() {
  for (const auto& [variant, id] : variants) {
    context_->post([which = id](Gl& gl) { gl->glDeleteProgram(which); });
  }
}

Result<std::unique_ptr<driver::Module>> Device::load(const driver::Code& code) {
  QUERN_TRY(alive());
  if (code.kind != info_.code.front()) {
    return Error(ErrorKind::unsupported,
                 driver::message::kUnsupportedCode(info_.driver, driver::name(code.kind)));
  }
  if (code.is_raw) {
    return Error(ErrorKind::unsupported, message::kUserGlsl());
  }
  auto program = std::make_unique<Module>();
  program->code = code;
  QUERN_TRY(make_variables(*program));
  return std::unique_ptr<driver::Module>(std::move(program));
}

Result<std::unique_ptr<driver::Kernel>> Device::kernel(driver::Module& program, std::string_view name) {
  auto& p = static_cast<Module&>(program);
  QUERN_TRY_ASSIGN(const driver::KernelInfo* const found, find_kernel(p.code, name));
  auto kernel = std::make_unique<Kernel>(context_);
  kernel->program = &p;
  kernel->info = *found;
  kernel->bound.add_parameters(*found);
  for (const uint32_t v : found->variables) kernel->bound.add_own(p.variables[v].get());
  if (driver::reports(*found)) kernel->bound.add_own(p.report->buffer.get());
  QUERN_TRY(kernel->bound.check(*found, info_, info_.limits.buffers));
  return std::unique_ptr<driver::Kernel>(std::move(kernel));
}

Result<bool> Device::prepare(driver::Kernel& kernel, const driver::Dim3& block, uint64_t shared_bytes) {
  QUERN_TRY(alive());
  QUERN_TRY_ASSIGN(const auto found, variant(static_cast<Kernel&>(kernel), {block, shared_bytes}));
  return found.is_new;
}

// The block size and the size of shared memory are constants of the text.
Result<driver::Variants<uint32_t>::Found> Device::variant(Kernel& kernel, const driver::BlockConfig& wanted) {
  return kernel.variants.get(wanted, [&] {
    const driver::Code& code = kernel.program->code;
    const bool is_es32 = info_.api_version >= "OpenGL ES 3.2";
    const bool reads_anew = driver::has_defect(info_, driver::Defect::kSharedRead);
    std::string text = with_constants(code.bytes, kernel.info.entry, wanted, is_es32, reads_anew);
    return context_->run<uint32_t>([text = std::move(text), name = code.name, device = info_.name](Gl& gl) {
      return build(gl, text, name, device);
    });
  });
}

}  // namespace quern::opengl

#include <algorithm>

#include "driver/opengl/device.hpp"

namespace quern::opengl {

using base::Error;
using base::ErrorKind;

namespace {

// The constants of a variant stand behind the line with the version.
std::string with_constants(const std::string& text, const std::string& entry, const Variant& v,
                           bool is_es32) {
  const size_t line = text.find('\n') + 1;
  const std::string version = is_es32 ? "#version 320 es\n" : text.substr(0, line);
  return version + "#define " + entry + " 1\n#define QUERN_BLOCK_X " + std::to_string(v.block.x) +
         "\n#define QUERN_BLOCK_Y " + std::to_string(v.block.y) + "\n#define QUERN_BLOCK_Z " +
         std::to_string(v.block.z) + "\n#define QUERN_SHARED_BYTES " + std::to_string(v.shared_bytes) + "\n" +
         text.substr(line);
}

// What GL has to say of a shader or a program, by the functions for it.
std::string log_of(decltype(Api::glGetShaderiv) get, decltype(Api::glGetShaderInfoLog) take, uint32_t of) {
  int32_t size = 0;
  get(of, kLogLength, &size);
  std::string log(static_cast<size_t>(std::max(size, 1)), '\0');
  take(of, size, &size, log.data());
  return log.substr(0, static_cast<size_t>(std::max(size, 0)));
}

// A program of GL that has the one kernel; on the context's thread.
Result<uint32_t> build(Gl& gl, const std::string& text, const std::string& name) {
  const auto refuse = [&](const std::string& log) {
    return Error(ErrorKind::kCompile, gl.name + " does not compile " + name + ":\n" + log);
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

Result<std::unique_ptr<driver::Program>> Device::load(const driver::Code& code) {
  QUERN_TRY(alive());
  if (code.kind != info_.code.front()) {
    return Error(ErrorKind::kUnsupported,
                 info_.driver + " takes no " + std::string(driver::name(code.kind)) + " code");
  }
  if (code.is_raw) {
    return Error(ErrorKind::kUnsupported,
                 "text of the user's own is not taken here: GLSL does not tell how arguments are bound");
  }
  auto program = std::make_unique<Program>();
  program->code = code;
  QUERN_TRY(make_variables(*program));
  return std::unique_ptr<driver::Program>(std::move(program));
}

Result<std::unique_ptr<driver::Kernel>> Device::kernel(driver::Program& program, std::string_view name) {
  auto& p = static_cast<Program&>(program);
  QUERN_TRY_ASSIGN(const driver::KernelInfo* const found, find_kernel(p.code, name));
  auto kernel = std::make_unique<Kernel>(context_);
  kernel->program = &p;
  kernel->info = *found;
  const auto pointers = static_cast<size_t>(std::count_if(
      found->params.begin(), found->params.end(), [](const driver::ParamInfo& q) { return q.is_pointer; }));
  const size_t bound = pointers + found->variables.size() + (driver::reports(*found) ? 1 : 0);
  if (bound > info_.limits.buffers) {
    return Error(ErrorKind::kUnsupported,
                 "kernel '" + found->name + "' and the variables that it uses take " + std::to_string(bound) +
                     " buffers, and " + info_.name + " binds " + std::to_string(info_.limits.buffers));
  }
  return std::unique_ptr<driver::Kernel>(std::move(kernel));
}

Result<bool> Device::prepare(driver::Kernel& kernel, const driver::Dim3& block, uint64_t shared_bytes) {
  QUERN_TRY(alive());
  auto& k = static_cast<Kernel&>(kernel);
  const size_t before = k.variants.size();
  QUERN_TRY(variant(k, {block, shared_bytes}));
  return k.variants.size() != before;
}

Result<uint32_t> Device::variant(Kernel& kernel, const Variant& wanted) {
  const std::lock_guard lock(kernel.mutex);
  if (const auto known = kernel.variants.find(wanted); known != kernel.variants.end()) return known->second;
  std::string text = with_constants(kernel.program->code.bytes, kernel.info.entry, wanted,
                                    info_.api_version >= "OpenGL ES 3.2");
  QUERN_TRY_ASSIGN(const uint32_t id,
                   context_->run<uint32_t>([text = std::move(text), name = kernel.program->code.name](
                                               Gl& gl) { return build(gl, text, name); }));
  kernel.variants.emplace(wanted, id);
  return id;
}

}  // namespace quern::opengl

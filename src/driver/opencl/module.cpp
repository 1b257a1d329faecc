#include <algorithm>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "driver/opencl/device.hpp"
#include "driver/opencl/messages.hpp"
#include "driver/support/known_defects.hpp"
#include "driver/support/messages.hpp"
#include "spirv/grammar/module_header.hpp"

namespace quern::opencl {

using base::Error;
using base::ErrorKind;
using driver::CodeKind;
using driver::Feature;

namespace {

// OpenCL C's names of scalar types, and their sizes; for kernels of the user's own text.
struct Number {
  std::string_view name;
  ir::TypeKind kind;
  uint32_t bytes;
};
constexpr Number kNumbers[] = {
    {"char", ir::TypeKind::kI8, 1},    {"uchar", ir::TypeKind::kU8, 1},  {"short", ir::TypeKind::kI16, 2},
    {"ushort", ir::TypeKind::kU16, 2}, {"int", ir::TypeKind::kI32, 4},   {"uint", ir::TypeKind::kU32, 4},
    {"long", ir::TypeKind::kI64, 8},   {"ulong", ir::TypeKind::kU64, 8}, {"half", ir::TypeKind::kF16, 2},
    {"float", ir::TypeKind::kF32, 4},  {"double", ir::TypeKind::kF64, 8}};

std::string first_lines(const std::string& text) {
  constexpr size_t kMost = 4000;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "\n…";
}

}  // namespace

std::string Device::build_options(const driver::Code& code) const {
  std::string options = "-w";
  if (driver::has_defect(info_, driver::Defect::kBranchAfterBarrier)) options += " -D QUERN_GUARD_BRANCHES";
  for (const auto& [name, value] : code.defines) options += " -D " + name + "=" + value;
  if (code.is_raw) return options + " -cl-kernel-arg-info";
  if (code.kind == CodeKind::kOpenclC) options += " -cl-std=CL1.2";
  if (code.math == driver::Math::fast) return options + " -cl-fast-relaxed-math";
  if (code.math == driver::Math::fused) options += " -cl-mad-enable";
  for (const auto& [key, value] : info_.details) {
    if (key == "division" && value == "correctly rounded on request")
      options += " -cl-fp32-correctly-rounded-divide-sqrt";
  }
  return options;
}

Result<> Device::build(ProgramId program, const driver::Code& code) {
  const int32_t status =
      api_->clBuildProgram(program, 1, &id_, build_options(code).c_str(), nullptr, nullptr);
  if (status == 0) return {};
  const std::string log = text_of([&](size_t bytes, void* to, size_t* size) {
    return api_->clGetProgramBuildInfo(program, id_, kBuildLog, bytes, to, size);
  });
  const Error error = failed("clBuildProgram", status);
  if (error.kind() != ErrorKind::compile) {
    if (auto seen = check(error); !alive().ok()) return seen;
  }
  return Error(error.kind(),
               message::kCompileFailed(code.name, info_.name,
                                       log.empty() ? error.message() : "\n" + first_lines(log)));
}

std::string Device::cache_key(const driver::Code& code) const {
  base::Hasher hasher;
  for (const std::string_view part :
       {std::string_view(info_.name), std::string_view(info_.vendor), std::string_view(info_.driver_version),
        std::string_view(info_.api_version)})
    hasher.add_field(part);
  hasher.add(static_cast<uint64_t>(code.kind)).add_field(build_options(code)).add_field(code.bytes);
  return "opencl-" + hasher.finish().to_string();
}

// Compiles the code, or takes the binary from the cache. A binary that the device no longer accepts counts as
// missing. PoCL's binaries are not used (Defect::kSlowBinaries). For the user's own text, the parameters are
// queried, which binaries may not support.
Result<Owned<ProgramId>> Device::compile(const driver::Code& code) {
  const bool is_slow = driver::has_defect(info_, driver::Defect::kSlowBinaries);
  if (is_slow || code.is_raw || code.kind == CodeKind::kOpenclBinary) return make_program(code);
  const std::string key = cache_key(code);
  if (auto kept = store_.find(key)) {
    driver::Code binary = code;
    binary.kind = CodeKind::kOpenclBinary;
    binary.bytes = std::move(*kept);
    if (auto program = make_program(binary); program.ok()) return program;
    QUERN_TRY(alive());
  }
  QUERN_TRY_ASSIGN(auto program, make_program(code));
  if (auto bytes = binary_of(program.get()); bytes.ok())
    store_.put(key, info_.driver + " " + code.name, *bytes);
  return program;
}

Result<Owned<ProgramId>> Device::make_program(const driver::Code& code) {
  QUERN_TRY(try_compiler(code, ""));
  int32_t status = 0;
  const size_t size = code.bytes.size();
  const char* text = code.bytes.data();
  const auto* bytes = reinterpret_cast<const unsigned char*>(text);
  const Context context = context_.get();
  auto program = code.kind == CodeKind::kOpenclC
                     ? QUERN_CL_MAKE(clCreateProgramWithSource, clReleaseProgram, context, 1, &text, &size)
                 : code.kind == CodeKind::kSpirvKernel
                     ? QUERN_CL_MAKE(clCreateProgramWithIL, clReleaseProgram, context, bytes, size)
                     : QUERN_CL_MAKE(clCreateProgramWithBinary, clReleaseProgram, context, 1, &id_, &size,
                                     &bytes, &status);
  if (!program.ok()) return program;
  if (status != 0) return failed("clCreateProgramWithBinary", status);
  QUERN_TRY(build(program->get(), code));
  return program;
}

Result<std::unique_ptr<driver::Module>> Device::load(const driver::Code& code) {
  QUERN_TRY(alive());
  auto program = std::make_unique<Module>();
  program->code = code;
  program->code.module.reset();
  if (tries_compiler_) program->tried = program->code;
  if (code.kind != CodeKind::kOpenclC && code.kind != CodeKind::kOpenclBinary &&
      code.kind != CodeKind::kSpirvKernel)
    return Error(ErrorKind::unsupported,
                 driver::message::kUnsupportedCode("opencl", driver::name(code.kind)));
  if (code.kind == CodeKind::kSpirvKernel && !spirv::has_module_header(code.bytes))
    return Error(ErrorKind::bad_input, driver::message::kNotSpirv(code.name));
  QUERN_TRY_ASSIGN(program->id, compile(code));
  if (code.is_raw || code.kind != CodeKind::kOpenclC) program->code.bytes.clear();
  QUERN_TRY(make_variables(*program));
  return std::unique_ptr<driver::Module>(std::move(program));
}

Result<std::unique_ptr<driver::Kernel>> Device::kernel(driver::Module& program, std::string_view name) {
  auto& p = static_cast<Module&>(program);
  auto kernel = std::make_unique<Kernel>();
  kernel->program = &p;
  std::string entry(name);
  if (!p.code.is_raw) {
    QUERN_TRY_ASSIGN(const driver::KernelInfo* const found, find_kernel(p.code, name));
    kernel->info = *found;
    if (found->needs.has(Feature::dynamic_shared) && has_defect(info_, driver::Defect::kReservedShared))
      kernel->info.shared_bytes += driver::kNvidiaReservedShared;
    entry = found->entry;
  }
  auto id = QUERN_CL_MAKE(clCreateKernel, clReleaseKernel, p.id.get(), entry.c_str());
  if (!id.ok() && id.error().kind() == ErrorKind::not_found)
    return Error(ErrorKind::not_found, driver::message::kUnknownKernel(name));
  QUERN_TRY_ASSIGN(kernel->id, std::move(id));
  if (p.code.is_raw) {
    kernel->info.name = entry;
    kernel->info.entry = entry;
    QUERN_TRY(describe_raw(*kernel));
  }
  ask_limits(*kernel);
  return std::unique_ptr<driver::Kernel>(std::move(kernel));
}

void Device::ask_limits(Kernel& kernel) {
  const KernelId id = kernel.id.get();
  kernel.general_threads = info_.limits.block_threads;
  size_t threads = 0;
  if (api_->clGetKernelWorkGroupInfo(id, id_, kKernelWorkGroupSize, sizeof threads, &threads, nullptr) == 0)
    kernel.general_threads = std::min<uint64_t>(threads, kernel.general_threads);
  // If the text is available it can be compiled for larger blocks.
  kernel.max_threads = kernel.program->code.bytes.empty() ? static_cast<uint32_t>(kernel.general_threads)
                                                          : info_.limits.block_threads;
  uint64_t bytes = 0;
  if (api_->clGetKernelWorkGroupInfo(id, id_, kKernelPrivateBytes, sizeof bytes, &bytes, nullptr) == 0)
    kernel.local_bytes = bytes;
}

// Code for one block size, on devices that allow larger blocks if the size is known.
driver::Code sized_code(const driver::Code& general, const driver::Dim3& block) {
  driver::Code code = general;
  code.bytes.insert(
      0, base::format("#define __kernel __attribute__((reqd_work_group_size(%u, %u, %u))) kernel\n#line 1\n",
                      block.x, block.y, block.z));
  return code;
}

Result<driver::Variants<Kernel::Sized>::Found> Device::compile_sized(Kernel& kernel,
                                                                     const driver::Dim3& block) {
  return kernel.sized.get({block, 0}, [&]() -> Result<Kernel::Sized> {
    Kernel::Sized sized;
    QUERN_TRY_ASSIGN(sized.program, compile(sized_code(kernel.program->code, block)));
    QUERN_TRY_ASSIGN(sized.id, QUERN_CL_MAKE(clCreateKernel, clReleaseKernel, sized.program.get(),
                                             kernel.info.entry.c_str()));
    return sized;
  });
}

Result<KernelId> Device::for_block(Kernel& kernel, const driver::Dim3& block) {
  if (block.count() <= kernel.general_threads) return kernel.id.get();
  QUERN_TRY_ASSIGN(const auto found, compile_sized(kernel, block));
  return found.made->id.get();
}

Result<bool> Device::prepare(driver::Kernel& kernel, const driver::Dim3& block, uint64_t) {
  auto& k = static_cast<Kernel&>(kernel);
  if (block.count() <= k.general_threads) return false;
  auto found = compile_sized(k, block);
  if (!found.ok()) return check(std::move(found).error()).error();
  return found->is_new;
}

// OpenCL reports the preferred multiple of the block size, not how many blocks fit on a compute unit.
driver::Occupancy Device::occupancy(driver::Kernel& kernel, uint32_t, uint64_t) {
  const auto& k = static_cast<Kernel&>(kernel);
  size_t multiple = 0;
  if (api_->clGetKernelWorkGroupInfo(k.id.get(), id_, kKernelGroupMultiple, sizeof multiple, &multiple,
                                     nullptr) != 0 ||
      multiple == 0 || multiple > k.general_threads)
    return {};
  return {0, 0, static_cast<uint32_t>(k.general_threads / multiple * multiple)};
}

// The parameters of the user's own text, as reported by the compiler.
Result<> Device::describe_raw(Kernel& kernel) {
  uint32_t count = 0;
  const KernelId id = kernel.id.get();
  QUERN_CL(*api_, clGetKernelInfo(id, kKernelNumArgs, sizeof count, &count, nullptr));
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t address = 0;
    char type[128] = {};
    QUERN_CL(*api_, clGetKernelArgInfo(id, i, kArgAddress, sizeof address, &address, nullptr));
    QUERN_CL(*api_, clGetKernelArgInfo(id, i, kArgTypeName, sizeof type, type, nullptr));
    if (address == kAddressLocal)
      return Error(ErrorKind::unsupported, message::kLocalPointer(kernel.info.name));
    driver::ParamInfo p;
    p.spelling = type;
    p.is_pointer = address == kAddressGlobal || address == kAddressConstant;
    p.type = p.is_pointer ? ir::TypeKind::kPtr : ir::TypeKind::kStruct;
    p.bytes = p.align = 8;
    const std::string_view plain = std::string_view(type).substr(0, std::string_view(type).find('*'));
    for (const Number& n : kNumbers) {
      if (n.name != plain) continue;
      (p.is_pointer ? p.element : p.type) = n.kind;
      (p.is_pointer ? p.element_bytes : p.bytes) = n.bytes;
    }
    kernel.info.params.push_back(std::move(p));
  }
  return {};
}

std::vector<std::string> Device::kernel_names(driver::Module& program) {
  const std::string list = text_of([&](size_t bytes, void* to, size_t* size) {
    return api_->clGetProgramInfo(static_cast<Module&>(program).id.get(), kProgramKernelNames, bytes, to,
                                  size);
  });
  if (list.empty()) return {};
  std::vector<std::string> names;
  for (const std::string_view name : base::split(list, ';')) names.emplace_back(name);
  return names;
}

Result<std::string> Device::binary_of(ProgramId program) {
  size_t size = 0;
  QUERN_CL(*api_, clGetProgramInfo(program, kProgramBinarySizes, sizeof size, &size, nullptr));
  std::string binary(size, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(binary.data());
  QUERN_CL(*api_, clGetProgramInfo(program, kProgramBinaries, sizeof bytes, &bytes, nullptr));
  return binary;
}

Result<driver::Code> Device::binary(driver::Module& program) {
  auto& p = static_cast<Module&>(program);
  driver::Code code = p.code;
  code.kind = CodeKind::kOpenclBinary;
  QUERN_TRY_ASSIGN(code.bytes, binary_of(p.id.get()));
  return code;
}

}  // namespace quern::opencl

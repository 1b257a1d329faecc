#include "web/session.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "driver/sim/driver.hpp"
#include "driver/webgpu/device.hpp"
#include "driver/webgpu/driver.hpp"
#include "lang/ir/launch_record.hpp"
#include "runtime/messages.hpp"
#include "target/describe.hpp"
#include "target/descriptor.hpp"
#include "target/needs.hpp"
#include "target/portable.hpp"
#include "web/launch.hpp"
#include "web/messages.hpp"

namespace quern::web {

using base::Error;
using base::ErrorKind;
using base::JsonValue;

namespace {

uint32_t id_of(const JsonValue& request, std::string_view member) {
  return static_cast<uint32_t>(request.uint_of(member, UINT32_MAX));
}

template <typename Object>
Result<Object*> find(std::map<uint32_t, Object>& all, std::string_view what, uint32_t id) {
  if (const auto found = all.find(id); found != all.end()) return &found->second;
  return Error(ErrorKind::invalid_use, message::kUnknownObject(what, std::to_string(id)));
}

void* address(const JsonValue& request) {
  return reinterpret_cast<void*>(static_cast<uintptr_t>(request.uint_of("data")));
}

driver::Dim3 size_of(const JsonValue& request, std::string_view member) {
  driver::Dim3 size{1, 1, 1};
  const JsonValue* const list = request.find(member);
  uint32_t* const to[] = {&size.x, &size.y, &size.z};
  for (size_t i = 0; list != nullptr && i < std::min<size_t>(list->items.size(), 3); ++i)
    *to[i] = static_cast<uint32_t>(std::clamp<double>(list->items[i].number, 0, UINT32_MAX));
  return size;
}

template <typename Object>
void erase_of(std::map<uint32_t, Object>& all, uint32_t device) {
  std::erase_if(all, [&](const auto& entry) { return entry.second.device == device; });
}

}  // namespace

Result<> Session::call(const JsonValue& request, Json& json, Failure& failure) {
  struct Call {
    std::string_view name;
    Result<> (Session::*execute)(const Request&, Json&, Failure&);
  };
  constexpr Call kCalls[] = {{"open", &Session::open},
                             {"close", &Session::close},
                             {"compile", &Session::compile},
                             {"unload", &Session::unload},
                             {"allocate", &Session::allocate},
                             {"destroy", &Session::destroy},
                             {"upload", &Session::upload},
                             {"download", &Session::download},
                             {"fill", &Session::fill},
                             {"copy", &Session::copy},
                             {"launch", &Session::launch},
                             {"time", &Session::time},
                             {"synchronize", &Session::synchronize}};
  const std::string name = request.text_of("call");
  if (name == "check") return web::check(request, json);
  if (name == "translate") return web::translate(request, json, failure);
  if (name == "emit") return web::emit(request, json, failure);
  for (const Call& c : kCalls) {
    if (c.name == name) return (this->*c.execute)(request, json, failure);
  }
  return Error(ErrorKind::invalid_use, message::kUnknownCall(name));
}

// --- devices ---

Result<Device*> Session::device(uint32_t id) { return find(devices_, "device", id); }

Result<> Session::open(const Request& request, Json& json, Failure&) {
  const std::string name = request.text_of("driver");
  Device opened;
  driver::OpenOptions options;
  if (name == "webgpu") {
    opened.driver = webgpu::make_driver();
  } else if (name == "sim") {
    opened.driver = sim::make_driver();
    if (const std::string check = request.text_of("check"); !check.empty())
      options.emplace_back("check", check);
    if (const std::string seed = request.text_of("seed"); !seed.empty()) options.emplace_back("seed", seed);
  } else {
    return Error(ErrorKind::not_found, message::kUnknownDriver(name));
  }
  QUERN_TRY(opened.driver->start());
  QUERN_TRY(opened.driver->devices());
  QUERN_TRY_ASSIGN(opened.native, opened.driver->open(0, options));
  QUERN_TRY_ASSIGN(opened.stream, opened.native->create_stream({}));
  const uint32_t id = next_++;
  const Device& made = devices_[id] = std::move(opened);
  json.begin_object().member("device", id);
  write(json.key("info"), made.native->info());
  json.end_object();
  return {};
}

Result<> Session::close(const Request& request, Json& json, Failure&) {
  const uint32_t id = id_of(request, "device");
  QUERN_TRY_ASSIGN(Device* const closed, device(id));
  erase_of(timings_, id);
  erase_of(modules_, id);
  erase_of(buffers_, id);
  closed->stream.reset();
  closed->native.reset();
  devices_.erase(id);
  json.begin_object().end_object();
  return {};
}

Result<> Session::finish(uint32_t id, Json& json, Failure& failure) {
  QUERN_TRY_ASSIGN(Device* const on, device(id));
  const auto finished = on->native->synchronize(*on->stream);
  if (!finished.ok()) failure.findings = on->native->take_findings(*on->stream);
  if (!failure.findings.empty()) failure.kernel = failure.findings.front().kernel;
  json.begin_object().member("output", on->native->take_output(*on->stream)).end_object();
  return finished;
}

Result<> Session::synchronize(const Request& request, Json& json, Failure& failure) {
  return finish(id_of(request, "device"), json, failure);
}

// --- memory ---

Result<> Session::allocate(const Request& request, Json& json, Failure&) {
  const uint32_t id = id_of(request, "device");
  QUERN_TRY_ASSIGN(Device* const on, device(id));
  const uint64_t bytes = request.uint_of("bytes");
  const uint64_t most = on->native->info().limits.buffer_bytes;
  if (most != 0 && bytes > most) {
    return Error(ErrorKind::out_of_memory,
                 runtime::message::kBufferTooLarge("allocating " + base::format_bytes(bytes),
                                                   on->native->info().name, base::format_bytes(most)));
  }
  QUERN_TRY_ASSIGN(auto native,
                   on->native->allocate(std::max<uint64_t>(bytes, 1), driver::MemoryKind::device));
  json.begin_object();
  if (on->native->info().driver == "webgpu")  // JavaScript finds the GPUBuffer by its handle
    json.member("handle",
                reinterpret_cast<uintptr_t>(static_cast<const webgpu::Buffer&>(*native).handle.get()));
  json.end_object();
  buffers_[id_of(request, "buffer")] = {id, std::move(native)};  // JavaScript chooses the number
  return {};
}

Result<> Session::destroy(const Request& request, Json& json, Failure&) {
  buffers_.erase(id_of(request, "buffer"));
  json.begin_object().end_object();
  return {};
}

Result<driver::Place> Session::place(std::string_view operation, const Request& request,
                                     std::string_view member) {
  QUERN_TRY_ASSIGN(Buffer* const buffer, find(buffers_, "buffer", id_of(request, member)));
  const uint64_t offset = member == "buffer" ? request.uint_of("offset") : 0,
                 bytes = request.uint_of("bytes");
  if (offset > buffer->native->bytes || bytes > buffer->native->bytes - offset) {
    return Error(ErrorKind::invalid_use,
                 message::kFailed(operation, runtime::message::kRangeOutside(
                                                 "the buffer", std::to_string(buffer->native->bytes),
                                                 std::to_string(bytes), std::to_string(offset))
                                                 .text));
  }
  return driver::Place{buffer->native.get(), offset};
}

Result<> Session::upload(const Request& request, Json& json, Failure&) {
  QUERN_TRY_ASSIGN(const driver::Place to, place("upload", request));
  QUERN_TRY_ASSIGN(Device* const on, device(buffers_[id_of(request, "buffer")].device));
  QUERN_TRY(on->native->upload(*on->stream, to, address(request), request.uint_of("bytes")));
  json.begin_object().end_object();
  return {};
}

Result<> Session::download(const Request& request, Json& json, Failure& failure) {
  QUERN_TRY_ASSIGN(const driver::Place from, place("download", request));
  const uint32_t id = buffers_[id_of(request, "buffer")].device;
  QUERN_TRY_ASSIGN(Device* const on, device(id));
  QUERN_TRY(on->native->download(*on->stream, address(request), from, request.uint_of("bytes")));
  return finish(id, json, failure);
}

Result<> Session::fill(const Request& request, Json& json, Failure&) {
  QUERN_TRY_ASSIGN(const driver::Place to, place("fill", request));
  QUERN_TRY_ASSIGN(Device* const on, device(buffers_[id_of(request, "buffer")].device));
  const auto width = static_cast<uint32_t>(request.uint_of("width", 8));
  const uint64_t value = base::parse_uint(request.text_of("value")).value_or(0);
  QUERN_TRY(on->native->fill(*on->stream, to, value, width, request.uint_of("bytes")));
  json.begin_object().end_object();
  return {};
}

Result<> Session::copy(const Request& request, Json& json, Failure&) {
  QUERN_TRY_ASSIGN(const driver::Place to, place("copy", request, "to"));
  QUERN_TRY_ASSIGN(const driver::Place from, place("copy", request, "from"));
  const Buffer &target = buffers_[id_of(request, "to")], &source = buffers_[id_of(request, "from")];
  if (target.device != source.device) {
    return Error(ErrorKind::invalid_use,
                 message::kFailed("copy", runtime::message::kBufferOfOtherDevice("another device").text));
  }
  QUERN_TRY_ASSIGN(Device* const on, device(target.device));
  QUERN_TRY(on->native->copy(*on->stream, to, from, request.uint_of("bytes")));
  json.begin_object().end_object();
  return {};
}

// --- modules ---

Result<> Session::compile(const Request& request, Json& json, Failure& failure) {
  const uint32_t id = id_of(request, "device");
  QUERN_TRY(device(id));
  QUERN_TRY_ASSIGN(Source source, read_source(request));
  const JsonValue* const translated = request.find("ir");
  QUERN_TRY_ASSIGN(lang::Compilation compiled, translated != nullptr ? read_translated(translated->text)
                                                                     : compile_valid(source, failure));
  const uint32_t number = next_++;
  Module& module = modules_[number];
  module.device = id;
  module.source = std::move(source);
  module.compiled = std::move(compiled);
  json.begin_object().member("module", number);
  write_members(json, module.compiled);
  json.end_object();
  return {};
}

Result<> Session::unload(const Request& request, Json& json, Failure&) {
  modules_.erase(id_of(request, "module"));
  json.begin_object().end_object();
  return {};
}

Result<std::shared_ptr<driver::Module>> Session::load(const Module& module, Device& device,
                                                      const ir::Module& code) {
  auto portable = std::make_shared<target::PortableProgram>();
  portable->name = "kernel.cu";
  portable->module = std::make_shared<const ir::Module>(code.clone());
  portable->math = module.source.math;
  QUERN_TRY_ASSIGN(const driver::Code made, target::compile_for(device.native->info(), std::move(portable)));
  QUERN_TRY_ASSIGN(auto native, device.native->load(made));
  return std::shared_ptr<driver::Module>(std::move(native));
}

// A kernel that uses variables shares its program with all others.
Result<std::shared_ptr<driver::Module>> Session::load_part(Module& module, Device& device,
                                                           const ir::Function& function) {
  const ir::Module own = module.compiled.module.clone(function);
  if (target::describe_variables(own).empty()) return load(module, device, own);
  if (module.whole == nullptr) {
    ir::Module all = module.compiled.module.clone();
    (void)target::remove_unsupported(all, device.native->info());
    QUERN_TRY_ASSIGN(module.whole, load(module, device, all));
  }
  return module.whole;
}

Result<Kernel*> Session::kernel(Module& module, const std::string& name) {
  if (const auto known = module.kernels.find(name); known != module.kernels.end()) return &known->second;
  QUERN_TRY_ASSIGN(Device* const on, device(module.device));
  const ir::Function* const function = module.compiled.module.find_function(name);
  if (function == nullptr)
    return Error(ErrorKind::not_found, runtime::message::kUnknownKernel(name, "kernel.cu"));
  QUERN_TRY(target::check_needs(module.compiled.module, *function, on->native->info()));
  if (module.compiled.module.clone(*function).find_global(ir::kLaunchQueue) != nullptr)
    return Error(ErrorKind::unsupported, message::kLaunchesKernels(name));
  Kernel made;
  made.device = module.device;
  QUERN_TRY_ASSIGN(made.part, load_part(module, *on, *function));
  QUERN_TRY_ASSIGN(made.native, on->native->kernel(*made.part, name));
  made.info = made.native->info;
  auto& params = made.info.params;
  const auto first = std::find_if(params.begin(), params.end(), [](const driver::ParamInfo& p) {
    return p.role != driver::ParamRole::kUser;
  });
  made.hidden.assign(first, params.end());
  params.erase(first, params.end());
  made.max_threads = on->native->info().limits.block_threads;
  for (const uint32_t own : {made.native->max_threads, made.info.max_threads}) {
    if (own != 0) made.max_threads = std::min(made.max_threads, own);
  }
  return &(module.kernels[name] = std::move(made));
}

// --- launches ---

Result<> Session::launch(const Request& request, Json& json, Failure& failure) {
  const std::string name = request.text_of("kernel");
  failure.kernel = name;
  QUERN_TRY_ASSIGN(Module* const module, find(modules_, "module", id_of(request, "module")));
  QUERN_TRY_ASSIGN(Device* const on, device(module->device));
  QUERN_TRY_ASSIGN(Kernel* const found, kernel(*module, name));
  const driver::DeviceInfo& info = on->native->info();
  driver::Launch launch;
  launch.grid = size_of(request, "grid");
  launch.block = size_of(request, "block");
  launch.shared_bytes = request.uint_of("shared");
  launch.cooperative = found->info.needs_cooperative;
  if (found->info.cluster && info.features.has(driver::Feature::clusters))
    launch.cluster = *found->info.cluster;
  Arguments arguments(*found, buffers_, info);
  const JsonValue none;
  const JsonValue* const list = request.find("arguments");
  QUERN_TRY_ASSIGN(launch.arguments, arguments.bind(list != nullptr ? *list : none));
  QUERN_TRY(runtime::check_launch_size({found->info, info, found->max_threads}, launch));
  Timing timing{module->device, nullptr, nullptr};
  const bool is_timed = request.uint_of("timed") != 0 && info.features.has(driver::Feature::timestamps);
  if (is_timed) {
    QUERN_TRY_ASSIGN(timing.begin, on->native->create_event());
    QUERN_TRY_ASSIGN(timing.end, on->native->create_event());
    QUERN_TRY(on->native->record(*on->stream, *timing.begin));
  }
  QUERN_TRY(on->native->launch(*on->stream, *found->native, launch));
  if (is_timed) QUERN_TRY(on->native->record(*on->stream, *timing.end));
  json.begin_object();
  if (is_timed) {
    json.member("timing", next_);
    timings_[next_++] = std::move(timing);
  }
  json.key("notes").begin_array();
  const driver::FeatureSet software = target::software_features(info);
  for (size_t i = 0; i < driver::kFeatureCount; ++i) {
    const auto feature = static_cast<driver::Feature>(i);
    if (software.has(feature) && found->info.needs.has(feature))
      json.value(message::kInSoftware(driver::name(feature)).text);
  }
  json.end_array().end_object();
  return {};
}

Result<> Session::time(const Request& request, Json& json, Failure&) {
  const uint32_t id = id_of(request, "timing");
  QUERN_TRY_ASSIGN(Timing* const timing, find(timings_, "timed launch", id));
  QUERN_TRY_ASSIGN(Device* const on, device(timing->device));
  QUERN_TRY(on->native->wait(*timing->end));
  QUERN_TRY_ASSIGN(const uint64_t begin, on->native->time(*timing->begin));
  QUERN_TRY_ASSIGN(const uint64_t end, on->native->time(*timing->end));
  timings_.erase(id);
  json.begin_object().member("seconds", static_cast<double>(end - begin) * 1e-9).end_object();
  return {};
}

}  // namespace quern::web

#include "suite/run_case.hpp"

#include <chrono>
#include <cmath>
#include <cstring>
#include <map>

#include "base/text.hpp"
#include "runtime/argument_text.hpp"
#include "runtime/module.hpp"
#include "runtime/stream.hpp"
#include "runtime/texture_text.hpp"
#include "suite/standard_output.hpp"

namespace quern::test {

namespace {

using base::Error;
using base::ErrorKind;
using base::Result;
using runtime::HostArgument;

struct Bound {
  std::string name;
  const ir::Type* element = nullptr;
  runtime::MemoryPtr memory;
};

// One launch of a case: its arguments on the device, the launch, and the comparison.
class Execution {
 public:
  Execution(const Case& test, runtime::Device& device, const ir::Function& function)
      : test_(test), device_(device), function_(function) {}

  Result<> bind() {
    if (test_.arguments.size() != function_.params.size())
      return Error(ErrorKind::bad_input, "the case has a number of arguments that does not match the kernel");
    values_.resize(test_.arguments.size());
    for (size_t i = 0; i < test_.arguments.size(); ++i) QUERN_TRY(bind_one(i, *function_.params[i]));
    return {};
  }

  Result<> bind_references(runtime::Module& module) {
    for (const auto& [name, text] : test_.textures) {
      QUERN_TRY_ASSIGN(const runtime::HostTexture given, upload_texture(text));
      QUERN_TRY(module.bind_texture(name, given.descriptor, {textures_.back().get(), 0, given.bytes()}));
    }
    return {};
  }

  Result<double> launch(runtime::Kernel& kernel, uint32_t repeat) {
    runtime::Stream& stream = device_.default_stream();
    runtime::LaunchConfig shape;
    shape.grid_size = {test_.grid[0], test_.grid[1], test_.grid[2]};
    shape.block_size = {test_.block[0], test_.block[1], test_.block[2]};
    shape.shared_bytes = test_.shared;
    double best = 0;
    StandardOutput output;
    for (uint32_t i = 0; i < repeat; ++i) {
      const auto start = std::chrono::steady_clock::now();
      QUERN_TRY(stream.launch(kernel, shape, arguments_));
      QUERN_TRY(stream.synchronize());
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      best = i == 0 ? seconds : std::min(best, seconds);
    }
    printed_ = output.take();
    return best;
  }

  Result<> compare() {
    for (const Expectation& e : test_.expected) QUERN_TRY(compare_values(e));
    if (test_.expects_print && printed_ != test_.prints)
      return Error(ErrorKind::internal, "prints '" + printed_ + "' instead of '" + test_.prints + "'");
    return {};
  }

 private:
  Result<runtime::HostTexture> upload_texture(const std::string& text) {
    QUERN_TRY_ASSIGN(runtime::HostTexture given, runtime::parse_texture(text));
    QUERN_TRY_ASSIGN(auto memory, device_.allocate(given.bytes(), driver::MemoryKind::device, "texture"));
    const uint64_t bytes = given.texels.bytes.size();
    QUERN_TRY(device_.default_stream().upload({memory.get(), 0, bytes}, given.texels.bytes.data(), bytes));
    QUERN_TRY(device_.default_stream().synchronize());
    textures_.push_back(std::move(memory));
    return given;
  }

  Result<> bind_texture(size_t i) {
    QUERN_TRY_ASSIGN(const runtime::HostTexture given, upload_texture(test_.arguments[i]));
    HostArgument& argument = arguments_.emplace_back();
    argument.kind = given.is_surface ? ArgumentKind::surface : ArgumentKind::texture;
    values_[i].resize(sizeof given.descriptor);
    std::memcpy(values_[i].data(), &given.descriptor, sizeof given.descriptor);
    argument.bytes = values_[i].data();
    argument.size = values_[i].size();
    argument.slice = {textures_.back().get(), 0, given.bytes()};
    return {};
  }

  Result<> bind_one(size_t i, const ir::Param& p) {
    if (runtime::is_texture_text(test_.arguments[i])) return bind_texture(i);
    HostArgument argument;
    if (!p.type->is_ptr()) {
      QUERN_TRY_ASSIGN(values_[i], runtime::parse_value(test_.arguments[i], p.type, p.name));
      argument.kind = ArgumentKind::bytes;
      argument.bytes = values_[i].data();
      argument.size = values_[i].size();
    } else if (test_.arguments[i] != "null") {
      QUERN_TRY_ASSIGN(const runtime::HostBuffer buffer, runtime::parse_buffer(test_.arguments[i]));
      QUERN_TRY(runtime::check_buffer(buffer, p));
      const uint64_t bytes = buffer.count * buffer.element_bytes();
      QUERN_TRY_ASSIGN(auto memory, device_.allocate(bytes, driver::MemoryKind::device, p.name));
      if (!buffer.is_undefined)
        QUERN_TRY(device_.default_stream().upload({memory.get(), 0, bytes}, buffer.bytes.data(), bytes));
      QUERN_TRY(device_.default_stream().synchronize());
      argument.kind = ArgumentKind::memory;
      argument.slice = {memory.get(), 0, bytes};
      bound_.push_back({p.name, p.elem, std::move(memory)});
    }
    arguments_.push_back(argument);
    return {};
  }

  Result<> compare_values(const Expectation& e) {
    const Bound* bound = nullptr;
    for (const Bound& b : bound_) {
      if (b.name == e.name) bound = &b;
    }
    if (bound == nullptr) return Error(ErrorKind::bad_input, "the case expects a buffer '" + e.name + "'");
    std::vector<std::byte> bytes(bound->memory->bytes());
    runtime::Stream& stream = device_.default_stream();
    QUERN_TRY(stream.download(bytes.data(), {bound->memory.get(), 0, bytes.size()}, bytes.size()));
    QUERN_TRY(stream.synchronize());
    return compare_bytes(e, *bound->element, bytes);
  }

  const Case& test_;
  runtime::Device& device_;
  const ir::Function& function_;
  std::vector<std::vector<std::byte>> values_;
  std::vector<HostArgument> arguments_;
  std::vector<Bound> bound_;
  std::vector<runtime::MemoryPtr> textures_;
  std::string printed_;
};

}  // namespace

Result<> compare_bytes(const Expectation& e, const ir::Type& element, std::span<const std::byte> bytes) {
  const uint64_t count = bytes.size() / element.size;
  const uint64_t first = e.has_range ? e.first : 0, last = e.has_range ? e.last : count;
  std::vector<std::string> got;
  for (uint64_t i = first; i < std::min(last, count); ++i) {
    const std::string value = runtime::print_value(&element, bytes.data() + i * element.size);
    for (std::string_view word : base::split(value, ' ')) got.emplace_back(word);
  }
  if (got.size() != e.values.size())
    return Error(ErrorKind::internal, base::format("'%s' has %zu values instead of %zu", e.name.c_str(),
                                                   got.size(), e.values.size()));
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i] == e.values[i]) continue;
    const auto a = base::parse_double(got[i]), b = base::parse_double(e.values[i]);
    const bool near = e.tolerance != 0 && a && b &&
                      ((std::isnan(*a) && std::isnan(*b)) ||
                       std::fabs(*a - *b) <= e.tolerance * std::max(1e-30, std::fabs(*b)));
    if (near) continue;
    return Error(ErrorKind::internal, base::format("'%s' has %s in element %zu instead of %s", e.name.c_str(),
                                                   got[i].c_str(), i, e.values[i].c_str()));
  }
  return {};
}

struct CaseRunner::State {
  std::shared_ptr<runtime::Device> device;
  std::map<std::string, std::shared_ptr<runtime::Module>> programs;

  // A module whose variables a case may have changed is loaded again.
  Result<std::shared_ptr<runtime::Module>> program(const std::string& file) {
    if (const auto known = programs.find(file); known != programs.end()) return known->second;
    QUERN_TRY_ASSIGN(runtime::Source source, runtime::read_source(file));
    QUERN_TRY_ASSIGN(auto program, runtime::Module::load(device, std::move(source)));
    if (!program->has_variables()) programs.emplace(file, program);
    return program;
  }

  Result<double> run(const Case& test, uint32_t repeat) {
    QUERN_TRY_ASSIGN(const auto program, this->program(test.file));
    QUERN_TRY_ASSIGN(const auto kernel, program->kernel(test.kernel));
    const ir::Function* function = program->function(test.kernel);
    if (function == nullptr) return Error(ErrorKind::internal, "the kernel is not in its module");
    Execution execution(test, *device, *function);
    QUERN_TRY(execution.bind());
    QUERN_TRY(execution.bind_references(*program));
    QUERN_TRY_ASSIGN(const double seconds, execution.launch(*kernel, repeat));
    if (repeat == 1) QUERN_TRY(execution.compare());
    return seconds;
  }
};

CaseRunner::CaseRunner(std::shared_ptr<runtime::Device> device) : state_(std::make_unique<State>()) {
  state_->device = std::move(device);
}
CaseRunner::~CaseRunner() = default;

Outcome CaseRunner::run(const Case& test, uint32_t repeat) {
  Outcome outcome;
  auto seconds = state_->run(test, repeat);
  if (seconds.ok()) {
    outcome.seconds = *seconds;
    return outcome;
  }
  const Error& error = seconds.error();
  outcome.kind = error.kind() == ErrorKind::unsupported ? Outcome::Kind::kRefused : Outcome::Kind::kFailed;
  outcome.reason = error.message();
  outcome.lost = error.kind() == ErrorKind::device_lost;
  (void)state_->device->default_stream().take_findings();
  return outcome;
}

}  // namespace quern::test

#include "runtime/graph.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/messages.hpp"
#include "runtime/module.hpp"
#include "runtime/profile/on.hpp"

namespace quern::runtime {

using base::Error;
using base::ErrorKind;
using driver::Command;

void Recording::add_launch(Kernel& kernel, const driver::Launch& launch,
                           std::span<const HostArgument> arguments) {
  Step step;
  step.kernel = kernel.shared_from_this();
  step.arguments.assign(launch.arguments.begin(), launch.arguments.end());
  size_t bytes = 0;
  for (const driver::Argument& a : step.arguments) bytes += a.value != nullptr ? a.bytes : 0;
  step.values.resize(bytes);
  std::byte* next = step.values.data();
  for (driver::Argument& a : step.arguments) {
    if (a.value == nullptr) continue;
    std::memcpy(next, a.value, a.bytes);
    a.value = std::exchange(next, next + a.bytes);
  }
  for (const HostArgument& a : arguments) {
    if (a.has_memory()) step.memories.push_back(MemoryPtr::share(*a.slice.memory));
  }
  Command command;
  command.kind = Command::Kind::kLaunch;
  command.launch = launch;
  command.launch.arguments = step.arguments;
  commands_.push_back(command);
  steps_.push_back(std::move(step));
}

void Recording::add_split(Kernel& kernel, const driver::Launch& launch,
                          std::span<const HostArgument> arguments, const SplitMemory& memory) {
  Memory* const resume = memory.resume.get();
  Memory* const frames = memory.frames.get();
  SplitRun run(*kernel.split(), memory);
  for (const Command& c : run.first()) add(c, {resume, frames});
  add_launch(kernel, launch, arguments);
  for (run.launches = 1; run.launches < run.kernel.segments; ++run.launches) {
    add(run.next(), {resume, frames});
    add_launch(kernel, launch, arguments);
  }
  if (run.kernel.repeats) steps_.back().repeats = run;
}

void Recording::add(const Command& command, std::initializer_list<Memory*> memories) {
  Step step;
  for (Memory* m : memories) step.memories.push_back(MemoryPtr::share(*m));
  commands_.push_back(command);
  steps_.push_back(std::move(step));
}

uint64_t Recording::bytes_of(size_t step) const {
  if (steps_[step].kernel == nullptr) return commands_[step].bytes;
  uint64_t sum = 0;
  for (const auto& memory : steps_[step].memories) sum += memory->bytes();
  return sum;
}

bool Recording::point_to_kernels() {
  bool has_changed = false;
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].kernel == nullptr) continue;
    driver::Kernel* const now = &steps_[i].kernel->native();
    has_changed |= steps_[i].native != now;
    steps_[i].native = now;
    commands_[i].kernel = now;
  }
  return has_changed;
}

Graph::Graph(Device& device, Recording recording)
    : device_(device.keep()), recording_(std::move(recording)) {}

Graph::~Graph() {
  retire_replaced();
  if (native_ != nullptr) device_->retire(std::move(native_));
}

Result<std::shared_ptr<Graph>> Graph::create(Device& device, Recording recording) {
  std::shared_ptr<Graph> graph(new Graph(device, std::move(recording)));
  QUERN_TRY(device.default_stream().prepare(*graph));
  return graph;
}

Result<> Graph::prepare() {
  const std::lock_guard lock(mutex_);
  return prepare_locked();
}

Result<> Graph::prepare_locked() {
  const bool is_new = recording_.point_to_kernels() || native_ == nullptr;
  if (repeats()) return {};  // runs command by command
  if (!is_new && !is_changed_) return {};
  if (is_new) {
    QUERN_TRY_ASSIGN(std::unique_ptr<driver::Graph> made, device_->native().make_graph(recording_.commands_));
    if (native_ != nullptr) replaced_.push_back(std::move(native_));
    native_ = std::move(made);
  } else {
    QUERN_TRY(device_->native().update_graph(*native_));
  }
  is_changed_ = false;
  return {};
}

void Graph::retire_replaced() {
  std::vector<std::unique_ptr<driver::Graph>> replaced;
  {
    const std::lock_guard lock(mutex_);
    replaced.swap(replaced_);
  }
  for (auto& graph : replaced) device_->retire(std::move(graph));
}

size_t Graph::size() const {
  const std::lock_guard lock(mutex_);
  return recording_.commands_.size();
}

bool Graph::is_native() const {
  const std::lock_guard lock(mutex_);
  return native_ != nullptr && native_->is_native;
}

bool Graph::has_form_of(const Recording& other) const {
  if (other.commands_.size() != recording_.commands_.size()) return false;
  for (size_t i = 0; i < other.commands_.size(); ++i) {
    if (other.commands_[i].kind != recording_.commands_[i].kind) return false;
    if (other.steps_[i].kernel != recording_.steps_[i].kernel) return false;
  }
  return true;
}

Result<> Graph::update(Recording recording) {
  {
    const std::lock_guard lock(mutex_);
    if (has_form_of(recording)) {
      // The commands keep their addresses: the device's graph refers to them.
      std::copy(recording.commands_.begin(), recording.commands_.end(), recording_.commands_.begin());
      recording_.steps_.swap(recording.steps_);
      is_changed_ = true;
    } else {
      std::swap(recording_, recording);
      if (native_ != nullptr) replaced_.push_back(std::move(native_));
    }
  }
  return device_->default_stream().prepare(*this);
}

Result<> Graph::run(driver::Stream& driver_stream) {
  const std::lock_guard lock(mutex_);
  QUERN_TRY(prepare_locked());
  if (!repeats()) return device_->native().run_graph(driver_stream, *native_);
  return run_each_locked(driver_stream, [&](const Command& c, const Kernel*, uint64_t) {
    return device_->native().submit(driver_stream, c);
  });
}

bool Graph::repeats() const {
  return std::any_of(recording_.steps_.begin(), recording_.steps_.end(),
                     [](const Recording::Step& s) { return s.repeats.has_value(); });
}

Result<> Graph::run_each(
    driver::Stream& driver_stream,
    const std::function<Result<>(const Command&, const Kernel* kernel, uint64_t bytes)>& submit) {
  const std::lock_guard lock(mutex_);
  QUERN_TRY(prepare_locked());
  return run_each_locked(driver_stream, submit);
}

Result<> Graph::run_each_locked(
    driver::Stream& driver_stream,
    const std::function<Result<>(const Command&, const Kernel* kernel, uint64_t bytes)>& submit) {
  for (size_t i = 0; i < recording_.commands_.size(); ++i) {
    const Recording::Step& step = recording_.steps_[i];
    const auto launch = [&] {
      return submit(recording_.commands_[i], step.kernel.get(), recording_.bytes_of(i));
    };
    QUERN_TRY(launch());
    if (!step.repeats) continue;
    QUERN_TRY(repeat_until_done(device_->native(), driver_stream, *step.repeats, [&]() -> Result<> {
      QUERN_TRY(submit(step.repeats->next(), nullptr, 0));
      return launch();
    }));
  }
  return {};
}

uint64_t Graph::moved_bytes() const {
  const std::lock_guard lock(mutex_);
  uint64_t sum = 0;
  for (size_t i = 0; i < recording_.steps_.size(); ++i) sum += recording_.bytes_of(i);
  return sum;
}

bool Graph::prints() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(recording_.steps_.begin(), recording_.steps_.end(), [](const Recording::Step& s) {
    return s.kernel != nullptr && s.kernel->info().needs.has(driver::Feature::print);
  });
}

bool Graph::uses_host_memory() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(recording_.commands_.begin(), recording_.commands_.end(), [](const Command& c) {
    return c.kind == Command::Kind::kUpload || c.kind == Command::Kind::kDownload;
  });
}

// ---- functions of Stream

Result<> Stream::run(Graph& graph) {
  if (recording_ != nullptr) return no_part_of_graphs("another graph");
  QUERN_TRY(device_.check_caller());
  if (&graph.device() != &device_) {
    return Error(ErrorKind::invalid_use,
                 message::kGraphOfOtherDevice(graph.device().label(), device_.label_beside(graph.device())));
  }
  const bool prints = graph.prints(), uses_host_memory = graph.uses_host_memory();
  auto result = [&]() -> Result<> {
    const std::lock_guard lock(mutex_);
    busy_ = true;
    uses_host_memory_ |= uses_host_memory;
    if (device_.runs_in_process()) running_.begin("(a graph)", device_);
    if (prints) {
      QUERN_TRY(write_output());
      prints_ = device_.prints_ = true;
    }
    return profile::is_on() ? run_profiled(graph) : graph.run(*driver_stream_);
  }();
  graph.retire_replaced();
  return result;
}

Result<> Stream::prepare(Graph& graph) {
  auto result = [&] {
    const std::lock_guard lock(mutex_);
    return graph.prepare();
  }();
  graph.retire_replaced();
  return result;
}

std::unique_ptr<Stream> Stream::recorder(Device& device) {
  std::unique_ptr<Stream> stream(new Stream(device, nullptr, 0));
  stream->recording_ = std::make_unique<Recording>();
  return stream;
}

Recording Stream::take_recording() {
  const std::lock_guard lock(mutex_);
  is_recorded_ = true;
  return std::exchange(*recording_, Recording());
}

Result<> Stream::check_recording() const {
  if (!is_recorded_) return {};
  return Error(ErrorKind::invalid_use, message::kRecordingEnded());
}

Result<> Stream::no_part_of_graphs(const char* what) {
  return Error(ErrorKind::invalid_use, message::kNotInGraph(what));
}

}  // namespace quern::runtime

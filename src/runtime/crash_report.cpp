#include "runtime/crash_report.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include <unistd.h>

#include "base/signal_text.hpp"
#include "runtime/device.hpp"

namespace quern::runtime {

struct RunningKernel::Slot {
  std::atomic<bool> is_taken{false};
  std::atomic<bool> is_running{false};
  char kernel[256] = {};  // kernel 'saxpy'
  char device[128] = {};
};

namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};

using Handlers = std::array<struct sigaction, kSignals.size()>;

bool is_recorded = false;
Handlers recorded;                          // those of the program
Handlers previous;                          // those that ours replaced
std::array<RunningKernel::Slot, 64> slots;  // streams beyond these are not reported

void copy_text(char* to, size_t size, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) {
    const size_t length = std::min(size - 1, part.size());
    to = std::copy_n(part.data(), length, to);
    size -= length;
  }
  *to = '\0';
}

void report(int signal, siginfo_t* info, void* /*context*/) {
  base::SignalText text;
  for (const RunningKernel::Slot& s : slots) {
    if (!s.is_running.load(std::memory_order_acquire)) continue;
    text.add(text.text().empty() ? "quern: the process crashed while " : " and ");
    text.add(s.kernel).add(" was running on ").add(s.device);
  }
  if (!text.text().empty()) {
    text.add(": signal ").add_number(static_cast<uint64_t>(signal));
    if (signal == SIGSEGV || signal == SIGBUS)
      text.add(", invalid access to address 0x").add_number(reinterpret_cast<uint64_t>(info->si_addr), 16);
    text.add("\n  hint: run the kernel on the device 'sim', or with QUERN_CHECK=1, to find the line\n");
    text.write(STDERR_FILENO);
  }
  // The instruction is executed again: the signal is handled as without this handler, and ends the process.
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] == signal) (void)::sigaction(signal, &previous[i], nullptr);
  }
}

bool is_default(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}

void record() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) (void)::sigaction(kSignals[i], nullptr, &recorded[i]);
  is_recorded = true;
}

void install() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (::sigaction(kSignals[i], nullptr, &previous[i]) != 0) continue;
    const bool is_of_driver = is_recorded && is_default(recorded[i]);
    if (!is_default(previous[i]) && !is_of_driver) continue;
    struct sigaction action {};
    action.sa_sigaction = report;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    (void)::sigaction(kSignals[i], &action, nullptr);
  }
}

}  // namespace

void record_signal_handlers() {
  static const bool kIsRecorded = (record(), true);
  (void)kIsRecorded;
}

void install_crash_report() {
  static const bool kIsInstalled = (install(), true);
  (void)kIsInstalled;
}

RunningKernel::~RunningKernel() {
  if (slot_ == nullptr) return;
  end();
  slot_->is_taken.store(false, std::memory_order_release);
}

bool RunningKernel::take_slot(const Device& device) {
  if (slot_ != nullptr) return true;
  const auto free = std::find_if(slots.begin(), slots.end(), [](Slot& s) {
    return !s.is_taken.exchange(true, std::memory_order_acquire);
  });
  if (free == slots.end()) return false;
  slot_ = &*free;
  copy_text(slot_->device, sizeof slot_->device, {device.label()});
  return true;
}

void RunningKernel::begin(std::string_view kernel, const Device& device) {
  if (!take_slot(device)) return;
  copy_text(slot_->kernel, sizeof slot_->kernel, {"kernel '", kernel, "'"});
  slot_->is_running.store(true, std::memory_order_release);
}

void RunningKernel::begin_recording(std::string_view file, const Device& device) {
  if (!take_slot(device)) return;
  copy_text(slot_->kernel, sizeof slot_->kernel, {"a kernel of the recording '", file, "'"});
  slot_->is_running.store(true, std::memory_order_release);
}

void RunningKernel::end() {
  if (slot_ != nullptr) slot_->is_running.store(false, std::memory_order_release);
}

}  // namespace quern::runtime

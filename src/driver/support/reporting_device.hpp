// What devices share whose programs keep their variables in buffers, and whose kernels tell the host what
// they print and where they fail by words in a buffer (interface/report.hpp).
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "driver/interface/driver.hpp"
#include "driver/interface/heard.hpp"

namespace quern::driver {

class ReportingProgram : public Program {
 public:
  Code code;
  std::vector<std::unique_ptr<Buffer>> variables;  // as code.variables
  std::shared_ptr<Report> report;                  // null: none of its kernels tells anything
};

class ReportingQueue : public Queue {
 public:
  std::shared_ptr<Heard> heard = std::make_shared<Heard>();
};

// Whether the kernel tells the host by a report.
bool reports(const KernelInfo& kernel);

class ReportingDevice : public Device {
 public:
  Result<Place> variable(Program& program, std::string_view name) override;
  std::string take_printed(Queue& queue) override;
  std::vector<Finding> take_findings(Queue& queue) override;

 protected:
  // What the device does by itself goes to a queue of its own, from the call on.
  Result<> make_own_queue();
  void drop_own_queue() { own_queue_.reset(); }
  Queue& own_queue() { return *own_queue_; }
  static Heard& heard_of(Queue& queue) { return *static_cast<ReportingQueue&>(queue).heard; }

  // The kernel of that name, which the device has code for.
  static Result<const KernelInfo*> find_kernel(const Code& code, std::string_view name);
  // Variables with their initial values, and an empty report.
  Result<> make_variables(ReportingProgram& program);
  // What kernels have told; nothing that writes it is in flight. Other findings are added.
  Result<> read_reports(Heard& heard, std::vector<Finding> others = {});

 private:
  Result<> start_report(const Report& report);

  std::unique_ptr<Queue> own_queue_;
  std::mutex own_mutex_;
};

}  // namespace quern::driver

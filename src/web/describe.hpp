// Kernels, diagnostics, devices and errors as JSON. web/quern.d.ts declares the same shapes.
#pragma once

#include "base/json.hpp"
#include "base/result.hpp"
#include "driver/interface/driver.hpp"
#include "lang/compile.hpp"

namespace quern::web {

template <typename T = void>
using Result = base::Result<T>;
using Json = base::JsonWriter;

/// An error, and the places in the user's text that it is about.
struct Failure {
  base::Error error;
  std::shared_ptr<const lang::Compilation> compilation = {};  // with the diagnostics, if the text has errors
  std::vector<driver::Finding> findings = {};                 // of a kernel that failed while it ran
  std::string kernel = {};
};

void write(Json& json, const Failure& failure);
void write_diagnostics(Json& json, const lang::Compilation& compilation);
/// `line`: of the kernel in the user's text.
void write(Json& json, const ir::Function& kernel, uint32_t line);
void write(Json& json, const driver::DeviceInfo& info);

}  // namespace quern::web

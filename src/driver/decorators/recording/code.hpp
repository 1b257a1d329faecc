// Programs in recordings. A portable program is stored as IR, so that a replay can compile it for any device;
// the user's own code for one kind of device is stored unchanged.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "driver/decorators/recording/bytes.hpp"
#include "driver/interface/code.hpp"
#include "target/portable.hpp"

namespace quern::recording {

struct RecordedModule {
  std::shared_ptr<const target::PortableProgram> portable;  // null: see `raw`
  driver::Code raw;
};

// Fails with kUnsupported for code that is neither portable, nor IR, nor the user's own.
base::Result<> write(Writer& to, const driver::Code& code);

// Any input is safe to read; an inconsistent program is rejected.
base::Result<RecordedModule> read_program(Reader& from);

}  // namespace quern::recording

// QUERN_STATUS=FILE: a running program keeps there how it stands, for `quern status FILE`: its devices, their
// memory, and the errors that it was told. Written every second, at each error and at the end; whole or not
// at all.
#pragma once

#include <string>

namespace quern::runtime {

class Device;

// Devices tell when they open and close; nothing is kept of them where no status is wanted.
void join_status(const Device& device);
void leave_status(const Device& device);

std::string status_json(bool is_running);
void write_status();  // to the file, where there is one

}  // namespace quern::runtime

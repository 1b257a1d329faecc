// QUERN_STATUS=FILE: a running program writes its status to this file, for `quern status FILE`: its devices,
// their memory, and its errors. Written every second, at each error and at the end; completely or not at all.
#pragma once

#include <string>

namespace quern::runtime {

class Device;

// Called when devices open and close; does nothing if no status is written.
void join_status(const Device& device);
void leave_status(const Device& device);

std::string status_json(bool is_running);
void write_status();  // to the file, if there is one

}  // namespace quern::runtime

// The hybrid logical clock of the process: the time of day if that is ahead, otherwise one more than the last
// stamp.
#pragma once

#include <cstdint>

namespace quern::ring {

std::uint64_t wall_stamp();  // the time of day as a stamp
std::uint64_t next_stamp();
void merge_stamp(std::uint64_t seen);

}  // namespace quern::ring

// Finds and loads the component of the MPI implementation.
#pragma once

#include <string>

#include "comm/mpi/component.hpp"

namespace quern::comm {

// A process has one implementation: later calls return the first component. Throws Error. Thread-safe.
const mpi_component::Component& load_mpi(const std::string& implementation);

}  // namespace quern::comm

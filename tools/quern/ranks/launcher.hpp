// The installed launcher of an MPI implementation.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace quern::tool {

struct Launcher {
  std::string path;
  bool is_openmpi = false;  // else MPICH or a relative of it
};

// `wanted`: "openmpi", "mpich", the path of an mpirun, or empty for the first that is installed.
base::Result<Launcher> find_launcher(const std::string& wanted);

// The command line that starts `ranks` processes of `program` on this machine.
std::vector<std::string> command_line(const Launcher& launcher, unsigned ranks,
                                      const std::vector<std::string>& program);

}  // namespace quern::tool

/// @file
/// The place of a process in a job of several processes.
#pragma once

namespace quern {

/// The place of a process among the processes that mpirun, srun or `quern run-distributed` started.
struct JobRank {
  int rank = 0;        ///< Number of the process, from 0.
  int size = 1;        ///< Number of processes of the job.
  int local_rank = 0;  ///< Number among the processes of this machine, from 0.
  int local_size = 0;  ///< Number of processes on this machine; 0: unknown.
};

}  // namespace quern

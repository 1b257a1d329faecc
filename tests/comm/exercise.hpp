// All operations between the ranks of a communicator, compared with results on the host. Every rank calls
// the same functions.
#pragma once

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "quern/comm.hpp"
#include "quern/quern.hpp"

namespace quern::comm {

void exercise_types(const Communicator& ranks);
void exercise_movement(const Communicator& ranks);
void exercise_pairs(const Communicator& ranks);
void exercise_reductions(const Communicator& ranks);
void exercise_streams(const Communicator& ranks);
void exercise_differences(const Communicator& ranks);

inline void exercise(const Communicator& ranks) {
  SCOPED_TRACE("rank " + std::to_string(ranks.rank()) + " on " + ranks.device().driver());
  exercise_types(ranks);
  exercise_movement(ranks);
  exercise_pairs(ranks);
  exercise_reductions(ranks);
  exercise_streams(ranks);
  exercise_differences(ranks);
}

// The error that `work` throws.
template <typename Work>
Error error_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  Error::Parts parts;
  parts.text = "nothing was thrown";
  return Error(std::move(parts));
}

#define EXPECT_COMM_ERROR(wanted, part, ...)                                                        \
  do {                                                                                              \
    const Error quern_error = error_of([&] { (void)(__VA_ARGS__); });                               \
    EXPECT_EQ(quern_error.kind(), ErrorKind::wanted);                                               \
    EXPECT_NE(std::string(quern_error.what()).find(part), std::string::npos) << quern_error.what(); \
  } while (false)

}  // namespace quern::comm

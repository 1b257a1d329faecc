// Messages of sparse matrices and of small systems of equations.
#pragma once

#include "base/message.hpp"

namespace quern::ops::message {

using base::Message;

inline constexpr Message<5> kBadCsr{
    "ops::{} failed: a CsrMatrix with {} rows has row_offsets of shape {}, column_indices of shape {} and "
    "values "
    "of shape {}",
    "pass rows + 1 offsets, and as many column indices as values, each with one axis"};
inline constexpr Message<3> kBadEll{
    "ops::{} failed: an EllMatrix has column_indices of shape {} and values of shape {}",
    "pass two axes, rows×elements of a row, and make the shapes equal"};
inline constexpr Message<4> kBadSparseProduct{
    "ops::{} failed: a sparse matrix of shape {} cannot be multiplied by {} to {}",
    "pass m×n, n and m for spmv, and m×n, n×k and m×k for spmm"};

// Small systems of equations.
inline constexpr Message<2> kNotSolvable{"ops::{} failed: elements of type {} are not supported here",
                                         "use double or float"};
inline constexpr Message<2> kNotSquare{"ops::{} failed: matrices of shape {} are not square",
                                       "pass n×n, with a leading axis for batches"};
inline constexpr Message<4> kLargeMatrix{"ops::{} failed: {} rows of type {} are too many",
                                         "pass matrices with at most {} rows"};
inline constexpr Message<3> kBadRightSides{
    "ops::{} failed: matrices of shape {} cannot be solved for {}",
    "pass n×n and n×m, both with a leading axis of the same extent for batches"};

}  // namespace quern::ops::message

// Shared by the files of the program: a type and a function for kernels and for the host.
#pragma once

#include <quern/inline.hpp>

QUERN_CODE(
    struct Point { float x, y; };
    __device__ inline float length(Point p) { return sqrtf(p.x * p.x + p.y * p.y); })

float second_sum(const quern::Device& device);

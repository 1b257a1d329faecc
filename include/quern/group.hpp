/// @file
/// Several devices of one process: groups, distributed arrays and algorithms on them. See
/// docs/distributed.md.
///
/// @code
/// const auto group = quern::DeviceGroup::all();
/// quern::Distributed<float> x(group, n), y(group, n);
/// x.scatter(host);
/// group.launch(saxpy, quern::over(n), quern::part::count, 2.0f, x, y);
/// double total = quern::distributed::sum(y);
/// @endcode
#pragma once

#include "quern/comm/algorithms.hpp"
#include "quern/comm/device_group.hpp"
#include "quern/comm/distributed.hpp"
#include "quern/comm/group_launch.hpp"
#include "quern/comm/split.hpp"

// The file to which a session saves its buffers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace quern::runtime {

// Named byte sequences, in a file that is written completely or not at all.
struct Saved {
  std::string name;
  std::vector<std::byte> bytes;
};
base::Result<> save(const std::string& path, const std::vector<Saved>& all);
base::Result<std::vector<Saved>> read_saved(const std::string& path);
/// The same from the file's bytes; `name` is the path for errors.
base::Result<std::vector<Saved>> parse_saved(const std::string& name, std::string_view file);
/// The first line of such a file; a checksum follows (base/sealed.hpp).
inline constexpr std::string_view kSessionMagic = "quern session 1\n";

}  // namespace quern::runtime

#include "telemetry/files.hpp"

#include <algorithm>
#include <memory>

#include <dirent.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "telemetry/messages.hpp"

namespace quern::telemetry {

base::Result<std::string> read_value(const std::string& path) {
  constexpr uint64_t kMostBytes = 1 << 20;
  QUERN_TRY_ASSIGN(const std::string text, base::read_file(path, kMostBytes));
  return std::string(base::trim(text));
}

std::optional<double> number_in(std::string_view text) {
  const size_t begin = text.find_first_of("-0123456789");
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin);
  return base::parse_double(text.substr(0, text.find_first_not_of("-0123456789.")));
}

base::Result<double> read_number(const std::string& path) {
  QUERN_TRY_ASSIGN(const std::string text, read_value(path));
  if (const auto number = number_in(text)) return *number;
  return base::Error(base::ErrorKind::bad_input, message::kNotANumber(path, text.substr(0, 40)));
}

std::vector<std::string> entries(const std::string& folder, std::string_view prefix) {
  std::vector<std::string> out;
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), ::closedir);
  while (opened != nullptr) {
    const dirent* const entry = ::readdir(opened.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name.starts_with(prefix) && name != "." && name != "..") out.emplace_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

void set_from_file(Reading& to, Field field, const std::string& path, double scale) {
  if (to.has(field)) return;
  const auto number = read_number(path);
  if (number.ok()) {
    to.set(field, *number * scale);
  } else {
    to.lack(field, number.error().message());
  }
}

}  // namespace quern::telemetry

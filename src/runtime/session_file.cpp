#include "runtime/session_file.hpp"

#include "base/file.hpp"
#include "base/sealed.hpp"
#include "base/text.hpp"
#include "runtime/messages.hpp"

namespace quern::runtime {

using base::Error;
using base::ErrorKind;
using base::Result;

namespace {

Error damaged(const std::string& path) { return {ErrorKind::bad_input, message::kSessionFile(path)}; }

}  // namespace

// For each entry a line with its size and name, then its bytes.
Result<> save(const std::string& path, const std::vector<Saved>& all) {
  std::string rest;
  for (const Saved& s : all) {
    rest += base::format("%zu %s\n", s.bytes.size(), s.name.c_str());
    rest.append(reinterpret_cast<const char*>(s.bytes.data()), s.bytes.size());
  }
  return base::write_file(path, base::sealed(kSessionMagic, rest));
}

Result<std::vector<Saved>> read_saved(const std::string& path) {
  QUERN_TRY_ASSIGN(const std::string file, base::read_regular_file(path));
  return parse_saved(path, file);
}

Result<std::vector<Saved>> parse_saved(const std::string& path, std::string_view file) {
  const auto contents = base::unsealed(kSessionMagic, file);
  if (!contents) return damaged(path);
  std::string_view rest = *contents;
  std::vector<Saved> all;
  while (!rest.empty()) {
    const size_t line = rest.find('\n');
    const size_t space = rest.find(' ');
    if (line == std::string_view::npos || space > line) return damaged(path);
    const auto size = base::parse_uint(rest.substr(0, space));
    Saved saved{std::string(rest.substr(space + 1, line - space - 1)), {}};
    rest.remove_prefix(line + 1);
    if (!size || *size > rest.size()) return damaged(path);
    const auto* const from = reinterpret_cast<const std::byte*>(rest.data());
    saved.bytes.assign(from, from + *size);
    rest.remove_prefix(*size);
    all.push_back(std::move(saved));
  }
  return all;
}

}  // namespace quern::runtime

#include "base/store_entry.hpp"

#include <algorithm>

#include "base/messages.hpp"
#include "base/sealed.hpp"
#include "base/text.hpp"

namespace quern::base {

namespace {

constexpr std::string_view kMagic = "quern store 1\n";

std::string one_line(std::string_view label) {
  std::string out(label.substr(0, 200));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 32; }, ' ');
  return out;
}

}  // namespace

bool is_store_key(std::string_view key) {
  return !key.empty() && key.size() <= 128 && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string pack_entry(const std::string& key, std::string_view label, std::string_view contents) {
  std::string rest = one_line(label);
  rest += '\n';
  rest += contents;
  return sealed(kMagic, rest, key);
}

std::optional<UnpackedEntry> unpack_entry(const std::string& key, std::string_view file) {
  const auto rest = unsealed(kMagic, file, key);
  const std::size_t line = rest ? rest->find('\n') : std::string_view::npos;
  if (line == std::string_view::npos) return std::nullopt;
  return UnpackedEntry{rest->substr(0, line), rest->substr(line + 1)};
}

Result<std::vector<ArchivedEntry>> parse_archive(const std::string& name, std::string_view rest) {
  const auto damaged = [&] { return Error(ErrorKind::bad_input, message::kNotArchive(name)); };
  std::vector<ArchivedEntry> entries;
  if (!rest.starts_with(kArchiveMagic)) return damaged();
  rest.remove_prefix(kArchiveMagic.size());
  while (!rest.empty()) {
    const std::size_t line = rest.find('\n');
    if (line == std::string_view::npos) return damaged();
    const std::vector<std::string_view> words = split(rest.substr(0, line), ' ');
    const auto size = words.size() == 2 ? parse_uint(words[1]) : std::nullopt;
    rest.remove_prefix(line + 1);
    if (!size || *size > rest.size() || !is_store_key(words[0])) return damaged();
    ArchivedEntry entry{std::string(words[0]), rest.substr(0, *size)};
    if (!unpack_entry(entry.key, entry.file)) return damaged();
    entries.push_back(std::move(entry));
    rest.remove_prefix(*size);
  }
  return entries;
}

}  // namespace quern::base

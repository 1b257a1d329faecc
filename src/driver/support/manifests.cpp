#include "driver/support/manifests.hpp"

#include <algorithm>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace quern::driver {

std::string library_of(const std::string& manifest) {
  const auto text = base::read_file(manifest, 1 << 20);
  if (!text.ok()) return {};
  constexpr std::string_view kKey = "\"library_path\"";
  size_t at = text->find(kKey);
  if (at == std::string::npos) return {};
  at = text->find('"', at + kKey.size());
  if (at == std::string::npos) return {};
  std::string path;
  for (++at; at < text->size() && (*text)[at] != '"'; ++at) {
    if ((*text)[at] == '\\') ++at;
    if (at < text->size()) path += (*text)[at];
  }
  return path.find('/') == std::string::npos ? path : base::join_path(base::path_folder(manifest), path);
}

std::vector<std::string> libraries_of_manifests(std::span<const char* const> variables,
                                                std::span<const char* const> folders,
                                                std::span<const char* const> known) {
  std::vector<std::string> out;
  const auto add = [&](std::string name) {
    if (!name.empty() && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(std::move(name));
  };
  for (const char* const variable : variables) {
    const auto given = base::env_text(variable);
    if (!given) continue;
    for (const std::string_view file : base::split(*given, ':')) add(library_of(std::string(file)));
    return out;
  }
  for (const char* const folder : folders) {
    if (!base::is_folder(folder)) continue;
    for (const std::string& file : base::list_files(folder).value_or(std::vector<std::string>()))
      add(library_of(file));
  }
  for (const char* const name : known) add(name);
  return out;
}

}  // namespace quern::driver

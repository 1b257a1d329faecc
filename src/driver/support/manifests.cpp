#include "driver/support/manifests.hpp"

#include <algorithm>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"

namespace quern::driver {

std::string library_of(const std::string& manifest) {
  const auto text = base::read_file(manifest, 1 << 20);
  if (!text.ok()) return {};
  const std::string_view whole = base::trim(*text);
  if (!whole.starts_with('{')) return std::string(base::trim(whole.substr(0, whole.find('\n'))));
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
  const auto add_all = [&](const std::string& folder) {
    for (const std::string& file : base::list_files(folder).value_or(std::vector<std::string>()))
      add(library_of(file));
  };
  for (const char* const variable : variables) {
    const auto given = base::env_text(variable);
    if (!given) continue;
    for (const std::string_view part : base::split(*given, ':')) {
      const std::string file(part);
      if (base::is_folder(file)) {
        add_all(file);
      } else {
        add(library_of(file));
      }
    }
    return out;
  }
  for (const char* const folder : folders) {
    if (base::is_folder(folder)) add_all(folder);
  }
  for (const char* const name : known) add(name);
  return out;
}

std::string describe_unloadable(std::span<const std::string> libraries) {
  for (const std::string& name : libraries) {
    const std::string_view one[] = {name};
    const auto library = base::SharedLibrary::open(one, "");
    if (!library.ok()) return "; a manifest names a library, and " + library.error().message();
  }
  return {};
}

}  // namespace quern::driver

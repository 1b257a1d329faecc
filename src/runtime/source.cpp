#include "runtime/source.hpp"

#include "base/file.hpp"
#include "target/descriptor.hpp"

namespace quern::runtime {

base::Result<std::string> read_header(const std::string& path) {
  auto text = base::read_regular_file(path, kLargestSource);
  if (text.ok() || (base::file_exists(path) && !base::is_folder(path))) return text;
  return base::Error(base::ErrorKind::not_found, text.error().message());
}

base::Result<Source> read_source(const std::string& path) {
  Source source;
  source.name = path;
  QUERN_TRY_ASSIGN(source.text, base::read_file(path));
  if (const target::Descriptor* const target = target::find_descriptor_of_file(path))
    source.raw = target->kind;
  return source;
}

}  // namespace quern::runtime

#include "runtime/source.hpp"

#include "base/file.hpp"

namespace quern::runtime {

namespace {

struct Extension {
  std::string_view text;
  driver::CodeKind kind;
};
constexpr Extension kExtensions[] = {
    {".ptx", driver::CodeKind::kPtx},    {".cubin", driver::CodeKind::kCubin},
    {".cl", driver::CodeKind::kOpenclC}, {".spv", driver::CodeKind::kSpirv},
    {".comp", driver::CodeKind::kGlsl},  {".glsl", driver::CodeKind::kGlsl},
    {".metal", driver::CodeKind::kMsl},  {".wgsl", driver::CodeKind::kWgsl},
    {".hip", driver::CodeKind::kHipCpp},
};

}  // namespace

std::optional<std::string> read_header(const std::string& path) {
  auto text = base::read_regular_file(path, kLargestSource);
  if (!text.ok()) return std::nullopt;
  return std::move(*text);
}

base::Result<Source> read_source(const std::string& path) {
  Source source;
  source.name = path;
  QUERN_TRY_ASSIGN(source.text, base::read_file(path));
  for (const Extension& e : kExtensions) {
    if (path.ends_with(e.text)) source.raw = e.kind;
  }
  return source;
}

}  // namespace quern::runtime

// Source texts and positions in them. Every file (and every built-in header) that a compilation reads is kept
// here; a SourceLoc is a single number that names a byte in one of them, so that tokens, tree and IR carry it
// for 4 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace quern::lang {

// A byte position in some file of a SourceMap. 0 means "nowhere".
struct SourceLoc {
  uint32_t offset = 0;
  explicit operator bool() const { return offset != 0; }
  bool operator==(const SourceLoc&) const = default;
};

// For messages: file name, 1-based line and column (columns count bytes; a tab is one).
struct FilePos {
  std::string_view file;
  uint32_t line = 0;
  uint32_t column = 0;
};

// Reads a file's text by path. ErrorKind::not_found: there is no such file. Any other error: the file must
// not be read, and the error says why. The embedder may serve files from memory.
using FileReader = std::function<base::Result<std::string>(const std::string& path)>;

// Owns all texts of one compilation. Not thread-safe; one per compilation.
class SourceMap {
 public:
  using FileId = uint32_t;

  // Adds a text; the returned view is valid as long as the map. `builtin` files belong to the library and are
  // never shown as the user's.
  FileId add(std::string name, std::string text, bool builtin = false);

  std::string_view text(FileId file) const;
  std::string_view name(FileId file) const;
  bool is_builtin(FileId file) const;
  SourceLoc start(FileId file) const;                  // location of the file's first byte
  std::optional<FileId> file_of(SourceLoc loc) const;  // absent for unknown locations
  FilePos resolve(SourceLoc loc) const;
  // #line: the line after `directive` has the number `line` in the file `name` (empty: unchanged).
  void mark_line(SourceLoc directive, uint32_t line, std::string_view name);
  // #pragma pack: from `at` on, the file is packed to this number of bytes; 0: not packed.
  void mark_pack(SourceLoc at, uint32_t bytes);
  uint32_t pack_at(SourceLoc loc) const;
  // The location of a line and column in a file, by its name; none if it does not exist.
  SourceLoc locate(std::string_view name, uint32_t line, uint32_t column) const;
  std::string_view line_text(SourceLoc loc) const;  // the whole line around loc, without its newline

  // Keeps a text that is not in any file (a pasted token, a stringised argument) as long as the map. The copy
  // is NUL-terminated.
  std::string_view keep(std::string_view text);

 private:
  static constexpr size_t kBlockSize = 4096;

  struct LineMark {
    uint32_t offset = 0;    // the directive's line ends here
    uint32_t physical = 0;  // number of the line after it
    uint32_t line = 0;      // and its file name
    std::string_view name;
  };
  struct File {
    std::string name;
    std::unique_ptr<std::string> text;
    uint32_t start = 0;
    bool builtin = false;
    std::vector<LineMark> marks;                // by offset
    std::map<uint32_t, uint32_t> packs;         // by offset
    mutable std::vector<uint32_t> line_starts;  // filled on first use
  };
  static const LineMark* mark_before(const File& file, uint32_t offset);

  std::vector<File> files_;
  uint32_t next_ = 1;
  std::vector<std::unique_ptr<char[]>> blocks_;  // texts of keep()
  char* free_ = nullptr;
  size_t free_size_ = 0;
};

}  // namespace quern::lang

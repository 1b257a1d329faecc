#include "lang/text/source.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace quern::lang {

namespace {

std::vector<uint32_t> find_line_starts(std::string_view text) {
  std::vector<uint32_t> starts{0};
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  for (const char* p = begin; p != end;) {
    const void* newline = std::memchr(p, '\n', static_cast<size_t>(end - p));
    if (newline == nullptr) break;
    p = static_cast<const char*>(newline) + 1;
    starts.push_back(static_cast<uint32_t>(p - begin));
  }
  return starts;
}

}  // namespace

SourceMap::FileId SourceMap::add(std::string name, std::string text, bool builtin) {
  // Positions are 32 bits wide over all files together; text beyond that is cut off.
  const size_t room = std::numeric_limits<uint32_t>::max() - next_ - 1;
  if (text.size() > room) text.resize(room);
  File file;
  file.name = std::move(name);
  file.text = std::make_unique<std::string>(std::move(text));
  file.start = next_;
  file.builtin = builtin;
  next_ += static_cast<uint32_t>(file.text->size()) + 1;  // the end of a file has its own position
  files_.push_back(std::move(file));
  return static_cast<FileId>(files_.size() - 1);
}

std::string_view SourceMap::text(FileId file) const { return *files_[file].text; }
std::string_view SourceMap::name(FileId file) const { return files_[file].name; }
bool SourceMap::is_builtin(FileId file) const { return files_[file].builtin; }
SourceLoc SourceMap::start(FileId file) const { return {files_[file].start}; }

std::optional<SourceMap::FileId> SourceMap::file_of(SourceLoc loc) const {
  if (!loc || loc.offset >= next_) return std::nullopt;
  auto after = std::upper_bound(files_.begin(), files_.end(), loc.offset,
                                [](uint32_t offset, const File& file) { return offset < file.start; });
  return static_cast<FileId>(after - files_.begin() - 1);
}

FilePos SourceMap::resolve(SourceLoc loc) const {
  const std::optional<FileId> id = file_of(loc);
  if (!id) return {};
  const File& file = files_[*id];
  if (file.line_starts.empty()) file.line_starts = find_line_starts(*file.text);
  const uint32_t offset = loc.offset - file.start;
  auto after = std::upper_bound(file.line_starts.begin(), file.line_starts.end(), offset);
  const auto line = static_cast<uint32_t>(after - file.line_starts.begin());
  const uint32_t column = offset - *(after - 1) + 1;
  const LineMark* mark = mark_before(file, offset);
  return mark == nullptr ? FilePos{file.name, line, column}
                         : FilePos{mark->name, mark->line + (line - mark->physical), column};
}

const SourceMap::LineMark* SourceMap::mark_before(const File& file, uint32_t offset) {
  auto after = std::upper_bound(file.marks.begin(), file.marks.end(), offset,
                                [](uint32_t at, const LineMark& mark) { return at <= mark.offset; });
  return after == file.marks.begin() ? nullptr : &*(after - 1);
}

void SourceMap::mark_pack(SourceLoc at, uint32_t bytes) {
  if (const std::optional<FileId> id = file_of(at)) files_[*id].packs[at.offset] = bytes;
}

uint32_t SourceMap::pack_at(SourceLoc loc) const {
  const std::optional<FileId> id = file_of(loc);
  if (!id) return 0;
  const std::map<uint32_t, uint32_t>& packs = files_[*id].packs;
  const auto behind = packs.upper_bound(loc.offset);
  return behind == packs.begin() ? 0 : std::prev(behind)->second;
}

void SourceMap::mark_line(SourceLoc directive, uint32_t line, std::string_view name) {
  const std::optional<FileId> id = file_of(directive);
  if (!id) return;
  File& file = files_[*id];
  const size_t end = file.text->find('\n', directive.offset - file.start);
  if (end == std::string::npos) return;
  LineMark mark;
  mark.offset = static_cast<uint32_t>(end);
  if (!file.marks.empty() && file.marks.back().offset >= mark.offset) return;  // the file is included again
  if (file.line_starts.empty()) file.line_starts = find_line_starts(*file.text);
  auto after = std::upper_bound(file.line_starts.begin(), file.line_starts.end(), mark.offset);
  mark.physical = static_cast<uint32_t>(after - file.line_starts.begin()) + 1;
  mark.line = line;
  mark.name = !name.empty()        ? keep(name)
              : file.marks.empty() ? keep(file.name)  // files are reallocated when more are added
                                   : file.marks.back().name;
  file.marks.push_back(mark);
}

std::string_view SourceMap::line_text(SourceLoc loc) const {
  const std::optional<FileId> id = file_of(loc);
  if (!id) return {};
  const std::string_view all = *files_[*id].text;
  const size_t offset = loc.offset - files_[*id].start;
  const size_t newline = offset == 0 ? std::string_view::npos : all.rfind('\n', offset - 1);
  const size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  std::string_view line = all.substr(begin, std::min(all.find('\n', offset), all.size()) - begin);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::string_view SourceMap::keep(std::string_view text) {
  const size_t need = text.size() + 1;
  char* place = nullptr;
  if (need > kBlockSize / 4) {  // a separate block, so that the open one is not wasted
    blocks_.push_back(std::make_unique<char[]>(need));
    place = blocks_.back().get();
  } else {
    if (need > free_size_) {
      blocks_.push_back(std::make_unique<char[]>(kBlockSize));
      free_ = blocks_.back().get();
      free_size_ = kBlockSize;
    }
    place = free_;
    free_ += need;
    free_size_ -= need;
  }
  std::memcpy(place, text.data(), text.size());
  place[text.size()] = '\0';
  return {place, text.size()};
}

SourceLoc SourceMap::locate(std::string_view name, uint32_t line, uint32_t column) const {
  for (const File& file : files_) {
    if (file.name != name) continue;
    const std::string_view whole = text(static_cast<FileId>(&file - files_.data()));
    size_t at = 0;
    for (uint32_t i = 1; i < line; ++i) {
      const size_t newline = whole.find('\n', at);
      if (newline == std::string_view::npos) return {};
      at = newline + 1;
    }
    return SourceLoc{file.start + static_cast<uint32_t>(at) + column - 1};
  }
  return {};
}

}  // namespace quern::lang

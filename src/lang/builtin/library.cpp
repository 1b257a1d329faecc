// The index is built in a single pass that relies on the layout of library/*.cuh (verified by a test): a
// declaration starts in the first column, its further lines are indented or start with '}', comments between
// declarations start with "//", and namespaces open with "namespace a::b {" and close with "}  // namespace
// a::b". So bodies are never parsed.
#include "lang/builtin/library.hpp"

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace quern::lang {
namespace {

constexpr std::string_view kNamespace = "namespace ";
constexpr std::string_view kNamespaceEnd = "}  // ";

// Namespaces that are aliases of library namespaces.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {{"cuda::std", "std"}};

constexpr auto kNameChars = [] {
  std::array<bool, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<size_t>(c)] = true;
  for (int c = '0'; c <= '9'; ++c) table[static_cast<size_t>(c)] = true;
  table['_'] = true;
  return table;
}();

bool is_name_char(char c) { return kNameChars[static_cast<unsigned char>(c)]; }

std::string_view resolve_alias(std::string_view space) {
  for (const auto& [alias, real] : kAliases) {
    if (space == alias) return real;
  }
  return space;
}

// Reads the head of a declaration up to the name it declares.
class HeadReader {
 public:
  HeadReader(const char* at, const char* end) : at_(at), end_(end) {}

  // Functions end at '(', variables at '=' or ';', types at '{', ':' or ';', aliases at '='.
  std::string_view read_name() {
    std::string_view name;
    pass("__device__ ");  // most declarations begin with these
    pass("constexpr ");
    while (at_ < end_) {
      char c = *at_;
      if (is_name_char(c)) {
        std::string_view word = read_word();
        if (word == "operator") return operator_name(word.data());
        if (word == "__align__" || word == "decltype") {
          skip_balanced('(', ')');
          continue;
        }
        if (word == "enum") is_enum_ = true;
        if (word == "class" || word == "struct") is_scoped_ = true;
        name = word;
      } else if (c == '<') {
        skip_balanced('<', '>');
      } else if (c == ':' && at_[1] == ':') {
        at_ += 2;
      } else if (c == '(' || c == '=' || c == ';' || c == '{' || c == ':' || c == '[') {
        return name;
      } else {
        ++at_;
      }
    }
    return name;
  }

  // After read_name: whether the enumerators are names of the surrounding scope.
  bool is_plain_enum() const { return is_enum_ && !is_scoped_; }

  // After read_name: each enumerator in turn; empty if there are no more.
  std::string_view next_enumerator() {
    while (at_ < end_ && *at_ != '{' && *at_ != ',' && *at_ != '}') ++at_;
    if (at_ == end_ || *at_ == '}') return {};
    do ++at_;
    while (at_ < end_ && !is_name_char(*at_) && *at_ != '}');
    return read_word();
  }

  const char* position() const { return at_; }

 private:
  void pass(std::string_view prefix) {
    if (std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(prefix)) at_ += prefix.size();
  }

  std::string_view read_word() {
    const char* start = at_;
    while (at_ < end_ && is_name_char(*at_)) ++at_;
    return {start, static_cast<size_t>(at_ - start)};
  }

  std::string_view operator_name(const char* start) {
    while (at_ < end_ && *at_ != '(') ++at_;
    return {start, static_cast<size_t>(at_ - start)};
  }

  void skip_balanced(char open, char close) {
    int depth = 0;
    for (; at_ < end_; ++at_) {
      if (*at_ == open) ++depth;
      if (*at_ == close && --depth == 0) break;
      if (*at_ == '(' && open != '(') {
        skip_balanced('(', ')');
        --at_;
      }
    }
    if (at_ < end_) ++at_;
  }

  const char* at_;
  const char* end_;
  bool is_enum_ = false;
  bool is_scoped_ = false;
};

// The end of the declaration whose head has been read up to `at`: after its last line, without the newline.
const char* declaration_end(const char* at, const char* end) {
  const char* last = nullptr;
  while (at < end) {
    const void* newline = std::memchr(at, '\n', static_cast<size_t>(end - at));
    last = newline != nullptr ? static_cast<const char*>(newline) : end;
    at = last;
    while (at < end && *at == '\n') ++at;
    if (at == end) break;
    if (*at == '}' && std::string_view(at, static_cast<size_t>(end - at)).starts_with(kNamespaceEnd)) break;
    if (*at != ' ' && *at != '}') break;
  }
  return last != nullptr ? last : end;
}

class Index {
 public:
  Index() {
    slots_.resize(kFirstSlots);
    names_.reserve(kFirstSlots / 2);
    entries_.reserve(kFirstSlots);
    spaces_.emplace_back();
    std::span<const LibraryFile> files = library_files();
    for (uint32_t i = 0; i < files.size(); ++i) scan(i, files[i].text);
    group();
  }

  std::span<const LibraryDecl> find(std::string_view qualified_name) const {
    uint32_t space = 0;
    std::string_view name = qualified_name;
    if (size_t colons = qualified_name.rfind("::"); colons != std::string_view::npos) {
      space = find_space(resolve_alias(qualified_name.substr(0, colons)));
      if (space == kNone) return {};
      name = qualified_name.substr(colons + 2);
    }
    uint32_t index = slots_[find_slot(space, name, hash_of(space, name))];
    if (index == 0) return {};
    const Name& found = names_[index - 1];
    return std::span(decls_).subspan(found.first, found.count);
  }

  std::span<const LibraryDecl> all() const { return decls_; }

  bool has_space(std::string_view qualified_name) const {
    return !qualified_name.empty() && find_space(resolve_alias(qualified_name)) != kNone;
  }

  std::vector<std::string> qualified_names() const {
    std::vector<std::string> result;
    result.reserve(names_.size());
    for (const Name& name : names_) {
      if (name.text.starts_with("operator") || name.text.starts_with("__lib_")) continue;
      const std::string& space = spaces_[name.space];
      result.push_back(space.empty() ? std::string(name.text) : space + "::" + std::string(name.text));
    }
    return result;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr size_t kFirstSlots =
      16384;  // a power of two; the library has about a quarter as many names

  struct Name {
    std::string_view text;
    uint32_t space = 0;  // index into spaces_
    uint32_t hash = 0;
    uint32_t first = 0;  // in decls_
    uint32_t count = 0;
  };
  struct Entry {
    uint32_t name = 0;
    LibraryDecl decl;
  };

  static uint32_t hash_of(uint32_t space, std::string_view name) {
    uint32_t hash = 2166136261u ^ space;
    for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return hash ^ (hash >> 15);
  }

  uint32_t find_space(std::string_view qualified_name) const {
    for (uint32_t i = 0; i < spaces_.size(); ++i) {
      if (spaces_[i] == qualified_name) return i;
    }
    return kNone;
  }

  // The namespace and its enclosing namespaces.
  uint32_t enter_space(std::string_view qualified_name) {
    for (size_t colons = qualified_name.find("::"); colons != std::string_view::npos;
         colons = qualified_name.find("::", colons + 2)) {
      enter_space(qualified_name.substr(0, colons));
    }
    uint32_t space = find_space(qualified_name);
    if (space == kNone) {
      space = static_cast<uint32_t>(spaces_.size());
      spaces_.emplace_back(qualified_name);
    }
    return space;
  }

  // The slot that holds the name, or the free slot for it.
  size_t find_slot(uint32_t space, std::string_view name, uint32_t hash) const {
    size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot] != 0) {
      const Name& there = names_[slots_[slot] - 1];
      if (there.hash == hash && there.space == space && there.text == name) break;
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
  }

  // The index of the name in names_.
  uint32_t intern(uint32_t space, std::string_view name) {
    // Overloads are adjacent, so most names equal the previous one.
    if (last_ < names_.size() && names_[last_].space == space && names_[last_].text == name) return last_;
    uint32_t hash = hash_of(space, name);
    size_t slot = find_slot(space, name, hash);
    if (slots_[slot] == 0) {
      names_.push_back({name, space, hash, 0, 0});
      slots_[slot] = static_cast<uint32_t>(names_.size());
      last_ = static_cast<uint32_t>(names_.size() - 1);
      if (names_.size() * 2 > slots_.size()) grow();
    } else {
      last_ = slots_[slot] - 1;
    }
    return last_;
  }

  void add(uint32_t space, std::string_view name, const LibraryDecl& decl) {
    uint32_t index = intern(space, name);
    ++names_[index].count;
    entries_.push_back({index, decl});
  }

  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (size_t i = 0; i < names_.size(); ++i) {
      slots_[find_slot(names_[i].space, names_[i].text, names_[i].hash)] = static_cast<uint32_t>(i + 1);
    }
  }

  void scan(uint32_t file, std::string_view text) {
    const char* begin = text.data();
    const char* end = begin + text.size();
    uint32_t space = 0;
    for (const char* at = begin; at < end;) {
      std::string_view rest(at, static_cast<size_t>(end - at));
      if (*at == '\n') {
        ++at;
      } else if (*at == '/' || *at == '}') {
        if (*at == '}') space = 0;  // namespaces are not nested in the texts
        size_t line = rest.find('\n');
        at = line == std::string_view::npos ? end : at + line;
      } else if (rest.starts_with(kNamespace)) {
        size_t brace = rest.find(" {\n");
        if (brace == std::string_view::npos) return;
        space = enter_space(rest.substr(kNamespace.size(), brace - kNamespace.size()));
        at += brace + 2;
      } else {
        at = scan_declaration(file, space, begin, at, end);
      }
    }
  }

  const char* scan_declaration(uint32_t file, uint32_t space, const char* begin, const char* at,
                               const char* end) {
    HeadReader head(at, end);
    std::string_view name = head.read_name();
    const char* stop = declaration_end(head.position(), end);
    LibraryDecl decl{file, static_cast<uint32_t>(at - begin), static_cast<uint32_t>(stop - begin)};
    add(space, name, decl);
    if (head.is_plain_enum()) {
      for (std::string_view e = head.next_enumerator(); !e.empty(); e = head.next_enumerator())
        add(space, e, decl);
    }
    return stop;
  }

  // Groups the declarations by name, in the order of the texts.
  void group() {
    uint32_t first = 0;
    for (Name& name : names_) {
      name.first = first;
      first += name.count;
      name.count = 0;
    }
    decls_.resize(entries_.size());
    for (const Entry& entry : entries_) {
      Name& name = names_[entry.name];
      decls_[name.first + name.count++] = entry.decl;
    }
    entries_ = {};
  }

  std::vector<std::string> spaces_;  // qualified names; [0] is the global one
  std::vector<Name> names_;
  std::vector<uint32_t> slots_;  // index into names_ plus one; 0: free
  std::vector<LibraryDecl> decls_;
  std::vector<Entry> entries_;  // until group()
  uint32_t last_ = 0;           // the last result of intern()
};

const Index& index() {
  static const Index instance;
  return instance;
}

}  // namespace

std::span<const LibraryDecl> find_library_decls(std::string_view qualified_name) {
  return index().find(qualified_name);
}

std::span<const LibraryDecl> library_decls() { return index().all(); }

bool is_library_namespace(std::string_view qualified_name) { return index().has_space(qualified_name); }

std::span<const std::string_view> library_names() {
  static const std::vector<std::string> storage = index().qualified_names();
  static const std::vector<std::string_view> views(storage.begin(), storage.end());
  return views;
}

}  // namespace quern::lang

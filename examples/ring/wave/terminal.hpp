// A terminal in raw mode, which is restored on destruction.
#pragma once

#include <string>

namespace wave {

enum class Key : char { kNone, kUp, kDown, kLeft, kRight, kOther };

class Terminal {
 public:
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  static bool is_here();  // input and output are a terminal
  // The next key, if one was pressed; `character` is set for Key::kOther.
  Key read(char& character) const;
  void draw(const std::string& text) const;  // from the top left corner
  int columns() const { return columns_; }
  int rows() const { return rows_; }
  bool was_interrupted() const;  // by Ctrl-C

 private:
  int columns_ = 80, rows_ = 24;
};

}  // namespace wave

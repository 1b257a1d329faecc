// Line splices: a backslash at the end of a line joins it with the next. White space between the two is
// forgiven.
#pragma once

#include "lang/text/char_class.hpp"

namespace quern::lang {

// The position after all splices at p; p itself if there are none.
inline const char* skip_splices(const char* p, const char* end) {
  while (p < end && *p == '\\') {
    const char* q = p + 1;
    while (q < end && *q != '\0' && is_char(*q, kCharBlank)) ++q;
    if (q >= end || *q != '\n') break;
    p = q + 1;
  }
  return p;
}

// Whether the newline at `newline` belongs to a splice, and so does not end its line.
inline bool is_spliced_newline(const char* newline, const char* begin) {
  const char* q = newline;
  while (q != begin && q[-1] != '\0' && is_char(q[-1], kCharBlank)) --q;
  return q != begin && q[-1] == '\\';
}

}  // namespace quern::lang

#include "base/npy.hpp"

#include <array>
#include <bit>
#include <cctype>
#include <optional>
#include <utility>

#include "base/file.hpp"
#include "base/messages.hpp"
#include "base/text.hpp"

namespace quern::base {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are taken as they lie in the file");

constexpr std::string_view kMagic = "\x93NUMPY";

struct TypeRow {
  std::string_view code;  // as in the header, without the byte order
  std::string_view name;
  std::size_t size;
};

constexpr std::array<TypeRow, 14> kTypes = {{{"b1", "bool", 1},
                                             {"i1", "int8", 1},
                                             {"i2", "int16", 2},
                                             {"i4", "int32", 4},
                                             {"i8", "int64", 8},
                                             {"u1", "uint8", 1},
                                             {"u2", "uint16", 2},
                                             {"u4", "uint32", 4},
                                             {"u8", "uint64", 8},
                                             {"f2", "float16", 2},
                                             {"f4", "float32", 4},
                                             {"f8", "float64", 8},
                                             {"c8", "complex64", 8},
                                             {"c16", "complex128", 16}}};

const TypeRow& row_of(NpyType type) { return kTypes[static_cast<std::size_t>(type)]; }

Error bad_file(MessageText message) { return {ErrorKind::bad_input, std::move(message)}; }

// The size in bytes of an array of this shape, or nothing if it overflows.
std::optional<std::size_t> byte_count(NpyType type, std::span<const std::size_t> shape) {
  std::size_t bytes = row_of(type).size;
  for (const std::size_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return bytes;
}

// Parses the header, a Python dictionary with three known keys.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  struct Header {
    std::string_view type;
    bool fortran_order = false;
    std::vector<std::size_t> shape;
  };

  Result<Header> read() {
    Header header;
    unsigned seen = 0;
    if (!take('{')) return malformed();
    while (!take('}')) {
      const std::optional<std::string_view> key = take_string();
      if (!key || !take(':')) return malformed();
      if (*key == "descr") {
        const std::optional<std::string_view> type = take_string();
        if (!type) return bad_file(message::kStructuredType());
        header.type = *type;
        seen |= 1;
      } else if (*key == "fortran_order") {
        if (!take_bool(header.fortran_order)) return malformed();
        seen |= 2;
      } else if (*key == "shape") {
        if (!take_shape(header.shape)) return malformed();
        seen |= 4;
      } else {
        return bad_file(message::kUnknownKey(*key));
      }
      if (!take(',') && peek() != '}') return malformed();
    }
    if (seen != 7) return bad_file(message::kMissingKey());
    return header;
  }

 private:
  static Error malformed() { return bad_file(message::kMalformedHeader()); }

  char peek() {
    while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_.front()))) text_.remove_prefix(1);
    return text_.empty() ? '\0' : text_.front();
  }

  bool take(char wanted) {
    if (peek() != wanted || text_.empty()) return false;
    text_.remove_prefix(1);
    return true;
  }

  bool take_word(std::string_view word) {
    peek();
    if (text_.substr(0, word.size()) != word) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  std::optional<std::string_view> take_string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return std::nullopt;
    const std::size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view content = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return content;
  }

  bool take_bool(bool& value) {
    value = take_word("True");
    return value || take_word("False");
  }

  bool take_shape(std::vector<std::size_t>& shape) {
    if (!take('(')) return false;
    while (!take(')')) {
      peek();
      const std::size_t digits = text_.find_first_not_of("0123456789");
      const std::optional<std::uint64_t> extent = parse_uint(text_.substr(0, digits));
      if (!extent || digits == std::string_view::npos) return false;
      text_.remove_prefix(digits);
      shape.push_back(*extent);
      if (!take(',') && peek() != ')') return false;
    }
    return true;
  }

  std::string_view text_;
};

Result<NpyType> find_type(std::string_view code) {
  if (code.empty()) return bad_file(message::kNoElementType());
  const std::string_view without_order = code.substr(1);
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].code != without_order) continue;
    if (code.front() == '>' && kTypes[i].size > 1) {
      return Error(ErrorKind::unsupported, message::kBigEndian(without_order));
    }
    return static_cast<NpyType>(i);
  }
  return Error(ErrorKind::unsupported, message::kElementType(code));
}

// Splits the file into its header text and its data.
Result<std::pair<std::string_view, std::string_view>> split_header(std::string_view file) {
  if (file.substr(0, kMagic.size()) != kMagic) return bad_file(message::kNoMagic());
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(file[i]));
  };
  constexpr std::size_t kVersionAt = 6;
  constexpr std::size_t kLengthAt = 8;
  if (file.size() < kLengthAt + 2) return bad_file(message::kTruncatedHeader());
  const std::size_t version = byte(kVersionAt);
  if (version < 1 || version > 3) {
    return Error(ErrorKind::unsupported, message::kNpyVersion(std::to_string(version)));
  }
  const std::size_t length_size = version == 1 ? 2 : 4;
  if (file.size() < kLengthAt + length_size) return bad_file(message::kTruncatedHeader());
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_size; ++i) length |= byte(kLengthAt + i) << (8 * i);
  const std::size_t data_at = kLengthAt + length_size;
  if (file.size() - data_at < length) return bad_file(message::kTruncatedHeader());
  return std::pair(file.substr(data_at, length), file.substr(data_at + length));
}

}  // namespace

std::string_view to_string(NpyType type) { return row_of(type).name; }

std::size_t npy_size(NpyType type) { return row_of(type).size; }

std::size_t NpyArray::count() const {
  std::size_t product = 1;
  for (const std::size_t extent : shape) product *= extent;
  return product;
}

Result<NpyArray> parse_npy(std::string_view file) {
  QUERN_TRY_ASSIGN(const auto parts, split_header(file));
  QUERN_TRY_ASSIGN(HeaderReader::Header header, HeaderReader(parts.first).read());
  NpyArray array;
  QUERN_TRY_ASSIGN(array.type, find_type(header.type));
  if (header.fortran_order && header.shape.size() > 1) {
    return Error(ErrorKind::unsupported, message::kFortranOrder());
  }
  const std::optional<std::size_t> bytes = byte_count(array.type, header.shape);
  if (!bytes) return bad_file(message::kShapeTooLarge());
  if (parts.second.size() != *bytes) {
    return bad_file(message::kArrayTruncated(std::to_string(*bytes), std::to_string(parts.second.size())));
  }
  array.shape = std::move(header.shape);
  array.data = parts.second;
  return array;
}

Result<std::string> format_npy(NpyType type, std::span<const std::size_t> shape,
                               std::span<const std::byte> data) {
  const std::optional<std::size_t> bytes = byte_count(type, shape);
  if (!bytes || *bytes != data.size()) {
    return Error(ErrorKind::invalid_use, message::kArraySize(std::to_string(data.size())));
  }
  std::string dictionary = "{'descr': '";
  dictionary += row_of(type).size == 1 ? '|' : '<';
  dictionary += row_of(type).code;
  dictionary += "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    dictionary += std::to_string(shape[i]);
    if (i + 1 < shape.size()) dictionary += ", ";
  }
  dictionary += shape.size() == 1 ? ",), }" : "), }";

  // The data starts at a multiple of 64, as NumPy requires, after a final newline.
  constexpr std::size_t kPreamble = 10;
  constexpr std::size_t kLargestHeader = 0xffff;
  dictionary.append(63 - (kPreamble + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  if (dictionary.size() > kLargestHeader) return Error(ErrorKind::invalid_use, message::kTooManyDimensions());

  std::string file(kMagic);
  file += std::string_view("\x01\x00", 2);
  file += static_cast<char>(dictionary.size() & 0xff);
  file += static_cast<char>(dictionary.size() >> 8);
  file += dictionary;
  file.append(reinterpret_cast<const char*>(data.data()), data.size());
  return file;
}

Result<NpyArray> read_npy(const std::string& path) {
  QUERN_TRY_ASSIGN(const std::string file, read_file(path));
  return parse_npy(file).while_doing("reading the array '" + path + "'");
}

Result<void> write_npy(const std::string& path, NpyType type, std::span<const std::size_t> shape,
                       std::span<const std::byte> data) {
  QUERN_TRY_ASSIGN(const std::string file, format_npy(type, shape, data));
  return write_file(path, file);
}

}  // namespace quern::base

#include "base/npy.hpp"

#include <array>
#include <cstring>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/messages.hpp"
#include "base/temporary_folder.hpp"

namespace quern::base {
namespace {

using Shape = std::vector<std::size_t>;

std::string npy(const std::string& dictionary, const std::string& data, char version = 1) {
  std::string file = "\x93NUMPY";
  file += version;
  file += '\0';
  const std::string header = dictionary + "\n";
  file += static_cast<char>(header.size());
  file.append(version == 1 ? 1 : 3, '\0');
  return file + header + data;
}

// The output of NumPy 1.26 for numpy.array([[1, 2, 3], [4, 5, 6]], dtype='<i4').
TEST(Npy, WritesWhatNumpyWrites) {
  const std::array<std::int32_t, 6> values = {1, 2, 3, 4, 5, 6};
  const Shape shape = {2, 3};
  const std::string file = format_npy(NpyType::kInt32, shape, std::as_bytes(std::span(values))).value();
  std::string expected = "\x93NUMPY";
  expected += std::string_view("\x01\x00\x76\x00", 4);
  expected += "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }";
  expected.append(128 - 1 - expected.size(), ' ');
  expected += '\n';
  expected.append(reinterpret_cast<const char*>(values.data()), sizeof values);
  EXPECT_EQ(file, expected);
}

TEST(Npy, EveryTypeAndRankReadsBack) {
  for (int number = 0; number <= static_cast<int>(NpyType::kComplex128); ++number) {
    const auto type = static_cast<NpyType>(number);
    for (const Shape& shape : {Shape{}, Shape{5}, Shape{2, 3}, Shape{0, 7}, Shape{2, 1, 3}}) {
      NpyArray array{type, shape, {}};
      array.data.assign(array.count() * npy_size(type), 'q');
      const auto bytes = std::as_bytes(std::span(array.data));
      const NpyArray read = parse_npy(format_npy(type, shape, bytes).value()).value();
      EXPECT_EQ(read.type, type) << to_string(type);
      EXPECT_EQ(read.shape, shape);
      EXPECT_EQ(read.data, array.data);
    }
  }
}

TEST(Npy, ReadsTheOtherVersionsAndSpellings) {
  EXPECT_EQ(parse_npy(npy("{'shape':(2,),\"descr\":'|u1','fortran_order':True}", "ab", 3)).value().data,
            "ab");
  EXPECT_EQ(parse_npy(npy("{'descr': '<f4', 'fortran_order': False, 'shape': ( 1 , 1 ) , }", "abcd", 2))
                .value()
                .shape,
            (Shape{1, 1}));
}

TEST(Npy, RefusesWithAReason) {
  const auto reason = [](const std::string& file) {
    const Result<NpyArray> result = parse_npy(file);
    return result.ok() ? std::string("accepted") : result.error().message();
  };
  EXPECT_EQ(reason("hello"), "it does not start with the .npy magic");
  EXPECT_EQ(reason("\x93NUMPY\x01"), "the file is truncated in its header");
  EXPECT_EQ(reason(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "abcd")),
            "the shape needs 8 bytes of data, but the file has 4");
  EXPECT_EQ(reason(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "abcd")),
            message::kBigEndian("f4").text);
  EXPECT_EQ(reason(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }", "abcd")),
            message::kFortranOrder().text);
  EXPECT_EQ(reason(npy("{'descr': '<U3', 'fortran_order': False, 'shape': (1,), }", "abcd")),
            "the element type '<U3' is not one of bool, int8 to int64, uint8 to uint64, float16 to float64, "
            "complex64 "
            "and complex128");
  EXPECT_EQ(reason(npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }", "abcd")),
            message::kStructuredType().text);
  EXPECT_EQ(reason(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "")),
            "the shape is too large to be addressed");
  EXPECT_EQ(reason(npy("{'descr': '<f4', 'shape': (1,), }", "abcd")),
            "the header lacks one of 'descr', 'fortran_order' and 'shape'");
  EXPECT_EQ(reason(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "")),
            "the header is malformed");
  EXPECT_EQ(reason(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1", "")),
            "the header is malformed");
  EXPECT_EQ(reason(npy("{'descr': '<f4', 'extra': 1}", "")), "the header has the unknown key 'extra'");
  EXPECT_EQ(reason(npy("{}", "", 9)), message::kNpyVersion("9").text);
}

TEST(Npy, EveryTruncationIsRefused) {
  const std::array<float, 3> values = {1, 2, 3};
  const Shape shape = {3};
  const std::string file = format_npy(NpyType::kFloat32, shape, std::as_bytes(std::span(values))).value();
  for (std::size_t length = 0; length < file.size(); ++length) {
    EXPECT_FALSE(parse_npy(std::string_view(file).substr(0, length)).ok()) << length;
  }
}

TEST(Npy, FilesNameTheirPathInErrors) {
  const TemporaryFolder folder;
  const std::array<double, 2> values = {0.5, -1};
  const Shape shape = {2};
  ASSERT_TRUE(write_npy(folder / "a.npy", NpyType::kFloat64, shape, std::as_bytes(std::span(values))).ok());
  const NpyArray read = read_npy(folder / "a.npy").value();
  EXPECT_EQ(std::memcmp(read.data.data(), values.data(), sizeof values), 0);

  ASSERT_TRUE(write_file(folder / "b.npy", "no").ok());
  const Result<NpyArray> bad = read_npy(folder / "b.npy");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().context().at(0), "reading the array '" + (folder / "b.npy") + "'");
  EXPECT_FALSE(write_npy(folder / "c.npy", NpyType::kInt8, shape, std::as_bytes(std::span(values))).ok());
}

}  // namespace
}  // namespace quern::base

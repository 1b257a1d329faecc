#include "ops/checks.hpp"

#include "ops/failure.hpp"
#include "ops/messages_nn.hpp"
#include "quern/interop.hpp"

namespace quern::ops {

namespace {

constexpr std::uint64_t kPieceBytes = 16;

// Own memory is aligned; memory of other libraries need not be.
bool is_address_aligned(const Device& device, const detail::View& view) {
  if (view.bytes.offset % kPieceBytes != 0) return false;
  if (!device.info().has(Feature::addresses)) return true;
  try {
    return interop::detail::address_of(view.bytes) % kPieceBytes == 0;
  } catch (const Error&) {  // the memory of a session has no fixed address, and is Quern's own
    return true;
  }
}

}  // namespace

bool is_real_type(Element element) { return element <= Element::bf16; }

bool is_index(Element element) {
  return element == Element::i32 || element == Element::u32 || element == Element::i64 ||
         element == Element::u64;
}

Element real_accumulator(Element element) { return element == Element::f64 ? Element::f64 : Element::f32; }

void check_real(const char* operation, const detail::View& view) {
  if (!is_real_type(view.element))
    fail(ErrorKind::unsupported, message::kNotReal(operation, std::string(name_of(view.element))));
}

void check_writable(const char* operation, const detail::View& out) {
  if (out.is_read_only) fail(ErrorKind::invalid_use, message::kReadOnly(operation));
}

void check_result(const char* operation, const detail::View& in, const detail::View& out) {
  check_writable(operation, out);
  check_same_type(operation, in, out);
  if (in.layout.shape != out.layout.shape)
    fail(ErrorKind::invalid_use,
         message::kShapesDiffer(operation, in.layout.shape.to_string(), out.layout.shape.to_string()));
}

void check_element(const char* operation, const char* name, const detail::View& view, Element wanted) {
  if (view.element != wanted)
    fail(ErrorKind::invalid_use, message::kWrongElement(operation, name, std::string(name_of(view.element)),
                                                        std::string(name_of(wanted))));
}

void check_indices(const char* operation, const char* name, const detail::View& view) {
  if (!is_index(view.element))
    fail(ErrorKind::invalid_use, message::kWrongElement(operation, name, std::string(name_of(view.element)),
                                                        "int32_t, uint32_t, int64_t or uint64_t"));
}

void check_shape(const char* operation, const char* name, const detail::View& view, const Shape& wanted) {
  if (view.layout.shape != wanted)
    fail(ErrorKind::invalid_use,
         message::kWrongShape(operation, name, view.layout.shape.to_string(), wanted.to_string()));
}

std::int64_t elements_of_piece(Element element) {
  return static_cast<std::int64_t>(kPieceBytes / bytes_of(element));
}

bool is_aligned(const Device& device, const detail::View& view) {
  return view.layout.first % elements_of_piece(view.element) == 0 && is_address_aligned(device, view);
}

bool has_pieces(const Device& device, const detail::View& view) {
  const std::int64_t piece = elements_of_piece(view.element);
  const Shape& shape = view.layout.shape;
  if (shape.rank() == 0 || shape[shape.rank() - 1] % piece != 0) return false;
  if (view.layout.strides[shape.rank() - 1] != 1) return false;
  for (std::size_t axis = 0; axis + 1 < shape.rank(); ++axis) {
    if (shape[axis] != 1 && view.layout.strides[axis] % piece != 0) return false;
  }
  return is_aligned(device, view);
}

}  // namespace quern::ops

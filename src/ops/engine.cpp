#include "ops/engine.hpp"

#include <array>
#include <complex>

#include "ops/checks.hpp"
#include "ops/failure.hpp"
#include "quern/extension.hpp"

namespace quern::ops {

namespace {

constexpr char kKey = 0;  // its address identifies the data of this library

std::string text_of_files(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) {
    for (const LibraryFile& file : library_files()) {
      if (file.name == std::string(name) + ".cuh") text.append(file.text);
    }
  }
  return text;
}

}  // namespace

FunctionText text_of(Combine combine) {
  static constexpr std::array<const char*, 4> kTypes = {"quern_ops::Sum", "quern_ops::Product",
                                                        "quern_ops::Min", "quern_ops::Max"};
  return {kTypes[static_cast<std::size_t>(combine)], {}};
}

FunctionText text_of(const Function& function) {
  return {"QuernFunction",
          function.code() + "\n" + functor_text("QuernFunction", function.lambda(), "function")};
}

std::string functor_text(const std::string& name, const std::string& lambda, const std::string& file) {
  return "struct " + name +
         " {\n  template <class... A>\n  __device__ auto operator()(A... a) const {\n    return (\n#line 1 "
         "\"" +
         file + "\"\n" + lambda + "\n#line 1 \"operation\"\n)(a...);\n  }\n};\n";
}

std::string_view name_of(Element element) {
  static constexpr std::array<std::string_view, 16> kNames = {"double",
                                                              "float",
                                                              "__half",
                                                              "__nv_bfloat16",
                                                              "long long",
                                                              "int",
                                                              "short",
                                                              "signed char",
                                                              "unsigned long long",
                                                              "unsigned",
                                                              "unsigned short",
                                                              "unsigned char",
                                                              "std::complex<float>",
                                                              "std::complex<double>",
                                                              "__nv_fp8_e4m3",
                                                              "__nv_fp8_e5m2"};
  return kNames[static_cast<std::size_t>(element)];
}

std::size_t bytes_of(Element element) {
  switch (element) {
    case Element::c128: return 16;
    case Element::c64:
    case Element::f64:
    case Element::i64:
    case Element::u64: return 8;
    case Element::f32:
    case Element::i32:
    case Element::u32: return 4;
    case Element::f16:
    case Element::bf16:
    case Element::i16:
    case Element::u16: return 2;
    case Element::i8:
    case Element::u8:
    case Element::e4m3:
    case Element::e5m2: break;
  }
  return 1;
}

Element unsigned_of(Element element) {
  switch (bytes_of(element)) {
    case 8: return Element::u64;
    case 4: return Element::u32;
    case 2: return Element::u16;
    default: return Element::u8;
  }
}

Line line_of(const detail::Layout& layout) { return {layout.first, layout.strides[0]}; }

bool is_complex(Element element) { return element == Element::c64 || element == Element::c128; }
bool is_float8(Element element) { return element == Element::e4m3 || element == Element::e5m2; }

void check_not_complex(const char* operation, const detail::View& view) {
  if (is_complex(view.element) || is_float8(view.element))
    fail(ErrorKind::unsupported, message::kNoComplex(operation, std::string(name_of(view.element))));
}

void check_same_type(const char* operation, const detail::View& in, const detail::View& out) {
  if (in.element != out.element)
    fail(ErrorKind::invalid_use, message::kTypesDiffer(operation, std::string(name_of(in.element)),
                                                       std::string(name_of(out.element))));
}

namespace {

Element at_least_32_bits(Element element) {
  switch (element) {
    case Element::f16:
    case Element::bf16: return Element::f32;
    case Element::i16:
    case Element::i8: return Element::i32;
    case Element::u16:
    case Element::u8: return Element::u32;
    default: return element;
  }
}

}  // namespace

Element accumulator_of(Combine combine, Element in, Element out) {
  const Element a = at_least_32_bits(in), b = at_least_32_bits(out);
  if (combine == Combine::min || combine == Combine::max) return a;
  if (is_real_type(a) != is_real_type(b)) return is_real_type(a) ? a : b;
  return bytes_of(b) > bytes_of(a) ? b : a;
}

namespace {

template <typename T>
Argument typed_argument(const detail::View& view, std::int64_t first) {
  const Slice<T> all = Slice<T>(view.bytes).slice(static_cast<std::size_t>(first));
  if (view.is_read_only) return Argument(Slice<const T>(all));
  return Argument(all);
}

}  // namespace

Argument argument_of(const detail::View& view, std::int64_t first) {
  switch (view.element) {
    case Element::f64: return typed_argument<double>(view, first);
    case Element::f32: return typed_argument<float>(view, first);
    case Element::f16: return typed_argument<half>(view, first);
    case Element::bf16: return typed_argument<bfloat16>(view, first);
    case Element::i64: return typed_argument<std::int64_t>(view, first);
    case Element::i32: return typed_argument<std::int32_t>(view, first);
    case Element::i16: return typed_argument<std::int16_t>(view, first);
    case Element::i8: return typed_argument<std::int8_t>(view, first);
    case Element::u64: return typed_argument<std::uint64_t>(view, first);
    case Element::u32: return typed_argument<std::uint32_t>(view, first);
    case Element::u16: return typed_argument<std::uint16_t>(view, first);
    case Element::c64: return typed_argument<std::complex<float>>(view, first);
    case Element::c128: return typed_argument<std::complex<double>>(view, first);
    case Element::e4m3: return typed_argument<float8_e4m3>(view, first);
    case Element::e5m2: return typed_argument<float8_e5m2>(view, first);
    case Element::u8: break;
  }
  return typed_argument<std::uint8_t>(view, first);
}

detail::View Workspace::view(Element element, std::int64_t count) const {
  detail::View view;
  view.bytes = memory_.bytes();
  view.element = element;
  view.layout = detail::Layout::contiguous({count});
  return view;
}

Argument Workspace::elements(Element element) const { return argument_of(view(element, 0)); }

std::string index_text(std::size_t axes, std::size_t tensors) {
  return "quern_ops::Index<" + std::to_string(axes) + ", " + std::to_string(tensors) + ">";
}

IndexBytes::IndexBytes(const Iteration& iteration, std::span<const std::int64_t> first) {
  words_.reserve((iteration.extents.size() + 1) * (iteration.strides.size() + 1) + first.size());
  const auto add = [&](const std::vector<std::int64_t>& axes) {
    words_.insert(words_.end(), axes.begin(), axes.end());
    if (axes.empty()) words_.push_back(0);  // as in Index
  };
  add(iteration.extents);
  for (const auto& strides : iteration.strides) add(strides);
  words_.insert(words_.end(), first.begin(), first.end());
}

std::shared_ptr<Engine> Engine::of(const Device& device) {
  return std::static_pointer_cast<Engine>(
      extension::device_data(device, &kKey, [] { return std::make_shared<Engine>(); }));
}

Kernel Engine::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = kernels_.find(key);
  return found == kernels_.end() ? Kernel() : found->second;
}

Kernel Engine::kernel(const Device& device, std::initializer_list<std::string_view> files,
                      const std::string& code, const std::string& name) {
  std::string key;
  key.reserve(code.size() + name.size() + 64);
  for (const std::string_view file : files) key.append(file).push_back(' ');
  key.append(name).append("\n").append(code);
  if (Kernel known = find(key)) return known;
  return compile(device, key, {files, code, name});
}

Kernel Engine::compile(const Device& device, const std::string& key, const KernelSource& source) {
  std::string text = text_of_files(source.files) + source.code;
  const std::lock_guard lock(mutex_);
  auto module = modules_.find(text);
  if (module == modules_.end()) {
    ModuleOptions options;
    options.name = "operation";
    options.math = Math::fused;
    module = modules_.emplace(text, device.compile(text, options)).first;
  }
  return kernels_[key] = module->second.kernel(source.name);
}

}  // namespace quern::ops

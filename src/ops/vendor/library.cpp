#include "ops/vendor/library.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstdlib>

#include "ops/checks.hpp"
#include "ops/engine.hpp"
#include "ops/failure.hpp"
#include "ops/messages_vendor.hpp"
#include "quern/process.hpp"

namespace quern::ops::vendor {

namespace {

struct Entry {
  std::string_view name, driver, operation;
  std::vector<std::string_view> files;  // newest first
  const char* hint;
  bool (*takes)(Element element);
};

bool is_float_or_double(Element element) { return element == Element::f32 || element == Element::f64; }
bool is_product_type(Element element) {
  return is_real_type(element) || element == Element::i8 || is_float8(element);
}
bool is_none(Element) { return false; }

// In the order of Name, without `none`.
const std::array<Entry, 6>& entries() {
  static const std::array<Entry, 6> kEntries = {
      Entry{"cublas",
            "cuda",
            "matmul",
            {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"},
            message::kInstallCublas,
            is_product_type},
      Entry{"cufft",
            "cuda",
            "fft",
            {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10"},
            message::kInstallCufft,
            is_complex},
      Entry{"rocblas",
            "hip",
            "matmul",
            {"librocblas.so.5", "librocblas.so.4"},
            message::kInstallRocblas,
            is_real_type},
      Entry{"openblas", "cpu", "matmul", {"libopenblas.so.0"}, message::kInstallOpenblas, is_float_or_double},
      Entry{"blis", "cpu", "matmul", {"libblis.so.4"}, message::kInstallBlis, is_float_or_double},
      Entry{"cublaslt",
            "cuda",
            "matmul",
            {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"},
            message::kInstallCublas,
            is_none},
  };
  return kEntries;
}

const Entry& entry_of(Name library) { return entries()[static_cast<std::size_t>(library) - 1]; }

// "on", "off", or a folder.
std::string setting() { return extension::environment("QUERN_VENDOR_LIBRARIES").value_or("on"); }

bool is_word(const std::string& text, std::initializer_list<std::string_view> words) {
  std::string folded = text;
  for (char& c : folded) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::find(words.begin(), words.end(), folded) != words.end();
}

bool is_off(const std::string& text) { return is_word(text, {"off", "0", "no", "false"}); }

std::atomic<bool> exiting{false};

}  // namespace

std::string_view to_string(Name library) {
  return library == Name::kNone ? std::string_view() : entry_of(library).name;
}

std::vector<Name> candidates(std::string_view driver, std::string_view operation, Element element,
                             bool is_tf32) {
  std::vector<Name> out;
  for (std::size_t i = 0; i < entries().size(); ++i) {
    const Entry& e = entries()[i];
    const auto name = static_cast<Name>(i + 1);
    if (e.driver == driver && e.operation == operation && takes(name, element, is_tf32)) out.push_back(name);
  }
  if (!out.empty() && is_off(setting())) out.clear();
  return out;
}

bool takes(Name library, Element element, bool is_tf32) {
  return entry_of(library).takes(element) && (!is_tf32 || library == Name::kCublas);
}

bool exist_for(std::string_view driver, std::string_view operation) {
  return std::any_of(entries().begin(), entries().end(),
                     [&](const Entry& e) { return e.driver == driver && e.operation == operation; });
}

Variant variant_of(Name library) { return {{std::string(to_string(library)), 1}}; }

Name library_of(const Variant& variant) {
  if (variant.parameters().size() != 1) return Name::kNone;
  const std::string& name = variant.parameters()[0].first;
  for (std::size_t i = 0; i < entries().size(); ++i) {
    if (entries()[i].name == name) return static_cast<Name>(i + 1);
  }
  return Name::kNone;
}

extension::Library load(Name library) {
  const std::string where = setting();
  if (is_off(where)) fail(ErrorKind::unsupported, message::kLibrariesAreOff());
  const std::string folder = is_word(where, {"on", "1", "yes", "true"}) ? std::string() : where + "/";
  const Entry& entry = entry_of(library);
  std::vector<std::string> names;
  for (const std::string_view file : entry.files) names.push_back(folder + std::string(file));
  return extension::Library::open(names, entry.hint);
}

void check(std::string_view title, const char* function, int status) {
  if (status != 0)
    fail(ErrorKind::unsupported, message::kLibraryCallFailed(title, function, std::to_string(status)));
}

void note_initialized() {
  (void)std::atexit([] { exiting.store(true); });
}

bool is_exiting() { return exiting.load(); }

}  // namespace quern::ops::vendor

#include "telemetry/native_library.hpp"

#include <cstring>
#include <optional>
#include <string>

#include "base/environment.hpp"
#include "base/shared_library.hpp"

namespace quern::telemetry {

base::Result<> load_library(const char* variable, std::span<const std::string_view> names,
                            std::string_view hint, std::span<const Symbol> symbols) {
  const std::optional<std::string> chosen = base::env_text(variable);
  const std::string_view only[] = {chosen ? std::string_view(*chosen) : std::string_view()};
  const std::string advice =
      chosen ? std::string("set ") + variable + " to the library, or unset it" : std::string(hint);
  QUERN_TRY_ASSIGN(
      const base::SharedLibrary library,
      base::SharedLibrary::open(chosen ? std::span<const std::string_view>(only) : names, advice));
  for (const Symbol& symbol : symbols) {
    void (*function)() = nullptr;
    if (auto found = library.load(symbol.name, function); !found.ok() && symbol.is_required) return found;
    std::memcpy(symbol.pointer, &function, sizeof(function));
  }
  return {};
}

}  // namespace quern::telemetry

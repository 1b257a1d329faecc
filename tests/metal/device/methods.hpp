// The methods of the objects, by selector.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "metal/device/objects.hpp"

namespace quern::test_metal {

class Methods {
 public:
  // A method takes the object, the selector and the arguments of the message.
  template <typename Result, typename Self, typename... Arguments>
  void add(Kind kind, const char* selector, Result (*method)(Self*, void*, Arguments...)) {
    all_[{kind, selector}] = reinterpret_cast<Method>(method);
  }
  Method find(Kind kind, const std::string& selector) const {
    const auto found = all_.find({kind, selector});
    return found != all_.end() ? found->second : nullptr;
  }

 private:
  std::map<std::pair<Kind, std::string>, Method> all_;
};

void add_command_methods(Methods& methods);
void add_device_methods(Methods& methods);
void add_archive_methods(Methods& methods);

// An NSError for the caller; it owns nothing.
void give_error(Object** to, const char* domain, int64_t code, std::string text);
Object* pipeline_of(const Function& function);

}  // namespace quern::test_metal

// Finds Vulkan: the system's loader first; then the drivers (ICDs), by their manifests and by known names.
#include "base/environment.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"
#include "driver/support/manifests.hpp"
#include "driver/vulkan/api/api.hpp"
#include "driver/vulkan/messages.hpp"

namespace quern::vulkan {

using base::Error;
using base::ErrorKind;

namespace {

constexpr const char* kLayer = "VK_LAYER_KHRONOS_validation";

uint32_t on_message(uint32_t, uint32_t, const MessageData* data, void* user) {
  static_cast<Messages*>(user)->add(data->text != nullptr ? data->text : "(message without text)");
  return 0;
}

Error has_no_layer() { return Error(ErrorKind::not_found, message::kNoLayer(kLayer)); }

Error lacks(const std::string& library, const std::string& function) {
  return Error(ErrorKind::not_found, message::kNoFunction(library, function));
}

Result<std::shared_ptr<InstanceApi>> create_instance(GetInstanceProcAddr find, const std::string& library,
                                                     bool validate) {
  auto api = std::make_shared<InstanceApi>();
  api->library = library;
  api->version = version(1, 0);
  if (const auto ask = reinterpret_cast<int32_t (*)(uint32_t*)>(find(nullptr, "vkEnumerateInstanceVersion")))
    (void)ask(&api->version);
  if (api->version < version(1, 1)) return Error(ErrorKind::unsupported, message::kOldLibrary(library));
  ApplicationInfo application;
  application.engine = "quern";
  application.api_version = version(1, 3);
  MessengerCreateInfo messenger;
  messenger.callback = on_message;
  messenger.user = &api->messages;
  constexpr const char* kMessages = "VK_EXT_debug_utils";
  InstanceCreateInfo info;
  info.application = &application;
  info.next = validate ? &messenger : nullptr;
  info.layer_count = info.extension_count = validate ? 1 : 0;
  info.layers = &kLayer;
  info.extensions = &kMessages;
  const auto create = reinterpret_cast<int32_t (*)(const InstanceCreateInfo*, const void*, Instance*)>(
      find(nullptr, "vkCreateInstance"));
  if (create == nullptr) return lacks(library, "vkCreateInstance");
  const int32_t code = create(&info, nullptr, &api->instance);
  watch_exit();
  if (code == kLayerNotPresent) return has_no_layer();
  if (code < 0) return failed("vkCreateInstance", code).add_hint(std::string(message::kInstall));
  if (const char* const missing = api->load(find, api->instance)) return lacks(library, missing);
  if (validate) {
    QUERN_VK(*api, vkCreateDebugUtilsMessengerEXT(api->instance, &messenger, nullptr, &api->messenger));
    api->is_validated = true;
  }
  return api;
}

// A loader, or a driver opened without one. A driver's handles work only with functions queried from the
// driver, as here.
Result<std::shared_ptr<InstanceApi>> open_library(std::span<const std::string_view> names, bool validate) {
  QUERN_TRY_ASSIGN(const base::SharedLibrary library, base::SharedLibrary::open(names, message::kInstall));
  VoidFunction (*find)(Instance, const char*) = nullptr;
  if (library.load("vk_icdGetInstanceProcAddr", find).ok()) {
    if (validate) return has_no_layer();  // layers need a loader
    int32_t (*negotiate)(uint32_t*) = nullptr;
    uint32_t interface_version = 5;  // the first with Vulkan 1.1 and later
    if (library.load("vk_icdNegotiateLoaderICDInterfaceVersion", negotiate).ok() &&
        negotiate(&interface_version) < 0)
      return Error(ErrorKind::unsupported, message::kNeedsLoader(library.name()));
  } else {
    QUERN_TRY(library.load("vkGetInstanceProcAddr", find));
  }
  return create_instance(find, library.name(), validate);
}

// NVIDIA's libGLX_nvidia.so.0 needs a display; the driver's other library does not.
constexpr const char* kKnownDrivers[] = {"libEGL_nvidia.so.0", "libvulkan_radeon.so", "libvulkan_intel.so",
                                         "libvulkan_lvp.so", "amdvlk64.so"};

std::vector<std::string> drivers(std::span<const char* const> known) {
  constexpr const char* kVariables[] = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"};
  constexpr const char* kFolders[] = {"/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d",
                                      "/usr/share/vulkan/icd.d"};
  return driver::libraries_of_manifests(kVariables, kFolders, known);
}

bool has_devices(const Result<std::shared_ptr<InstanceApi>>& api) {
  if (!api.ok()) return false;
  const auto devices = (*api)->devices();
  return devices.ok() && !devices->empty();
}

}  // namespace

Result<std::shared_ptr<InstanceApi>> adopt_instance(Instance instance) {
  const std::optional<std::string> requested = base::env_text("QUERN_VULKAN");
  std::vector<std::string_view> names = {"libvulkan.so.1", "libvulkan.so"};
  if (requested) names = {*requested};
  QUERN_TRY_ASSIGN(const base::SharedLibrary library, base::SharedLibrary::open(names, message::kInstall));
  VoidFunction (*find)(Instance, const char*) = nullptr;
  if (!library.load("vkGetInstanceProcAddr", find).ok())
    QUERN_TRY(library.load("vk_icdGetInstanceProcAddr", find));
  auto api = std::make_shared<InstanceApi>();
  api->library = library.name();
  api->version = version(1, 1);
  api->instance = instance;
  api->is_foreign = true;
  if (const char* const missing = api->load(find, instance)) return lacks(library.name(), missing);
  return api;
}

Result<std::vector<std::shared_ptr<InstanceApi>>> find_instances() {
  QUERN_TRY_ASSIGN(const bool validate, base::env_flag("QUERN_VALIDATE", false));
  std::vector<std::shared_ptr<InstanceApi>> found;
  const std::optional<std::string> requested = base::env_text("QUERN_VULKAN");
  std::vector<std::string_view> names = {"libvulkan.so.1", "libvulkan.so"};
  if (requested) names = {*requested};
  auto loader = open_library(names, validate);
  if (has_devices(loader)) {
    found.push_back(std::move(*loader));
    return found;
  }
  if ((validate || requested) && !loader.ok()) return std::move(loader).error();
  for (const std::string& name : requested ? std::vector<std::string>() : drivers(kKnownDrivers)) {
    const std::string_view one[] = {name};
    auto api = open_library(one, false);
    if (has_devices(api)) found.push_back(std::move(*api));
  }
  if (!found.empty()) return found;
  const std::string unloadable = driver::describe_unloadable(drivers({}));
  if (!loader.ok() && unloadable.empty()) return std::move(loader).error();
  if (loader.ok()) return Error(ErrorKind::not_found, message::kNoDevice((*loader)->library, unloadable));
  return Error(ErrorKind::not_found, loader.error().message() + unloadable)
      .add_hint(std::string(message::kInstall));
}

}  // namespace quern::vulkan

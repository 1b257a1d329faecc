// What the rest of the code needs to know about a kind of code. Each target defines its descriptor in its own
// folder; descriptor.cpp lists them. The comment in target.hpp explains the calling conventions.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "driver/interface/code.hpp"
#include "driver/interface/info.hpp"
#include "lang/ir/ir.hpp"

namespace quern::target {

struct Options;

/// How code refers to the memory that a pointer parameter points to.
enum class PointerForm : uint8_t {
  kAddress,           // pointers are addresses
  kAddressIfPresent,  // addresses on devices with Feature::addresses, otherwise offsets into bound buffers
  kBoundBuffer,       // the code has no pointers: each pointer parameter is a bound buffer
};

/// A number of at least 1, such as "3.1".
bool is_version_number(std::string_view text);
/// "sm_" and a number.
bool is_nvidia_architecture(std::string_view text);

/// An independent compiler that checks emitted code. The tests and `quern_validate` run it.
struct Validator {
  std::string_view tool = {};     // the program or library; empty: there is none
  std::string_view options = {};  // its options, or the environment or architecture that it checks for
};

struct Descriptor {
  driver::CodeKind kind;

  /// Translates the kernels of a module; null: this kind cannot be written, only loaded.
  base::Result<> (*emit)(const ir::Module& module, const Options& options, driver::Code& code) = nullptr;
  /// Suffixes of files with native code of this kind; unused ones are empty.
  std::string_view suffixes[2] = {};

  // Calling convention and language.
  PointerForm pointers = PointerForm::kAddress;
  bool has_printf = false;        // otherwise printf and assert write to a report that the host reads
  bool has_shuffles = false;      // otherwise only on devices whose native features include Feature::warps
  bool has_grid_barrier = false;  // otherwise kernels are split at grid barriers (split_grids.hpp)
  bool is_nvidia = false;         // versions are architectures ("sm_90") with matrix units and mbarrier
  bool has_atomics64 = true;      // for devices with Feature::atomics64

  /// Whether the matrices of a kernel, with matrix_form resolved as kOpaque, can be opaque objects of the
  /// device; null: never.
  bool (*can_be_objects)(const ir::Module& module, ir::Function& kernel, const Options& options) = nullptr;
  /// Options::matrices of the devices that the language is usually for; null: those of the NVIDIA
  /// architecture, or none.
  std::vector<ir::Matrix> (*usual_matrices)() = nullptr;

  /// Features that the language lacks and our library computes with integers, much slower than hardware;
  /// devices have them (add_software_features).
  driver::FeatureSet software = {};
  /// Options::native of the devices that the language is usually for.
  driver::FeatureSet usual_native = {};
  /// Whether the text is a version of the language or an architecture; null: there is only one.
  bool (*is_version)(std::string_view text) = nullptr;
  Validator validator = {};
};

/// All descriptors, in the order in which the tool lists the targets.
std::span<const Descriptor* const> descriptors();

/// The descriptor of a kind; null if there is none.
const Descriptor* find_descriptor(driver::CodeKind kind);

/// The features of a device that our library computes: those of the kind of code that it prefers.
driver::FeatureSet software_features(const driver::DeviceInfo& device);

/// Adds these features to the device, and a line about them to its details. Drivers call it after they have
/// set DeviceInfo::code.
void add_software_features(driver::DeviceInfo& device);

/// The descriptor of the kind with that name ("spirv"); null if there is none.
const Descriptor* find_descriptor_by_name(std::string_view name);

/// The kind of native code in a file of that name; null if no suffix matches.
const Descriptor* find_descriptor_of_file(std::string_view path);

}  // namespace quern::target

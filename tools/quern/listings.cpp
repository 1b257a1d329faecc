#include "listings.hpp"

#include "messages.hpp"

#ifdef QUERN_DRIVER_CPU
#include "device_run.hpp"
#include "driver/cpu/listing.hpp"
#endif

namespace quern::tool {

#ifdef QUERN_DRIVER_CPU

namespace {

base::Result<cpu::ListingOptions> read_options(const Arguments& arguments) {
  cpu::ListingOptions options;
  options.processor = cpu::host_processor();
  options.has_comments = !arguments.has("--no-positions");
  if (const auto name = arguments.value("--cpu")) {
    QUERN_TRY_ASSIGN(options.processor, cpu::processor_with(*name));
  }
  if (const auto text = arguments.value("--block")) {
    QUERN_TRY_ASSIGN(options.block, parse_dim("--block", *text));
  }
  return options;
}

}  // namespace

base::Result<std::string> cpu_listings(const ir::Module& module, driver::Math math,
                                       const Arguments& arguments) {
  QUERN_TRY_ASSIGN(cpu::ListingOptions options, read_options(arguments));
  options.is_fused = math != driver::Math::exact;
  options.is_fast = math == driver::Math::fast;
  const bool is_assembly = arguments.value("--target") == "cpu";
  std::string text;
  for (const ir::Function* f : module.functions) {
    if (!f->is_kernel) continue;
    QUERN_TRY_ASSIGN(const std::string listed, is_assembly ? cpu::assembly_listing(module, *f, options)
                                                           : cpu::llvm_listing(module, *f, options));
    text += (is_assembly ? "// kernel " : "; kernel ") + f->name + "\n" + listed + "\n";
  }
  return text;
}

#else

base::Result<std::string> cpu_listings(const ir::Module&, driver::Math, const Arguments&) {
  return base::Error(base::ErrorKind::unsupported, message::kNoCpuDriver());
}

#endif

}  // namespace quern::tool

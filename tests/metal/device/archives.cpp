// Binary archives: files with the identities of the functions that are compiled in them.
#include "base/file.hpp"
#include "base/text.hpp"
#include "metal/device/methods.hpp"

namespace quern::test_metal {

namespace {

constexpr std::string_view kHead = "Metal test archive\n";
constexpr const char* kDomain = "MTLBinaryArchiveDomain";

std::atomic<int> pipelines_from_files = 0;

Object* file_url(Object*, void*, String* path) {
  return fails("fileURLWithPath:") ? nullptr : autorelease(new Url(path->text));
}

Object* array_with_object(Object*, void*, Object* object) {
  auto* const array = new Array;
  array->items.emplace_back(object);
  return autorelease(array);
}

Object* new_archive_options(Object*, void*) { return fails("new") ? nullptr : new ArchiveOptions; }
Object* new_pipeline_options(Object*, void*) { return fails("new") ? nullptr : new PipelineOptions; }
void set_url(ArchiveOptions* self, void*, Url* url) { self->url = Own<Url>(url); }
void set_function(PipelineOptions* self, void*, Function* function) {
  self->function = Own<Function>(function);
}
void set_archives(PipelineOptions* self, void*, Array* archives) { self->archives = Own<Array>(archives); }

Object* new_archive(Device*, void*, ArchiveOptions* options, Object** error) {
  const Url* const url = options->url.get();
  if (fails("newBinaryArchiveWithDescriptor:error:") || (url != nullptr && is_odd("stale"))) {
    give_error(error, kDomain, 1, "The archive was made by another version");
    return nullptr;
  }
  auto* const archive = new Archive;
  if (url == nullptr) return archive;
  const auto contents = base::read_file(url->path);
  if (contents.ok() && contents->starts_with(kHead)) {
    const std::string_view functions = std::string_view(*contents).substr(kHead.size());
    for (const std::string_view line : base::split_lines(functions)) archive->functions.emplace(line);
    return archive;
  }
  give_error(error, kDomain, 1, "The file is no archive");
  release(archive);
  return nullptr;
}

signed char add_functions(Archive* self, void*, PipelineOptions* options, Object** error) {
  if (options->function.get() == nullptr) broken_rule("a pipeline without a function is added to an archive");
  if (fails("addComputePipelineFunctionsWithDescriptor:error:")) {
    give_error(error, kDomain, 3, "Compilation failed");
    return 0;
  }
  const std::lock_guard lock(self->mutex);
  self->functions.insert(options->function->identity);
  return 1;
}

signed char serialize(Archive* self, void*, Url* url, Object** error) {
  std::string contents(kHead);
  const std::lock_guard lock(self->mutex);
  for (const std::string& f : self->functions) contents += f + "\n";
  if (!fails("serializeToURL:error:") && base::write_file(url->path, contents).ok()) return 1;
  give_error(error, kDomain, 2, "The file cannot be written");
  return 0;
}

Object* new_described_pipeline(Device*, void*, PipelineOptions* options, uint64_t how, Object** reflection,
                               Object** error) {
  if (reflection != nullptr) broken_rule("reflection is not supported");
  if (fails("newComputePipelineStateWithDescriptor:options:reflection:error:")) {
    give_error(error, "AGXMetal", 3, "Compiler encountered XPC_ERROR_CONNECTION_INTERRUPTED");
    return nullptr;
  }
  bool is_found = false;
  for (uint64_t i = 0; options->archives.get() != nullptr && i < options->archives->items.size(); ++i) {
    auto* const archive = static_cast<Archive*>(options->archives->items[i].get());
    const std::lock_guard lock(archive->mutex);
    is_found = is_found || archive->functions.contains(options->function->identity);
  }
  const bool must_be_found = (how & metal::kFailOnArchiveMiss) != 0;
  if (!is_found && must_be_found) {
    give_error(error, "AGXMetal", 4, "The archives do not contain the function");
    return nullptr;
  }
  if (must_be_found) ++pipelines_from_files;
  return pipeline_of(*options->function.get());
}

}  // namespace

void add_archive_methods(Methods& m) {
  m.add(Kind::kUrlClass, "fileURLWithPath:", file_url);
  m.add(Kind::kArrayClass, "arrayWithObject:", array_with_object);
  m.add(Kind::kArchiveOptionsClass, "new", new_archive_options);
  m.add(Kind::kArchiveOptions, "setUrl:", set_url);
  m.add(Kind::kPipelineOptionsClass, "new", new_pipeline_options);
  m.add(Kind::kPipelineOptions, "setComputeFunction:", set_function);
  m.add(Kind::kPipelineOptions, "setBinaryArchives:", set_archives);
  m.add(Kind::kDevice, "newBinaryArchiveWithDescriptor:error:", new_archive);
  m.add(Kind::kDevice,
        "newComputePipelineStateWithDescriptor:options:reflection:error:", new_described_pipeline);
  m.add(Kind::kArchive, "addComputePipelineFunctionsWithDescriptor:error:", add_functions);
  m.add(Kind::kArchive, "serializeToURL:error:", serialize);
}

}  // namespace quern::test_metal

// Pipelines that were found in the archives of earlier processes.
extern "C" [[gnu::visibility("default")]] int quern_metal_pipelines_from_files() {
  return quern::test_metal::pipelines_from_files;
}

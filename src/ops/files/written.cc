#include "ops/files/written.h"

#include "core/text.h"
#include "syntax/spec.h"

namespace weir {

namespace {

// Names are random, so even one collision is unlikely.
constexpr int kAttempts = 8;

}  // namespace

Status check_writable(const Spec& spec) {
  if (!spec.has_dataset()) return {};
  return invalid_argument(expected_found("elements that can be written",
                                         concat(spec.to_string(), ", with a dataset"),
                                         "drain it first, as batch or flat_map do"));
}

Status check_folder_name(std::string_view folder) {
  if (!folder.empty()) return {};
  return invalid_argument(expected_found("the name of a folder", R"("")"));
}

Result<std::optional<WrittenManifest>> find_written(Runtime& runtime, const std::string& folder) {
  auto manifest = read_manifest(*runtime.files, folder);
  if (manifest.ok()) return std::optional(*std::move(manifest));
  if (manifest.status().code() == Code::not_found) return std::optional<WrittenManifest>();
  return manifest.status();
}

Result<Spec> spec_of_written(const WrittenManifest& manifest, const std::string& folder) {
  auto spec = syntax::read_spec(manifest.spec);
  if (spec.ok() && !spec->has_dataset()) return spec;
  return file_error(
      Code::data_loss,
      expected_found("the structure of elements", quote(manifest.spec), "write the elements again"),
      manifest_name(folder));
}

Status check_same(const WrittenManifest& manifest, const Written& here) {
  const auto refuse = [&](std::string_view what) {
    return file_error(Code::failed_precondition,
                      {concat("another pipeline wrote the elements in ", quote(here.folder), ": ", what),
                       "remove the folder or name another"},
                      manifest_name(here.folder));
  };
  if (manifest.spec != here.spec.to_string())
    return refuse(concat("their structure is ", manifest.spec, ", here it is ", here.spec.to_string()));
  if (!(manifest.pipeline == here.pipeline)) return refuse(difference(here.pipeline, manifest.pipeline));
  return {};
}

Result<std::unique_ptr<WrittenReader>> open_written(Session& session, const std::string& folder,
                                                    const Spec& spec, WrittenManifest manifest) {
  const std::string run = manifest.run;
  auto reader = WrittenReader::open(session.files(), folder, std::move(manifest), spec.components());
  if (reader.ok() || reader.status().code() != Code::not_found) return reader;
  WEIR_ASSIGN(const std::optional<WrittenManifest> now, find_written(session.runtime, folder));
  const bool replaced = !now || now->run != run;
  const std::string& file = reader.status().error().file;
  return replaced
             ? file_error(
                   Code::failed_precondition,
                   {concat("the elements in ", quote(folder), " were replaced before they could be read"),
                    "build the dataset again"},
                   file)
             : file_error(Code::data_loss,
                          {concat("a file of the elements in ", quote(folder), " is missing"),
                           "restore it, or remove the folder and write it again"},
                          file);
}

Result<std::unique_ptr<WrittenWriter>> begin_written(Runtime& runtime, const Written& here) {
  WrittenManifest manifest;
  RandomSource& random = *runtime.random;
  // Never that of files that are there. Where every name is there, creating one says what is wrong.
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const uint64_t high = random.draw();
    manifest.run = run_name(high, random.draw());
    WEIR_ASSIGN(const bool taken, runtime.files->exists(manifest.shard_name(here.folder, 0)));
    if (!taken) break;
  }
  manifest.spec = here.spec.to_string();
  manifest.compression = here.compression;
  manifest.pipeline = here.pipeline;
  manifest.shards.resize(static_cast<size_t>(here.shards));
  return WrittenWriter::begin(*runtime.files, here.folder, std::move(manifest), here.spec.components());
}

}  // namespace weir

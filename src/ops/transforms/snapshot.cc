// snapshot(path, compression): the elements of the input, which a first pass writes to a folder and later
// ones read. Checkpoint: that of the reader or writer, see ops/files/file_cache.h.
#include "dataset/compose.h"
#include "ops/files/blocking_lane.h"
#include "ops/files/file_cache.h"
#include "ops/files/written.h"

namespace weir::snapshot_op {
namespace {

struct Params : ParamsOf<Params> {
  StringParam path;
  StringParam compression{std::string("auto")};
  void fields(Fields& f) override {
    f("path", path, "The folder with the written elements.", {}, {.any_position = true});
    f("compression", compression, kSnapshotCompressionDoc, {}, {.any_position = true});
  }
};

struct Snapshot {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(DatasetRef built, expansion(opening, params));
    return open_file_cache(opening, std::move(built));
  }
};

Result<DatasetRef> expand(const ParamsBase& base, std::span<const DatasetRef> inputs, const BuildSite& site) {
  const auto& params = static_cast<const Params&>(base);
  return build_file_cache(inputs[0], {*params.path, *params.compression}, site);
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  WEIR_TRY(check_writable(inputs[0]->spec()));
  if (params.compression.is_constant()) WEIR_TRY(parse_compression(*params.compression).status());
  if (params.path.is_constant()) WEIR_TRY(check_folder_name(*params.path));
  return inputs[0]->spec();
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Snapshot>({
      .name = "snapshot",
      .page =
          {.doc =
               "Saves the elements to a folder in the first full pass, and reads them from there in later ones. A pass that reaches the end publishes its elements in the folder `path`; later passes, in this process or another, read them without opening the input. Elements that another pipeline wrote there are refused (failed_precondition, one error that says what differs). While one pass writes, others yield their elements without writing. Errors are passed on and not written. If writing fails, there is one error more, nothing is published, and the elements follow. A pass that continues from a saved position does not write. Reads ahead of its consumer, on its own thread.",
           .cost = "A copy and a checksum per byte to write; a read and a checksum per byte after that.",
           .example = R"(range(3) | map(x -> x * x) | snapshot("build/examples/squares"))",
           .output = "0\n1\n4",
           .bench = R"(range(200000) | snapshot("SCRATCH/snapshot"))"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = same_cardinality, .expand = expand},
      .position = {.epochs = [](const ParamsBase&) -> int64_t { return -1; },
                   .keeps_rows = true,
                   .finds_written = always},
      .ahead = {.is_window = [](const ParamsBase&) { return true; }, .limits = ahead_on_blocking_lane},
  });
  return def;
}

}  // namespace weir::snapshot_op

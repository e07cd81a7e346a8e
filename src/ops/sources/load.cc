// load(path): the elements in a folder that save, snapshot or a file cache wrote, in the order in which they
// were written. Checkpoint: the number of the next row, among the elements of one writing.
#include "core/text.h"
#include "dataset/compose.h"
#include "ops/files/blocking_lane.h"
#include "ops/files/written_rows.h"

namespace weir::load_op {
namespace {

struct Params : ParamsOf<Params> {
  StringParam path;
  void fields(Fields& f) override {
    f("path", path, "The folder with the written elements.", {}, {.names = Naming::files});
  }
};

// The elements that were there when the dataset was built.
struct StoredParams : ParamsOf<StoredParams> {
  std::string folder;
  Spec spec;
  WrittenManifest manifest;
  void fields(Fields&) override {}
};

class Stored final : public Cursor {
 public:
  Stored(Opening& opening, const StoredParams& params)
      : rows_(opening, params.folder, params.spec, params.manifest) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override { return rows_.next(ctx, demand, out); }
  int64_t lose(const ErrorPtr&) noexcept override { return rows_.lose(); }
  void state(Archive& archive) override { rows_.state(archive); }
  Step resume(Context&) override {
    WEIR_TRY(rows_.resume());
    return PullResult::rows;
  }

 private:
  WrittenRows rows_;
};

Result<Spec> stored_spec(const StoredParams& params, std::span<const DatasetRef>) { return params.spec; }
int64_t stored_count(const StoredParams& params, std::span<const DatasetRef>) { return params.manifest.rows; }

Result<std::unique_ptr<Access>> stored_access(Opening& opening, const ParamsBase& base) {
  const auto& params = static_cast<const StoredParams&>(base);
  return written_access(opening, params.folder, params.spec, params.manifest);
}
bool at_hand(Opening&, const ParamsBase&) { return true; }

const OperatorDef& stored_operator() {
  static const OperatorDef def = define<StoredParams, Stored>({
      .name = "stored",
      .kind = OperatorKind::source,
      .internal = true,
      .typing = {.spec = spec_of<StoredParams, stored_spec>,
                 .cardinality = cardinality_of<StoredParams, stored_count>},
      .ahead = {.lane = Lane::blocking},
      .access = {.open = stored_access, .seeks = at_hand},
  });
  return def;
}

struct Load {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(DatasetRef stored, expansion(opening, params));
    return open_on_blocking_lane(opening, std::move(stored), kWrittenBlockRows);
  }
};

Result<std::unique_ptr<Access>> access(Opening& opening, const ParamsBase& params) {
  WEIR_ASSIGN(DatasetRef stored, expansion(opening, params));
  return open_access(opening.ctx, opening.inner(std::move(stored)));
}

// What is wrong with a folder is a mistake of the text that names it.
Status as_mistake(const Status& status) {
  if (status.code() == Code::not_found || status.code() == Code::invalid_argument) return status;
  Error error = status.error();
  error.code = Code::invalid_argument;
  return Status(std::move(error));
}

Result<DatasetRef> expand(const ParamsBase& base, std::span<const DatasetRef>, const BuildSite& site) {
  const std::string& path = *static_cast<const Params&>(base).path;
  WEIR_TRY(check_folder_name(path));
  auto stored = std::make_unique<StoredParams>();
  stored->folder = trimmed_folder(path);
  auto found = find_written(*site.runtime, stored->folder);
  if (!found.ok()) return as_mistake(found.status());
  if (!*found) {
    return file_error(Code::not_found,
                      {concat("there are no written elements in ", quote(path)),
                       "check the path; save, snapshot and cache write them"},
                      stored->folder);
  }
  auto spec = spec_of_written(**found, stored->folder);
  if (!spec.ok()) return as_mistake(spec.status());
  stored->spec = *std::move(spec);
  stored->manifest = **std::move(found);
  return Dataset::build(stored_operator(), std::move(stored), {}, site);
}

Result<Spec> spec(const Params&, std::span<const DatasetRef> inputs) {
  if (!inputs.empty()) return inputs.back()->spec();
  return invalid_argument(expected_found("a path that is known when the dataset is built",
                                         "one that depends on a variable",
                                         "its elements' structure follows from it"));
}

int64_t cardinality(const Params&, std::span<const DatasetRef> inputs) {
  return inputs.empty() ? kUnknown : inputs.back()->cardinality();
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Load>({
      .name = "load",
      .kind = OperatorKind::source,
      .page =
          {.doc =
               "Reads the elements that `save`, `snapshot` or a file cache wrote to a folder, in the order written. Their structure and number are read when the dataset is built, so it cannot be built if nothing was written to the folder (not_found) or its manifest is damaged. A damaged chunk gives one error (data_loss) in place of its elements, and the next chunk follows. If the elements are replaced between building and reading, one error takes their place. Reads ahead of its consumer, on its own thread. Elements are also read by their position (`global_shuffle`, `weir_dataset_at`); then an element of a damaged chunk is one error in its place, and `skip` and `shard` directly after it go straight to their chunks.",
           .cost =
               "Reading and a checksum per byte. Elements are views of the read buffers, not copies. By position, each chunk (about 1 MiB) with a wanted element is read as a whole, once for all elements that are wanted together.",
           .example = R"(load("tests/golden/data/squares"))",
           .output = "0\n1\n4",
           .bench = R"(load("WRITTEN"))"},
      .typing = {.spec = spec_of<Params, spec>,
                 .cardinality = cardinality_of<Params, cardinality>,
                 .expand = expand,
                 .expands_first = true},
      .ahead = {.is_window = [](const ParamsBase&) { return true; }, .limits = ahead_on_blocking_lane},
      .access = {.open = access, .seeks = at_hand},
  });
  return def;
}

}  // namespace weir::load_op

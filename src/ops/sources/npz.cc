// npz(file, names, buffer_size): the arrays of one of NumPy's archives, sliced together along their first
// dimension, as dicts. The structure is read when the dataset is built. Checkpoint: the number of the next
// row.
#include "format/npz.h"

#include "core/archive.h"
#include "core/text.h"
#include "dataset/compose.h"
#include "dataset/read_site.h"
#include "ops/files/array_access.h"
#include "ops/files/blocking_lane.h"
#include "ops/files/file_source.h"
#include "ops/files/known_names.h"

namespace weir::npz_op {
namespace {

struct Params : ParamsOf<Params> {
  StringParam file;
  ValueParam names;
  IntParam buffer_size{0};
  void fields(Fields& f) override {
    f("file", file, "The name of the file.", {}, {.names = Naming::files});
    f("names", names, "Which arrays to read, in this order; none: all, as the file has them.", {},
      {.none = true});
    f("buffer_size", buffer_size, kBufferDoc, {0, kMaxBufferBytes}, {.any_position = true});
  }
};

// The arrays that were there when the dataset was built.
struct StoredParams : ParamsOf<StoredParams> {
  std::string file;
  std::vector<std::string> names;
  Spec spec;
  int64_t rows = 0;
  // 0: not given.
  size_t read_bytes = 0;
  void fields(Fields&) override {}
};

// The rows of an archive that is open; its bytes have been checked.
class Rows {
 public:
  static Result<std::unique_ptr<Rows>> open(Context& ctx, const StoredParams& params) {
    WEIR_ASSIGN(Npz npz, open_npz(ctx.session.files(), params.file, &params.names));
    if (npz.spec() != params.spec || npz.rows() != params.rows) {
      return file_error(Code::failed_precondition,
                        Mistake("the arrays are not those from which the dataset was built",
                                "build the dataset again, or restore the file"),
                        params.file);
    }
    const auto limit = static_cast<uint64_t>(ctx.runtime().limits.tensor_bytes);
    const size_t given = params.read_bytes;
    WEIR_TRY(check_arrays(npz, limit, given == 0 ? kZipPieceBytes : given));
    auto out = std::make_unique<Rows>();
    if (ctx.runtime().origins) out->source_ = ctx.session.source_names().number(params.file);
    for (NpzArray& array : npz.arrays) {
      out->columns_.push_back(std::make_unique<ArrayColumn>(ctx.session.files(), array.layout.type.dtype,
                                                            array.layout.row, given));
      WEIR_TRY(out->columns_.back()->add(npz.file, array.layout, std::move(array.bytes)));
    }
    return out;
  }

  void read(Context& ctx, std::span<const int64_t> positions, Block& out) {
    out.reset(columns_.size());
    out.rows = static_cast<int>(positions.size());
    for (int row = 0; row < out.rows; ++row) {
      const int64_t record = positions[static_cast<size_t>(row)];
      if (row == 0 || record != positions[static_cast<size_t>(row) - 1] + 1)
        out.origins.add(row, Origin(source_, record));
    }
    for (size_t c = 0; c < columns_.size(); ++c) columns_[c]->read(ctx, positions, out.columns[c], out);
    fails_if_cancelled(ctx, positions.size(), columns_.size(), out);
  }

 private:
  std::vector<std::unique_ptr<ArrayColumn>> columns_;
  uint32_t source_ = 0;
};

// The number of opening the file among its reads.
constexpr int64_t kOpening = -1;

// An archive that cannot be opened is one error in place of everything.
class Stored final : public Cursor {
 public:
  Stored(Opening& opening, const StoredParams& params) : site_(opening), params_(params) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (ended_ || row_ == params_.rows) return PullResult::end;
    if (!rows_) {
      const uint64_t read = site_.read(params_.file, kOpening);
      ended_ = true;
      if (const ErrorPtr listed = ctx.session.failed_reads().find(read)) return listed;
      auto opened = Rows::open(ctx, params_);
      if (!opened.ok()) return failed_at(opened.status(), read);
      rows_ = *std::move(opened);
      ended_ = false;
    }
    const int count = width_.rows(demand, params_.rows - row_);
    positions_.clear();
    for (int i = 0; i < count; ++i) positions_.push_back(row_ + i);
    out.errors.clear();
    rows_->read(ctx, positions_, out);
    // Destroy does not wait for the read, so nothing may be called any more.
    if (ctx.session.cancelled.load(std::memory_order_relaxed)) return PullResult::cancelled;
    site_.answer_again(ctx.session.failed_reads(), positions_, out);
    width_.learn(demand, out);
    row_ += count;
    return PullResult::rows;
  }
  int64_t lose(const ErrorPtr&) noexcept override {
    ended_ = ended_ || !rows_;
    row_ += ended_ ? 0 : 1;
    return 1;
  }
  void state(Archive& archive) override {
    archive("row", row_, 0, INT64_MAX);
    archive("ended", ended_);
    if (archive.loading()) rows_ = nullptr;
  }
  Step resume(Context&) override {
    if (row_ <= params_.rows) return PullResult::rows;
    return failed_precondition(
        expected_found(concat("at least ", row_, " rows, as when the position was saved"),
                       concat(params_.rows), "restore the file, or start from the beginning"));
  }

 private:
  const ReadSite site_;
  const StoredParams params_;
  std::unique_ptr<Rows> rows_;
  AccessWidth width_;
  std::vector<int64_t> positions_;
  int64_t row_ = 0;
  bool ended_ = false;
};

// Each row is an error if the archive cannot be opened.
class StoredAccess final : public Access {
 public:
  StoredAccess(const Opening& opening, const StoredParams& params) : site_(opening), params_(params) {}

  AccessCount count() const override { return {params_.rows, false}; }
  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    if (!rows_) {
      auto opened = Rows::open(ctx, params_);
      if (opened.ok()) {
        rows_ = *std::move(opened);
      } else {
        RowErrors failed;
        for (size_t row = 0; row < positions.size(); ++row)
          failed.push_back({static_cast<int>(row), opened.status().pointer()});
        out.set_failed(failed, params_.names.size());
      }
    }
    if (rows_) rows_->read(ctx, positions, out);
    site_.answer_again(ctx.session.failed_reads(), positions, out);
  }

 private:
  const ReadSite site_;
  const StoredParams params_;
  std::unique_ptr<Rows> rows_;
};

Result<Spec> stored_spec(const StoredParams& params, std::span<const DatasetRef>) { return params.spec; }
int64_t stored_count(const StoredParams& params, std::span<const DatasetRef>) { return params.rows; }
// Only a row of texts may fail.
bool has_no_strings(Opening&, const ParamsBase& params) {
  const std::vector<Component> columns = static_cast<const StoredParams&>(params).spec.components();
  return std::none_of(columns.begin(), columns.end(),
                      [](const Component& column) { return column.dtype == DType::string; });
}

const OperatorDef& stored_operator() {
  static const OperatorDef def = define<StoredParams, Stored>({
      .name = "read_npz",
      .kind = OperatorKind::source,
      .internal = true,
      .typing = {.spec = spec_of<StoredParams, stored_spec>,
                 .cardinality = cardinality_of<StoredParams, stored_count>},
      .ahead = {.lane = Lane::blocking},
      .access = {.open = [](Opening& opening, const ParamsBase& params) -> Result<std::unique_ptr<Access>> {
                   return std::unique_ptr<Access>(
                       std::make_unique<StoredAccess>(opening, static_cast<const StoredParams&>(params)));
                 },
                 .seeks = has_no_strings},
  });
  return def;
}

struct Arrays {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(DatasetRef stored, expansion(opening, params));
    return open_on_blocking_lane(opening, std::move(stored));
  }
};

Result<std::unique_ptr<Access>> access(Opening& opening, const ParamsBase& params) {
  WEIR_ASSIGN(DatasetRef stored, expansion(opening, params));
  return open_access(opening.ctx, opening.inner(std::move(stored)));
}

bool at_hand(Opening& opening, const ParamsBase& params) {
  auto stored = expansion(opening, params);
  return stored.ok() && seeks(opening.ctx, opening.inner(*std::move(stored)));
}

// The names that were given; none are all.
Result<std::vector<std::string>> names_of(const ValueParam& param) {
  std::vector<std::string> out;
  const bool strings = param.spec.is_tensor() && param.spec.shape.rank_known() &&
                       param.spec.shape.rank() <= 1 && param.spec.dtype == DType::string;
  if (!strings) {
    const std::string found = param.spec.shape == Shape({0}) ? "an empty list" : param.spec.to_string();
    const Mistake mistake = expected_found("a list of names of arrays", found, "without one all are read");
    return with_parameter(invalid_argument(mistake), "names");
  }
  for (const Str& name : param.values[0].entries<const Str>()) out.emplace_back(name.view());
  return out;
}

Result<DatasetRef> expand(const ParamsBase& base, std::span<const DatasetRef>, const BuildSite& site) {
  const auto& params = static_cast<const Params&>(base);
  auto stored = std::make_unique<StoredParams>();
  stored->file = *params.file;
  stored->read_bytes = read_bytes(params);
  if (params.names.set) {
    WEIR_ASSIGN(stored->names, names_of(params.names));
  }
  const Result<Npz> npz =
      open_npz(*site.runtime->files, stored->file, params.names.set ? &stored->names : nullptr);
  if (!npz.ok()) return naming_file(npz.status());
  stored->names.clear();
  for (const NpzArray& array : npz->arrays) stored->names.push_back(array.name);
  stored->spec = npz->spec();
  stored->rows = npz->rows();
  return Dataset::build(stored_operator(), std::move(stored), {}, site);
}

Result<Spec> spec(const Params&, std::span<const DatasetRef> inputs) {
  if (!inputs.empty()) return inputs.back()->spec();
  return invalid_argument(expected_found("a file and names that are known when the dataset is built",
                                         "ones that depend on a variable",
                                         "the file says the structure of the elements"));
}

int64_t cardinality(const Params&, std::span<const DatasetRef> inputs) {
  return inputs.empty() ? kUnknown : inputs.back()->cardinality();
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Arrays>({
      .name = "npz",
      .kind = OperatorKind::source,
      .page =
          {.doc =
               "Reads the arrays of one of NumPy's archives (.npz), as numpy.savez and savez_compressed write them, sliced together along their first dimension: each element is a dict of one slice of each. Their structure is read when the dataset is built, so it cannot be built if the file does not exist (not_found) or is damaged (data_loss), if an array is missing, is none that `npy` reads, or if they have unequal lengths (invalid_argument). Other members of the archive are passed over. All bytes are checked by their checksums before the first element; if one is wrong, or the file has changed since the dataset was built, there is one error in place of all elements. Reads ahead of its consumer, on its own thread. Elements are also read by their position (`global_shuffle`, `partition`, `weir_dataset_at`); then `skip` and `shard` directly after it go straight to their elements.",
           .cost =
               "At each opening, one pass over the bytes of the arrays. Compressed arrays are then in memory as a whole, as in numpy.load; others are read as they are needed.",
           .example = R"(npz("tests/conformance/data/new/npz/deflated.npz") | take(2))",
           .output =
               "{x: [-7.125, -2.375], y: -9223372036854775808}\n{x: [35.75, 23.125], y: 9223372036854775807}",
           .bench = R"(npz("ARRAYS"))",
           .elsewhere = "load_npz: npz(file)"},
      .typing = {.spec = spec_of<Params, spec>,
                 .cardinality = cardinality_of<Params, cardinality>,
                 .expand = expand,
                 .expands_first = true},
      .ahead = {.is_window = always, .limits = ahead_on_blocking_lane},
      .access = {.open = access, .seeks = at_hand},
  });
  return def;
}

}  // namespace weir::npz_op

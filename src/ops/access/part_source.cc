#include "ops/access/part_source.h"

#include <algorithm>
#include <utility>

#include "core/exception.h"
#include "core/text.h"
#include "dataset/access.h"
#include "dataset/compose.h"
#include "dataset/field_in.h"
#include "dataset/found_names.h"
#include "ops/access/positions.h"
#include "ops/list.h"

namespace weir {

namespace {

// The input of a node that has the names of its files, or -1.
int names_input(const Dataset& node) {
  const auto* const files = field_in<FilesParam>(node.params(), "files");
  return files ? files->index : -1;
}

// The inputs that the text gives it, without what it stands for.
std::vector<DatasetRef> written_inputs(const Dataset& node) {
  std::vector<DatasetRef> inputs = node.inputs();
  if (node.op().typing.expand != nullptr && !node.dynamic()) inputs.pop_back();
  return inputs;
}

// Whether the elements of a node are those of its one input, file by file.
bool goes_by_files(const Dataset& node) {
  return goes_by_element(node.op()) && !node.op().position.keeps_rows && written_inputs(node).size() == 1;
}

// Builds the chain of operators from a source of files on again, over other names.
Result<DatasetRef> over_names(Runtime& runtime, const DatasetRef& node, const DatasetRef& names) {
  std::vector<DatasetRef> inputs = written_inputs(*node);
  const int files = names_input(*node);
  if (files >= 0) {
    inputs[static_cast<size_t>(files)] = names;
  } else {
    WEIR_ASSIGN(inputs[0], over_names(runtime, inputs[0], names));
  }
  return Dataset::build(node->op(), node->params().clone(), std::move(inputs),
                        {.runtime = &runtime,
                         .depth = node->depth(),
                         .on_behalf_of = node->epoch_id(),
                         .at_opening = true,
                         .digest = node->digest()});
}

// The names of the files that a chain reads, to be opened in its place; null if it reads no list of files.
Result<DatasetRef> names_of(const DatasetRef& node) {
  const int files = names_input(*node);
  if (files >= 0) return node->inputs()[static_cast<size_t>(files)];
  if (!goes_by_files(*node)) return DatasetRef();
  WEIR_ASSIGN(DatasetRef names, names_of(node->inputs()[0]));
  // What was bound outside has its variables there.
  if (!names || node->op().kind != OperatorKind::source) return names;
  return with_inputs(*node, {std::move(names)});
}

// Whether its elements have positions only through an index.
bool needs_index(const Dataset& node) {
  if (node.op().access.by_index) return true;
  const std::vector<DatasetRef> inputs = written_inputs(node);
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const DatasetRef& input) { return needs_index(*input); });
}

// The names that a dataset has in each epoch, if the graph has them.
const Tensor* listed_names(const Dataset& names) {
  if (const auto* const list = dynamic_cast<const FromTensorSlicesParams*>(&names.params()))
    return list->value.values.size() == 1 ? &list->value.values[0] : nullptr;
  const bool stands_for = names.op().typing.expand != nullptr && !names.dynamic();
  if (stands_for || names.op().position.found_names != nullptr) return listed_names(*names.inputs().back());
  return nullptr;
}

// ⌊s·N/n⌋
int64_t first_row(int64_t s, int64_t rows, int64_t n) {
  return static_cast<int64_t>(static_cast<__int128>(s) * rows / n);
}

Status no_parts(const Dataset& input, const Status& no_index) {
  return invalid_argument(expected_found(
      "a dataset that can be cut in parts: one whose elements have positions, or a list of files",
      concat(input.name(), " without either: ", no_index.error().message)));
}

}  // namespace

Result<PartsBy> parts_by(const StringParam& by) {
  if (!by.is_constant()) return PartsBy::automatic;
  if (*by == "index") return PartsBy::index;
  if (*by == "files") return PartsBy::files;
  return invalid_argument(expected_found("by: auto, \"index\" or \"files\"", quote(*by)));
}

Result<PartsBy> parts_by(const Dataset& input, PartsBy by, int64_t n) {
  const Status access = check_access(input, "put it inside the parts");
  WEIR_ASSIGN(const DatasetRef names, names_of(DatasetRef(&input)));
  if (by == PartsBy::index) {
    if (access.ok()) return by;
    return invalid_argument(
        expected_found("a dataset whose elements have positions", access.error().message));
  }
  if (by == PartsBy::files) {
    if (names) return by;
    return invalid_argument(
        expected_found("a source of files, with maps, filters and the like after it at most",
                       concat(input.name()), "leave by out, or say \"index\""));
  }
  if (!names && !access.ok()) return no_parts(input, access);
  if (!names || (access.ok() && !needs_index(input))) return PartsBy::index;
  // Whether there is an index makes no difference.
  const int64_t count = names->cardinality();
  if (n <= 0 || count == kUnknown) return by;
  if (count >= n) return PartsBy::files;
  if (access.ok()) return PartsBy::index;
  return invalid_argument(
      expected_found(concat("at least as many files as parts, ", n, ", or elements with positions"),
                     concat(count, " files, and ", access.error().message),
                     "say by: \"files\" to have parts without files"));
}

std::vector<PartFacts> part_facts(const DatasetRef& input, PartsBy by, int64_t n) {
  std::vector<PartFacts> out(static_cast<size_t>(n));
  const int64_t rows = input->cardinality();
  if (by == PartsBy::index && rows >= 0) {
    for (int64_t s = 0; s < n; ++s)
      out[static_cast<size_t>(s)].count = first_row(s + 1, rows, n) - first_row(s, rows, n);
  }
  const Result<DatasetRef> list = names_of(input);
  const Tensor* const names = list.ok() && *list ? listed_names(**list) : nullptr;
  if (!names) return out;
  const std::span<const Str> entries = names->entries<const Str>();
  if (by == PartsBy::files) {
    for (PartFacts& part : out) part.files.emplace();
    for (size_t i = 0; i < entries.size(); ++i) out[i % out.size()].files->emplace_back(entries[i].view());
  } else if (by == PartsBy::index && entries.size() == 1) {
    for (PartFacts& part : out) part.files.emplace(1, std::string(entries[0].view()));
  }
  return out;
}

PartSource::PartSource(Opening& opening, PartsBy by, int64_t n)
    : instance_(opening.input(0)), by_(by), n_(n) {
  if (by_ == PartsBy::index) return;
  Result<DatasetRef> names = names_of(instance_.node);
  if (!names.ok()) throw StatusException(names.status());
  names_port_ = std::make_unique<Port>(opening.ctx, opening.inner(*std::move(names)), Port::Mode::whole);
}

Step PartSource::open(Context& ctx) {
  if (open_) return PullResult::rows;
  if (names_port_) {
    Step read = read_names(ctx);
    if (read.error() || read.answer() != PullResult::rows) return read;
    if (by_ == PartsBy::automatic) {
      WEIR_ASSIGN(by_, parts_by(*instance_.node, by_, n_));
      if (by_ == PartsBy::automatic)
        by_ = static_cast<int64_t>(names_.size()) >= n_ ? PartsBy::files : PartsBy::index;
    }
  }
  if (by_ == PartsBy::index) WEIR_TRY(count_rows(ctx));
  if (saved_count_ >= 0 && saved_count_ != count()) {
    return failed_precondition(
        expected_found(concat(saved_count_, by_ == PartsBy::files ? " files" : " elements",
                              " to cut in parts, as when the position was saved"),
                       concat(count())));
  }
  open_ = true;
  return PullResult::rows;
}

Step PartSource::read_names(Context& ctx) {
  Demand demand;
  demand.rows = kMaxBlockRows;
  for (;;) {
    const PullResult got = names_port_->fill(ctx, demand);
    if (got == PullResult::end) return PullResult::rows;
    if (got != PullResult::rows) return got;
    const Block& block = names_port_->block();
    if (!block.errors.empty()) return block.errors[0].error;
    for (int row = 0; row < block.rows; ++row)
      names_.emplace_back(block.columns[0].row(row).as<const Str>()->view());
    names_port_->take(block.rows);
  }
}

Status PartSource::count_rows(Context& ctx) {
  // A loaded position has counted the opening.
  const bool opened = saved_count_ >= 0;
  if (!opened) before_ = counts_for_window(ctx, *instance_.node);
  QuietContext quiet(ctx);
  Context counting = opened ? *quiet : ctx;
  Status uncounted;
  counting.uncounted = &uncounted;
  WEIR_ASSIGN(const std::unique_ptr<Access> access, open_access_whole(counting, instance_));
  const AccessCount count = access->count();
  // Other ranks may have read the file, and have more rows; one that isn't there is missing for all of them.
  const bool counted =
      uncounted.ok() || (uncounted.code() == Code::not_found && (!opened || count.positions == saved_count_));
  if (!counted) return uncounted;
  if (count.more)
    return invalid_argument(expected_found("a finite dataset", "an infinite one", "put take(n) before it"));
  rows_ = count.positions;
  return Status();
}

Result<DatasetRef> PartSource::part(Runtime& runtime, int64_t s) const {
  if (by_ == PartsBy::index) {
    const int64_t first = first_row(s, rows_, n_);
    const int64_t rows = first_row(s + 1, rows_, n_) - first;
    return positions_of(instance_.node, {.first = first, .count = rows}, rows, rows_, before_);
  }
  std::vector<std::string_view> own;
  for (auto i = static_cast<size_t>(s); i < names_.size(); i += static_cast<size_t>(n_))
    own.emplace_back(names_[i]);
  const auto count = static_cast<int64_t>(own.size());
  FromTensorSlicesParams list;
  list.value.set = true;
  list.value.spec = Spec::tensor(DType::string, {count});
  list.value.values = {Tensor::strings(own, {count})};
  WEIR_ASSIGN(const DatasetRef names,
              compose(std::move(list), {}, {.depth = instance_.node->depth(), .at_opening = true}));
  return over_names(runtime, instance_.node, names);
}

void PartSource::state(Archive& archive) {
  int64_t by = static_cast<int64_t>(by_);
  std::vector<uint64_t> before = EpochScope(before_).written();
  if (!archive.loading() && open_) saved_count_ = count();
  archive("by", by, 0, static_cast<int64_t>(PartsBy::files));
  archive("count", saved_count_, -1, INT64_MAX);
  archive("before", before);
  if (names_port_) names_port_->state(archive);
  if (!archive.loading() || !archive.status().ok()) return;
  EpochScope scope;
  if (!scope.assign(before)) return archive.fail("the counts of a partition are damaged");
  before_ = scope.table();
  by_ = static_cast<PartsBy>(by);
  open_ = false;
  names_.clear();
}

}  // namespace weir

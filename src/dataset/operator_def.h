// OperatorDef: what the library knows about an operator. Declare operators with define(), dataset/operator.h.
// Definitions are static and immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/digest.h"
#include "dataset/params.h"
#include "dataset/slice.h"
#include "exec/executor.h"

namespace weir {

class Access;          // dataset/access.h
class Cursor;          // dataset/cursor.h
class Dataset;         // dataset/dataset.h
struct PartFacts;      // dataset/part_facts.h
struct ColumnsSource;  // ops/files/columns_source.h
struct Instance;       // dataset/instance.h
struct Opening;        // dataset/instance.h

using DatasetRef = RefPtr<const Dataset>;

// Where a node is built.
struct BuildSite {
  // Used only by operators that consist of others.
  Runtime* runtime = nullptr;
  // The number of lambdas around the node.
  int depth = 0;
  // The node that counts its openings; 0 if it counts its own.
  uint64_t on_behalf_of = 0;
  // A cursor that opens builds it; no checkpoint's header knows it.
  bool at_opening = false;
  // The node as written; null for nodes that replace others.
  std::shared_ptr<const NodeDigest> digest = nullptr;
  // The name by which the text calls it, for ever; null if that is the operator's.
  const char* called = nullptr;
};

// A terminal gives one element, its value; in a lambda it is an expression, at the end of a document a
// dataset of one element.
enum class OperatorKind : uint8_t { source, transformation, terminal };

// How an operator keeps elements of its input that it has read and not used up. kUnknown if unknown.
struct Kept {
  // At most so many are there between two calls. A position has them by value if they cannot be made again.
  int64_t rows = 0;
  // Else about so many are read again by a restore, not counting those since a Port's last anchor.
  int64_t read_again = 0;
  // The whole input is read before the first element is given, so it must end.
  bool whole = false;
};

// How far an operator runs ahead of its consumer. kUnknown if unknown beforehand.
struct RunsAhead {
  // As many calls as the runtime has threads for computing.
  static constexpr int64_t kEachThread = -1;

  // Each window holds at most so many rows and bytes; kNoLimit.
  static constexpr int64_t kNoLimit = INT64_MAX;
  int64_t rows = 0;
  int64_t bytes = kNoLimit;
  // How many function calls, or windows, run at once; 0: the input is pulled, by one thread at a time.
  int64_t at_once = 0;
  // How many windows there may be.
  int64_t windows = 1;
  // Where the work is done.
  Lane lane = Lane::compute;
};

// Structure and cardinality of an operator that changes neither.
Result<Spec> same_spec(const ParamsBase& params, std::span<const DatasetRef> inputs);
int64_t same_cardinality(const ParamsBase& params, std::span<const DatasetRef> inputs);
int64_t unknown_cardinality(const ParamsBase& params, std::span<const DatasetRef> inputs);

// How an operator uses the columns of its input.
enum class Columns : uint8_t {
  read,      // all of them
  passed,    // none: it gives elements of its input, whatever they are
  judged,    // those that its function `f` needs; it gives elements of its input
  mapped,    // those that its function `f` needs, which makes each element from the one at its place
  gathered,  // none but those whose shape isn't fixed: it gives the others together
  inner,     // those that its function `f` needs, which makes the datasets that its elements are of
};

// A mark for each component.
using Marks = std::vector<bool>;

// OperatorTyping::needs of an operator that gives elements of its input number `input`.
void needs_of_elements(const Dataset& node, const Marks& used, size_t input, std::vector<Marks>& needed);
// The same of its first input.
void needs_of_first(const Dataset& node, const Marks& used, std::vector<Marks>& needed);

// What `weir help`, weir_schema and the docs print.
struct OperatorPage {
  // For `weir help`, weir_schema and the docs. One paragraph: the elements, their order, the errors; lists
  // show its first sentence.
  const char* doc = "";
  const char* cost = "";
  // Parameters that have another name in tf.data: "padded_shapes=shapes padding_values=values".
  const char* tf_names = "";
  // A whole document, and the lines that it prints when run in the root of the source tree; a test compares
  // them.
  const char* example = "";
  const char* output = "";
  // The document that bench/each.cc measures. It replaces words in capitals, such as RECORDS, by
  // files of its own.
  const char* bench = "";
  // What other libraries and languages call it, and how that is written here: lines "NAME NAME …: TEXT" for
  // the hints about unknown names.
  const char* elsewhere = "";
  // The field that a single positional argument sets, if not the first: `range(stop)`.
  const char* single_argument = nullptr;
};

// The structure of its elements, how many there are, and how they follow from those of its inputs.
struct OperatorTyping {
  // Structure and cardinality from the parts; their errors are build errors.
  Result<Spec> (*spec)(const ParamsBase& params, std::span<const DatasetRef> inputs) = same_spec;
  // Not asked for a slice.
  int64_t (*cardinality)(const ParamsBase& params, std::span<const DatasetRef> inputs) = unknown_cardinality;
  // Null, or the cardinality of a dataset that only its variables tell, such as one found in a variable.
  Result<int64_t> (*cardinality_at)(Session& session, const Instance& instance,
                                    const ParamsBase& params) = nullptr;
  // For operators that consist of others (tfrecord reads ahead over a reader, list_files shuffles a list):
  // builds these at `site`, once `spec` has accepted the parts; the result is appended to the inputs. Must
  // refuse a site whose runtime lacks what it needs.
  Result<DatasetRef> (*expand)(const ParamsBase& params, std::span<const DatasetRef> inputs,
                               const BuildSite& site) = nullptr;
  // Its structure is that of its expansion, which is built first; `spec` gets that as the last input, or not
  // at all if parameters are not known when the node is built.
  bool expands_first = false;
  // Columns::passed for a slice.
  Columns columns = Columns::read;
  // Null where `columns` says it, or which components of its inputs it uses if `used` of its elements' are:
  // clears the others of `needed`, where all are set.
  void (*needs)(const Dataset& node, const Marks& used, std::vector<Marks>& needed) = nullptr;
  // Null, or what it does with the columns of its files (ops/files/columns_source.h).
  const ColumnsSource* columns_source = nullptr;
  // Stands only at the end of a document: nothing reads its elements but an iterator's user.
  bool stands_last = false;
  // Null, or what is done before an iterator over such an operator opens anything. If it fails, no iterator
  // is made.
  Status (*begin)(Session& session, const ParamsBase& params) = nullptr;
  // Null, or which slice of its input it gives. Cardinality, reading by position and seeking follow from it.
  Result<Slice> (*slice)(const ParamsBase& params) = nullptr;
};

// What a position holds, and what may change it.
struct OperatorPosition {
  // Null, or whether openings are counted with these parameters, since each has its own order.
  bool (*counts_openings)(const ParamsBase& params) = nullptr;
  // Null, or whether anything depends on its seed with these parameters.
  bool (*uses_seed)(const ParamsBase& params) = nullptr;
  // How often it reads its input to the end in one pass, after which it opens the input once more; -1 if
  // unknown. Null, or -2: once, without opening it again.
  int64_t (*epochs)(const ParamsBase& params) = nullptr;
  // Null, or whether it does open the input once more after these epochs.
  bool (*opens_once_more)(const ParamsBase& params) = nullptr;
  // May end before its inputs do. A slice with a count may anyway.
  bool ends_early = false;
  // Opens its input apart from all else: its openings there are counted by themselves, and a restored
  // position makes them again from the first row on.
  bool opens_apart = false;
  // Opens inputs from this one on when it first needs a row of them.
  size_t opens_late_from = SIZE_MAX;
  // Null, or whether it reads its input several times at once with these parameters, and needs the same rows
  // each time.
  bool (*reads_alike)(const ParamsBase& params) = nullptr;
  // Holds elements that it has read and is yet to give, so that no position of its input says what was given.
  bool keeps_rows = false;
  // Null: none.
  Kept (*kept)(const ParamsBase& params) = nullptr;
  // Null, or in how many parts it cuts its input, whose elements it gives in turn; -1 if a variable says so.
  int64_t (*parts)(const ParamsBase& params) = nullptr;
  // Null, or what the graph tells about each of those parts; nothing if a variable says how many there are.
  std::vector<PartFacts> (*part_facts)(const ParamsBase& params, const Dataset& input) = nullptr;
  // Its position is that of its inputs and numbers: between two calls it keeps no row of theirs.
  bool passes_positions = false;
  // Opens a dataset that it finds in a variable.
  bool opens_variables = false;
  // Null, or why equal positions need not give equal rows with these parameters.
  const char* (*not_replayable)(const ParamsBase& params) = nullptr;
  // Null, or returns the names that a node with these parameters found when it was built.
  RefPtr<const FoundNames> (*found_names)(const ParamsBase& params) = nullptr;
  // Null, or whether it looks with these parameters for elements that a pass wrote to a folder.
  bool (*finds_written)(const ParamsBase& params) = nullptr;
};

// What it runs ahead, on which lane, and in which order.
struct OperatorAhead {
  // Runs its input ahead, so that a segment ends below it.
  bool (*is_window)(const ParamsBase& params) = nullptr;
  // Null, or what runs ahead with these parameters; empty if nothing does.
  std::optional<RunsAhead> (*limits)(const ParamsBase& params, std::span<const DatasetRef> inputs) = nullptr;
  // Null, or sets the value of `deterministic: none`. Returns false if that changes nothing.
  bool (*set_order)(ParamsBase& params, bool deterministic) = nullptr;
  // Null, or returns the value of `deterministic: none` for the whole pipeline; empty if it leaves that open.
  std::optional<bool> (*order)(const ParamsBase& params) = nullptr;
  // The lane its own work needs.
  Lane lane = Lane::compute;
  // Null, or whether the whole pipeline is opened as it is written.
  bool (*stays_as_written)(const ParamsBase& params) = nullptr;
};

// Reading by positions.
struct OperatorAccess {
  // Null, or opens it for reading by positions.
  // REQUIRES: its inputs can be read so
  Result<std::unique_ptr<Access>> (*open)(Opening& opening, const ParamsBase& params) = nullptr;
  // Null, or what is expected where it cannot be opened so with these parameters: "an uncompressed file";
  // null if it can.
  const char* (*refuses)(const ParamsBase& params) = nullptr;
  // Null, or whether an element can be read by its position without those before it. An operator with an
  // input asks the input's seeks() (dataset/access.h). False also if finding out fails.
  // REQUIRES: it can be read by positions
  bool (*seeks)(Opening& opening, const ParamsBase& params) = nullptr;
  // Through an index of its files, which is read or made.
  bool by_index = false;
  // Reads its input by positions: nothing below it runs ahead.
  bool reads_by_position = false;
};

struct OperatorDef {
  const char* name = "";
  OperatorKind kind = OperatorKind::transformation;
  // Serves another operator; appears in no text and in no error's path.
  bool internal = false;
  OperatorPage page{};
  OperatorTyping typing{};
  OperatorPosition position{};
  OperatorAhead ahead{};
  OperatorAccess access{};

  // Filled by define().
  std::unique_ptr<ParamsBase> (*make_params)() = nullptr;
  Result<std::unique_ptr<Cursor>> (*open)(Opening& opening, const ParamsBase& params) = nullptr;
};

// Whether elements can be read by position, with some parameters at least.
inline bool can_be_read_by_position(const OperatorDef& op) {
  return op.access.open != nullptr || op.typing.slice != nullptr;
}

// Whether what it gives for an element of its input follows from the element alone: the element, another, or
// nothing.
inline bool goes_by_element(const OperatorDef& op) {
  const Columns columns = op.typing.columns;
  return op.typing.slice == nullptr && op.position.epochs == nullptr &&
         (columns == Columns::passed || columns == Columns::judged || columns == Columns::mapped);
}

// How many elements there are with these parameters.
int64_t count_elements(const OperatorDef& op, const ParamsBase& params, std::span<const DatasetRef> inputs);

}  // namespace weir

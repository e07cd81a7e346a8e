// The function of rows(x, f): the rows of all elements of a block are the rows of one call.
#include <algorithm>
#include <climits>
#include <optional>

#include "core/text.h"
#include "dataset/instance.h"
#include "expr/run/apply.h"
#include "expr/types/function.h"

namespace weir {

namespace {

// So many rows are computed at once, unless a single element has more.
constexpr int64_t kRowsPerCall = kMaxBlockRows;
// Of an element. The rows of a call are counted in an int.
constexpr int64_t kMostRows = INT_MAX / 2;

// The call of a function with the rows of all elements of a block.
class RowsCall {
 public:
  RowsCall(const Instruction& instruction, const Call& call, const Block& in, bool drop, Block& out)
      : instruction_(instruction),
        function_(*instruction.function),
        call_(call),
        in_(in),
        drop_(drop),
        out_(out),
        counts_(static_cast<size_t>(in.rows)) {}

  void run() {
    out_.reset(drop_ ? 0 : function_.components().size());
    out_.rows = in_.rows;
    stacks_.resize(out_.columns.size(), std::vector<Tensor>(static_cast<size_t>(in_.rows)));
    int first = 0;
    int64_t total = 0;
    for (int element = 0; element < in_.rows; ++element) {
      const int64_t count = in_.failed(element) ? 0 : count_rows(element);
      if (element > first && (instruction_.per_row || total + count > kRowsPerCall)) {
        call(first, element, static_cast<int>(total));
        first = element;
        total = 0;
      }
      counts_[static_cast<size_t>(element)] = count;
      total += count;
    }
    call(first, in_.rows, static_cast<int>(total));
    for (size_t i = 0; i < stacks_.size(); ++i) out_.columns[i].make_list() = std::move(stacks_[i]);
    if (first == 0) join();
  }

 private:
  int64_t count_of(int element) const { return counts_[static_cast<size_t>(element)]; }

  // The number of rows of an element; 0 after failing it.
  int64_t count_rows(int element) {
    int64_t count = kUnknownDim;
    for (int arg = 0; arg < instruction_.row_args; ++arg) {
      const Shape shape = in_.columns[static_cast<size_t>(arg)].row(element).shape;
      std::optional<Mistake> mistake;
      if (shape.rank() == 0) {
        mistake = expected_found("tensors with rows", "a scalar");
      } else if (count >= 0 && shape[0] != count) {
        mistake = expected_found("tensors with one number of rows", concat(count, " and ", shape[0]));
      } else if (shape[0] > kMostRows) {
        mistake = expected_found(concat("at most ", kMostRows, " rows"), concat(shape[0]));
      }
      if (mistake) {
        out_.fail_row(element, refused(*mistake));
        return 0;
      }
      count = shape[0];
    }
    return count;
  }

  void call(int first, int end, int total) {
    made_.reset(0);
    if (total > 0) {
      Block flat;
      flat.rows = total;
      flat.columns.resize(in_.columns.size());
      for (size_t i = 0; i < flat.columns.size(); ++i) {
        if (i < static_cast<size_t>(instruction_.row_args)) {
          flatten(in_.columns[i], first, end, flat.columns[i]);
        } else {
          repeat(in_.columns[i], first, end, total, flat.columns[i]);
        }
      }
      const uint64_t key = instruction_.per_row ? derive_key(derive_key(call_.key, instruction_.site),
                                                             static_cast<uint64_t>(call_.ordinal(first)))
                                                : call_.key;
      function_.call({.session = *call_.session, .env = call_.env, .key = key, .drop = drop_}, flat, made_);
      if (call_.room) call_.room->take(made_.byte_size());
    }
    int at = 0;
    auto error = made_.errors.begin();
    for (int element = first; element < end; ++element) {
      const int next = at + static_cast<int>(count_of(element));
      if (error != made_.errors.end() && error->row < next) {
        out_.fail_row(element, at_row(error->error, error->row - at, made_.origins.of(error->row)));
        while (error != made_.errors.end() && error->row < next) ++error;
      }
      if (count_of(element) > 0) out_.origins.add_one(element, made_.origins.of(at));
      if (!in_.failed(element) && !out_.failed(element)) stack(element, at);
      at = next;
    }
  }

  // The rows of the elements one after the other.
  void flatten(const Column& from, int first, int end, Column& out) const {
    if (from.dense() && end - first > 1 && all_have_rows(first, end)) {
      const Tensor elements = from.tensor().rows(first, end - first);
      const Shape& shape = elements.shape;
      return out.set_dense(elements.reshaped(shape.tail().with_dim(0, shape[0] * shape[1])));
    }
    int rows = 0;
    for (int element = first; element < end; ++element) {
      const int count = static_cast<int>(count_of(element));
      if (count == 0) continue;
      Column part;
      part.set_dense(from.row(element));
      if (rows == 0) {
        out = std::move(part);
      } else {
        out.append(rows, part, 0, count);
      }
      rows += count;
    }
  }

  bool all_have_rows(int first, int end) const {
    for (int element = first; element < end; ++element) {
      if (count_of(element) == 0) return false;
    }
    return true;
  }

  // The value of each element for each of its rows. A large one is shared by them.
  void repeat(const Column& from, int first, int end, int total, Column& out) const {
    constexpr size_t kSmallBytes = 64;
    const bool small = from.dense() && from.tensor().row(first).byte_size() <= kSmallBytes;
    if (!small) {
      std::vector<Tensor>& list = out.make_list();
      list.reserve(static_cast<size_t>(total));
      for (int element = first; element < end; ++element) {
        if (count_of(element) > 0)
          list.insert(list.end(), static_cast<size_t>(count_of(element)), from.row(element));
      }
      return;
    }
    std::vector<int32_t> rows;
    rows.reserve(static_cast<size_t>(total));
    for (int element = first; element < end; ++element)
      rows.insert(rows.end(), static_cast<size_t>(count_of(element)), element);
    out.gather_from(from, rows);
  }

  // Joins the results of an element's rows, which begin at row `at` of the call.
  void stack(int element, int at) {
    const int count = static_cast<int>(count_of(element));
    for (size_t i = 0; i < out_.columns.size(); ++i) {
      Tensor& to = stacks_[i][static_cast<size_t>(element)];
      const Component& type = function_.components()[i];
      if (count == 0) {
        to = none_of(type);
        continue;
      }
      Column part = made_.columns[i].slice(at, count);
      if (!part.dense()) part.densify();
      if (part.dense()) {
        to = part.tensor();
        continue;
      }
      return out_.fail_row(element, refused(differ(part.list())));
    }
  }

  static Tensor none_of(const Component& type) {
    Shape shape = type.shape.rank_known() ? type.shape : Shape();
    for (int axis = 0; axis < shape.rank(); ++axis) shape.set_dim(axis, std::max<int64_t>(shape[axis], 0));
    return Tensor::allocate(type.dtype, shape.prepended(0));
  }

  static Mistake differ(const std::vector<Tensor>& rows) {
    const Shape& first = rows[0].shape;
    if (first.rank() == kMaxRank)
      return expected_found(concat("results of at most ", kMaxRank - 1, " dimensions"), "more");
    size_t row = 1;
    while (row + 1 < rows.size() && rows[row].shape == first) ++row;
    return expected_found("results of one shape", concat(shape_text(first), " for row 0 and ",
                                                         shape_text(rows[row].shape), " for row ", row));
  }

  static ErrorPtr refused(const Mistake& mistake) {
    return invalid_argument(concat("rows: ", mistake.sentence())).pointer();
  }

  ErrorPtr at_row(const ErrorPtr& error, int row, Origin origin) const {
    if (error->lacks_memory) return error;
    Error out = *error;
    out.message = concat("row ", row, ": ", out.message);
    out.parts.mistake = Mistake(out.message);
    if (out.file.empty() && origin.known()) {
      SourceNames::Place place = call_.session->source_names().place(origin);
      out.file = std::move(place.file);
      out.record = place.record;
    }
    return std::make_shared<const Error>(std::move(out));
  }

  // Where one call gave all elements, and each has as many rows, its columns are the results.
  void join() {
    const bool whole =
        out_.errors.empty() && in_.errors.empty() && in_.rows > 0 && count_of(0) > 0 &&
        std::all_of(counts_.begin(), counts_.end(), [&](int64_t count) { return count == counts_[0]; });
    for (size_t i = 0; whole && i < out_.columns.size(); ++i) {
      if (!made_.columns[i].dense()) continue;
      const Tensor& rows = made_.columns[i].tensor();
      if (rows.shape.rank() == kMaxRank) continue;
      out_.columns[i].set_dense(rows.reshaped(rows.shape.tail().prepended(counts_[0]).prepended(in_.rows)));
    }
  }

  const Instruction& instruction_;
  const Function& function_;
  const Call& call_;
  const Block& in_;
  const bool drop_;
  Block& out_;
  // By element; 0 for failed ones.
  std::vector<int64_t> counts_;
  // What the last call gave, and by result and element what is joined of it.
  Block made_;
  std::vector<std::vector<Tensor>> stacks_;
};

}  // namespace

void apply_to_rows(const Program& program, Frame& frame, const Call& call, const Instruction& instruction,
                   Frame::Work& work, int rows, bool drop) {
  const bool once = !instruction.per_row && rows > 1 && frame.errors.empty() &&
                    std::all_of(instruction.args.begin(), instruction.args.end(),
                                [&](int arg) { return frame.slots[static_cast<size_t>(arg)].uniform; });
  Block in;
  in.rows = once ? 1 : rows;
  in.columns.resize(instruction.args.size());
  for (size_t i = 0; i < instruction.args.size(); ++i)
    fill_column(program, frame, instruction.args[i], in.rows, in.columns[i]);
  for (int row = 0; row < rows; ++row) {
    if (frame.failed(row)) in.fail_row(row, frame.errors[static_cast<size_t>(row)]);
  }
  if (!work.made) work.made = std::make_unique<Block>();
  Block& out = *work.made;
  RowsCall(instruction, call, in, drop, out).run();
  for (const RowError& error : out.errors) {
    for (int row = error.row; row < (once ? rows : error.row + 1); ++row) frame.fail(row, rows, error.error);
  }
  for (int row = 0; row < rows && !out.origins.empty(); ++row)
    frame.read_from(row, rows, out.origins.of(once ? 0 : row));
  for (size_t i = 0; i < out.columns.size(); ++i) {
    Slot& slot = frame.slots[static_cast<size_t>(instruction.results[i])];
    Column& column = out.columns[i];
    keep_owners(column, work.kept);
    if (once) {
      Tensor only = column.row(0);
      column.make_list().assign(static_cast<size_t>(rows), only);
    }
    slot.borrow(column);
  }
}

}  // namespace weir

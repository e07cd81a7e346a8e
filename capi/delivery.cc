#include "capi/delivery.h"

#include <algorithm>
#include <cstring>

#include "capi/arguments.h"
#include "core/text.h"

namespace weir::capi {

namespace {

Status cancelled() {
  return Status(Code::cancelled, "the iterator was cancelled; initialize it to use it again");
}

bool has_top_rank(const Spec& spec) {
  return (spec.shape.rank_known() && spec.shape.rank() == kMaxRank) ||
         std::any_of(spec.children.begin(), spec.children.end(), has_top_rank);
}

// How many rows from the first on have its shape in every column.
int rows_of_one_shape(const Block& block) {
  int count = block.rows;
  for (const Column& column : block.columns) {
    if (column.dense()) continue;
    const auto& list = column.list();
    auto same = [&](const Tensor& tensor) { return tensor.shape == list[0].shape; };
    auto end = std::find_if_not(list.begin(), list.begin() + count, same);
    count = static_cast<int>(end - list.begin());
  }
  return count;
}

// A caller's buffers. The distance between two of them is the size of the struct in the caller's version.
class Buffers {
 public:
  static Result<Buffers> read(weir_buffer* buffers, uint64_t count) {
    if (count > kMaxArguments || (count > 0 && !buffers)) {
      return invalid_argument(
          expected_found("a buffer for each component", concat(count, buffers ? "" : " at NULL")));
    }
    Buffers out(buffers, count);
    for (uint64_t i = 0; i < count; ++i) {
      const weir_buffer& buffer = out[i];
      WEIR_TRY(check_out_struct("weir_buffer", buffer.struct_size, sizeof(weir_buffer)));
      if (buffer.struct_size != buffers->struct_size) {
        return invalid_argument("expected all weir_buffers of a call to have one struct_size, found several");
      }
      if (!buffer.data && buffer.capacity > 0) {
        return invalid_argument(expected_found(concat("memory in buffer ", i), "NULL with a capacity"));
      }
    }
    return out;
  }

  weir_buffer& operator[](uint64_t i) const {
    auto* bytes = reinterpret_cast<char*>(first_);
    return *reinterpret_cast<weir_buffer*>(bytes +
                                           i * bytes_of_struct(first_->struct_size, sizeof(weir_buffer)));
  }
  uint64_t count() const { return count_; }

 private:
  Buffers(weir_buffer* first, uint64_t count) : first_(first), count_(count) {}
  weir_buffer* first_;
  uint64_t count_;
};

Status check_buffers(const Buffers& buffers, const std::vector<Component>& components) {
  if (buffers.count() != components.size()) {
    return invalid_argument(
        expected_found(concat(components.size(), " buffers, one per component"), concat(buffers.count())));
  }
  for (uint64_t i = 0; i < buffers.count(); ++i) {
    DType dtype = components[i].dtype;
    if (has_owners(dtype)) {
      return invalid_argument(expected_found("components of numbers",
                                             concat("component ", i, " of dtype ", dtype_name(dtype)),
                                             "weir_iterator_next takes it"));
    }
    if (buffers[i].dtype != 0 && buffers[i].dtype != static_cast<int32_t>(dtype)) {
      return invalid_argument(expected_found(concat("buffer ", i, " for component dtype ", dtype_name(dtype)),
                                             concat("dtype ", buffers[i].dtype)));
    }
  }
  return Status();
}

// Copies the components of one row, in the order of the caller's structure.
Answer copy_row(const Delivery& delivery, const Buffers& buffers, const Block& block) {
  const auto component = [&](uint64_t i) -> const Tensor& {
    const Column& column = block.columns[delivery.order.empty() ? i : static_cast<size_t>(delivery.order[i])];
    return column.dense() ? column.tensor() : column.list()[0];
  };
  bool fits = true;
  for (uint64_t i = 0; i < buffers.count(); ++i) {
    buffers[i].used = component(i).byte_size();
    fits = fits && buffers[i].used <= buffers[i].capacity;
  }
  if (!fits) {
    WEIR_TRY(delivery.from.iterator.give_back(block, 0));
    return Status(Code::out_of_range, "a buffer is too small for the element; `used` is the size needed");
  }
  for (uint64_t i = 0; i < buffers.count(); ++i) {
    if (buffers[i].used > 0) std::memcpy(buffers[i].data, component(i).data, buffers[i].used);
  }
  return WEIR_OK;
}

}  // namespace

Answer answer_without_value(const Result<PullResult>& pulled, Block& block) {
  if (pulled.ok() && *pulled == PullResult::rows) {
    ErrorPtr failed = block.errors[0].error;
    block.reset(block.columns.size());
    return Answer::element_failed(std::move(failed));
  }
  block.reset(block.columns.size());
  if (!pulled.ok()) return pulled.status();
  switch (*pulled) {
    case PullResult::end:
      return WEIR_END;
    case PullResult::pending:
      return WEIR_PENDING;
    default:
      return cancelled();
  }
}

void reorder(Block& block, std::span<const int> order) {
  std::vector<Column> columns;
  for (int from : order) columns.push_back(std::move(block.columns[static_cast<size_t>(from)]));
  block.columns = std::move(columns);
}

Status check_max_rows(int64_t max_rows) {
  const int64_t rows = max_rows & ~int64_t{WEIR_BLOCK_TRY};
  if (rows >= 1 && rows <= kMaxBlockRows) return Status();
  return invalid_argument(expected_found(concat("max_rows from 1 to ", kMaxBlockRows), concat(max_rows)));
}

Answer deliver_on(StreamNumber stream, const Delivery& delivery, weir_element element) {
  return deliver(
      delivery, element, [](Iterator& from, Block& out) { return from.next(1, out); }, stream);
}

Answer deliver_block(const Delivery& delivery, weir_element element, int64_t max_rows, int64_t& rows) {
  Iterator& iterator = delivery.from.iterator;
  const Spec& spec = *delivery.spec;
  return fill_element(delivery, element, kNoStream, [&](Element& out) -> Answer {
    if (spec.has_dataset() || has_top_rank(spec)) {
      return unimplemented(
          "expected elements of tensors with a rank below 8, since a block adds a dimension; found " +
          spec.to_string());
    }
    const auto most = static_cast<int>(max_rows & ~int64_t{WEIR_BLOCK_TRY});
    Result<PullResult> pulled =
        max_rows & WEIR_BLOCK_TRY ? iterator.try_next(most, out.block) : iterator.next(most, out.block);
    Answer answer = answer_of(pulled, out.block);
    if (answer.result() != WEIR_OK) return answer;
    int count = rows_of_one_shape(out.block);
    if (count < out.block.rows) {
      Block first = out.block.slice(0, count);
      WEIR_TRY(iterator.give_back(out.block, count));
      out.block = std::move(first);
    }
    for (Column& column : out.block.columns) {
      if (!column.dense() && column.list()[0].shape.rank() == kMaxRank) {
        WEIR_TRY(iterator.give_back(out.block, 0));
        return unimplemented(
            "expected elements of tensors with a rank below 8, since a block adds a dimension");
      }
      if (!column.dense()) column.densify();
    }
    if (!delivery.order.empty()) reorder(out.block, delivery.order);
    out.batched = true;
    rows = count;
    return WEIR_OK;
  });
}

Answer deliver_into(const Delivery& delivery, weir_buffer* given, uint64_t count) {
  if (delivery.from.iterator.stands_on_device()) {
    return invalid_argument(expected_found("elements in the memory of the CPU", "those of to_device",
                                           "weir_iterator_next_on takes them"));
  }
  WEIR_ASSIGN(Buffers buffers, Buffers::read(given, count));
  WEIR_TRY(check_buffers(buffers, delivery.components));
  SpareBlock::Loan loan(delivery.from.spare);
  Block& block = *loan;
  Result<PullResult> pulled = delivery.from.iterator.next(1, block);
  Answer answer = answer_of(pulled, block);
  return answer.result() == WEIR_OK ? copy_row(delivery, buffers, block) : answer;
}

}  // namespace weir::capi

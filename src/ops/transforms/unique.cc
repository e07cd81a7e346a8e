// unique(): each element the first time that it comes. Errors keep their places. Remembers a key of each element
// (ops/key_set.h), so memory and checkpoints grow with the number of different ones. A row that memory runs out for is an
// error whether it would have been new or not. Checkpoint: the keys, and the input's position; rows that were pulled and
// not looked at come again.
#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "dataset/operator.h"
#include "dataset/yield_timer.h"
#include "ops/key_set.h"

namespace weir {
namespace {

struct Params : ParamsOf<Params> {
  void fields(Fields&) override {}
};

bool is_number(const std::vector<Component>& components) {
  if (components.size() != 1 || components[0].dtype == DType::string) return false;
  const Shape& shape = components[0].shape;
  return shape.rank_known() && shape.rank() == 0;
}

// The keys of a block's rows.
class Keys {
 public:
  explicit Keys(const std::vector<Component>& components) : numbers_(is_number(components)) {}

  bool numbers() const { return numbers_; }
  Key of(const Block& block, int row) {
    if (block.columns.size() == 1 && block.columns[0].dense()) {
      const Tensor& tensor = block.columns[0].tensor();
      const size_t size = dtype_size(tensor.dtype);
      if (numbers_) {
        uint64_t number = 0;
        std::memcpy(&number, tensor.data + static_cast<size_t>(row) * size, size);
        return key_of(number);
      }
      if (tensor.dtype == DType::string && tensor.shape.rank() == 1)
        return key_of(tensor.as<Str>()[row].view());
    }
    return of_bytes(block, row);
  }

 private:
  // Strings and shapes are told apart by where they begin, so their lengths are part of the bytes.
  Key of_bytes(const Block& block, int row) {
    bytes_.clear();
    const auto add = [&](const auto& value) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    for (const Column& column : block.columns) {
      const Tensor tensor = column.row(row);
      if (tensor.shape.rank() == 0 && tensor.dtype == DType::string && block.columns.size() == 1)
        return key_of(tensor.as<Str>()->view());
      add(static_cast<int64_t>(tensor.shape.rank()));
      for (int64_t dim : tensor.shape.dims()) add(dim);
      if (tensor.dtype != DType::string) {
        bytes_.append(reinterpret_cast<const char*>(tensor.data), tensor.byte_size());
        continue;
      }
      for (const Str& text : tensor.entries<const Str>()) {
        add(static_cast<uint64_t>(text.size));
        bytes_.append(text.data, text.size);
      }
    }
    if (!numbers_) return key_of(bytes_);
    uint64_t number = 0;
    const Tensor tensor = block.columns[0].row(row);
    std::memcpy(&number, tensor.data, tensor.byte_size());
    return key_of(number);
  }

  const bool numbers_;
  std::string bytes_;
};

class Unique final : public Cursor {
 public:
  Unique(Opening& opening, const Params&)
      : input_(opening, 0, Port::Mode::keep),
        keys_(opening.node->components()),
        known_(keys_.numbers(), opening.ctx.runtime().limits.checkpoint_bytes) {
    fresh_.reserve(kMaxBlockRows);
  }

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    for (;;) {
      // That many rows of output take at least as many of input, and more if none was new for long.
      Demand wanted = demand;
      wanted.rows = std::max(demand.rows, width_);
      wanted.drop = false;
      const PullResult got = input_.fill(ctx, wanted);
      if (got != PullResult::rows) return got;
      look(demand.rows);
      if (!fresh_.empty()) break;
      const int rows = std::exchange(looked_at_, 0);
      input_.take(rows);
      input_.consume_all();
      width_ = std::min(2 * std::max(demand.rows, width_), kMaxBlockRows);
      if (yield_timer_.should_yield(ctx, rows)) return PullResult::pending;
    }
    yield_timer_.reset();
    width_ = 0;
    give(demand, out);
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    // The rows that were new, or the one that could not be looked at.
    const auto lost = std::max<int64_t>(static_cast<int64_t>(fresh_.size()), 1);
    if (input_.buffered() > 0) input_.take(std::max(looked_at_, 1));
    input_.consume_all();
    looked_at_ = 0;
    fresh_.clear();
    return lost;
  }

  void state(Archive& archive) override {
    known_.state(archive);
    input_.state(archive);
  }

 private:
  // Looks at buffered rows until `limit` of them are new or have failed.
  void look(int limit) {
    const Block& block = input_.block();
    fresh_.clear();
    looked_at_ = 0;
    full_ = false;
    for (int row = input_.begin(); row < block.rows && !full_ && static_cast<int>(fresh_.size()) < limit;
         ++row) {
      KeySet::Found found = KeySet::Found::added;
      if (block.errors.empty() || !block.failed(row)) {
        try {
          found = known_.insert(keys_.of(block, row));
        } catch (...) {
          // What was found so far comes first.
          if (fresh_.empty()) throw;
          return;
        }
      }
      if (found == KeySet::Found::full && !fresh_.empty()) return;
      full_ = found == KeySet::Found::full;
      if (found != KeySet::Found::known) fresh_.push_back(row);
      ++looked_at_;
    }
  }

  // Moves the rows found to `out`.
  void give(const Demand& demand, Block& out) {
    const Block& block = input_.block();
    out.reset(demand.drop ? 0 : block.columns.size());
    if (full_) {
      out.set_error(too_many().pointer(), out.columns.size());
      out.origins.gather(block.origins, fresh_);
      input_.take(looked_at_);
    } else if (static_cast<int>(fresh_.size()) == looked_at_) {
      input_.take_into(out, 0, looked_at_);
    } else {
      for (size_t i = 0; i < out.columns.size(); ++i) out.columns[i].gather_from(block.columns[i], fresh_);
      out.origins.gather(block.origins, fresh_);
      for (size_t i = 0; i < fresh_.size() && !block.errors.empty(); ++i) {
        if (const ErrorPtr* error = block.error_of(fresh_[i]))
          out.errors.push_back({static_cast<int>(i), *error});
      }
      input_.take(looked_at_);
    }
    out.rows = static_cast<int>(fresh_.size());
    input_.consume_all();
    looked_at_ = 0;
  }

  Status too_many() const {
    return Status(Code::resource_exhausted,
                  expected_found(concat("at most ", known_.max_size(),
                                        " different elements, as checkpoint_bytes allows"),
                                 "another one", "raise the limit, or make keys of fewer values"));
  }

  Port input_;
  Keys keys_;
  KeySet known_;
  // The buffered rows that are new or have failed, and how many rows were looked at for them.
  std::vector<int32_t> fresh_;
  int looked_at_ = 0;
  // The only row in `fresh_` is one too many.
  bool full_ = false;
  // The least number of rows of the next pull: doubled as long as none is new.
  int width_ = 0;
  YieldTimer yield_timer_;
};

Result<Spec> spec(const Params&, std::span<const DatasetRef> inputs) {
  const Spec& spec = inputs[0]->spec();
  for (const Component& component : inputs[0]->components()) {
    if (is_integer(component.dtype) || component.dtype == DType::boolean || component.dtype == DType::string)
      continue;
    return invalid_argument(expected_found("elements of integers, bools and strings", spec.to_string(),
                                           "map them to such first"));
  }
  return spec;
}

}  // namespace

const OperatorDef& unique_operator() {
  static const OperatorDef def = define<Params, Unique>({
      .name = "unique",
      .doc =
          "Drops elements that came before. Elements are integers, bools, strings, or structures of them. Remembers 16 bytes per distinct element, 8 for a number, and saves them in checkpoints; in memory they take 40. Elements of more than 15 bytes are told apart by a hash of 124 bits. Distinct elements beyond the limit `checkpoint_bytes` are errors.",
      .cost = "A look-up per element, and a copy of the elements that stay if others are dropped.",
      .example = "from_tensor_slices([3, 1, 3, 2, 1]) | unique()",
      .output = "3\n1\n2",
      .bench = "range(1000000) | map(x -> x % 1000) | unique()",
      .spec = spec_of<Params, spec>,
      .cardinality = unknown_cardinality,
      .kept =
          [](const ParamsBase&) {
            return Kept{kMaxBlockRows, 0};
          },
  });
  return def;
}

}  // namespace weir

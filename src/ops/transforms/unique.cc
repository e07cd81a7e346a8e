// unique(): each element the first time that it comes. Errors keep their places. Remembers a key of each
// element (ops/functions/key_set.h), so memory and checkpoints grow with the number of different ones. A row
// that memory runs out for is an error whether it would have been new or not. Checkpoint: the keys, and the
// input's position; rows that were pulled and not looked at come again.
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "ops/functions/chosen_rows.h"
#include "ops/functions/key_set.h"

namespace weir::unique_op {
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

class Unique final : public ChosenRows {
 public:
  Unique(Opening& opening, const Params&)
      : ChosenRows(opening),
        keys_(opening.node->components()),
        known_(keys_.numbers(), opening.ctx.runtime().limits.checkpoint_bytes) {}

  bool restart(Opening&, const ParamsBase&) override { return false; }

  void state(Archive& archive) override {
    known_.state(archive);
    ChosenRows::state(archive);
  }

 private:
  void judge(Context&, const Block&, int64_t) override {}

  int choose(const Block& block, int begin, int limit, Chosen& fresh) override {
    fresh.rows.reserve(kMaxBlockRows);
    int row = begin;
    for (; row < block.rows && static_cast<int>(fresh.rows.size()) < limit; ++row) {
      const ErrorPtr* const failed = block.error_of(row);
      ErrorPtr error = failed ? *failed : nullptr;
      if (!error) {
        KeySet::Found found;
        try {
          found = known_.insert(keys_.of(block, row));
        } catch (...) {
          // What was found so far comes first.
          if (fresh.rows.empty()) throw;
          return row;
        }
        if (found == KeySet::Found::known) continue;
        if (found == KeySet::Found::full) error = too_many().pointer();
      }
      if (error) fresh.errors.push_back({static_cast<int>(fresh.rows.size()), std::move(error)});
      fresh.rows.push_back(row);
    }
    return row;
  }

  Status too_many() const {
    return Status(
        Code::resource_exhausted,
        expected_found(
            concat("at most ", known_.max_size(), " different elements, as many as a checkpoint holds"),
            "another one", "map elements to fewer values, or use unique on each part of a partition"));
  }

  Keys keys_;
  KeySet known_;
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

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Unique>({
      .name = "unique",
      .page =
          {.doc =
               "Drops every element that equals an earlier one. Elements are integers, bools, strings, or structures of them. Remembers 16 bytes per distinct element, 8 for a number, and saves them in checkpoints; in memory they take 40. Elements of more than 15 bytes are compared by a hash of 124 bits. Beyond 4 GiB of remembered elements, each further distinct element is an error (resource_exhausted).",
           .cost = "A look-up per element, and a copy of the elements that stay if others are dropped.",
           .example = "from_tensor_slices([3, 1, 3, 2, 1]) | unique()",
           .output = "3\n1\n2",
           .bench = "range(1000000) | map(x -> x % 1000) | unique()",
           .elsewhere = "distinct dedup drop_duplicates: unique()"},
      .typing = {.spec = spec_of<Params, spec>},
      .position = {.kept =
                       [](const ParamsBase&) {
                         return Kept{kMaxBlockRows, 0};
                       }},
  });
  return def;
}

}  // namespace weir::unique_op

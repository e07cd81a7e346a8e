// from_list(elements): the members of a list, each an element. They have one structure; dimensions that
// differ are unknown. Checkpoint: how many were given.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/text.h"
#include "dataset/access.h"
#include "dataset/operator.h"
#include "ops/counted_source.h"

namespace weir::from_list_op {
namespace {

struct Params : ParamsOf<Params> {
  ValueParam elements{.list = true};
  void fields(Fields& f) override {
    f("elements", elements, "A list of the elements: tensors, tuples or dicts, all of one structure.");
  }
};

// The elements in blocks, of which all but the last are full.
std::vector<Block> blocks_of(const Opening& opening, const Params& params) {
  std::vector<Block> blocks;
  auto value = params.elements.values.begin();
  for (const Spec& element : params.elements.spec.children) {
    Components row;
    for (int from : component_order(element, opening.node->spec())) row.push_back(value[from]);
    value += element.component_count();
    if (blocks.empty() || blocks.back().rows == kMaxBlockRows) blocks.emplace_back();
    Block one;
    one.set_row(row);
    blocks.back().append(one, 0, 1);
  }
  return blocks;
}

class FromList final : public CountedSource<FromList> {
 public:
  FromList(Opening& opening, const Params& params)
      : CountedSource(static_cast<int64_t>(params.elements.spec.children.size())),
        blocks_(blocks_of(opening, params)) {}

  int give(int64_t first, int rows, bool drop, Block& out) {
    const Block& block = blocks_[static_cast<size_t>(first / kMaxBlockRows)];
    const int begin = static_cast<int>(first % kMaxBlockRows);
    rows = std::min(rows, block.rows - begin);
    out.reset(drop ? 0 : block.columns.size());
    for (size_t i = 0; i < out.columns.size(); ++i) out.columns[i] = block.columns[i].slice(begin, rows);
    return rows;
  }

 private:
  const std::vector<Block> blocks_;
};

class ListAccess final : public Access {
 public:
  ListAccess(Opening& opening, const Params& params)
      : count_(static_cast<int64_t>(params.elements.spec.children.size())),
        blocks_(blocks_of(opening, params)) {}

  AccessCount count() const override { return {count_, false}; }
  void read(Context&, std::span<const int64_t> positions, Block& out) override {
    out.reset(0);
    out.rows = 0;
    for (int64_t position : positions) {
      out.append(blocks_[static_cast<size_t>(position / kMaxBlockRows)],
                 static_cast<int>(position % kMaxBlockRows), 1);
    }
  }

 private:
  const int64_t count_;
  const std::vector<Block> blocks_;
};

Result<std::unique_ptr<Access>> access(Opening& opening, const ParamsBase& params) {
  return std::unique_ptr<Access>(std::make_unique<ListAccess>(opening, static_cast<const Params&>(params)));
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  const std::vector<Spec>& elements = params.elements.spec.children;
  if (elements.empty()) {
    return invalid_argument(
        expected_found("at least one element", "none", "for none write empty(spec) with the element's spec"));
  }
  Spec out = elements[0];
  for (size_t i = 1; i < elements.size(); ++i) {
    const Status same = out.check_same_structure(elements[i]);
    if (!same.ok()) {
      return invalid_argument(expected_found(concat("elements of one structure, ", elements[0].to_string()),
                                             concat(elements[i].to_string(), " as element ", i)));
    }
    out = Spec::relax(out, elements[i]);
  }
  return out;
}

int64_t cardinality(const Params& params, std::span<const DatasetRef>) {
  return static_cast<int64_t>(params.elements.spec.children.size());
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, FromList>({
      .name = "from_list",
      .kind = OperatorKind::source,
      .page =
          {.doc =
               "Yields the members of a list, in order. They have one structure; their shapes may differ. There are at most 4,095 members, fewer if they are tuples or dicts; for more elements stack them and use from_tensor_slices.",
           .cost = "Copies the elements once, when the dataset is opened.",
           .example = "from_list([{x: 1, s: \"a\"}, {x: 2, s: \"b\"}])",
           .output = "{x: 1, s: \"a\"}\n{x: 2, s: \"b\"}",
           .bench = "from_list([1, 2, 3, 4, 5, 6, 7, 8]) | repeat(20000)"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = cardinality_of<Params, cardinality>},
      .access = {.open = access},
  });
  return def;
}

}  // namespace weir::from_list_op

// get_single_element(): the only element of the input. An error of the input is the result. Checkpoint:
// nothing; a restored one begins again.
#include <utility>

#include "core/text.h"
#include "dataset/operator.h"

namespace weir::get_single_element_op {
namespace {

struct Params : ParamsOf<Params> {
  void fields(Fields&) override {}
};

class GetSingleElement final : public Cursor {
 public:
  GetSingleElement(Opening& opening, const Params&) : input_(opening, 0, Port::Mode::whole) {}

  Step next(Context& ctx, const Demand&, Block& out) override {
    if (done_) return PullResult::end;
    // An error is the result, also a thrown one.
    done_ = true;
    Demand demand;
    demand.rows = 2;
    PullResult got = PullResult::rows;
    while (only_.rows < 2 && (got = input_.fill(ctx, demand)) == PullResult::rows) {
      if (const ErrorPtr* error = input_.block().error_of(input_.begin())) {
        out.origins.append(input_.block().origins, input_.begin(), 1, 0);
        return *error;
      }
      only_.append(input_.block(), input_.begin(), 1);
      input_.take(1);
    }
    if (only_.rows == 2) return wrong("at least two");
    done_ = got == PullResult::end;
    if (!done_) return got;
    if (only_.rows == 0) return wrong("none");
    input_.consume_all();
    out = std::move(only_);
    return PullResult::rows;
  }

  void state(Archive& archive) override {
    archive("done", done_);
    input_.state(archive);
    if (archive.loading()) only_ = Block();
  }

 private:
  static Status wrong(const char* found) {
    return invalid_argument(expected_found("exactly one element", found));
  }

  Port input_;
  // What the input has given so far.
  Block only_;
  bool done_ = false;
};

int64_t cardinality(const Params&, std::span<const DatasetRef>) { return 1; }

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, GetSingleElement>({
      .name = "get_single_element",
      .kind = OperatorKind::terminal,
      .page =
          {.doc =
               "The only element of the input, as a value. An input with no element, or with more than one, is an error (invalid_argument).",
           .cost = "Asks for two elements.",
           .example = "range(6) | batch(6) | get_single_element()",
           .output = "[0, 1, 2, 3, 4, 5]",
           .bench = "range(20000) | map(x -> range(1) | get_single_element())"},
      .typing = {.cardinality = cardinality_of<Params, cardinality>},
      .position = {.ends_early = true, .keeps_rows = true},
  });
  return def;
}

}  // namespace weir::get_single_element_op

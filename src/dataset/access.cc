#include "dataset/access.h"

#include <utility>
#include <vector>

#include "core/text.h"
#include "dataset/operator_def.h"

namespace weir {

namespace {

// Adds the operator's path to errors that have none.
class Placed final : public Access {
 public:
  Placed(std::unique_ptr<Access> access, PathRef path) : access_(std::move(access)), path_(std::move(path)) {}

  int64_t count() const override { return access_->count(); }
  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    access_->read(ctx, positions, out);
    for (RowError& error : out.errors) {
      if (!error.error->path.empty()) continue;
      auto placed = std::make_shared<Error>(*error.error);
      placed->path = path_->to_string();
      error.error = std::move(placed);
    }
  }

 private:
  const std::unique_ptr<Access> access_;
  const PathRef path_;
};

}  // namespace

Result<std::unique_ptr<Access>> open_access(Context& ctx, Instance instance) {
  const Dataset& node = *instance.node;
  Opening opening(ctx, std::move(instance));
  WEIR_TRY(check_access(node));
  std::unique_ptr<ParamsBase> bound;
  if (node.dynamic()) {
    WEIR_ASSIGN(bound, bind_params(node.params(), ctx.session, opening.env.get(), opening.key));
  }
  WEIR_ASSIGN(std::unique_ptr<Access> access, node.op().access(opening, bound ? *bound : node.params()));
  return std::unique_ptr<Access>(std::make_unique<Placed>(std::move(access), opening.path));
}

Status check_access(const Dataset& node) {
  if (!node.op().access) {
    return Status(Code::failed_precondition,
                  expected_found("operators that know the position of each element",
                                 concat(node.op().name, ", which does not"),
                                 "put it after this one, or shuffle(n) in place of this one"));
  }
  for (const DatasetRef& input : node.inputs()) WEIR_TRY(check_access(*input));
  return Status();
}

void AccessParts::finish(Block& out) {
  std::vector<int32_t> rows(places_.size());
  for (size_t i = 0; i < places_.size(); ++i) rows[static_cast<size_t>(places_[i])] = static_cast<int32_t>(i);
  out.gather_from(rows_, rows);
}

}  // namespace weir

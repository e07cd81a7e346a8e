#include "expr/types/generator.h"

namespace weir {

namespace {

Status no_function() {
  return invalid_argument(
      expected_found("a function", "a generator", "its elements are those of from_generator(@NAME, spec)"));
}

}  // namespace

Result<Spec> Generator::result(const Spec&) const { return no_function(); }
Result<Spec> Generator::infer(const Components&) const { return no_function(); }
Status Generator::call(Session&, const Block&, Block&) const { return no_function(); }

GeneratorFunction::GeneratorFunction(RefPtr<const Generator> generator)
    : Function(Spec::tuple({}), Spec::tuple({})), generator_(std::move(generator)) {
  concurrent_ = generator_->flags.concurrent;
}

Lane GeneratorFunction::lane() const {
  if (generator_->flags.on_caller) return Lane::caller;
  return generator_->flags.blocking ? Lane::blocking : Lane::compute;
}

std::string GeneratorFunction::not_replayable() const {
  return generator_->flags.pure || generator_->saves() || generator_->counts()
             ? ""
             : "reads a generator that is not declared pure and does not save its place";
}

void GeneratorFunction::add_sites(Sites& out) const {
  if (not_replayable().empty()) return;
  Sites own;
  own.calls = not_replayable();
  own.unsaved = own.calls;
  out.add(own);
}

void GeneratorFunction::call(const CallArgs&, const Block& in, Block& out) const {
  out.reset(0);
  out.rows = in.rows;
  for (int row = 0; row < in.rows; ++row) out.fail_row(row, no_function().pointer());
}

Result<FunctionRef> make_generator_function(const CallbackRef& callback) {
  const auto* generator = dynamic_cast<const Generator*>(callback.get());
  if (generator) return FunctionRef(make_ref<const GeneratorFunction>(RefPtr<const Generator>(generator)));
  return invalid_argument(expected_found("a generator", "a function of elements",
                                         "for one element of each input, use it in map"));
}

}  // namespace weir

#include "expr/types/entry_op.h"

namespace weir {

namespace {

struct Named {
  std::string_view name;
  EntryOp op;
};

constexpr Named kNames[] = {
    {"+", EntryOp::add},
    {"-", EntryOp::subtract},
    {"*", EntryOp::multiply},
    {"/", EntryOp::divide},
    {"==", EntryOp::equal},
    {"!=", EntryOp::not_equal},
    {"<", EntryOp::less},
    {"<=", EntryOp::less_equal},
    {">", EntryOp::greater},
    {">=", EntryOp::greater_equal},
    {"and", EntryOp::logical_and},
    {"or", EntryOp::logical_or},
    {"not", EntryOp::logical_not},
    {"minimum", EntryOp::minimum},
    {"maximum", EntryOp::maximum},
    {"abs", EntryOp::abs},
    {"ceil", EntryOp::ceil},
    {"floor", EntryOp::floor},
    {"is_finite", EntryOp::is_finite},
    {"is_nan", EntryOp::is_nan},
    {"negative", EntryOp::negative},
    {"reciprocal", EntryOp::reciprocal},
    {"round", EntryOp::round},
    {"rsqrt", EntryOp::rsqrt},
    {"sign", EntryOp::sign},
    {"sqrt", EntryOp::sqrt},
    {"square", EntryOp::square},
    {"cast", EntryOp::cast},
    {"clip", EntryOp::clip},
    {"where", EntryOp::where},
};

}  // namespace

EntryOp entry_op(std::string_view function) {
  for (const Named& named : kNames) {
    if (named.name == function) return named.op;
  }
  return EntryOp::none;
}

}  // namespace weir

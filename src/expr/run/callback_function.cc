// A Function over a callback: serialises calls where it must, calls row by row for single elements, and never
// shows the callback a failed row.
#include <vector>

#include "core/text.h"
#include "expr/run/row_callback.h"
#include "expr/types/function.h"

namespace weir {

namespace {

class CallbackFunction final : public Function {
 public:
  CallbackFunction(CallbackRef callback, const Spec& input, Spec result)
      : Function(input, std::move(result)), callback_(std::move(callback)) {
    concurrent_ = callback_->flags.concurrent;
    takes_blocks_ = callback_->flags.block;
    is_host_ = true;
  }

  Lane lane() const override {
    if (callback_->flags.on_caller) return Lane::caller;
    return callback_->flags.blocking ? Lane::blocking : Lane::compute;
  }
  std::string not_replayable() const override {
    if (callback_->flags.pure) return "";
    return callback_->has_state() ? "calls a callback with a state"
                                  : "calls a callback that is not declared pure";
  }
  void add_sites(Sites& out) const override {
    if (callback_->flags.pure) return;
    Sites own;
    own.calls = not_replayable();
    if (callback_->has_state()) {
      own.states.push_back(callback_);
    } else {
      own.unsaved = own.calls;
    }
    out.add(own);
  }
  void epoch_nodes(std::vector<EpochNode>&) const override {}

  void call(const CallArgs& args, const Block& in, Block& out) const override;

 private:
  Status call_each(Session& session, const Block& in, Block& out) const;
  Status invoke(Session& session, const Block& in, Block& out) const;
  void call_block(Session& session, const Block& in, const std::vector<int32_t>& rows, Block& out) const;
  Status check(Block& out, int rows) const;

  const CallbackRef callback_;
};

void CallbackFunction::call(const CallArgs& args, const Block& in, Block& out) const {
  std::vector<int32_t> rows;
  if (!in.errors.empty()) {
    rows.reserve(static_cast<size_t>(in.rows));
    for (int row = 0; row < in.rows; ++row) {
      if (!in.failed(row)) rows.push_back(row);
    }
  }
  out.reset(components_.size());
  call_block(args.session, in, rows, out);
  for (const RowError& error : in.errors) out.fail_row(error.row, error.error);
  if (args.drop) out.columns.clear();
}

// The host's function runs in its turn, and may take its own locks.
Status CallbackFunction::invoke(Session& session, const Block& in, Block& out) const {
  const auto call = [&] {
    return takes_blocks_ ? callback_->call(session, in, out) : call_each(session, in, out);
  };
  Status status;
  if (concurrent_) {
    status = call();
  } else {
    const HostTurn::Hold hold(*callback_->turn, session.scheduler);
    status = hold.status().ok() ? call() : hold.status();
  }
  return status.ok() ? check(out, in.rows) : status;
}

Status CallbackFunction::check(Block& out, int rows) const {
  if (out.columns.size() != components_.size()) {
    return invalid_argument(concat("the callback gave ", out.columns.size(),
                                   " components; expected those of ", result_.to_string()));
  }
  for (size_t i = 0; i < components_.size(); ++i) {
    const Column& column = out.columns[i];
    const bool shaped = column.dense() && column.tensor().dtype != DType::invalid;
    const auto have = column.dense() ? (shaped ? column.tensor().shape.dim(0) : 0)
                                     : static_cast<int64_t>(column.list().size());
    if (have != rows && out.value_rows() > 0) {
      return invalid_argument(concat("the callback gave ", have, " rows for ", rows));
    }
    for (int row = 0; row < rows; ++row) {
      if (out.failed(row)) continue;
      const Tensor value = column.row(row);
      if (value.dtype != components_[i].dtype || !value.shape.compatible(components_[i].shape)) {
        Status status =
            invalid_argument(concat("the callback gave ", dtype_name(value.dtype), value.shape.to_string(),
                                    " for component ", i, " of ", result_.to_string()));
        if (takes_blocks_ || column.dense()) return status;
        out.fail_row(row, status.pointer());
      }
      if (column.dense()) break;
    }
  }
  return Status();
}

// `rows`: those that have not failed, if some have.
void CallbackFunction::call_block(Session& session, const Block& in, const std::vector<int32_t>& rows,
                                  Block& out) const {
  const bool all = in.errors.empty();
  Block given;
  if (!all) given.gather_from(in, rows);
  const Block& seen = all ? in : given;
  const auto row_of = [&](int at) { return all ? at : rows[static_cast<size_t>(at)]; };
  Block made;
  Block& results = all ? out : made;
  results.reset(components_.size());
  results.rows = seen.rows;
  const Status status = seen.rows > 0 ? invoke(session, seen, results) : Status();
  out.rows = in.rows;
  if (!status.ok() || seen.rows == 0) {
    out.errors.clear();
    if (out.columns.size() != components_.size()) out.reset(components_.size());
    out.rows = in.rows;
    for (Column& column : out.columns) column.make_list().resize(static_cast<size_t>(in.rows));
    for (int at = 0; at < seen.rows; ++at) out.fail_row(row_of(at), status.pointer());
    return;
  }
  if (all) return;
  for (const RowError& error : made.errors) out.fail_row(row_of(error.row), error.error);
  for (size_t i = 0; i < out.columns.size(); ++i) {
    std::vector<Tensor>& list = out.columns[i].make_list();
    list.resize(static_cast<size_t>(in.rows));
    for (int at = 0; at < seen.rows; ++at) {
      if (!made.failed(at)) list[static_cast<size_t>(row_of(at))] = made.columns[i].row(at);
    }
  }
}

Status CallbackFunction::call_each(Session& session, const Block& in, Block& out) const {
  if (const auto* each = dynamic_cast<const RowCallback*>(callback_.get()))
    return each->call_each(session, in, out);
  const size_t count = out.columns.size();
  std::vector<std::vector<Tensor>> lists(count);
  for (auto& list : lists) list.resize(static_cast<size_t>(in.rows));
  for (int row = 0; row < in.rows; ++row) {
    Block made;
    made.reset(count);
    made.rows = 1;
    Status status = callback_->call(session, in.slice(row, 1), made);
    if (status.ok() && !made.errors.empty()) status = Status(made.errors[0].error);
    if (!status.ok()) {
      out.fail_row(row, status.pointer());
      continue;
    }
    for (size_t i = 0; i < count; ++i) lists[i][static_cast<size_t>(row)] = made.columns[i].row(0);
  }
  for (size_t i = 0; i < count; ++i) {
    out.columns[i].make_list() = std::move(lists[i]);
    if (out.errors.empty()) out.columns[i].densify();
  }
  return Status();
}

}  // namespace

Result<FunctionRef> make_callback_function(CallbackRef callback, const Spec& input) {
  WEIR_ASSIGN(Spec result, callback->result(input));
  if (CallbackRef own = callback->with_result(result)) callback = std::move(own);
  return FunctionRef(make_ref<const CallbackFunction>(std::move(callback), input, std::move(result)));
}

}  // namespace weir

#include "ops/functions/state_fold.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "core/exception.h"

namespace weir {

StateFold::StateFold(const Opening& opening, const ValueParam& initial, const FunctionParam& function)
    : StateFold(opening, function) {
  state_.set_row(initial.values);
}

StateFold::StateFold(const Opening& opening, const FunctionParam& function)
    : apply_(opening, function),
      spec_(apply_.function().input().children[0]),
      components_(spec_.components()),
      loop_(apply_.function().row_loop(components_.size())) {
  // The loop knows the shapes of its values, of which the function's results may tell less.
  const std::vector<Component>& given = apply_.function().components();
  if (!std::ranges::all_of(given, [](const Component& one) { return one.shape.is_static(); })) loop_.reset();
}

void StateFold::run(Session& session, int64_t first, const Block& in, int begin, int end, bool only_one,
                    RowErrors& errors, Block* results) {
  const bool small = session.runtime.limits.tensor_bytes >= RowLoop::kMaxBytes;
  // Rows that all failed may have no columns.
  if (loop_ && small && in.value_rows() > 0 && loop_->takes(in) && enter_loop()) {
    loop_->mark();
    try {
      return run_loop(session, first, in, begin, end, only_one, errors, results);
    } catch (...) {
      loop_->go_back();
      throw;
    }
  }
  const std::vector<Column> before = state().columns;
  try {
    call_each(session, first, in, begin, end, only_one, errors, results);
  } catch (...) {
    state_.columns = before;
    throw;
  }
}

// Gives the state to the loop. False if it does not fit.
bool StateFold::enter_loop() {
  if (in_loop_) return true;
  for (size_t i = 0; i < components_.size(); ++i) {
    const Column& column = state_.columns[i];
    if (!column.dense() || column.tensor().shape.tail() != components_[i].shape) return false;
  }
  for (size_t i = 0; i < components_.size(); ++i) loop_->set_state(i, state_.columns[i].tensor().data);
  return in_loop_ = true;
}

Block& StateFold::state() {
  if (!in_loop_) return state_;
  std::vector<Column> columns(components_.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    uint8_t* to = columns[i].make_dense(components_[i].dtype, components_[i].shape, 1);
    const size_t size = static_cast<size_t>(components_[i].shape.count()) * dtype_size(components_[i].dtype);
    if (size > 0) std::memcpy(to, loop_->state(i), size);
  }
  state_.columns.swap(columns);
  in_loop_ = false;
  return state_;
}

void StateFold::run_loop(Session& session, int64_t first, const Block& in, int begin, int end, bool only_one,
                         RowErrors& errors, Block* results) {
  const size_t states = components_.size();
  const std::vector<Component>& given = apply_.function().components();
  places_.clear();
  if (results != nullptr) {
    results->reset(given.size() - states);
    for (size_t i = states; i < given.size(); ++i) {
      places_.push_back(results->columns[i - states].make_dense(given[i].dtype, given[i].shape, in.rows));
    }
    results->rows = in.rows;
  }
  const auto fail = [&](int row, const ErrorPtr& error) {
    errors.push_back({row, error});
    for (size_t i = 0; i < places_.size(); ++i) {
      const Component& type = given[states + i];
      const size_t size = static_cast<size_t>(type.shape.count()) * dtype_size(type.dtype);
      if (size > 0) std::memset(places_[i] + static_cast<size_t>(row) * size, 0, size);
    }
  };
  const CallArgs args = apply_.args(session, first);
  const RowError* failed = in.errors.begin();
  while (failed != in.errors.end() && failed->row < begin) ++failed;
  for (int row = begin; row < end && !(only_one && !errors.empty()); ++row) {
    const int stop = failed == in.errors.end() ? end : std::min(failed->row, end);
    ErrorPtr error;
    row = loop_->run(args, in, row, stop, places_, error);
    if (row < stop) {
      fail(row, error);
    } else if (stop < end) {
      fail(row, failed->error);
      ++failed;
    }
  }
}

void StateFold::call_each(Session& session, int64_t first, const Block& in, int begin, int end, bool only_one,
                          RowErrors& errors, Block* results) {
  const size_t states = components_.size();
  const size_t given = apply_.function().components().size();
  if (results != nullptr) {
    results->reset(given - states);
    results->rows = 0;
  }
  for (int row = begin; row < end && !(only_one && !errors.empty()); ++row) {
    const ErrorPtr* failed = in.error_of(row);
    const ErrorPtr error = failed ? *failed : call(session, first + row, in, row);
    if (error) errors.push_back({row, error});
    if (results == nullptr) continue;
    if (error) {
      row_.set_error(error, given - states);
    } else {
      row_.reset(given - states);
      row_.rows = 1;
      for (size_t i = states; i < given; ++i) std::swap(row_.columns[i - states], out_.columns[i]);
    }
    results->append(row_, 0, 1);
  }
  if (results != nullptr) results->errors.clear();
  // The input uses its memory again.
  for (size_t i = states; i < in_.columns.size(); ++i) in_.columns[i] = Column();
}

// Applies the function to one row. Its results are in `out_`, but those of the state in `state_`.
ErrorPtr StateFold::call(Session& session, int64_t ordinal, const Block& in, int row) {
  const size_t states = components_.size();
  in_.columns.resize(states + in.columns.size());
  in_.rows = 1;
  for (size_t i = 0; i < in.columns.size(); ++i) in_.columns[states + i] = in.columns[i].slice(row, 1);
  for (size_t i = 0; i < states; ++i) std::swap(in_.columns[i], state_.columns[i]);
  ErrorPtr error;
  try {
    apply_(session, ordinal, in_, out_);
    if (!out_.errors.empty()) error = out_.errors[0].error;
  } catch (const std::bad_alloc&) {
    error = out_of_memory();
  } catch (...) {
    for (size_t i = 0; i < states; ++i) std::swap(in_.columns[i], state_.columns[i]);
    throw;
  }
  for (size_t i = 0; i < states; ++i) std::swap(error ? in_.columns[i] : out_.columns[i], state_.columns[i]);
  return error;
}

void StateFold::save(Archive& archive) {
  HeldRows held;
  if (!archive.loading()) held.add(state());
  held.state(archive, spec_);
  if (!archive.loading() || !archive.status().ok()) return;
  Block loaded;
  if (held.rows() == 1) held.take(1, loaded);
  if (loaded.value_rows() != 1) return archive.fail(expected_found("a state", "something else"));
  state_ = std::move(loaded);
  in_loop_ = false;
}

}  // namespace weir

#include "expr/run/compiled.h"

#include <algorithm>
#include <cstring>

#include "expr/run/owners.h"
#include "expr/run/row_loop.h"

namespace weir {

FramePool::Lease::Lease(FramePool& pool) : pool_(pool) {
  for (Place& place : pool.places_) {
    if (place.taken.load(std::memory_order_relaxed) || place.taken.exchange(true, std::memory_order_acquire))
      continue;
    taken_ = &place.taken;
    try {
      if (!place.frame) place.frame = std::make_unique<Frame>(pool.program_);
    } catch (...) {
      place.taken.store(false, std::memory_order_release);
      throw;
    }
    frame_ = place.frame.get();
    return;
  }
  own_ = std::make_unique<Frame>(pool.program_);
  frame_ = own_.get();
}

FramePool::Lease::~Lease() {
  if (uses_slots_) release(pool_.program_, *frame_);
  if (taken_ != nullptr) taken_->store(false, std::memory_order_release);
}

namespace {

// Of the rows that run one after the other. In larger ones, what matters is how entries are computed.
constexpr int64_t kMostSmallBytes = 1024;
// More rows are cheaper together.
constexpr int64_t kMostSmallRows = 8;

// Lets large results come from the runtime's pool, unless that has the host's memory: malloc would give the
// memory of freed ones back to the system, and each new one would fault its pages in.
class PooledResults {
 public:
  PooledResults(std::span<const Destination> destinations, BufferPool* pool) : destinations_(destinations) {
    if (pool && pool->is_own()) draw_from(pool);
  }
  ~PooledResults() { draw_from(nullptr); }
  PooledResults(const PooledResults&) = delete;
  PooledResults& operator=(const PooledResults&) = delete;

 private:
  void draw_from(BufferPool* pool) const {
    for (const Destination& destination : destinations_) destination.column->draw_from(pool);
  }

  const std::span<const Destination> destinations_;
};

// How many rows of a function take less one after the other, at fixed places, than together.
int count_small_rows(const Program& program) {
  const std::optional<int64_t> bytes = row_loop_bytes(program);
  if (program.code.empty() || !bytes) return 0;
  return static_cast<int>(std::min(kMostSmallRows, kMostSmallBytes / std::max<int64_t>(*bytes, 1)));
}

// Whether a result is a dataset that some variable holds, or one that opens such a one.
bool may_open_variables(const Program& program) {
  return std::any_of(program.results.begin(), program.results.end(), [&](int result) {
    if (program.registers[static_cast<size_t>(result)].type.dtype != DType::dataset) return false;
    for (const Instruction& made : program.code) {
      if (std::find(made.results.begin(), made.results.end(), result) == made.results.end()) continue;
      if (made.kind == Instruction::Kind::branch)
        return may_open_variables(*made.then_program) || may_open_variables(*made.else_program);
      return made.kind != Instruction::Kind::dataset || made.dataset->opens_variables();
    }
    return true;
  });
}

// Whether the only result is a dataset that takes no more than finding variables.
bool only_closes_over(const Program& program) {
  if (program.results.size() != 1) return false;
  const Register& result = program.registers[static_cast<size_t>(program.results[0])];
  if (result.type.dtype != DType::dataset) return false;
  if (result.source != Register::Source::computed) return program.code.empty();
  if (program.code.size() != 1 || program.code[0].kind != Instruction::Kind::dataset) return false;
  const std::vector<int>& args = program.code[0].args;
  return std::none_of(args.begin(), args.end(), [&](int arg) {
    return program.registers[static_cast<size_t>(arg)].source == Register::Source::computed;
  });
}

// The value of a register that is not computed, for one row.
Tensor value_of(const Register& reg, const CallArgs& args, const Block& in, int row) {
  switch (reg.source) {
    case Register::Source::input:
      return in.columns[static_cast<size_t>(reg.index)].row(row);
    case Register::Source::env:
      return args.env->up(reg.level).values[static_cast<size_t>(reg.index)];
    default:
      return reg.constant;
  }
}

// Calls a function of the host that waits, row by row: several rows of one call would wait one after another.
bool waits_by_row(const Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const Instruction& one) {
    if (one.function && one.function->lane() == Lane::blocking && !one.function->takes_blocks()) return true;
    return one.then_program && (waits_by_row(*one.then_program) || waits_by_row(*one.else_program));
  });
}

}  // namespace

CompiledFunction::CompiledFunction(Spec input, Spec result, Program program, ProgramTraits traits)
    : Function(std::move(input), std::move(result)),
      program_(std::move(program)),
      traits_(std::move(traits)),
      opens_variables_(may_open_variables(program_)),
      small_rows_(count_small_rows(program_)),
      closes_over_(only_closes_over(program_)),
      width_(program_),
      frames_(program_) {
  can_fail_ = program_.can_fail;
  draws_random_ = traits_.draws_random;
  takes_blocks_ = !waits_by_row(program_);
  for (int reg : program_.results) {
    const bool once = std::count(program_.results.begin(), program_.results.end(), reg) == 1;
    direct_.push_back(once &&
                      program_.registers[static_cast<size_t>(reg)].source == Register::Source::computed);
  }
}

bool CompiledFunction::close_over(const CallArgs& args, const Block& in, int row, Closure& out) const {
  if (!closes_over_) return false;
  const Register& result = program_.registers[static_cast<size_t>(program_.results[0])];
  if (result.source != Register::Source::computed) {
    const Tensor value = value_of(result, args, in, row);
    const NestedDataset& dataset = dataset_of(value);
    out.node = DatasetRef(static_cast<const Dataset*>(dataset.node.get()));
    out.env = dataset.env;
    return true;
  }
  const Instruction& make = program_.code[0];
  out.node = make.dataset;
  if (make.shared_env_level >= 0) {
    out.env = args.env != nullptr ? EnvRef(args.env->outward(make.shared_env_level)) : EnvRef();
    return true;
  }
  Components values;
  values.reserve(make.args.size());
  for (int arg : make.args) {
    const Register& reg = program_.registers[static_cast<size_t>(arg)];
    values.push_back(value_of(reg, args, in, row));
    if (reg.source == Register::Source::input) copy_if_small(values.back());
  }
  out.env = make_ref<const Env>(EnvRef(args.env), std::move(values));
  return true;
}

int CompiledFunction::passes(int i) const {
  const Register& reg = program_.registers[static_cast<size_t>(program_.results[static_cast<size_t>(i)])];
  return reg.source == Register::Source::input ? reg.index : -1;
}

void CompiledFunction::call(const CallArgs& args, const Block& in, Block& out) const {
  const bool few = in.rows <= small_rows_ && in.rows > 0 && (args.selection == nullptr || in.rows == 1);
  if (few && in.errors.empty() && !args.drop && call_small(args, in, out)) return;
  if (in.rows <= width_.rows() && call_whole(args, in, out)) return;
  call_in_parts(args, in, out);
}

void CompiledFunction::call_in_parts(const CallArgs& args, const Block& in, Block& out) const {
  out.rows = 0;
  out.reset(args.drop ? 0 : program_.results.size());
  Block part;
  for (int row = 0; row < in.rows; row += part.rows) {
    CallArgs part_args = args;
    if (args.selection != nullptr) {
      part_args.selection += row;
    } else {
      part_args.base_ordinal += row;
    }
    while (!call_whole(part_args, in.slice(row, std::min(in.rows - row, width_.rows())), part)) {
    }
    out.append(part, 0, part.rows);
  }
}

// False if the values take too much; then fewer rows are to be tried.
bool CompiledFunction::call_whole(const CallArgs& args, const Block& in, Block& out) const {
  out.rows = in.rows;
  out.errors = in.errors;
  out.origins.clear();
  if (args.drop && !can_fail_) {
    out.columns.clear();
    return true;
  }
  constexpr size_t kInPlace = 16;
  Destination places[kInPlace];
  size_t count = 0;
  if (args.drop) {
    out.columns.clear();
  } else {
    out.columns.resize(program_.results.size());
    for (size_t i = 0; i < direct_.size() && count < kInPlace; ++i) {
      if (direct_[i]) places[count++] = {program_.results[i], &out.columns[i]};
    }
  }
  FramePool::Lease lease(frames_);
  Frame& frame = *lease;
  for (size_t i = 0; i < static_cast<size_t>(program_.inputs); ++i) frame.slots[i].borrow(in.columns[i]);
  for (const RowError& error : in.errors) frame.fail(error.row, in.rows, error.error);
  Room room = width_.room(in.rows);
  const Call call{.session = &args.session,
                  .env = args.env,
                  .key = args.key,
                  .base_ordinal = args.base_ordinal,
                  .selection = args.selection,
                  .tensor_bytes = args.session.runtime.limits.tensor_bytes,
                  .room = &room};
  if (!program_.code.empty() || program_.registers.size() > static_cast<size_t>(program_.inputs)) {
    const PooledResults pooled({places, count}, args.session.runtime.pool);
    try {
      evaluate(program_, frame, call, in.rows, args.drop, {places, count});
    } catch (const Room::Overfull&) {
      width_.narrow(in.rows, room.taken);
      return false;
    }
    width_.learn(in.rows, room.taken);
  }
  if (frame.error_count > static_cast<int>(in.errors.size())) {
    out.errors.clear();
    for (int row = 0; row < in.rows; ++row) {
      if (frame.failed(row)) out.errors.push_back({row, frame.errors[static_cast<size_t>(row)]});
    }
  }
  for (size_t i = 0; i < frame.read.size(); ++i) out.origins.add_one(static_cast<int>(i), frame.read[i]);
  if (!args.drop) deliver(frame, in, out);
  return true;
}

// False if the rows are not of the shapes that the function was compiled for.
bool CompiledFunction::call_small(const CallArgs& args, const Block& in, Block& out) const {
  constexpr size_t kMostResults = 16;
  const size_t count = program_.results.size();
  if (count > kMostResults) return false;
  FramePool::Lease lease(frames_);
  lease.leave_slots();
  std::unique_ptr<RowLoop>& loop = (*lease).row_loop;
  if (!loop) loop = row_loop(0);
  if (!loop || !loop->takes(in)) return false;
  out.rows = in.rows;
  if (!out.errors.empty()) out.errors.clear();
  out.columns.resize(count);
  uint8_t* places[kMostResults];
  const auto type = [&](size_t i) -> const Component& {
    return program_.registers[static_cast<size_t>(program_.results[i])].type;
  };
  for (size_t i = 0; i < count; ++i)
    places[i] = out.columns[i].make_dense(type(i).dtype, type(i).shape, in.rows);
  const CallArgs small{
      .session = args.session, .env = args.env, .key = args.key, .base_ordinal = args.ordinal(0)};
  for (int row = 0; row < in.rows; ++row) {
    ErrorPtr error;
    row = loop->run(small, in, row, in.rows, {places, count}, error);
    if (row == in.rows) break;
    for (size_t i = 0; i < count; ++i) {
      const size_t bytes = static_cast<size_t>(type(i).shape.count()) * dtype_size(type(i).dtype);
      std::memset(places[i] + static_cast<size_t>(row) * bytes, 0, bytes);
    }
    out.fail_row(row, std::move(error));
  }
  return true;
}

void CompiledFunction::deliver(Frame& frame, const Block& in, Block& out) const {
  for (size_t i = 0; i < program_.results.size(); ++i) {
    const int reg = program_.results[i];
    const Register& source = program_.registers[static_cast<size_t>(reg)];
    Column& column = out.columns[i];
    if (source.source != Register::Source::input) {
      deliver_computed(frame, reg, in.rows, column);
      continue;
    }
    const Column& from = in.columns[static_cast<size_t>(source.index)];
    if (from.dense()) {
      column.set_dense(from.tensor());
    } else {
      column.make_list() = from.list();
    }
  }
}

void CompiledFunction::deliver_computed(Frame& frame, int reg, int rows, Column& out) const {
  const Slot& slot = frame.slots[static_cast<size_t>(reg)];
  const DType dtype = program_.registers[static_cast<size_t>(reg)].type.dtype;
  OwnersRef owners;
  if (has_owners(dtype)) {
    owners = make_ref<Owners>();
    collect_owners(program_, frame, reg, owners->list);
  }
  if (slot.form == Slot::Form::empty || (slot.form == Slot::Form::list && slot.list->empty())) {
    // Every row failed.
    out.make_list().resize(static_cast<size_t>(rows));
    return;
  }
  const bool flat = slot.form == Slot::Form::dense && slot.view.shape.rank() < kMaxRank;
  if (!flat) {
    std::vector<Tensor>& list = out.make_list();
    list.reserve(static_cast<size_t>(rows));
    for (int row = 0; row < rows; ++row) {
      list.push_back(frame.failed(row) ? Tensor() : slot.row(row));
      list.back().owners = owners;
    }
    return;
  }
  const size_t row_bytes = slot.view.row_bytes();
  if (slot.delivered()) {
    // Written in place.
  } else if (!slot.uniform && slot.view.stride == static_cast<int64_t>(row_bytes)) {
    Tensor tensor;
    tensor.dtype = dtype;
    tensor.shape = slot.view.shape.prepended(rows);
    tensor.data = const_cast<uint8_t*>(slot.view.data);
    tensor.buffer = *slot.holder;
    out.set_dense(std::move(tensor));
  } else {
    uint8_t* to = out.make_dense(dtype, slot.view.shape, rows);
    for (int row = 0; row < rows && row_bytes > 0; ++row) {
      std::memcpy(to + static_cast<size_t>(row) * row_bytes, slot.view.data + row * slot.view.stride,
                  row_bytes);
    }
  }
  if (!owners) return;
  const size_t most = kMaxOwners;
  const bool too_many = dtype == DType::string && owners->list.size() > most;
  out.set_owners(std::move(owners));
  if (too_many) out.set_dense(deep_copy(out.tensor()));
}

CompiledExpression::CompiledExpression(const Spec& spec, Program program, ProgramTraits traits,
                                       Status failure)
    : Expression(spec, std::move(failure)),
      known_(program.code.empty() &&
             std::all_of(program.results.begin(), program.results.end(), [&](int reg) {
               return program.registers[static_cast<size_t>(reg)].source == Register::Source::constant;
             })) {
  // Code may fail even if its result is an unchanged argument: assert.
  bool variables = program.code.empty();
  for (int result : program.results) {
    const Register& reg = program.registers[static_cast<size_t>(result)];
    if (known_) constant_.push_back(reg.constant);
    variables = variables && reg.source == Register::Source::env;
    places_.push_back({reg.level, reg.index});
  }
  if (!variables) places_.clear();
  function_ = make_ref<const CompiledFunction>(Spec::tuple({}), spec, std::move(program), std::move(traits));
}

const Tensor* CompiledExpression::lend(const Env* env) const {
  if (places_.size() != 1) return nullptr;
  return &env->up(places_[0].level).values[static_cast<size_t>(places_[0].slot)];
}

Result<Components> CompiledExpression::evaluate(Session& session, const Env* env, uint64_t key) const {
  if (known_) return constant_;
  Components out;
  if (!places_.empty()) {
    out.reserve(places_.size());
    for (const Place& place : places_)
      out.push_back(env->up(place.level).values[static_cast<size_t>(place.slot)]);
    return out;
  }
  Block none;
  none.rows = 1;
  Block values;
  function_->call({.session = session, .env = env, .key = key}, none, values);
  if (!values.errors.empty()) return Status(values.errors[0].error);
  return values.row(0);
}

}  // namespace weir

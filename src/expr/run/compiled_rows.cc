#include <algorithm>
#include <cstring>
#include <deque>
#include <new>

#include "core/exception.h"
#include "core/float_mode.h"
#include "expr/run/compiled.h"
#include "expr/run/row_loop.h"
#include "expr/run/run.h"

namespace weir {

namespace {

// Of the places of values.
constexpr size_t kPlaceAlignment = 16;

size_t padded(size_t bytes) { return (bytes + kPlaceAlignment - 1) & ~(kPlaceAlignment - 1); }

// Adds the size of a value; false unless it is one of numbers of a fixed shape.
bool add_size(const Component& type, int64_t& total) {
  if (type.dtype == DType::invalid || has_owners(type.dtype) || !type.shape.is_static()) return false;
  if (type.shape.rank() == kMaxRank) return false;
  const int64_t count = checked_count(type.shape.dims());
  if (count < 0 || count > RowLoop::kMaxBytes) return false;
  total += count * static_cast<int64_t>(dtype_size(type.dtype)) + static_cast<int64_t>(kPlaceAlignment);
  return total <= RowLoop::kMaxBytes;
}

// False if the program needs more than a RowProgram can do.
bool add_size(const Program& program, int64_t& total) {
  const auto add = [&](const std::vector<int>& registers) {
    for (int reg : registers) {
      if (!add_size(program.registers[static_cast<size_t>(reg)].type, total)) return false;
    }
    return true;
  };
  for (const Instruction& instruction : program.code) {
    if (!add(instruction.args) || !add(instruction.results)) return false;
    if (instruction.kind == Instruction::Kind::kernel) continue;
    if (instruction.kind != Instruction::Kind::branch) return false;
    if (!add(instruction.then_args) || !add(instruction.else_args)) return false;
    if (!add_size(*instruction.then_program, total) || !add_size(*instruction.else_program, total))
      return false;
  }
  return add(program.results);
}

void copy_value(uint8_t* to, const uint8_t* from, size_t bytes) {
  if (bytes == sizeof(int64_t)) {
    std::memcpy(to, from, sizeof(int64_t));
  } else if (bytes > 0) {
    std::memcpy(to, from, bytes);
  }
}

// What the row at hand is called with, and why it failed.
struct Row {
  Call call;
  ErrorPtr error;
};

struct Place {
  Component type;
  size_t bytes = 0;
  uint8_t* data = nullptr;
};

// One kernel's run over one row.
class RowRun final : public KernelRun {
 public:
  RowRun(const Instruction& instruction, std::vector<Arg> args, std::vector<Place> results, Row& row)
      : body_(instruction.body),
        instruction_(instruction),
        own_args_(std::move(args)),
        results_(std::move(results)),
        row_(row) {
    rows_ = 1;
    args_ = {own_args_.data(), kernel_args(instruction)};
    state_ = instruction.state.get();
  }

  Arg& own_arg(size_t i) { return own_args_[i]; }
  void execute() {
    body_(*this);
    if (!has_scratch_) [[likely]]
      return;
    bytes_.reset();
    kept_.clear();
    has_scratch_ = false;
  }

  uint8_t* make(int result, const Shape& row_shape) override {
    const Place& place = results_[static_cast<size_t>(result)];
    if (row_shape == place.type.shape) [[likely]]
      return place.data;
    fail(0, internal_error("a kernel gave another shape than it declares; please report this"));
    return nullptr;
  }
  uint8_t* make_row(int result, int, const Shape& shape) override { return make(result, shape); }
  void share(int result, int arg, const Shape& row_shape, size_t offset) override {
    uint8_t* to = make(result, row_shape);
    if (to == nullptr) return;
    copy_value(to, own_args_[static_cast<size_t>(arg)].data + offset,
               results_[static_cast<size_t>(result)].bytes);
  }
  void fail(int, const Status& status) override {
    if (!row_.error) row_.error = located(instruction_.place.get(), args_, status.pointer());
  }
  char* bytes(size_t size) override {
    has_scratch_ = true;
    return reinterpret_cast<char*>(bytes_.allocate(size));
  }
  void keep(RefPtr<RefCounted> owner) override {
    has_scratch_ = true;
    kept_.push_back(std::move(owner));
  }
  uint64_t random_key() const override { return random_key_of(instruction_, row_.call, own_args_); }
  int64_t ordinal(int) const override { return row_.call.base_ordinal; }
  Session& session() const override { return *row_.call.session; }

 private:
  const KernelBody body_;
  const Instruction& instruction_;
  std::vector<Arg> own_args_;
  const std::vector<Place> results_;
  Row& row_;
  Scratch bytes_;
  std::vector<RefPtr<RefCounted>> kept_;
  bool has_scratch_ = false;
};

// A program whose registers are places.
class RowProgram {
 public:
  // REQUIRES: add_size() took it
  RowProgram(const Program& program, Row& row);

  // Finds the variables.
  void bind(const Env* env) {
    if (has_variables_) find_variables(env);
  }
  bool uses_input(size_t component) const { return used_[component]; }
  void set_input(size_t component, const uint8_t* data) { set(component, data); }
  // Runs one row. False if it failed.
  bool run();
  const Component& result_type(size_t i) const { return type_of(result_reg(i)); }
  // The register of a result; those below the number of inputs are the inputs.
  size_t result_reg(size_t i) const { return static_cast<size_t>(program_.results[i]); }
  const uint8_t* result(size_t i) const { return at_[result_reg(i)]; }
  // Where the result's place stands.
  const uint8_t* const* result_place(size_t i) const { return &at_[result_reg(i)]; }
  // The arguments that read an input.
  std::span<Arg* const> uses(size_t input) const { return uses_[input]; }
  const uint8_t** input_place(size_t input) { return &at_[input]; }

 private:
  struct Step {
    // Null for a branch.
    RowRun* run;
    const Instruction* instruction;
    std::unique_ptr<RowProgram> yes;
    std::unique_ptr<RowProgram> no;
  };
  const Component& type_of(size_t reg) const { return program_.registers[reg].type; }
  size_t bytes_of(size_t reg) const {
    return static_cast<size_t>(type_of(reg).shape.count()) * dtype_size(type_of(reg).dtype);
  }
  void place_values();
  void add_kernel(const Instruction& instruction);
  void set(size_t reg, const uint8_t* data) {
    at_[reg] = data;
    for (Arg* arg : uses_[reg]) arg->data = data;
  }
  bool run_branch(const Step& step);
  void find_variables(const Env* env);

  const Program& program_;
  Row& row_;
  // Where each register's value is.
  std::vector<const uint8_t*> at_;
  // The arguments that read it.
  std::vector<std::vector<Arg*>> uses_;
  std::vector<bool> used_;
  // The registers that are variables of enclosing scopes.
  std::vector<size_t> variables_;
  // Or a branch may have some.
  bool has_variables_ = false;
  std::vector<uint8_t> memory_;
  std::deque<RowRun> runs_;
  std::vector<Step> steps_;
};

RowProgram::RowProgram(const Program& program, Row& row)
    : program_(program), row_(row), uses_(program.registers.size()), used_(program.registers.size()) {
  place_values();
  has_variables_ = !variables_.empty();
  for (const Instruction& instruction : program_.code) {
    for (int arg : instruction.args) used_[static_cast<size_t>(arg)] = true;
    if (instruction.kind == Instruction::Kind::kernel) {
      add_kernel(instruction);
      continue;
    }
    for (int arg : instruction.then_args) used_[static_cast<size_t>(arg)] = true;
    for (int arg : instruction.else_args) used_[static_cast<size_t>(arg)] = true;
    steps_.push_back({nullptr, &instruction, std::make_unique<RowProgram>(*instruction.then_program, row),
                      std::make_unique<RowProgram>(*instruction.else_program, row)});
    const Step& branch = steps_.back();
    has_variables_ = has_variables_ || branch.yes->has_variables_ || branch.no->has_variables_;
  }
  for (int result : program_.results) used_[static_cast<size_t>(result)] = true;
}

void RowProgram::place_values() {
  size_t size = kPlaceAlignment;
  std::vector<size_t> offsets(program_.registers.size());
  for (const Instruction& instruction : program_.code) {
    for (int result : instruction.results) {
      offsets[static_cast<size_t>(result)] = size;
      size += padded(bytes_of(static_cast<size_t>(result)));
    }
  }
  memory_.resize(size);
  uint8_t* base =
      memory_.data() +
      (kPlaceAlignment - reinterpret_cast<uintptr_t>(memory_.data()) % kPlaceAlignment) % kPlaceAlignment;
  at_.resize(program_.registers.size());
  for (size_t i = 0; i < at_.size(); ++i) {
    if (offsets[i] != 0) at_[i] = base + offsets[i] - kPlaceAlignment;
    if (program_.registers[i].source == Register::Source::constant)
      at_[i] = program_.registers[i].constant.data;
    if (program_.registers[i].source == Register::Source::env) variables_.push_back(i);
  }
}

void RowProgram::add_kernel(const Instruction& instruction) {
  std::vector<Arg> args;
  for (int arg : instruction.args) {
    const auto reg = static_cast<size_t>(arg);
    args.push_back({type_of(reg).dtype, type_of(reg).shape, at_[reg], static_cast<int64_t>(bytes_of(reg))});
  }
  std::vector<Place> results;
  for (int result : instruction.results) {
    const auto reg = static_cast<size_t>(result);
    results.push_back({type_of(reg), bytes_of(reg), const_cast<uint8_t*>(at_[reg])});
  }
  RowRun& run = runs_.emplace_back(instruction, std::move(args), std::move(results), row_);
  for (size_t i = 0; i < instruction.args.size(); ++i) {
    uses_[static_cast<size_t>(instruction.args[i])].push_back(&run.own_arg(i));
  }
  steps_.push_back({&run, &instruction, nullptr, nullptr});
}

void RowProgram::find_variables(const Env* env) {
  for (const size_t i : variables_) {
    const Register& reg = program_.registers[i];
    set(i, env->up(reg.level).values[static_cast<size_t>(reg.index)].data);
  }
  for (Step& step : steps_) {
    if (step.yes) step.yes->bind(env);
    if (step.no) step.no->bind(env);
  }
}

bool RowProgram::run() {
  for (const Step& step : steps_) {
    if (step.run == nullptr) {
      if (!run_branch(step)) return false;
      continue;
    }
    step.run->execute();
    if (row_.error) [[unlikely]]
      return false;
  }
  return true;
}

bool RowProgram::run_branch(const Step& step) {
  const Instruction& instruction = *step.instruction;
  bool condition;
  std::memcpy(&condition, at_[static_cast<size_t>(instruction.args[0])], sizeof(condition));
  RowProgram& side = condition ? *step.yes : *step.no;
  const std::vector<int>& args = condition ? instruction.then_args : instruction.else_args;
  for (size_t i = 0; i < side.program_.registers.size(); ++i) {
    const Register& reg = side.program_.registers[i];
    if (reg.source == Register::Source::input)
      side.set(i, at_[static_cast<size_t>(args[static_cast<size_t>(reg.index)])]);
  }
  if (!side.run()) return false;
  for (size_t i = 0; i < instruction.results.size(); ++i) {
    const auto reg = static_cast<size_t>(instruction.results[i]);
    copy_value(const_cast<uint8_t*>(at_[reg]), side.result(i), bytes_of(reg));
  }
  return true;
}

class CompiledRowLoop final : public RowLoop {
 public:
  CompiledRowLoop(const Program& program, size_t states);

  bool takes(const Block& in) const override;
  void set_state(size_t i, const uint8_t* bytes) override {
    copy_value(state_[i].now.data(), bytes, state_[i].size);
  }
  const uint8_t* state(size_t i) const override { return state_[i].now.data(); }
  void mark() override {
    for (State& state : state_) copy_value(state.marked.data(), state.now.data(), state.size);
  }
  void go_back() override {
    for (State& state : state_) copy_value(state.now.data(), state.marked.data(), state.size);
  }
  int run(const CallArgs& args, const Block& in, int begin, int end, std::span<uint8_t* const> results,
          ErrorPtr& error) override;

 private:
  struct State {
    explicit State(size_t bytes)
        : size(bytes), now(padded(bytes)), marked(padded(bytes)), next(padded(bytes)) {}
    size_t size;
    std::vector<uint8_t> now;
    std::vector<uint8_t> marked;
    // While a row's results are copied, if one of them is another part of the old state.
    std::vector<uint8_t> next;
  };
  struct Element {
    size_t column;
    Component type;
    size_t size;
    const uint8_t** place;
    std::span<Arg* const> uses;
    const uint8_t* data = nullptr;
  };
  struct Copy {
    uint8_t* to;
    const uint8_t* const* from;
    size_t size;
  };
  void to_next_row();

  Row row_;
  RowProgram body_;
  std::vector<State> state_;
  std::vector<Element> elements_;
  // What gives the next state; those to `next` come first, and then go on to `now`.
  std::vector<Copy> copies_;
  // Of the results after the state.
  std::vector<Copy> results_;
  bool by_next_ = false;
};

CompiledRowLoop::CompiledRowLoop(const Program& program, size_t states) : body_(program, row_) {
  const auto size_of = [](const Component& type) {
    return static_cast<size_t>(type.shape.count()) * dtype_size(type.dtype);
  };
  for (size_t i = 0; i < states; ++i) {
    state_.emplace_back(size_of(body_.result_type(i)));
    by_next_ = by_next_ || (body_.result_reg(i) < states && body_.result_reg(i) != i);
  }
  for (size_t i = 0; i < states; ++i) {
    State& state = state_[i];
    body_.set_input(i, state.now.data());
    if (body_.result_reg(i) == i) continue;
    copies_.push_back({(by_next_ ? state.next : state.now).data(), body_.result_place(i), state.size});
  }
  for (size_t i = states; i < program.results.size(); ++i) {
    results_.push_back({nullptr, body_.result_place(i), size_of(body_.result_type(i))});
  }
  for (size_t i = states; i < static_cast<size_t>(program.inputs); ++i) {
    if (!body_.uses_input(i)) continue;
    const Component& type = program.registers[i].type;
    elements_.push_back({i - states, type, size_of(type), body_.input_place(i), body_.uses(i)});
  }
}

bool CompiledRowLoop::takes(const Block& in) const {
  for (const Element& element : elements_) {
    const Column& column = in.columns[element.column];
    if (!column.dense() || column.tensor().dtype != element.type.dtype) return false;
    const Shape& rows = column.tensor().shape;
    const int rank = element.type.shape.rank();
    if (rows.rank() != rank + 1) return false;
    for (int axis = 0; axis < rank; ++axis) {
      if (rows[axis + 1] != element.type.shape[axis]) return false;
    }
  }
  return true;
}

// Gives the results to whom they belong.
void CompiledRowLoop::to_next_row() {
  for (Copy& result : results_) {
    if (result.to == nullptr) continue;
    copy_value(result.to, *result.from, result.size);
    result.to += result.size;
  }
  for (const Copy& copy : copies_) copy_value(copy.to, *copy.from, copy.size);
  if (by_next_) {
    for (size_t i = 0; i < state_.size(); ++i) {
      if (body_.result_reg(i) != i) copy_value(state_[i].now.data(), state_[i].next.data(), state_[i].size);
    }
  }
  ++row_.call.base_ordinal;
}

int CompiledRowLoop::run(const CallArgs& args, const Block& in, int begin, int end,
                         std::span<uint8_t* const> results, ErrorPtr& error) {
  for (Element& element : elements_) {
    element.data = in.columns[element.column].tensor().data + static_cast<size_t>(begin) * element.size;
  }
  for (size_t i = 0; i < results_.size(); ++i) {
    results_[i].to = results.empty() ? nullptr : results[i] + static_cast<size_t>(begin) * results_[i].size;
  }
  row_.call = {.session = &args.session,
               .env = args.env,
               .key = args.key,
               .base_ordinal = args.base_ordinal + begin,
               .tensor_bytes = args.session.runtime.limits.tensor_bytes};
  row_.error = nullptr;
  body_.bind(args.env);
  FloatMode mode;
  for (int row = begin; row < end; ++row) {
    for (Element& element : elements_) {
      *element.place = element.data;
      for (Arg* arg : element.uses) arg->data = element.data;
      element.data += element.size;
    }
    try {
      if (!body_.run()) {
        error = std::move(row_.error);
        return row;
      }
    } catch (const std::bad_alloc&) {
      error = out_of_memory();
      return row;
    }
    to_next_row();
  }
  return end;
}

}  // namespace

std::unique_ptr<RowLoop> Function::row_loop(size_t) const { return nullptr; }

std::optional<int64_t> row_loop_bytes(const Program& program) {
  int64_t bytes = 0;
  if (!add_size(program, bytes)) return {};
  return bytes;
}

std::unique_ptr<RowLoop> CompiledFunction::row_loop(size_t states) const {
  int64_t bytes = 0;
  for (size_t i = 0; i < states; ++i) {
    const Component& before = program_.registers[i].type;
    if (!add_size(before, bytes) || components_[i] != before) return nullptr;
  }
  if (!add_size(program_, bytes)) return nullptr;
  return std::make_unique<CompiledRowLoop>(program_, states);
}

}  // namespace weir

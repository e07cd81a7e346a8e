#include "ops/files/known_names.h"

#include <algorithm>
#include <memory>

#include "core/text.h"
#include "dataset/stage.h"
#include "exec/scheduler.h"
#include "expr/run/compiled.h"

namespace weir {

namespace {

constexpr size_t kMostNames = size_t{1} << 20;

bool takes_variables(const Program& program) {
  return std::any_of(program.registers.begin(), program.registers.end(),
                     [](const Register& reg) { return reg.source == Register::Source::env; }) ||
         std::any_of(program.code.begin(), program.code.end(),
                     [](const Instruction& made) { return made.shared_env_level >= 0; });
}

// Whether the elements of a dataset can be told without what encloses it.
bool depends_on_variables(const Dataset& node) {
  if (node.dynamic() || node.opens_variables()) return true;
  // The fields point into it.
  const std::unique_ptr<ParamsBase> params = node.params().clone();
  Fields fields;
  params->fields(fields);
  for (const Field& field : fields.list) {
    const auto* const slot = std::get_if<FunctionParam*>(&field.slot);
    if (!slot || !(*slot)->function) continue;
    const auto* const compiled = dynamic_cast<const CompiledFunction*>((*slot)->function.get());
    if (compiled == nullptr || takes_variables(compiled->program())) return true;
  }
  return std::any_of(node.inputs().begin(), node.inputs().end(),
                     [](const DatasetRef& input) { return depends_on_variables(*input); });
}

Status unknown() {
  return invalid_argument(expected_found("names of files that are known when the dataset is built",
                                         "names that depend on a variable",
                                         "the files say the structure of the elements"));
}

}  // namespace

Result<std::vector<std::string>> known_names(Runtime& runtime, const DatasetRef& names) {
  if (!names->spec().is_scalar(DType::string))
    return invalid_argument(
        expected_found("the names of files, which are strings", names->spec().to_string()));
  if (depends_on_variables(*names)) return unknown();
  if (names->cardinality() == kInfinite)
    return invalid_argument(expected_found("as many files as there are", "file names without end"));
  const RefPtr<Session> session = make_session(runtime);
  EpochScope epochs(nullptr, names->depth(), 0);
  Context ctx{*session, session->scheduler, &epochs};
  const std::unique_ptr<Stage> stage = Stage::open(ctx, {names, nullptr, 0});
  std::vector<std::string> out;
  Block block;
  for (;;) {
    const Result<PullResult> got = session->scheduler->drive(
        [&]() noexcept { return stage->next(ctx, {.rows = kMaxBlockRows}, block); });
    if (!got.ok()) return got.status();
    if (*got != PullResult::rows) break;
    if (!block.errors.empty()) return Status(block.errors[0].error);
    for (int row = 0; row < block.rows; ++row)
      out.emplace_back(block.columns[0].row(row).as<const Str>()->view());
    if (out.size() > kMostNames)
      return invalid_argument(expected_found(concat("at most ", kMostNames, " files"), "more"));
  }
  if (out.empty())
    return invalid_argument(expected_found("at least one file, which says the structure", "none"));
  return out;
}

Status naming_file(const Status& status) {
  Error error = status.error();
  if (error.read_failed || error.file.empty()) return status;
  Mistake mistake = error.what();
  (mistake.found.empty() ? mistake.message : mistake.found) += concat(" in ", quote(error.file));
  error.message = mistake.sentence();
  error.parts.mistake = std::move(mistake);
  return Status(std::move(error));
}

}  // namespace weir

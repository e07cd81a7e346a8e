#include "ops/files/read_files.h"

#include "dataset/compose.h"
#include "expr/types/function.h"
#include "ops/list.h"

namespace weir {

namespace {

// name -> READER(name)
class OpenFile final : public Function {
 public:
  OpenFile(const Spec& name, const Spec& record, const OperatorDef& reader,
           std::unique_ptr<ParamsBase> params)
      : Function(name, Spec::dataset(record)), reader_(reader), params_(std::move(params)) {}

  void call(const CallArgs& args, const Block& in, Block& out) const override {
    out.reset(1);
    out.rows = in.rows;
    out.errors = in.errors;
    std::vector<Tensor>& datasets = out.columns[0].make_list();
    for (int row = 0; row < in.rows; ++row) {
      datasets.emplace_back();
      if (in.failed(row)) continue;
      auto opened = open(in.columns[0].row(row), args.session.runtime);
      if (opened.ok()) {
        datasets.back() = dataset_tensor(make_ref<NestedDataset>(*std::move(opened), EnvRef()));
      } else {
        out.fail_row(row, opened.status().pointer());
      }
    }
  }
  // The reader itself reads ahead on another lane.
  Lane lane() const override { return Lane::compute; }
  std::string not_replayable() const override { return ""; }
  void add_sites(Sites&) const override {}
  void epoch_nodes(std::vector<EpochNode>&) const override {}
  bool opens_variables() const override { return false; }

 private:
  Result<DatasetRef> open(Tensor name, Runtime& runtime) const {
    FromTensorsParams one;
    one.value.set = true;
    one.value.spec = input();
    one.value.values = {std::move(name)};
    WEIR_ASSIGN(DatasetRef file, compose(std::move(one), {}, {&runtime}));
    return Dataset::build(reader_, params_->clone(), {std::move(file)}, {&runtime});
  }

  const OperatorDef& reader_;
  const std::unique_ptr<ParamsBase> params_;
};

}  // namespace

Result<DatasetRef> interleave_files(DatasetRef names, const IntParam& count, const OperatorDef& reader,
                                    std::unique_ptr<ParamsBase> params, const BuildSite& site) {
  WEIR_ASSIGN(Spec record, reader.typing.spec(*params, {&names, 1}));
  InterleaveParams in_turns;
  in_turns.f.function = make_ref<OpenFile>(names->spec(), record, reader, std::move(params));
  in_turns.cycle_length = count;
  in_turns.num_parallel_calls = count;
  return compose(std::move(in_turns), {std::move(names)}, site);
}

}  // namespace weir

// Datasets and terminals inside lambdas: the rows' variables when an inner cursor opens.
#include "dataset/operator.h"
#include "expr/harness.h"
#include "support/no_params.h"

namespace weir::test {

namespace {

class NoRows final : public Cursor {
 public:
  NoRows(Opening&, const NoParams&) {}
  Step next(Context&, const Demand&, Block&) override { return PullResult::end; }
  void state(Archive&) override {}
};

Result<Spec> int64_spec(const ParamsBase&, std::span<const DatasetRef>) { return Spec::tensor(DType::int64); }

const OperatorDef& no_rows() {
  static const OperatorDef def = define<NoParams, NoRows>({
      .name = "src",
      .typing = {.spec = int64_spec, .cardinality = unknown_cardinality},
  });
  return def;
}

// Doubles the one variable that it captured; fails for 3.
class Doubling final : public TerminalRunner {
 public:
  explicit Doubling(ExpressionRef value) : value_(std::move(value)) {}
  Lane lane() const override { return Lane::compute; }
  std::string not_replayable() const override { return ""; }
  void add_sites(Sites&) const override {}
  Status run(Session& session, const EnvRef& env, uint64_t, Components& out) const override {
    WEIR_ASSIGN(Components value, value_->evaluate(session, env.get(), 0));
    const int64_t number = *value[0].as<int64_t>();
    if (number == 3) return failed_precondition("three");
    out.push_back(Tensor::scalar<int64_t>(number * 2));
    return Status();
  }

 private:
  const ExpressionRef value_;
};

// `src(x)` is a dataset with parameter x; a second argument is its lambda, compiled inside it. `src(x) |
// double()` is a terminal.
class FakePipelines final : public PipelineCompiler {
 public:
  Result<CallbackRef> callback(const syntax::Node&) override { return not_found("no callbacks here"); }
  explicit FakePipelines(Lab& lab) : lab_(lab) {}

  Callee callee(syntax::CalleeKind place, std::string_view name) const override {
    if (place == syntax::CalleeKind::function) return name == "src" ? Callee::source : Callee::unknown;
    return name == "double" ? Callee::terminal : Callee::transformation;
  }
  std::vector<std::string> names(syntax::CalleeKind) const override { return {"src"}; }
  Result<DatasetRef> compile_dataset(const syntax::Node& node, Scope& scope, std::string_view path) override {
    WEIR_ASSIGN(ExpressionRef param, compile_expression(context, scope, node.child(0), path, DType::int64));
    params.push_back(std::move(param));
    if (node.items.size() > 1) {
      WEIR_ASSIGN(FunctionRef f,
                  compile_lambda(context, scope, node.child(1), Spec::tensor(DType::int64), path));
      functions.push_back(std::move(f));
    }
    return Dataset::build(no_rows(), std::make_unique<NoParams>(), {});
  }
  Result<Terminal> compile_terminal(const syntax::Node& node, Scope& scope, std::string_view path) override {
    WEIR_ASSIGN(ExpressionRef value,
                compile_expression(context, scope, node.child(0).child(0), path, DType::int64));
    return Terminal{make_ref<const Doubling>(std::move(value)), Spec::tensor(DType::int64)};
  }
  Result<HandedIn> handed(const syntax::Node&) override { return HandedIn{}; }

  int64_t param(size_t i, const Env* env) {
    Result<Components> value = params[i]->evaluate(*lab_.world.session, env, 0);
    REQUIRE(value.ok());
    return *(*value)[0].as<int64_t>();
  }

  CompileContext context;
  std::vector<ExpressionRef> params;
  std::vector<FunctionRef> functions;

 private:
  Lab& lab_;
};

struct Nested {
  Lab lab;
  FakePipelines pipelines{lab};
  FunctionRef f;
  Block out;

  Nested(const std::string& lambda, const std::vector<std::string>& rows, EnvRef env = nullptr) {
    Spec input;
    const Block in = lab.block(rows, &input);
    Parsed parsed = parse_lambda(lambda);
    pipelines.context = {.runtime = &lab.world.runtime, .pipelines = &pipelines};
    lab.scope.declare_param("n", Spec::tensor(DType::int64));
    Result<FunctionRef> made = compile_lambda(pipelines.context, lab.scope, *parsed.node, input, "test");
    if (!made.ok()) FAIL(made.status().error().message);
    f = *made;
    f->call({.session = *lab.world.session, .env = env.get()}, in, out);
  }
  const Env* env(int row) { return dataset_of(held_ = out.columns[0].row(row)).env.get(); }

 private:
  Tensor held_;
};

EnvRef root(int64_t n) { return make_ref<const Env>(nullptr, Components{Tensor::scalar<int64_t>(n)}); }

}  // namespace

TEST_CASE("a dataset keeps the variables of its row") {
  Nested nested("(x, v) -> src(x + v[0])", {"(1, [10, 20])", "(2, [30, 40])"});
  CHECK(nested.f->result().to_string() == "dataset<int64>");
  CHECK(nested.pipelines.param(0, nested.env(0)) == 11);
  CHECK(nested.pipelines.param(0, nested.env(1)) == 32);
}

TEST_CASE("inner lambdas reach every level around them, and the parameters") {
  const EnvRef params = root(1000);
  Nested nested("x -> src(x, y -> x * 10 + y + $n)", {"1", "2"}, params);
  REQUIRE(nested.pipelines.functions.size() == 1);
  Spec spec;
  const Block in = nested.lab.block({"5", "6"}, &spec);
  Block out;
  nested.pipelines.functions[0]->call({.session = *nested.lab.world.session, .env = nested.env(1)}, in, out);
  nested.lab.check_row(out.row(0), "1025");
  nested.lab.check_row(out.row(1), "1026");
}

TEST_CASE("a dataset inside an inner lambda sees two levels out") {
  Nested nested("x -> src(x, y -> src(x * 100 + y))", {"3", "4"});
  REQUIRE(nested.pipelines.functions.size() == 1);
  Spec spec;
  const Block in = nested.lab.block({"7"}, &spec);
  Block out;
  nested.pipelines.functions[0]->call({.session = *nested.lab.world.session, .env = nested.env(1)}, in, out);
  const Tensor inner = out.columns[0].row(0);
  CHECK(nested.pipelines.param(1, dataset_of(inner).env.get()) == 407);
}

TEST_CASE("datasets stand in branches and lets") {
  Nested nested("x -> let k = x * 2 in if x > 1 then src(k) else src(-k)", {"1", "2"});
  CHECK(nested.pipelines.param(1, nested.env(0)) == -2);
  CHECK(nested.pipelines.param(0, nested.env(1)) == 4);
}

TEST_CASE("a terminal gives a value or the error of its row") {
  Nested nested("x -> (src(x) | double()) + 1", {"1", "3", "5"});
  nested.lab.check_row(nested.out.row(0), "3");
  REQUIRE(nested.out.failed(1));
  CHECK(nested.out.errors[0].error->code == Code::failed_precondition);
  nested.lab.check_row(nested.out.row(2), "11");
}

TEST_CASE("parameters and lets of a document") {
  Lab lab;
  lab.scope.declare_param("n", Spec::tensor(DType::int64));
  Parsed parsed = parse_lambda("_ -> $n");
  const CompileContext context{.runtime = &lab.world.runtime};
  auto made = compile_expression(context, lab.scope, parsed.node->child(1), "test");
  REQUIRE(made.ok());
  CHECK((*made)->constant() == nullptr);
  auto value = (*made)->evaluate(*lab.world.session, root(42).get(), 0);
  REQUIRE(value.ok());
  CHECK(*(*value)[0].as<int64_t>() == 42);

  lab.scope.bind_expression(
      "k", std::make_shared<const syntax::Node>(syntax::Node{.kind = syntax::Kind::integer, .integer = 2}));
  lab.check("x -> x * k", {"uint8(200)", "uint8(3)"}, {"uint8(144)", "uint8(6)"});
}

}  // namespace weir::test

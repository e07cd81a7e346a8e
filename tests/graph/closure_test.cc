#include "build.h"
#include "dataset/stage.h"
#include "exec/scheduler.h"
#include "exec/threads.h"
#include "graph/format_element.h"

namespace weir {
namespace {

class StillClock final : public Clock {
 public:
  int64_t now_ns() override { return 1; }
};

// Texts that run: their elements, one per line, with each position saved and reopened.
struct Running : Graph {
  Running() : executor(make_threads({.compute_threads = 2})), pool(0) {
    runtime.executor = executor.get();
    runtime.clock = &clock;
    runtime.pool = &pool;
  }

  struct Cursor {
    Cursor(Runtime& runtime, const Document& document, EnvRef env)
        : session(make_session(runtime)), ctx{*session, session->scheduler, &epochs} {
      stage = Stage::open(ctx, {document.root(), std::move(env), 7});
    }
    // "" at the end.
    std::string next() {
      auto got = session->scheduler->drive([&] { return stage->next(ctx, Demand{}, block); });
      REQUIRE(got.ok());
      if (*got != PullResult::rows) return "";
      if (const ErrorPtr* error = block.error_of(0))
        return "error: " + std::string(code_name((*error)->code));
      return *format_element(stage->node().spec(), block.row(0));
    }
    RefPtr<Session> session;
    EpochScope epochs;
    Context ctx;
    std::unique_ptr<Stage> stage;
    Block block;
  };

  std::vector<std::string> run(const Document& document, const EnvRef& env) {
    std::vector<std::string> lines;
    Cursor cursor(runtime, document, env);
    for (std::string line = cursor.next(); !line.empty(); line = cursor.next()) lines.push_back(line);
    return lines;
  }

  // The lines after position `count`, saved there and restored into a fresh cursor.
  std::vector<std::string> restored_at(const Document& document, const EnvRef& env, size_t count) {
    std::string bytes;
    EpochTableRef epochs;
    {
      Cursor cursor(runtime, document, env);
      for (size_t i = 0; i < count; ++i) cursor.next();
      Archive archive;
      cursor.stage->state(archive);
      bytes = archive.take();
      epochs = cursor.epochs.table();
    }
    Cursor cursor(runtime, document, env);
    cursor.epochs = EpochScope(epochs);
    Archive archive(bytes);
    cursor.stage->state(archive);
    REQUIRE(archive.status().ok());
    std::vector<std::string> lines;
    for (std::string line = cursor.next(); !line.empty(); line = cursor.next()) lines.push_back(line);
    return lines;
  }

  StillClock clock;
  std::unique_ptr<Executor> executor;
  BufferPool pool;
};

TEST_CASE("Pipelines inside lambdas see the variables around them", "[graph][threads]") {
  struct Row {
    const char* text;
    std::vector<std::string> lines;
  };
  const Row rows[] = {
      {"range(4) | flat_map(x -> range(x))", {"0", "0", "1", "0", "1", "2"}},
      {"range(3) | flat_map(x -> range(x) | flat_map(y -> range(x) | map(z -> (x, y, z))))",
       {"(1, 0, 0)", "(2, 0, 0)", "(2, 0, 1)", "(2, 1, 0)", "(2, 1, 1)"}},
      {"param n: int64 let a = range($n) range(2) | flat_map(x -> a | map(y -> y + x * 10))",
       {"0", "1", "10", "11"}},
      {"let a = range(2) range(2) | flat_map(x -> a | map(y -> y + x * 10))", {"0", "1", "10", "11"}},
      {"range(3) | map(x -> range(x)) | flat_map(w -> w | take(1))", {"0", "0"}},
      {"range(2) | flat_map(x -> if x > 0 then range(3) else range(1))", {"0", "0", "1", "2"}},
      {"range(3) | map(x -> range(x + 1) | reduce(0, (s, y) -> s + y + x))", {"0", "3", "9"}},
      {"range(3) | map(x -> range(x + 1) | prefetch(2) | reduce(0, (s, y) -> s + y))", {"0", "1", "3"}},
      {"range(3) | map(x -> range(x) | map(y -> 6 // y) | reduce(0, (s, y) -> s + y))",
       {"0", "error: invalid_argument", "error: invalid_argument"}},
      {"range(4) | reduce({n: 0, s: 0}, ({n, s}, x) -> {s: s + x, n: n + 1})", {"{n: 4, s: 6}"}},
      {"param n: int64 range(6) | batch($n)", {"[0, 1]", "[2, 3]", "[4, 5]"}},
      {"range(3) | flat_map(x -> range(4) | batch(x))",
       {"error: invalid_argument", "[0]", "[1]", "[2]", "[3]", "[0, 1]", "[2, 3]"}},
  };
  for (const Row& row : rows) {
    Running graph;
    DocumentRef document = graph.build(row.text);
    EnvRef env =
        *bind_params_env(*document, document->params().empty() ? std::vector<ParamValue>{}
                                                               : std::vector<ParamValue>{{"n", "2"}});
    INFO(row.text);
    REQUIRE(graph.run(*document, env) == row.lines);
    for (size_t i = 0; i <= row.lines.size(); ++i) {
      INFO("restored behind " << i);
      std::vector<std::string> tail(row.lines.begin() + static_cast<ptrdiff_t>(i), row.lines.end());
      CHECK(graph.restored_at(*document, env, i) == tail);
    }
  }
}

TEST_CASE("A dataset handed in finds its own parameters wherever it is used", "[graph][threads]") {
  Running graph;
  Handed handed = {{"1", graph.build("param a: int64 param b: int64 range($a, $b)")}};
  DocumentRef document =
      graph.build("param z: int64 range(2) | flat_map(x -> @1 | map(y -> (x, y, $z)))", handed);
  EnvRef env = *bind_params_env(*document, {{"b", "5"}, {"z", "9"}, {"a", "3"}});
  REQUIRE(graph.run(*document, env) ==
          std::vector<std::string>{"(0, 3, 9)", "(0, 4, 9)", "(1, 3, 9)", "(1, 4, 9)"});
  DocumentRef again = graph.build(document->format());
  env = *bind_params_env(*again, {{"b", "5"}, {"z", "9"}, {"a", "3"}});
  REQUIRE(graph.run(*again, env).size() == 4);
}

}  // namespace
}  // namespace weir

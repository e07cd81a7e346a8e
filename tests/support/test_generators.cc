#include "support/test_generators.h"

#include <atomic>

#include "core/text.h"
#include "expr/types/generator.h"
#include "graph/document.h"

namespace weir {

namespace {

constexpr int64_t kElements = 30;
constexpr int64_t kFails = 11;

std::atomic<int> open_runs = 0;
std::atomic<int64_t> elements = 0;

class Run final : public GeneratorRun {
 public:
  explicit Run(int64_t next) : next_(next) { ++open_runs; }
  ~Run() override { --open_runs; }

  Result<bool> next(Session&, const std::vector<Component>& components, int, Block& out) override {
    if (next_ == kElements) return false;
    const int64_t n = next_++;
    ++elements;
    if (n == kFails) return invalid_argument("expected another number, found 11");
    out.reset(components.size());
    out.errors.clear();
    out.rows = 1;
    out.columns[0].set_row(Tensor::scalar<int64_t>(n * n));
    out.columns[1].set_row(Tensor::string(concat("text ", n)));
    return true;
  }
  Result<std::string> save() override { return concat(next_); }

 private:
  int64_t next_;
};

class Squares final : public Generator {
 public:
  Squares(CallbackFlags f, bool saves) : Generator(f), saves_(saves) {}
  Result<std::unique_ptr<GeneratorRun>> open(const Components&, int64_t) const override {
    return std::unique_ptr<GeneratorRun>(std::make_unique<Run>(0));
  }
  bool saves() const override { return saves_; }
  Result<std::unique_ptr<GeneratorRun>> restore(std::string_view bytes) const override {
    return std::unique_ptr<GeneratorRun>(std::make_unique<Run>(std::stoll(std::string(bytes))));
  }

 private:
  const bool saves_;
};

}  // namespace

const Handed& test_generators() {
  static const Handed handed = {
      {"squares", CallbackRef(make_ref<Squares>(CallbackFlags{}, true))},
      {"pure", CallbackRef(make_ref<Squares>(CallbackFlags{.pure = true}, false))},
      {"unsaved", CallbackRef(make_ref<Squares>(CallbackFlags{}, false))},
  };
  return handed;
}

int open_generator_runs() { return open_runs; }
int64_t generated_elements() { return elements; }

}  // namespace weir

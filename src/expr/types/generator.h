// Generator: a source of the host, whose elements from_generator gives, as this floor sees it. It is handed
// in like a callback.
//
// The host's destroy function runs exactly once, in the destructor, after everything that was opened has been
// closed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"
#include "expr/types/callback.h"
#include "expr/types/function.h"

namespace weir {

// One run through the elements; closed when it is destroyed. Its calls come one at a time.
class GeneratorRun {
 public:
  virtual ~GeneratorRun() = default;
  // Fills `out` with one element of these components, or with up to `most` of a generator that gives blocks;
  // returns false at the end. A failed Status takes the place of an element.
  virtual Result<bool> next(Session& session, const std::vector<Component>& components, int most,
                            Block& out) = 0;
  // What Generator::restore() takes.
  // REQUIRES: Generator::saves()
  virtual Result<std::string> save() = 0;
};

class Generator : public Callback {
 public:
  using Callback::Callback;

  // `arguments` are of its signature, and empty if it has none.
  // REQUIRES: position is 0, or at most what count() says
  virtual Result<std::unique_ptr<GeneratorRun>> open(const Components& arguments, int64_t position) const = 0;
  // What its parameters are if they are left out, as the text of a dict.
  virtual std::string_view defaults() const { return {}; }
  // The structure of its elements, if the arguments tell it.
  virtual bool infers() const { return false; }
  // REQUIRES: infers()
  virtual Result<Spec> infer(const Components& arguments) const;
  // Whether it may know how many elements it has.
  virtual bool counts() const { return false; }
  // How many elements it has, -1 if unknown. If it is known, it can be opened at each of them.
  virtual Result<int64_t> count(const Components&) const { return -1; }
  // Whether the place of a run can be saved.
  virtual bool saves() const = 0;
  // Opens it where another run was saved.
  virtual Result<std::unique_ptr<GeneratorRun>> restore(std::string_view bytes) const = 0;

  // It is no function.
  Result<Spec> result(const Spec& input) const override;
  Status call(Session& session, const Block& in, Block& out) const override;
};

// What a parameter that takes a generator holds: no function of elements, but it says where the generator may
// run and whether its elements can be made again.
class GeneratorFunction final : public Function {
 public:
  explicit GeneratorFunction(RefPtr<const Generator> generator);

  const Generator& generator() const { return *generator_; }
  Lane lane() const override;
  std::string not_replayable() const override;
  void add_sites(Sites& out) const override;
  void epoch_nodes(std::vector<EpochNode>&) const override {}
  bool opens_variables() const override { return false; }
  void call(const CallArgs& args, const Block& in, Block& out) const override;

 private:
  const RefPtr<const Generator> generator_;
};

// invalid_argument if it is a function.
Result<FunctionRef> make_generator_function(const CallbackRef& callback);

}  // namespace weir

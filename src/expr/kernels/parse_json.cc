// parse_json(s, fields): parses an object of JSON into columns, a dict in the order written. Strings in the
// result are views of s, but for those with escapes.
#include <memory>
#include <vector>

#include "core/sync.h"
#include "core/text.h"
#include "expr/features/field_syntax.h"
#include "expr/kernels/shared/check.h"
#include "format/json/json_rows.h"

namespace weir {

namespace {

struct Parser {
  explicit Parser(const std::vector<FieldType>& fields) : rows(fields) {}
  JsonRows rows;
  JsonIndex index;
};

// The parsers that no call uses now: one for each thread.
struct Parsers : KernelState {
  explicit Parsers(std::vector<FieldType> read) : fields(std::move(read)) {}

  std::unique_ptr<Parser> take() const {
    {
      const MutexLock lock(mutex);
      if (!spare.empty()) {
        std::unique_ptr<Parser> parser = std::move(spare.back());
        spare.pop_back();
        return parser;
      }
    }
    return std::make_unique<Parser>(fields);
  }
  void give_back(std::unique_ptr<Parser> parser) const {
    const MutexLock lock(mutex);
    spare.push_back(std::move(parser));
  }

  const std::vector<FieldType> fields;
  mutable Mutex mutex;
  mutable std::vector<std::unique_ptr<Parser>> spare;
};

class RunSink final : public FieldSink {
 public:
  explicit RunSink(KernelRun& run) : run_(run) {}
  uint8_t* all_rows(int component, DType, const Shape& row_shape) override {
    return run_.make(component, row_shape);
  }
  void begin_rows(int, DType, size_t) override {}
  uint8_t* row(int component, int row, DType, const Shape& shape) override {
    return run_.make_row(component, row, shape);
  }

 private:
  KernelRun& run_;
};

void parse_json_body(KernelRun& run) {
  const Parsers& parsers = run.state<Parsers>();
  std::unique_ptr<Parser> parser = parsers.take();
  FieldColumns& columns = parser->rows.columns();
  columns.begin(static_cast<size_t>(run.rows()));
  for (int i = 0; i < run.rows(); ++i) {
    if (parser->rows.parse(run.arg(0).row<Str>(i)->view(), parser->index)) continue;
    const Status status = invalid_argument(parser->rows.mistake("the text"));
    columns.add_failed(status.pointer());
    run.fail(i, status);
  }
  std::vector<RefPtr<RefCounted>> owners;
  parser->rows.give_owners(owners);
  columns.keep_defaults(owners);
  for (RefPtr<RefCounted>& owner : owners) run.keep(std::move(owner));
  RunSink sink(run);
  columns.finish(sink);
  parsers.give_back(std::move(parser));
}

Status parse_json_infer(KernelCall& call) {
  if (call.dtype(0) != DType::string) return wrong_dtype(call, 0, "string");
  const Shape& text = call.shape(0);
  if (!text.rank_known() || text.rank() != 0) {
    return call.error(0, expected_found("one string", concat("the shape ", text.to_string()),
                                        "unbatch() before, or map it before batch()"));
  }
  const auto constant = [&](const syntax::Node& node, DType dtype) { return call.constant_of(node, dtype); };
  WEIR_ASSIGN(std::vector<FieldType> fields, read_fields(call.node(1), constant));
  const Status fits = check_fields(fields, refuse_json_field);
  if (!fits.ok()) return call.error(1, fits.error().what());
  call.result(spec_of_fields(fields));
  call.body(parse_json_body, std::make_shared<Parsers>(std::move(fields)));
  return Status();
}

}  // namespace

extern constinit const Kernel parse_json_kernel{
    .name = "parse_json",
    .params =
        {{.name = "s", .doc = "A string that is one object."},
         {.name = "fields",
          .kind = ParamKind::syntax,
          .doc =
              "What the object has, as of `jsonl`: `{id: int64, words: string[?], user: {name: string}, score: optional(float32)}`."}},
    .infer = parse_json_infer,
    .doc =
        "Parses an object of JSON into a dict, in the order of `fields`, by the rules of `jsonl`. Fields that `fields` doesn't name are passed over. A text that is not one object of valid JSON and UTF-8, at most 1,024 deep, or of which a field is missing without a default or does not fit, is an error of the element that names the field or the byte.",
    .result = "A dict with the dtype and shape of each field.",
    .cost =
        "One pass over the text with vector instructions and one over its tokens; only strings with escapes are copied.",
    .example =
        R"(from_tensor_slices(["{\"id\": 7, \"words\": [\"a\", \"b\"]}", "{\"id\": 8.0}"]) | map(s -> parse_json(s, {id: int64, words: string[?] = []})))",
    .output = R"({id: 7, words: ["a", "b"]}
{id: 8, words: []})",
    .bench =
        "parse_json(\"{\\\"a\\\": 1, \\\"b\\\": \\\"text\\\", \\\"c\\\": [1.5, 2.5]}\", {a: int64, b: string, c: float32[2]})",
    .can_fail = true};

}  // namespace weir

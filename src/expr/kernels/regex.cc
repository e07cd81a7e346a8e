// regex_match(s, pattern) and regex_replace(s, pattern, rewrite): regular expressions in RE2's syntax. A
// pattern that is known when the dataset is built is compiled then.
#include <memory>
#include <optional>

#include "expr/kernels/shared/strings.h"

#ifdef WEIR_HAVE_RE2
#include <re2/re2.h>
#endif

namespace weir {

namespace {

#ifdef WEIR_HAVE_RE2

// The most that a compiled pattern and its caches may take.
constexpr int64_t kPatternBytes = 8 << 20;

constexpr std::string_view kPattern = "the pattern";
constexpr std::string_view kRewrite = "the rewrite";

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

// A pattern with a rewrite that fits it.
struct Pattern : KernelState {
  std::string text;
  std::string rewrite;
  std::unique_ptr<const RE2> compiled;

  static Result<std::shared_ptr<const Pattern>> make(std::string_view text, std::string_view rewrite,
                                                     bool& at_rewrite) {
    auto out = std::make_shared<Pattern>();
    out->text = text;
    out->rewrite = rewrite;
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kPatternBytes);
    out->compiled = std::make_unique<const RE2>(piece(text), options);
    at_rewrite = false;
    if (!out->compiled->ok()) {
      return invalid_argument(
          concat(quote_start(text), " is no regular expression: ", out->compiled->error()));
    }
    at_rewrite = true;
    std::string error;
    if (!out->compiled->CheckRewriteString(piece(rewrite), &error)) {
      return invalid_argument(concat(quote_start(rewrite), " is no rewrite for this pattern: ", error));
    }
    return std::shared_ptr<const Pattern>(std::move(out));
  }
};

// The pattern of each row: the one known beforehand, or that of the row before if it is the same.
class PatternOfRow {
 public:
  explicit PatternOfRow(const KernelRun& run) : run_(run) {}

  Result<const Pattern*> get(int row) {
    const std::string_view text = run_.arg(1).row<Str>(row)->view();
    const std::string_view rewrite =
        run_.arg_count() > 2 ? run_.arg(2).row<Str>(row)->view() : std::string_view();
    if (!last_ || last_->text != text || last_->rewrite != rewrite) {
      bool at_rewrite;
      WEIR_ASSIGN(last_, Pattern::make(text, rewrite, at_rewrite));
    }
    return last_.get();
  }

 private:
  const KernelRun& run_;
  std::shared_ptr<const Pattern> last_;
};

void match(const KernelRun& run, const Pattern& pattern, int row, bool* out) {
  const Str* s = run.arg(0).row<Str>(row);
  for (int64_t k = 0, count = run.arg(0).shape.count(); k < count; ++k) {
    out[k] = RE2::FullMatch(piece(s[k].view()), *pattern.compiled);
  }
}

// What replacing writes to.
struct Replaced {
  explicit Replaced(KernelRun& run) : writer(run) {}
  StringWriter writer;
  std::string text;
};

void replace(const KernelRun& run, const Pattern& pattern, int row, Str* out, Replaced& replaced) {
  const Str* s = run.arg(0).row<Str>(row);
  for (int64_t k = 0, count = run.arg(0).shape.count(); k < count; ++k) {
    replaced.text.assign(s[k].view());
    const int found = RE2::GlobalReplace(&replaced.text, *pattern.compiled, piece(pattern.rewrite));
    out[k] = found == 0 ? s[k] : replaced.writer.add(replaced.text);
  }
}

// Calls f(pattern, row, result) for each row.
template <class R, class F>
void each_row(KernelRun& run, const Pattern* known, F f) {
  if (!is_scalar(run, 1, kPattern)) return;
  if (run.arg_count() > 2 && !is_scalar(run, 2, kRewrite)) return;
  const Shape& shape = run.arg(0).shape;
  R* out = run.make<R>(0, shape);
  PatternOfRow patterns(run);
  for (int i = 0; out != nullptr && i < run.rows(); ++i, out += shape.count()) {
    if (known != nullptr) {
      f(*known, i, out);
      continue;
    }
    const Result<const Pattern*> pattern = patterns.get(i);
    if (pattern.ok()) {
      f(**pattern, i, out);
    } else {
      run.fail(i, pattern.status());
    }
  }
}

template <bool kKnown>
const Pattern* known_pattern(const KernelRun& run) {
  if constexpr (kKnown) return &run.state<Pattern>();
  return nullptr;
}

template <bool kKnown>
void match_body(KernelRun& run) {
  each_row<bool>(run, known_pattern<kKnown>(run),
                 [&](const Pattern& pattern, int row, bool* out) { match(run, pattern, row, out); });
}

template <bool kKnown>
void replace_body(KernelRun& run) {
  Replaced replaced(run);
  each_row<Str>(run, known_pattern<kKnown>(run), [&](const Pattern& pattern, int row, Str* out) {
    replace(run, pattern, row, out, replaced);
  });
}

// `rewrite` is the parameter, or -1.
Status regex_infer(KernelCall& call, int rewrite, KernelBody known, KernelBody other) {
  bool constant = true;
  for (int param = 1; param <= std::max(1, rewrite); ++param) {
    WEIR_TRY(check_scalar_if_known(call, param, param == 1 ? kPattern : kRewrite));
    constant = constant && call.constant(param) != nullptr;
  }
  if (!constant) {
    call.body(other);
    return Status();
  }
  bool at_rewrite = false;
  const std::string_view text =
      rewrite < 0 ? std::string_view() : call.constant(rewrite)->as<const Str>()->view();
  Result<std::shared_ptr<const Pattern>> made =
      Pattern::make(call.constant(1)->as<const Str>()->view(), text, at_rewrite);
  if (!made.ok()) return call.error(at_rewrite ? rewrite : 1, made.status().error().what());
  call.body(known, *std::move(made));
  call.set_can_fail(false);
  return Status();
}

Status match_infer(KernelCall& call) {
  call.result(DType::boolean, call.shape(0));
  return regex_infer(call, -1, match_body<true>, match_body<false>);
}

Status replace_infer(KernelCall& call) {
  call.result(DType::string, call.shape(0));
  return regex_infer(call, 2, replace_body<true>, replace_body<false>);
}

#else

Status match_infer(KernelCall& call) {
  return call.error("regex_match is not in this build of weir; build it with -DWEIR_RE2=ON");
}

Status replace_infer(KernelCall& call) {
  return call.error("regex_replace is not in this build of weir; build it with -DWEIR_RE2=ON");
}

#endif

}  // namespace

extern constinit const Kernel regex_match_kernel{
    .name = "regex_match",
    .params = {{.name = "s", .type = "string"},
               {.name = "pattern",
                .type = "string",
                .doc = "A regular expression in RE2's syntax, a scalar."}},
    .infer = match_infer,
    .doc =
        "Whether the whole of each string matches a regular expression. Write `.*` around the pattern to find it anywhere. A bad pattern is an error when the dataset is built; if it is computed, it is an error of the element.",
    .result = "bool, the shape of `s`.",
    .cost =
        "One pass over the bytes, linear in their number whatever the pattern. A pattern that is not constant is compiled again where it changes.",
    .example = R"(from_tensors(regex_match(["img_1.png", "readme.md"], "img_\\d+\\.png")))",
    .output = "[true, false]",
    .bench = R"(regex_match(s, ".*z"))",
    .can_fail = true};

extern constinit const Kernel regex_replace_kernel{
    .name = "regex_replace",
    .params =
        {{.name = "s", .type = "string"},
         {.name = "pattern", .type = "string", .doc = "A regular expression in RE2's syntax, a scalar."},
         {.name = "rewrite",
          .type = "string",
          .doc =
              "The replacement of each match, a scalar; `\\\\1` is the first group, `\\\\0` the whole match."}},
    .infer = replace_infer,
    .doc =
        "Replaces every match of a regular expression in each string. Matches are found from left to right, without overlap. A bad pattern or rewrite is an error when the dataset is built; if it is computed, it is an error of the element.",
    .result = "string, the shape of `s`.",
    .cost =
        "One search per match, and one copy of the strings that have one; others are views of `s`. A pattern that is not constant is compiled again where it changes.",
    .example = R"x(from_tensors(regex_replace("2024-01-31", "(\\d+)-(\\d+)-(\\d+)", "\\3/\\2/\\1")))x",
    .output = "\"31/01/2024\"",
    .bench = R"(regex_replace(s, "[a-c]+", "-"))",
    .can_fail = true};

}  // namespace weir

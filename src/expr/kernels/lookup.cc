// lookup(keys, table, default): the positions of strings in a list, by a hash table that is built once if the
// list is known when the dataset is built.
#include <bit>
#include <limits>
#include <optional>
#include <vector>

#include "core/digest.h"
#include "expr/kernels/shared/strings.h"

namespace weir {

namespace {

// Places with open addressing: at least half of them are free, so a search ends soon.
class Positions {
 public:
  // Keeps views of the words, which must outlive it.
  static Result<Positions> make(std::span<const Str> words) {
    Positions out;
    out.words_ = words;
    out.buckets_.resize(std::bit_ceil(2 * words.size() + 1));
    out.mask_ = out.buckets_.size() - 1;
    for (size_t i = 0; i < words.size(); ++i) {
      const uint64_t hash = hash_of(words[i].view());
      Bucket& bucket = out.buckets_[out.find(words[i].view(), hash)];
      if (bucket.position >= 0) {
        return invalid_argument(expected_found(
            "distinct strings in the table of lookup",
            concat(quote_start(words[i].view()), " at the positions ", bucket.position, " and ", i)));
      }
      bucket = {hash, static_cast<int64_t>(i)};
    }
    return out;
  }

  int64_t position(std::string_view word, int64_t absent) const {
    const Bucket& bucket = buckets_[find(word, hash_of(word))];
    return bucket.position >= 0 ? bucket.position : absent;
  }

 private:
  struct Bucket {
    uint64_t hash = 0;
    int64_t position = -1;
  };

  // The bucket of the word, or the free one where it belongs.
  size_t find(std::string_view word, uint64_t hash) const {
    size_t at = hash & mask_;
    while (buckets_[at].position >= 0) {
      if (buckets_[at].hash == hash && words_[static_cast<size_t>(buckets_[at].position)].view() == word)
        break;
      at = (at + 1) & mask_;
    }
    return at;
  }

  std::span<const Str> words_;
  std::vector<Bucket> buckets_;
  size_t mask_ = 0;
};

constexpr std::string_view kDefault = "the default of lookup";

struct Table : KernelState {
  Tensor words;
  std::optional<Positions> positions;
};

std::span<const Str> words_of(const Arg& table, int row) {
  return {table.row<Str>(row), static_cast<size_t>(table.shape.count())};
}

void look_up(const KernelRun& run, const Positions& positions, int row, int64_t* out) {
  const Arg& keys = run.arg(0);
  const Str* key = keys.row<Str>(row);
  const int64_t absent = *run.arg(2).row<int64_t>(row);
  for (int64_t k = 0, count = keys.shape.count(); k < count; ++k) {
    out[k] = positions.position(key[k].view(), absent);
  }
}

void constant_body(KernelRun& run) {
  if (!is_scalar(run, 2, kDefault)) return;
  const Positions& positions = *run.state<Table>().positions;
  const Shape& shape = run.arg(0).shape;
  auto* out = run.make<int64_t>(0, shape);
  for (int i = 0; out != nullptr && i < run.rows(); ++i) look_up(run, positions, i, out + i * shape.count());
}

void lookup_body(KernelRun& run) {
  if (!is_scalar(run, 2, kDefault)) return;
  const Arg& table = run.arg(1);
  const Shape& shape = run.arg(0).shape;
  auto* out = run.make<int64_t>(0, shape);
  if (out == nullptr) return;
  Status status;
  if (table.shape.rank() != 1) {
    status = invalid_argument(expected_found("a list of strings as the table of lookup",
                                             concat("the shape ", table.shape.to_string())));
  }
  std::optional<Positions> positions;
  for (int i = 0; i < run.rows(); ++i) {
    if (status.ok() && (!positions || table.stride != 0)) {
      Result<Positions> made = Positions::make(words_of(table, i));
      if (made.ok()) {
        positions = *std::move(made);
      } else if (table.stride != 0) {
        run.fail(i, made.status());
        continue;
      } else {
        status = made.status();
      }
    }
    if (status.ok()) {
      look_up(run, *positions, i, out + i * shape.count());
    } else {
      run.fail(i, status);
    }
  }
}

Status lookup_infer(KernelCall& call) {
  WEIR_TRY(check_scalar_if_known(call, 2, kDefault));
  const Shape& table = call.shape(1);
  if (table.rank_known() && table.rank() != 1) {
    return call.error(1, expected_found("a list of strings", concat("the shape ", table.to_string())));
  }
  call.result(DType::int64, call.shape(0));
  const Tensor* words = call.constant(1);
  if (words == nullptr) {
    call.body(lookup_body);
    return Status();
  }
  auto state = std::make_shared<Table>();
  state->words = *words;
  Result<Positions> made = Positions::make(state->words.entries<const Str>());
  if (!made.ok()) return call.error(1, made.status().error().what());
  state->positions = *std::move(made);
  call.body(constant_body, std::move(state));
  call.set_can_fail(!call.shape(2).rank_known());
  return Status();
}

}  // namespace

extern constinit const Kernel lookup_kernel{
    .name = "lookup",
    .params = {{.name = "keys", .type = "string"},
               {.name = "table", .type = "string", .doc = "A list of distinct strings."},
               {.name = "default",
                .type = "int64",
                .doc = "The result for a string that is not in the table."}},
    .infer = lookup_infer,
    .doc =
        "Looks up the index of each string in a table; strings that are not in it get the default. A table that is known when the dataset is built is hashed once, others for each element. A string that is in the table twice is an error.",
    .result = "int64, the shape of `keys`.",
    .cost = "One hash and one comparison per string.",
    .example = R"(from_tensors(lookup(["cat", "cow"], ["dog", "cat"], -1)))",
    .output = "[1, -1]",
    .bench = R"(lookup(s, ["a", "b", "c"], -1))",
    .can_fail = true};

}  // namespace weir

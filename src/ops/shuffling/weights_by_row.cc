#include "ops/shuffling/weights_by_row.h"

#include <cstring>
#include <string>
#include <utility>

#include "core/text.h"

namespace weir {

namespace {

std::string bytes_of(const Components& weights) {
  Archive archive;
  for (const Tensor& tensor : weights) {
    std::string entries(reinterpret_cast<const char*>(tensor.data), tensor.byte_size());
    archive(dtype_name(tensor.dtype), entries);
  }
  return archive.take();
}

// Weights of the dtypes and shapes of others, which may be fewer points of a schedule, or more.
Result<Components> weights_of(std::string_view bytes, const Components& like) {
  Archive archive(bytes);
  Components out;
  do {
    const Tensor& model = like[out.size() % like.size()];
    std::string entries;
    archive(dtype_name(model.dtype), entries);
    if (entries.size() != model.byte_size()) archive.fail("the weights of a position are damaged");
    WEIR_TRY(archive.status());
    out.push_back(Tensor::allocate(model.dtype, model.shape));
    std::memcpy(out.back().data, entries.data(), entries.size());
  } while (archive.next_is(dtype_name(like[out.size() % like.size()].dtype)));
  archive.finish();
  WEIR_TRY(archive.status());
  return out;
}

}  // namespace

Result<WeightsByRow> WeightsByRow::open(Opening& opening, const Components& weights) {
  WeightsByRow out;
  if (opening.node->depth() > 0) {
    out.parts_.push_back({0, weights});
    return out;
  }
  out.mixtures_ = &opening.ctx.session.mixtures();
  // A function may open it several times at once.
  const bool fixed = opening.ctx.epochs->depth() > 0 || opening.path->reads_alike;
  WEIR_ASSIGN(out.mixture_, out.mixtures_->open(opening.path->to_string(), bytes_of(weights), fixed));
  out.key_ = opening.key;
  for (const Mixtures::Weights& each : out.mixtures_->weights_of(*out.mixture_, out.key_)) {
    WEIR_ASSIGN(Components had, weights_of(each.bytes, weights));
    out.parts_.push_back({each.from, std::move(had)});
  }
  return out;
}

Status WeightsByRow::check_access(Opening& opening, const Components& weights) {
  if (opening.node->depth() > 0) return Status();
  return opening.ctx.session.mixtures().open(opening.path->to_string(), bytes_of(weights), true).status();
}

int WeightsByRow::part_of(int64_t row) const {
  auto at = static_cast<int>(parts_.size()) - 1;
  while (at > 0 && parts_[static_cast<size_t>(at)].from > row) --at;
  return at;
}

const Components* WeightsByRow::other_at(int64_t row) const {
  const int at = part_of(row);
  return at == taken_ ? nullptr : &parts_[static_cast<size_t>(at)].weights;
}

int WeightsByRow::same(int64_t row, int rows) const {
  for (const Part& part : parts_) {
    if (part.from > row && part.from - row < rows) return static_cast<int>(part.from - row);
  }
  return rows;
}

}  // namespace weir

#include "ops/shuffling/weights_by_row.h"

#include <cstring>
#include <string>
#include <utility>

#include "core/text.h"

namespace weir {

namespace {

// A list of numbers by dtype, and a single one.
std::string bytes_of(const Components& weights) {
  Archive archive;
  for (const Tensor& tensor : weights) {
    std::string dtype(dtype_name(tensor.dtype));
    std::string entries(reinterpret_cast<const char*>(tensor.data), tensor.byte_size());
    bool list = tensor.shape.rank() > 0;
    archive("dtype", dtype);
    archive("list", list);
    archive("entries", entries);
  }
  return archive.take();
}

Result<Components> weights_of(std::string_view bytes, const Components& like) {
  Archive archive(bytes);
  Components out;
  while (archive.status().ok() && archive.next_is("dtype")) {
    std::string dtype;
    std::string entries;
    bool list = false;
    archive("dtype", dtype);
    archive("list", list);
    archive("entries", entries);
    const Tensor& model = like[out.size() % like.size()];
    const size_t size = dtype_size(model.dtype);
    const bool fits = dtype == dtype_name(model.dtype) && list == (model.shape.rank() > 0) &&
                      entries.size() % size == 0 && (list || entries.size() == size);
    if (!fits) return data_loss("the weights of a position are damaged");
    const auto count = static_cast<int64_t>(entries.size() / size);
    Tensor tensor = Tensor::allocate(model.dtype, list ? Shape{count} : Shape());
    std::memcpy(tensor.data, entries.data(), entries.size());
    out.push_back(std::move(tensor));
  }
  archive.finish();
  WEIR_TRY(archive.status());
  return out;
}

}  // namespace

Result<WeightsByRow> WeightsByRow::open(Opening& opening, const Components& weights) {
  WeightsByRow out;
  out.parts_.push_back({0, weights});
  if (opening.node->depth() > 0) return out;
  out.mixtures_ = &opening.ctx.session.mixtures();
  // A function may open it several times at once.
  const bool in_function = opening.ctx.epochs->depth() > 0;
  WEIR_ASSIGN(out.mixture_, out.mixtures_->open(opening.path->to_string(), bytes_of(weights), in_function));
  const bool earlier = !out.mixtures_->live(*out.mixture_);
  const std::vector<Mixtures::Weights> known = out.mixtures_->weights_of(*out.mixture_, earlier);
  for (size_t i = 0; i + 1 < known.size(); ++i) {
    WEIR_ASSIGN(Components before, weights_of(known[i].bytes, weights));
    out.parts_.insert(out.parts_.end() - 1, {known[i].from, std::move(before)});
  }
  out.parts_.back().from = known.back().from;
  return out;
}

Status WeightsByRow::check_access(Opening& opening, const Components& weights) {
  if (opening.node->depth() > 0) return Status();
  return opening.ctx.session.mixtures().open(opening.path->to_string(), bytes_of(weights), true).status();
}

const Components* WeightsByRow::other_at(int64_t row) {
  auto at = static_cast<int>(parts_.size()) - 1;
  while (at > 0 && parts_[static_cast<size_t>(at)].from > row) --at;
  if (at == at_) return nullptr;
  at_ = at;
  return &parts_[static_cast<size_t>(at)].weights;
}

int WeightsByRow::same(int64_t row, int rows) const {
  for (const Part& part : parts_) {
    if (part.from > row && part.from - row < rows) return static_cast<int>(part.from - row);
  }
  return rows;
}

}  // namespace weir

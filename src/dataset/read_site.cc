#include "dataset/read_site.h"

#include "core/digest.h"
#include "core/file_places.h"

namespace weir {

uint64_t ReadSite::read(std::string_view file, int64_t index) const {
  const uint64_t place = hash_of(path_ ? path_->to_string() : std::string(), key_);
  return hash_of(placeless_name(file), derive_key(place, static_cast<uint64_t>(index)));
}

void ReadSite::answer_again(const FailedReads& failed, std::span<const int64_t> indices, Block& out) const {
  for (RowError& error : out.errors) {
    if (!error.error->read_failed) continue;
    const uint64_t number = read({}, indices[static_cast<size_t>(error.row)]);
    const ErrorPtr listed = failed.find(number);
    error.error = listed ? listed : failed_at(Status(error.error), number).pointer();
  }
  if (failed.empty()) return;
  for (int row = 0; row < out.rows; ++row) {
    if (ErrorPtr listed = failed.find(read({}, indices[static_cast<size_t>(row)])))
      out.fail_row(row, std::move(listed));
  }
}

}  // namespace weir

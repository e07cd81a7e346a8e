// WrittenRows: the rows of a folder of written elements, as a cursor gives them. A damaged chunk is one
// error; one in place of everything if the folder cannot be opened. Its position is the number of the next
// row, among the elements of one run: in others it is refused. Runs on the blocking lane.
#pragma once

#include <memory>
#include <string>

#include "core/archive.h"
#include "core/pull.h"
#include "core/runtime.h"
#include "dataset/access.h"
#include "dataset/read_site.h"
#include "ops/files/written.h"

namespace weir {

// The most rows that are worth giving at once.
inline constexpr int kWrittenBlockRows = 65536;

// failed_precondition: the folder has other elements than when the position was saved, or none.
Status other_elements(const std::string& folder);

class WrittenRows {
 public:
  // Opens nothing yet.
  WrittenRows(const Instance& place, std::string folder, Spec spec, WrittenManifest manifest)
      : site_(place), folder_(std::move(folder)), spec_(std::move(spec)), manifest_(std::move(manifest)) {}

  Step next(Context& ctx, const Demand& demand, Block& out);
  // As Cursor::lose.
  int64_t lose() noexcept;
  // Loading refuses another run when it is resumed.
  void state(Archive& archive);
  Status resume() const;

 private:
  const ReadSite site_;
  const std::string folder_;
  const Spec spec_;
  const WrittenManifest manifest_;
  // That of the loaded position.
  std::string run_;
  std::unique_ptr<WrittenReader> reader_;
  int64_t row_ = 0;
  // What next() was asked for.
  int wanted_ = 1;
  bool ended_ = false;
};

// The same rows by their positions. One whose chunk is damaged is an error, as is each if the folder cannot
// be opened.
std::unique_ptr<Access> written_access(const Instance& place, std::string folder, Spec spec,
                                       WrittenManifest manifest);

}  // namespace weir

#include "ops/access/seekable_input.h"

#include <utility>

#include "core/exception.h"
#include "dataset/access.h"
#include "ops/access/positions.h"

namespace weir {

SeekableInput::SeekableInput(Opening& opening, int index, Port::Mode mode, Port::Opens opens)
    : instance_(opening.input(index)),
      mode_(mode),
      port_(std::make_unique<Port>(opening, index, mode, opens)) {}

SeekableInput::SeekableInput(Opening& opening, int index, Port::Mode mode, Port::Opens opens,
                             const Slice& slice)
    : instance_(opening.input(index)),
      mode_(mode),
      slice_(slice),
      seeks_(weir::seeks(opening.ctx, instance_)) {
  open(opening.ctx, opens);
}

void SeekableInput::open(Context& ctx, Port::Opens opens) {
  Instance instance = instance_;
  if (seeks_) {
    Result<DatasetRef> positions = positions_of(instance.node, slice_, kUnknown);
    if (!positions.ok()) throw StatusException(positions.status());
    // It takes the path of this operator, so that the path of the input stays what it is.
    instance = {*std::move(positions), instance.env, instance.key, instance.path->parent};
  }
  port_ = std::make_unique<Port>(ctx, std::move(instance), mode_, opens);
}

void SeekableInput::state(Archive& archive) {
  bool seeks = seeks_;
  if (archive.loading()) {
    seeks = archive.next_is("seeks");
    if (seeks) archive("seeks", seeks);
    reopens_ = seeks != seeks_;
    if (reopens_) {
      seeks_ = seeks;
      archive.rest(saved_);
      return;
    }
  } else if (seeks) {
    archive("seeks", seeks);
  }
  if (reopens_) {
    archive.append(saved_);
  } else {
    port_->state(archive);
  }
}

Step SeekableInput::resume(Context& ctx) {
  if (!reopens_) return PullResult::rows;
  open(ctx, Port::Opens::now);
  Archive archive(saved_);
  port_->state(archive);
  archive.finish();
  WEIR_TRY(archive.status());
  reopens_ = false;
  saved_.clear();
  return PullResult::rows;
}

}  // namespace weir

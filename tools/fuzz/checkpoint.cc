// Fuzzes positions: restores each input over the golden case that it belongs to, with a correct checksum and,
// in a second try, with correct fingerprints, and reads on. A position of the only rank also continues as one
// rank of two.
#include "iterator/checkpoint.h"

#include <cstdint>
#include <functional>

#include "fuzz.h"
#include "golden/golden.h"

namespace weir {
namespace {

struct Golden {
  golden::Case one;
  DocumentRef document;
};

class Positions {
 public:
  Positions() : runtime_(1) {
    for (golden::Case& one : golden::cases()) {
      DocumentRef document = parse_text(*runtime_, one.document);
      targets_.push_back({std::move(one), std::move(document)});
    }
  }
  // The one that the position was saved for, else any.
  const Golden& of(const Result<Checkpoint>& checkpoint, std::string_view bytes) const {
    for (const Golden& target : targets_) {
      if (checkpoint.ok() && target.document->positional_fingerprint() == checkpoint->positional)
        return target;
    }
    return targets_[std::hash<std::string_view>()(bytes) % targets_.size()];
  }
  void restore(const Golden& target, const std::string& bytes, const World* world) {
    go_on(target, {.params = target.one.params, .checkpoint = &bytes, .world = world});
  }
  void divide(const Golden& target, const std::string& bytes) {
    const World world{1, 2, {}};
    const std::string_view ranks[] = {bytes};
    go_on(target, {.params = target.one.params, .rank_checkpoints = ranks, .world = &world});
  }

 private:
  void go_on(const Golden& target, const Beginning& beginning) {
    OpenIterator iterator(new Iterator(*runtime_, nullptr, target.document->spec()));
    if (!iterator->initialize(target.document, beginning).ok()) return;
    // A position may be so far away in an endless dataset that going there takes for ever.
    if (target.one.document.find("repeat()") != std::string::npos) return;
    take_lines(*iterator, 40, 7);
    require_value(iterator->save());
  }

  ThreadsRuntime runtime_;
  std::vector<Golden> targets_;
};

}  // namespace
}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto& positions = *new weir::Positions;
  // The kind and version that checkpoints have now.
  static const std::string kNow = weir::Checkpoint().to_bytes();
  const std::string bytes = weir::with_right_checksum(kNow, data, size);
  weir::Result<weir::Checkpoint> checkpoint = weir::Checkpoint::from_bytes(bytes);
  const weir::Golden& target = positions.of(checkpoint, bytes);
  weir::World world;
  if (checkpoint.ok()) world = {checkpoint->rank, checkpoint->world_size, {}};
  positions.restore(target, bytes, &world);
  if (!checkpoint.ok()) return 0;
  checkpoint->fingerprint = target.document->fingerprint();
  checkpoint->positional = target.document->positional_fingerprint();
  const std::string fitting = checkpoint->to_bytes();
  positions.restore(target, fitting, &world);
  positions.divide(target, fitting);
  return 0;
}

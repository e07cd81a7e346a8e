// Fuzzes positions: restores each input over the golden case that it belongs to, with a correct checksum and,
// in a second try, with correct fingerprints, and reads on. A position of one rank is also joined with those
// of the others.
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
  // The positions of the ranks that it comes from, in their order.
  std::vector<std::string> ranks;
};

class Positions {
 public:
  Positions() : runtime_(1) {
    for (golden::Case& one : golden::cases()) {
      DocumentRef document = parse_text(*runtime_, one.document);
      std::vector<std::string> ranks;
      for (const std::string& name : one.from)
        ranks.push_back(require_value(golden::at_position(*runtime_, golden::case_named(name))->save()));
      targets_.push_back({std::move(one), std::move(document), std::move(ranks)});
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
    OpenIterator iterator(new Iterator(*runtime_, nullptr, target.document->spec()));
    const Beginning beginning{.params = target.one.params, .checkpoint = &bytes, .world = world};
    if (!iterator->initialize(target.document, beginning).ok()) return;
    // A position may be so far away in an endless dataset that going there takes for ever.
    if (target.one.document.find("repeat()") != std::string::npos) return;
    take_lines(*iterator, 40, 7);
    require_value(iterator->save());
  }
  // Joins the position with those of the other ranks, wherever a case comes from as many.
  void join(const Checkpoint& checkpoint, const std::string& bytes) {
    for (const Golden& target : targets_) {
      if (target.ranks.empty() || std::ssize(target.ranks) != checkpoint.world_size ||
          !(target.document->positional_fingerprint() == checkpoint.positional)) {
        continue;
      }
      std::vector<std::string> ranks = target.ranks;
      ranks.at(static_cast<size_t>(checkpoint.rank)) = bytes;
      const auto joined = golden::join(*runtime_, target.one, target.document, ranks);
      if (joined.ok()) restore(target, *joined, &*target.one.world);
    }
  }

 private:
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
  positions.join(*checkpoint, fitting);
  return 0;
}

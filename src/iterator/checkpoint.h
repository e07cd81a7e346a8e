// Checkpoint: what an iterator saves, and the bytes around it.
//
// The bytes are keyed fields in an envelope (graph/envelope.h), whose checksum finds any flipped bit and any
// cut before a field is read. A size from the bytes allocates nothing before it is known to be there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive.h"
#include "core/digest.h"
#include "core/runtime.h"
#include "core/value.h"
#include "fs/file_system.h"
#include "graph/envelope.h"

namespace weir {

class Document;

// How far an iterator has come with one graph: how often it was opened, and the openings counted inside it.
struct GraphHistory {
  Fingerprint fingerprint;
  uint64_t openings = 0;
  // As EpochScope writes them.
  std::vector<uint64_t> epochs;

  void state(Archive& archive);
};

struct ParamDigest {
  std::string name;
  uint64_t hash = 0;
};

struct Checkpoint {
  std::string library_version;
  // Document::placeless_fingerprint().
  Fingerprint fingerprint;
  // Document::positional_fingerprint(), which says whether the checkpoint fits.
  Fingerprint positional;
  GraphDigest graph;
  std::vector<ParamDigest> params;
  // EpochNode::windows of the graph's counted nodes.
  std::vector<uint64_t> windows;
  // The pairs of the graph's seed sites, two numbers each.
  std::vector<uint64_t> seeds;
  // Of the graph's found names (dataset/found_names.h): the size of each digest, and the digest.
  std::vector<uint64_t> names;
  // The number of this opening, from 0, and the openings counted at the position.
  uint64_t opening = 0;
  std::vector<uint64_t> epochs;
  // Other graphs that this iterator was initialised with before.
  std::vector<GraphHistory> histories;
  // The rank that saved this, and of how many, if the graph has shards by rank; else world_size is 0.
  int64_t rank = 0;
  int64_t world_size = 0;
  // Of a graph with parts: the turn (core/origins.h) after the last row pulled; negative if it is not known.
  int64_t turn = 0;
  // Null, or where the parts were when the rank began, for operators that have not moved since.
  std::shared_ptr<const PartPositions> inherited;
  // What the graph's callbacks with a state saved, in the order of its sites.
  std::vector<std::string> states;
  // Rows that were pulled and not delivered (dataset/held_rows.h).
  std::string held;
  // As FailedReads writes them.
  std::string failed_reads;
  // As Mixtures writes them; empty if there are none.
  std::string mixtures;
  // The root Stage's state.
  std::string stage;

  std::string to_bytes();
  // Returns data_loss for damaged bytes, failed_precondition for a checkpoint of something else.
  static Result<Checkpoint> from_bytes(std::string_view bytes);

 private:
  void state(Archive& archive);
};

// failed_precondition, with the difference, for a checkpoint of another graph than the document's.
Status check_graph(const Document& document, const Checkpoint& checkpoint);

// resource_exhausted above the limit checkpoint_bytes. Saved checkpoints stay below it, too, so they can be
// restored.
Status check_checkpoint_size(uint64_t size, int64_t limit_bytes);

// Reads an envelope from a file. Looks at the header first and reads no more than it claims, than the file
// has, and than the limit allows. Fails as open_envelope does for a bad envelope, or as the file does.
Result<std::string> read_enveloped(const EnvelopeKind& kind, RandomAccessFile& file, int64_t limit_bytes);

// The same for the bytes of a checkpoint.
Result<std::string> read_checkpoint(RandomAccessFile& file, int64_t limit_bytes);

// Dtype, shape and bytes; of more than 1 MiB the first and last 64 KiB.
uint64_t digest_of(const Components& values);

}  // namespace weir

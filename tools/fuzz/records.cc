// Fuzzes TFRecords: with `resync`, a reader gives the records that one gives without, and others in their
// order; it ends, and searches each byte a bounded number of times. Inputs are files of records.
#include <cstdlib>
#include <string>
#include <vector>

#include "format/tfrecord.h"
#include "support/simulated_files.h"

namespace weir {

namespace {

constexpr uint64_t kMostRecordBytes = 1 << 16;
// What the search for whole records may hash for each byte, and besides.
constexpr uint64_t kMostSearches = 64;
constexpr uint64_t kLeastSearched = 4096;

struct Found {
  std::vector<std::string> records;
  int errors = 0;
};

Found read(std::string_view bytes, OnCorrupt on_corrupt, size_t longest_read) {
  SimulatedFileSystem files;
  files.put("f", bytes);
  files.set_faults("f", {.longest_read = longest_read});
  auto stream = open_stream(files, "f", Compression::none);
  if (!stream.ok()) std::abort();
  RecordReader reader(*std::move(stream), kMostRecordBytes, on_corrupt);
  Found out;
  RecordBatch batch;
  for (uint64_t at = 0;;) {
    batch.clear();
    const Status status = reader.next_batch(7, 1 << 12, batch);
    for (const Str& record : batch.records) out.records.emplace_back(record.view());
    if (reader.position().offset < at || reader.position().offset > bytes.size()) std::abort();
    at = reader.position().offset;
    if (!status.ok()) ++out.errors;
    if (status.ok() ? batch.records.empty() : !reader.goes_on()) break;
  }
  if (reader.searched_bytes() > kMostSearches * bytes.size() + kLeastSearched) std::abort();
  return out;
}

}  // namespace

}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const weir::Found plain = weir::read(bytes, weir::OnCorrupt::error, 0);
  const weir::Found going_on = weir::read(bytes, weir::OnCorrupt::resync, 0);
  const weir::Found in_pieces = weir::read(bytes, weir::OnCorrupt::resync, 5);
  if (plain.errors > 1 || going_on.records != in_pieces.records || going_on.errors != in_pieces.errors)
    std::abort();
  if (going_on.records.size() < plain.records.size()) std::abort();
  for (size_t i = 0; i < plain.records.size(); ++i) {
    if (plain.records[i] != going_on.records[i]) std::abort();
  }
  return 0;
}

#include "format/tables/lmdb.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "core/load.h"
#include "core/text.h"
#include "format/field_columns.h"

namespace weir {

namespace {

constexpr uint32_t kMagic = 0xbeefc0de;
constexpr uint32_t kVersion = 1;
constexpr uint64_t kNoPage = UINT64_MAX;
constexpr size_t kHeaderBytes = 16;
constexpr size_t kMetaBytes = 152;
constexpr size_t kNodeBytes = 8;
constexpr size_t kLeastPageBytes = 256;
constexpr size_t kMostPageBytes = 65536;
// The stack of LMDB's own cursors.
constexpr size_t kMostLevels = 32;
// How much is read where pages follow one another.
constexpr size_t kWindowBytes = size_t{256} << 10;
constexpr size_t kBatchBytes = size_t{256} << 10;
// A value as long is read into its place, and not through the window.
constexpr size_t kLongBytes = size_t{32} << 10;
constexpr int64_t kBatchRows = 4096;

enum PageFlags : uint16_t { kBranch = 0x01, kLeaf = 0x02, kOverflow = 0x04, kMeta = 0x08 };
enum NodeFlags : uint16_t { kBigData = 0x01, kSubDatabase = 0x02, kDuplicates = 0x04 };
enum DatabaseFlags : uint16_t { kSortedDuplicates = 0x04 };

enum EntryPart { kKey, kValue, kColumns };
constexpr std::array<const char*, kColumns> kNames = {"key", "value"};

// What a snapshot says of the database without a name.
struct Snapshot {
  uint64_t page_bytes = 0;
  uint64_t last_page = 0;
  uint64_t entries = 0;
  uint64_t root = kNoPage;
  size_t levels = 0;
  uint64_t transaction = 0;
};

Status damaged(const RandomAccessFile& file, Mistake mistake, uint64_t offset) {
  return file_error(Code::data_loss, std::move(mistake), file.name(), static_cast<int64_t>(offset));
}

Result<Snapshot> read_snapshot(RandomAccessFile& file, uint64_t offset) {
  WEIR_ASSIGN(const std::string text, read_up_to(file, offset, kMetaBytes));
  const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
  if (text.size() < kMetaBytes || load<uint32_t>(bytes + 16) != kMagic)
    return damaged(file, expected_found("a page that describes an LMDB database", "other bytes"), offset);
  if (const auto version = load<uint32_t>(bytes + 20); version != kVersion) {
    return file_error(Code::unimplemented,
                      expected_found("version 1 of LMDB's files", concat(version),
                                     "copy the database with a release of LMDB 0.9"),
                      file.name(), static_cast<int64_t>(offset + 20));
  }
  Snapshot out;
  out.page_bytes = load<uint32_t>(bytes + 40);
  const uint8_t* const database = bytes + 88;
  const auto flags = load<uint16_t>(database + 4);
  out.levels = load<uint16_t>(database + 6);
  out.entries = load<uint64_t>(database + 32);
  out.root = load<uint64_t>(database + 40);
  out.last_page = load<uint64_t>(bytes + 136);
  out.transaction = load<uint64_t>(bytes + 144);
  if (!std::has_single_bit(out.page_bytes) || out.page_bytes < kLeastPageBytes ||
      out.page_bytes > kMostPageBytes)
    return damaged(
        file,
        expected_found("a power of two from 256 to 65,536 as the size of pages", concat(out.page_bytes)),
        offset + 40);
  if ((flags & kSortedDuplicates) != 0) {
    return file_error(
        Code::unimplemented,
        Mistake("the database may have several values for a key (MDB_DUPSORT)", "copy it to one without"),
        file.name());
  }
  const bool empty = out.root == kNoPage;
  if (empty != (out.entries == 0) || out.levels > kMostLevels || out.entries > INT64_MAX ||
      (!empty && out.levels == 0) || out.last_page >= INT64_MAX / out.page_bytes)
    return damaged(file, Mistake("the page that describes the database contradicts itself"), offset + 88);
  return out;
}

// The newer of the two.
Result<Snapshot> newest_snapshot(RandomAccessFile& file) {
  WEIR_ASSIGN(const Snapshot first, read_snapshot(file, 0));
  WEIR_ASSIGN(const Snapshot second, read_snapshot(file, first.page_bytes));
  return second.transaction > first.transaction ? second : first;
}

struct Node {
  std::string_view key;
  // Of a branch, the page below; of a leaf, where the value is if it is not in `value`.
  uint64_t page = 0;
  bool big = false;
  uint64_t value_bytes = 0;
  std::string_view value;
};

// Pages of a snapshot, checked.
class Pages {
 public:
  Pages(RefPtr<RandomAccessFile> file, uint64_t file_bytes, const Snapshot& snapshot)
      : file_(std::move(file)), file_bytes_(file_bytes), snapshot_(snapshot) {}

  RandomAccessFile& file() const { return *file_; }
  const Snapshot& snapshot() const { return snapshot_; }
  uint64_t offset_of(uint64_t page) const { return page * snapshot_.page_bytes; }
  uint64_t pages_in_file() const { return file_bytes_ / snapshot_.page_bytes; }

  // Fills `out` with what lies at `offset`.
  Status read(uint64_t offset, std::span<uint8_t> out) {
    while (!out.empty()) {
      if (offset < window_at_ || offset - window_at_ >= window_.size()) WEIR_TRY(move_window(offset));
      const std::span<const uint8_t> there = std::span(window_).subspan(offset - window_at_);
      const size_t size = std::min(out.size(), there.size());
      std::memcpy(out.data(), there.data(), size);
      out = out.subspan(size);
      offset += size;
    }
    return {};
  }
  Status read_past_window(uint64_t offset, std::span<uint8_t> out) {
    while (!out.empty()) {
      WEIR_ASSIGN(const size_t got, file_->read_at(offset, out));
      if (got == 0) return ends_early(offset);
      out = out.subspan(got);
      offset += got;
    }
    return {};
  }

  // A branch or a leaf.
  Status read_page(uint64_t page, uint16_t kind, std::vector<uint8_t>& out) {
    if (page < 2 || page > snapshot_.last_page)
      return damaged(*file_, expected_found(concat("a page from 2 to ", snapshot_.last_page), concat(page)),
                     0);
    out.resize(snapshot_.page_bytes);
    WEIR_TRY(read(offset_of(page), out));
    const auto flags = load<uint16_t>(&out[10]);
    const auto lower = load<uint16_t>(&out[12]);
    const bool good = load<uint64_t>(out.data()) == page &&
                      (flags & (kBranch | kLeaf | kOverflow | kMeta)) == kind && lower > kHeaderBytes &&
                      lower % 2 == 0 && lower <= snapshot_.page_bytes;
    if (good) return {};
    return damaged(
        *file_,
        Mistake(concat("page ", page, " is no ", kind == kLeaf ? "leaf" : "branch", " of the database")),
        offset_of(page));
  }

  static int count(const std::vector<uint8_t>& page) {
    return (load<uint16_t>(&page[12]) - static_cast<int>(kHeaderBytes)) / 2;
  }

  // Views of the page.
  Result<Node> node(const std::vector<uint8_t>& page, int index, uint16_t kind) const {
    const size_t at = load<uint16_t>(&page[kHeaderBytes + 2 * static_cast<size_t>(index)]);
    const uint64_t number = load<uint64_t>(page.data());
    const auto wrong = [&](const char* what) {
      return damaged(*file_, Mistake(concat("entry ", index, " of page ", number, " ", what)),
                     offset_of(number) + at);
    };
    if (at < kHeaderBytes || at + kNodeBytes > page.size()) return wrong("lies outside the page");
    const uint8_t* const bytes = &page[at];
    const uint64_t low = load<uint32_t>(bytes);
    const auto flags = load<uint16_t>(bytes + 4);
    const size_t key_bytes = load<uint16_t>(bytes + 6);
    const size_t room = page.size() - at - kNodeBytes;
    if (key_bytes > room) return wrong("has a key that ends outside the page");
    const char* const key = reinterpret_cast<const char*>(bytes) + kNodeBytes;
    Node out;
    out.key = {key, key_bytes};
    if (kind == kBranch) {
      out.page = low | uint64_t{flags} << 32;
      return out;
    }
    if ((flags & (kSubDatabase | kDuplicates)) != 0) {
      return file_error(Code::unimplemented,
                        Mistake(concat("the entry ", quote(out.key), " is a database of its own"),
                                "copy it to a file of its own"),
                        file_->name(), static_cast<int64_t>(offset_of(number) + at));
    }
    out.value_bytes = low;
    out.big = (flags & kBigData) != 0;
    if ((out.big ? sizeof(uint64_t) : low) > room - key_bytes)
      return wrong("has a value that ends outside the page");
    if (out.big) {
      out.page = load<uint64_t>(bytes + kNodeBytes + key_bytes);
    } else {
      out.value = {key + key_bytes, low};
    }
    return out;
  }

  // The value of a node of its own pages.
  Status read_big(const Node& node, FieldEntries& out) {
    std::array<uint8_t, kHeaderBytes> header{};
    const uint64_t last = snapshot_.last_page;
    if (node.page < 2 || node.page > last)
      return damaged(
          *file_, expected_found(concat("a value in pages from 2 to ", last), concat("page ", node.page)), 0);
    const uint64_t offset = offset_of(node.page);
    const bool is_long = node.value_bytes >= kLongBytes;
    WEIR_TRY(is_long ? read_past_window(offset, header) : read(offset, header));
    const uint64_t pages = load<uint32_t>(&header[12]);
    const bool good = load<uint64_t>(header.data()) == node.page &&
                      (load<uint16_t>(&header[10]) & kOverflow) != 0 && pages <= last - node.page + 1 &&
                      node.value_bytes + kHeaderBytes <= pages * snapshot_.page_bytes;
    if (!good)
      return damaged(*file_,
                     Mistake(concat("page ", node.page, " does not hold the value of ", node.value_bytes,
                                    " bytes that is said to be there")),
                     offset);
    if (file_bytes_ < offset + kHeaderBytes + node.value_bytes) return ends_early(file_bytes_);
    const std::span<uint8_t> value(out.extend(node.value_bytes), node.value_bytes);
    return is_long ? read_past_window(offset + kHeaderBytes, value) : read(offset + kHeaderBytes, value);
  }

 private:
  Status ends_early(uint64_t size) const {
    return damaged(*file_,
                   expected_found(concat((snapshot_.last_page + 1) * snapshot_.page_bytes, " bytes"),
                                  concat(size), "copy the whole file"),
                   size);
  }

  // To a page, or more where pages follow one another. Empty unless what it has was read.
  Status move_window(uint64_t offset) {
    const uint64_t end = window_at_ + window_.size();
    const bool follows = offset >= end && offset - end < kWindowBytes;
    std::vector<uint8_t> window = std::move(window_);
    window_.clear();
    window.resize(follows ? kWindowBytes : snapshot_.page_bytes);
    WEIR_ASSIGN(const size_t got, file_->read_at(offset, window));
    if (got == 0) return ends_early(offset);
    window.resize(got);
    window_ = std::move(window);
    window_at_ = offset;
    return {};
  }

  const RefPtr<RandomAccessFile> file_;
  const uint64_t file_bytes_;
  const Snapshot snapshot_;
  std::vector<uint8_t> window_;
  uint64_t window_at_ = 0;
};

struct Leaf {
  uint64_t page;
  int64_t first_row;
};

// The leaves of a database, from the first to the last.
class Leaves {
 public:
  explicit Leaves(Pages& pages) : pages_(pages) {}

  // Puts the next one into `page`; false at the end.
  Result<bool> next(std::vector<uint8_t>& page) {
    const Snapshot& snapshot = pages_.snapshot();
    if (snapshot.entries == 0) return false;
    uint64_t below = snapshot.root;
    if (started_) {
      while (!branches_.empty() && branches_.back().next == Pages::count(branches_.back().page))
        branches_.pop_back();
      if (branches_.empty()) return false;
      WEIR_ASSIGN(below, step_down());
    }
    started_ = true;
    while (branches_.size() + 1 < snapshot.levels) {
      branches_.emplace_back();
      WEIR_TRY(pages_.read_page(below, kBranch, branches_.back().page));
      WEIR_ASSIGN(below, step_down());
    }
    // A tree has none twice.
    if (++seen_ > pages_.pages_in_file())
      return damaged(pages_.file(), Mistake("the database has more leaves than pages"),
                     pages_.offset_of(below));
    WEIR_TRY(pages_.read_page(below, kLeaf, page));
    return true;
  }

 private:
  struct Branch {
    std::vector<uint8_t> page;
    int next = 0;
  };

  Result<uint64_t> step_down() {
    Branch& branch = branches_.back();
    WEIR_ASSIGN(const Node node, pages_.node(branch.page, branch.next++, kBranch));
    return node.page;
  }

  Pages& pages_;
  std::vector<Branch> branches_;
  uint64_t seen_ = 0;
  bool started_ = false;
};

// A column of a batch.
struct Bytes {
  std::vector<int64_t> ends{0};
  FieldEntries bytes;

  void append(std::string_view text) {
    if (!text.empty()) std::memcpy(bytes.extend(text.size()), text.data(), text.size());
  }
  void end_row() { ends.push_back(static_cast<int64_t>(bytes.size())); }
};

// An array or a schema with columns, and what they point to.
template <class T, class Data>
struct Exported {
  std::array<T, kColumns> columns{};
  std::array<T*, kColumns> children{};
  Data data;

  static void release_column(T* column) { column->release = nullptr; }
  static void release(T* whole) {
    delete static_cast<Exported*>(whole->private_data);
    whole->release = nullptr;
  }
  // Gives itself to `whole`.
  static void give(std::unique_ptr<Exported> exported, int64_t columns, T& whole) {
    for (size_t i = 0; i < kColumns; ++i) {
      exported->columns[i].release = release_column;
      exported->children[i] = &exported->columns[i];
    }
    whole.n_children = columns;
    whole.children = exported->children.data();
    whole.private_data = exported.release();
    whole.release = release;
  }
};

struct NoData {};
struct Batch {
  std::array<Bytes, kColumns> columns;
  // Validity, offsets and bytes of each column; validity of the whole.
  std::array<std::array<const void*, 3>, kColumns> buffers{};
  const void* none = nullptr;
};

void export_schema(std::span<const EntryPart> columns, ArrowSchema& out) {
  auto exported = std::make_unique<Exported<ArrowSchema, NoData>>();
  for (size_t i = 0; i < columns.size(); ++i) {
    exported->columns[i].name = kNames[columns[i]];
    exported->columns[i].format = "Z";
  }
  out.format = "+s";
  out.name = "";
  Exported<ArrowSchema, NoData>::give(std::move(exported), static_cast<int64_t>(columns.size()), out);
}

void export_batch(std::unique_ptr<Exported<ArrowArray, Batch>> batch, size_t columns, int64_t rows,
                  ArrowArray& out) {
  for (size_t i = 0; i < columns; ++i) {
    const Bytes& bytes = batch->data.columns[i];
    batch->data.buffers[i] = {nullptr, bytes.ends.data(), bytes.bytes.data()};
    batch->columns[i].length = rows;
    batch->columns[i].n_buffers = 3;
    batch->columns[i].buffers = batch->data.buffers[i].data();
  }
  out.length = rows;
  out.n_buffers = 1;
  out.buffers = &batch->data.none;
  Exported<ArrowArray, Batch>::give(std::move(batch), static_cast<int64_t>(columns), out);
}

// Rows of ranges, leaf by leaf. The list of leaves says where a row is; without it they are read in order
// from the first row on.
class LmdbStream final : public TableStream {
 public:
  LmdbStream(Pages& pages, const std::vector<Leaf>* leaves, std::vector<EntryPart> columns,
             std::span<const TableRange> ranges)
      : pages_(pages),
        order_(pages),
        leaves_(leaves),
        columns_(std::move(columns)),
        ranges_(ranges.begin(), ranges.end()) {}

  Result<ArrowOwned<ArrowSchema>> schema() override {
    ArrowOwned<ArrowSchema> out;
    export_schema(columns_, *out.fill());
    return out;
  }

  Result<ArrowOwned<ArrowArray>> next() override {
    auto batch = std::make_unique<Exported<ArrowArray, Batch>>();
    int64_t rows = 0;
    size_t bytes = 0;
    while (rows < kBatchRows && bytes < kBatchBytes && range_ < ranges_.size()) {
      const TableRange& range = ranges_[range_];
      if (done_ == range.count) {
        ++range_;
        done_ = 0;
        continue;
      }
      const Status found = find(range.first + done_);
      const Status added = found.ok() ? add_row(batch->data) : found;
      // What was read before is given first; the error comes again.
      if (!added.ok() && rows > 0) break;
      if (!added.ok()) return added;
      ++rows;
      ++done_;
      bytes = batch->data.columns[0].bytes.size() + batch->data.columns[1].bytes.size();
    }
    ArrowOwned<ArrowArray> out;
    if (rows > 0) export_batch(std::move(batch), columns_.size(), rows, *out.fill());
    return out;
  }

 private:
  // Makes the leaf with this row the one in page_.
  Status find(int64_t row) {
    const auto here = [&] {
      return !page_.empty() && row >= first_row_ && row < first_row_ + Pages::count(page_);
    };
    if (leaves_ && !here()) {
      const auto after =
          std::upper_bound(leaves_->begin(), leaves_->end(), row,
                           [](int64_t wanted, const Leaf& leaf) { return wanted < leaf.first_row; });
      first_row_ = std::prev(after)->first_row;
      WEIR_TRY(pages_.read_page(std::prev(after)->page, kLeaf, page_));
    }
    while (!leaves_ && !here()) {
      const int64_t next_row = page_.empty() ? 0 : first_row_ + Pages::count(page_);
      WEIR_ASSIGN(const bool more, order_.next(page_));
      if (!more) break;
      first_row_ = next_row;
    }
    row_ = row;
    if (here()) return {};
    return damaged(
        pages_.file(),
        expected_found(concat(pages_.snapshot().entries, " entries, as the database says"), concat(row)), 0);
  }

  // All of the row, or nothing.
  Status add_row(Batch& batch) {
    WEIR_ASSIGN(const Node node, pages_.node(page_, static_cast<int>(row_ - first_row_), kLeaf));
    for (size_t i = 0; i < columns_.size(); ++i) {
      Bytes& out = batch.columns[i];
      if (columns_[i] == kKey) {
        out.append(node.key);
      } else if (node.big) {
        WEIR_TRY(pages_.read_big(node, out.bytes));
      } else {
        out.append(node.value);
      }
    }
    for (size_t i = 0; i < columns_.size(); ++i) batch.columns[i].end_row();
    return {};
  }

  Pages& pages_;
  Leaves order_;
  const std::vector<Leaf>* const leaves_;
  const std::vector<EntryPart> columns_;
  const std::vector<TableRange> ranges_;
  size_t range_ = 0;
  int64_t done_ = 0;
  std::vector<uint8_t> page_;
  int64_t first_row_ = 0;
  int64_t row_ = 0;
};

class LmdbFile final : public TableFile {
 public:
  LmdbFile(RefPtr<RandomAccessFile> file, uint64_t file_bytes, const Snapshot& snapshot)
      : pages_(std::move(file), file_bytes, snapshot) {
    constexpr std::array<EntryPart, kColumns> kAll = {kKey, kValue};
    export_schema(kAll, *schema_.fill());
  }

  const ArrowSchema& schema() const override { return *schema_; }
  int64_t rows() const override { return static_cast<int64_t>(pages_.snapshot().entries); }
  Result<std::vector<TableRange>> select(std::string_view) override {
    return std::vector<TableRange>{{0, rows()}};
  }
  Result<std::unique_ptr<TableStream>> read(std::span<const std::string> names,
                                            std::span<const TableRange> ranges) override {
    std::vector<EntryPart> columns;
    for (const EntryPart column : {kKey, kValue}) {
      if (std::find(names.begin(), names.end(), kNames[column]) != names.end()) columns.push_back(column);
    }
    const bool in_order = ranges.size() == 1 && ranges[0].first == 0;
    if (!in_order) WEIR_TRY(list_leaves());
    return std::unique_ptr<TableStream>(
        std::make_unique<LmdbStream>(pages_, in_order ? nullptr : &*leaves_, std::move(columns), ranges));
  }

 private:
  Status list_leaves() {
    if (leaves_) return {};
    Leaves order(pages_);
    std::vector<Leaf> leaves;
    std::vector<uint8_t> page;
    int64_t row = 0;
    for (;;) {
      WEIR_ASSIGN(const bool more, order.next(page));
      if (!more) break;
      leaves.push_back({load<uint64_t>(page.data()), row});
      row += Pages::count(page);
    }
    if (row != rows())
      return damaged(pages_.file(),
                     expected_found(concat(rows(), " entries, as the database says"), concat(row)), 0);
    leaves_ = std::move(leaves);
    return {};
  }

  Pages pages_;
  ArrowOwned<ArrowSchema> schema_;
  // Made where rows are not read from the first one on.
  std::optional<std::vector<Leaf>> leaves_;
};

class LmdbFormat final : public TableFormat {
 public:
  Result<std::unique_ptr<TableFile>> open(RefPtr<RandomAccessFile> file) const override {
    WEIR_ASSIGN(const Snapshot snapshot, newest_snapshot(*file));
    WEIR_ASSIGN(const uint64_t file_bytes, file->size());
    return std::unique_ptr<TableFile>(std::make_unique<LmdbFile>(std::move(file), file_bytes, snapshot));
  }
};

}  // namespace

RefPtr<const TableFormat> lmdb_format() { return make_ref<LmdbFormat>(); }

}  // namespace weir

// RowStore: holds rows for a long time, each in a numbered slot, as shuffle, cache and windows need.
//
// A row of fixed-size numbers of up to 64 bytes lies in its slot. Rows of fixed-size numbers that lie in
// lasting memory (lent by the caller, or owned by a dataset node) form a table, and a slot has a row's number
// in it. Any other row is an image in an arena: numbers and strings are copied, or referenced if their memory
// is lasting; nested datasets are always referenced. The user numbers the slots; memory grows to the highest
// one used. Rows come in and go out by way of two benches, so that work on slots moves 16 to 72 bytes per
// row:
//   stage(block, rows) -> place(i, slot, tag) -> move(from, to) … -> lift(slot, i) -> give(count, out).
//
// Owns its rows until they are lifted and given, or dropped. Not thread-safe; allocation throws
// std::bad_alloc. Takes at most 1.1 times the bytes of the rows, plus 64 bytes per row and a mebibyte. place,
// move and lift take a nanosecond each if the slot is cached; dense rows are gathered straight into the
// column, or into the target bound to it.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "core/arena.h"
#include "core/block.h"
#include "core/spec.h"
#include "core/value.h"

namespace weir {

class RowStore {
 public:
  explicit RowStore(std::span<const Component> components);
  ~RowStore();
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;

  // True if rows lie in their slots.
  bool inlined() const { return inlined_; }

  // Chooses how the rows are held by the first block of them: rows of a table stay where they are, even if
  // they are small. Changes nothing once there is room for slots.
  void choose_layout(const Block& block);
  // Takes the listed rows of a block; they are staged as 0, 1 … and each must be placed. Takes none if it
  // fails: internal_error for a row that does not fit its spec.
  // REQUIRES: none of the rows has failed.
  Status stage(const Block& block, std::span<const int32_t> rows);
  // Makes room for slots [0, count).
  void grow_to(int64_t count) { slots_.grow_to(count); }
  // The number of slots that there is room for.
  int64_t capacity() const { return slots_.capacity(); }
  // Puts a staged row into an empty slot, with a number of the user's choice.
  void place(int staged, int64_t slot, int64_t tag = 0) {
    slots_.grow_to(slot + 1);
    uint8_t* at = slots_.at(slot);
    copy(at, in_.data() + static_cast<size_t>(staged) * entry_bytes_);
    std::memcpy(at, &tag, sizeof(tag));
  }
  // The same for the first `count` staged rows, in slots and with tags that rise.
  void place_run(int count, int64_t slot, int64_t tag);
  // Moves a row to an empty slot and empties its own.
  void move(int64_t from, int64_t to) { copy(slots_.at(to), slots_.at(from)); }
  // Empties a slot.
  void forget(int64_t slot) {
    if (!inlined_) let_go(slots_.at(slot));
  }
  // Puts only a number into a slot.
  // REQUIRES: slot < capacity()
  void set_tag(int64_t slot, int64_t tag) { std::memcpy(slots_.at(slot), &tag, sizeof(tag)); }
  int64_t tag(int64_t slot) const {
    int64_t tag;
    std::memcpy(&tag, slots_.at(slot), sizeof(tag));
    return tag;
  }
  // Starts loading a slot that will be touched soon. Always inlined: gcc drops calls that do nothing else.
  [[gnu::always_inline]] void prefetch(int64_t slot) const {
    if (slot >= slots_.capacity()) return;
    const uint8_t* at = slots_.at(slot);
    __builtin_prefetch(at, 1);
    // A wider entry may reach into the next cache line.
    if (entry_bytes_ > 16) __builtin_prefetch(at + entry_bytes_ - 1, 1);
  }

  // Makes room for `count` lifted rows.
  void begin_lift(int count) { out_.resize(static_cast<size_t>(count) * entry_bytes_); }
  // The number of lifted rows that there is room for.
  int lift_capacity() const { return static_cast<int>(out_.size() / entry_bytes_); }
  // Moves the row out of its slot to be given as row i.
  // REQUIRES: begin_lift(more than i)
  void lift(int64_t slot, int i) {
    copy(out_.data() + static_cast<size_t>(i) * entry_bytes_, slots_.at(slot));
  }
  // A ring of slots: where the next row is put, and which one moves into a hole.
  struct Ring {
    int64_t back;
    int64_t front;
    int64_t size;
  };
  // For each of `slots`: puts the next of the staged rows, from the first on, into the slot `back`, lifts the
  // row of that slot, and moves the row of the slot `front` into the hole. The rows put get rising tags, and
  // those lifted are given as rows from `lifted` on. `back` and `front` go round the ring.
  // REQUIRES: all slots are below capacity()
  void exchange(std::span<const int64_t> slots, Ring& ring, int64_t tag, int lifted);
  // The same without putting rows.
  void draw(std::span<const int64_t> slots, Ring& ring, int lifted);
  // The tag of a lifted row.
  int64_t lifted_tag(int i) const {
    int64_t tag;
    std::memcpy(&tag, out_.data() + static_cast<size_t>(i) * entry_bytes_, sizeof(tag));
    return tag;
  }
  // Leaves row i empty for a failed row.
  void lift_nothing(int i) {
    std::memset(out_.data() + static_cast<size_t>(i) * entry_bytes_, 0, entry_bytes_);
  }
  // Writes the lifted rows 0 to count - 1 to out's columns and drops them; if it throws, discard() them.
  // Leaves the errors of `out` alone.
  void give(int count, Block& out);
  // Makes a block of the rows in these slots, which stay there.
  void copy(std::span<const int64_t> slots, Block& out);
  // Drops lifted rows that are not needed.
  void discard(int count);

  // Drops all rows.
  void clear();

  // The memory taken, without what lasting references point to.
  int64_t byte_size() const;

 private:
  // Holds referenced bytes; `rows` counts the rows that refer to them.
  struct Keeper {
    BufferRef buffer;
    OwnersRef owners;
    int64_t rows = 0;
  };
  // Rows that lie in lasting memory one after the other, in each column.
  struct Table {
    // Where row 0 is, and what holds it.
    std::vector<const uint8_t*> first;
    std::vector<BufferRef> buffers;
    // How many rows refer to it.
    int64_t rows = 0;
  };
  struct Plan {
    DType dtype;
    Shape shape;
    // All its rows have the same number of bytes.
    bool fixed;
    size_t bytes;
    // Its place in an inlined row.
    size_t offset;
  };
  struct Source;
  struct Part;
  struct View;

  void copy(uint8_t* to, const uint8_t* from) const {
    // The sizes of rows of up to 8, 16, 32 and 64 bytes are spelled out, so that they become moves.
    switch (entry_bytes_) {
      case 16:
        std::memcpy(to, from, 16);
        break;
      case 24:
        std::memcpy(to, from, 24);
        break;
      case 40:
        std::memcpy(to, from, 40);
        break;
      case 72:
        std::memcpy(to, from, 72);
        break;
      default:
        std::memcpy(to, from, entry_bytes_);
    }
  }
  static uint32_t handle(const uint8_t* entry) {
    uint32_t id;
    std::memcpy(&id, entry + sizeof(int64_t), sizeof(id));
    return id;
  }
  void stage_inline(const Block& block, std::span<const int32_t> rows);
  void stage_images(const Block& block, std::span<const int32_t> rows);
  void stage_image(int32_t row, std::span<const Source> sources, std::vector<Part>& parts, size_t at);
  void let_go(const uint8_t* entry);
  template <size_t Bytes, bool Puts>
  void draw_entries(std::span<const int64_t> slots, Ring& ring, int64_t tag, int lifted);
  template <bool Puts>
  void draw_many(std::span<const int64_t> slots, Ring& ring, int64_t tag, int lifted);
  // In place of an image's number: a row of a table.
  static uint64_t word(const uint8_t* entry) {
    uint64_t word;
    std::memcpy(&word, entry + sizeof(int64_t), sizeof(word));
    return word;
  }
  static constexpr int kTableShift = 48;
  static constexpr uint64_t kTableBit = uint64_t{1} << 63;
  static bool in_table(uint64_t word) { return (word & kTableBit) != 0; }
  static size_t table_of(uint64_t word) { return static_cast<size_t>((word & ~kTableBit) >> kTableShift); }
  static size_t table_row(uint64_t word) {
    return static_cast<size_t>(word & ((uint64_t{1} << kTableShift) - 1));
  }
  // The table in which a block's rows lie, and the number of its first row there; a new one if there is none
  // yet. Null if they can't form one.
  Table* find_table(const Block& block, int64_t& first);
  // So many rows fewer refer to a table.
  void leave_table(size_t index, int64_t rows);
  bool may_be_table(const Block& block) const;
  bool lies_in(const Table& table, const Block& block, int64_t& first) const;
  void begin_table(Table& table, const Block& block) const;
  void stage_table(Table& table, int64_t first, std::span<const int32_t> rows);
  // Writes lifted rows that all are of one table, or failed. Returns false if they are not.
  bool write_table(int count, Block& out);
  static size_t payload_size(const Part& part);
  void write_image(std::span<const Part> parts, uint8_t* to);
  // Reserves memory so that keep() and unkeep() need none for the next `count` keepers.
  void reserve_keepers(size_t count);
  void write(int count, Block& out);
  void write_images(int count, Block& out);
  void write_column(const Plan& plan, std::span<const View> views, Column& out) const;
  // `uniform` is the shape that all rows have, or null.
  void write_strings(std::span<const View> views, const Shape* uniform, Column& out) const;
  void write_datasets(std::span<const View> views, const Shape* uniform, Column& out) const;
  void release(uint32_t image);
  uint32_t keep(const BufferRef& buffer, const OwnersRef& owners);
  void unkeep(uint32_t keeper);

  std::vector<Plan> plans_;
  bool inlined_ = true;
  // A row may hold references that must be released.
  bool references_ = false;
  // The tag and then the row, or the number of its image.
  size_t entry_bytes_ = 0;
  // The bytes of a row by column, if all have fixed ones; else empty.
  std::vector<size_t> row_bytes_;
  ChunkedEntries slots_;
  Arena arena_;
  std::vector<Table> tables_;
  // Scratch memory of give(): the numbers of a table's rows, or -1.
  std::vector<int64_t> numbers_;
  std::vector<Keeper> keepers_;
  std::vector<uint32_t> free_keepers_;
  uint32_t last_keeper_ = 0;
  std::vector<uint8_t> in_;
  std::vector<uint8_t> out_;
};

}  // namespace weir

#include "format/tar_reader.h"

#include <utility>

#include "core/text.h"

namespace weir {

TarReader::TarReader(std::unique_ptr<ByteStream> stream, const std::vector<FieldType>& fields,
                     uint64_t record_bytes_limit, size_t block_bytes)
    : FileReader(std::move(stream), record_bytes_limit, block_bytes), rows_(fields), members_(*this) {}

Status TarReader::seek(RecordPosition position) {
  pending_ = whole_ = false;
  element_offset_ = position.offset;
  return FileReader::seek(position);
}

bool TarReader::skip(uint64_t size) {
  const uint64_t there = blocks_.peek(1).size();
  if (size <= there) {
    blocks_.advance(static_cast<size_t>(size));
    return true;
  }
  // The last byte tells whether the file has all of them.
  if (!blocks_.seek(blocks_.offset() + size - 1).ok() || blocks_.peek(1).empty()) return false;
  blocks_.advance(1);
  return true;
}

void TarReader::fail_cut() {
  if (!blocks_.status().ok()) {
    fail_unreadable();
    return;
  }
  fail_damaged("the archive ends within a member");
}

void TarReader::fail_damaged(std::string what) {
  std::string hint = format_hint();
  // That it begins like an archive is known.
  if (hint.empty() || hint.find("webdataset") != std::string::npos)
    hint = "restore the file or write it again";
  fail(Code::data_loss, {std::move(what), std::move(hint)});
}

bool TarReader::next_member() {
  switch (members_.next(member_)) {
    case TarMembers::Next::member:
      return true;
    case TarMembers::Next::end:
      whole_ = true;
      blocks_.check_rest();
      if (!blocks_.status().ok()) fail_unreadable();
      done_ = true;
      return false;
    case TarMembers::Next::cut:
      fail_cut();
      return false;
    default:
      break;
  }
  fail_damaged(concat("corrupted archive: ", members_.damage()));
  return false;
}

bool TarReader::read_member() {
  while (next_member()) {
    if (split_member_path(member_.name, member_key_, extension_)) {
      pending_ = true;
      return true;
    }
    if (!skip(tar_blocks(member_.size))) {
      fail_cut();
      return false;
    }
  }
  return false;
}

bool TarReader::next_element() {
  if (!pending_ && !read_member()) {
    element_offset_ = blocks_.offset();
    return false;
  }
  element_offset_ = member_.offset;
  key_.assign(member_key_);
  rows_.start_element(key_);
  do {
    pending_ = false;
    const uint64_t size = tar_blocks(member_.size);
    const bool wanted = rows_.wants(extension_);
    if (wanted && member_.size > record_bytes_limit_) {
      const Result<int64_t> whole = blocks_.size();
      if (whole.ok() && *whole >= 0 && static_cast<uint64_t>(*whole) - blocks_.offset() < member_.size) {
        fail_cut();
        return false;
      }
      fail_too_long(concat("a member of ", member_.size));
      return false;
    }
    if (wanted) {
      const std::span<const uint8_t> bytes = blocks_.peek(static_cast<size_t>(size));
      if (bytes.size() < size) {
        fail_cut();
        return false;
      }
      likely_bytes_ = kTarBlock + static_cast<size_t>(size);
      rows_.add_member({reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(member_.size)});
      if (owners_.empty() || owners_.back() != blocks_.buffer()) owners_.push_back(blocks_.buffer());
      blocks_.advance(static_cast<size_t>(size));
    } else if (!skip(size)) {
      fail_cut();
      return false;
    }
  } while (read_member() && member_key_ == key_);
  if (!failure_.ok() && !whole_) return false;
  const bool good = rows_.finish_element();
  if (!good) {
    rows_.columns().add_failed(file_error(Code::invalid_argument, rows_.mistake(), file(),
                                          static_cast<int64_t>(element_offset_),
                                          static_cast<int64_t>(record_))
                                   .pointer());
  }
  element_offset_ = pending_ ? member_.offset : blocks_.offset();
  ++record_;
  return true;
}

Status TarReader::next_batch(size_t max_rows, size_t max_bytes, Block& out) {
  const auto rows = [&] { return static_cast<size_t>(rows_.columns().rows()); };
  try {
    out.reset(static_cast<size_t>(rows_.columns().components()));
    owners_.clear();
    rows_.begin(max_rows, file());
    const uint64_t first = blocks_.offset();
    while (rows() < max_rows && (pending_ || !done_) && failure_.ok() &&
           blocks_.offset() - first < max_bytes) {
      if (!next_element()) break;
    }
    if (rows() > 0) {
      auto owners = make_ref<Owners>();
      for (BufferRef& buffer : owners_) owners->list.push_back(std::move(buffer));
      rows_.give_owners(owners->list);
      rows_.columns().finish(out, owners);
    }
  } catch (const std::bad_alloc&) {
    pending_ = false;
    fail_without_memory();
    rows_.columns().begin(0);
    out.reset(0);
  }
  return rows() == 0 ? std::exchange(failure_, {}) : Status();
}

}  // namespace weir

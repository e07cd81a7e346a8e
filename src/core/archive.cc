#include "core/archive.h"

#include "core/text.h"

namespace weir {

void Archive::write_key(std::string_view key, char type) {
  out_.push_back(static_cast<char>(key.size()));
  out_.append(key);
  out_.push_back(type);
}

bool Archive::read_key(std::string_view key, char type) {
  if (!status_.ok()) return false;
  size_t size = key.size() + 2;
  if (in_.size() < size || static_cast<uint8_t>(in_[0]) != key.size() || in_.substr(1, key.size()) != key ||
      in_[size - 1] != type) {
    fail(concat("expected the field ", quote(key), " of a saved state and found something else"));
    return false;
  }
  in_.remove_prefix(size);
  return true;
}

bool Archive::next_is(std::string_view key) const {
  return status_.ok() && in_.size() > key.size() && static_cast<uint8_t>(in_[0]) == key.size() &&
         in_.substr(1, key.size()) == key;
}

void Archive::write_varint(uint64_t value) {
  while (value >= 0x80) {
    out_.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out_.push_back(static_cast<char>(value));
}

uint64_t Archive::read_varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (in_.empty()) break;
    uint8_t byte = static_cast<uint8_t>(in_[0]);
    in_.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  fail("a number of a saved state is cut short");
  return 0;
}

void Archive::integer(std::string_view key, int64_t& value) {
  if (!loading_) {
    write_key(key, 'i');
    write_varint(zigzag(value));
  } else if (read_key(key, 'i')) {
    uint64_t raw = read_varint();
    if (status_.ok()) value = unzigzag(raw);
  }
}

void Archive::operator()(std::string_view key, int64_t& value, int64_t low, int64_t high) {
  int64_t read = value;
  integer(key, read);
  if (!loading_ || !status_.ok()) return;
  if (read < low || read > high) {
    fail(concat("the field ", quote(key), " of a saved state is ", read, ", expected ", low, " to ", high));
    return;
  }
  value = read;
}

void Archive::operator()(std::string_view key, uint64_t& value) {
  if (!loading_) {
    write_key(key, 'u');
    write_varint(value);
  } else if (read_key(key, 'u')) {
    uint64_t raw = read_varint();
    if (status_.ok()) value = raw;
  }
}

void Archive::operator()(std::string_view key, bool& value) {
  int64_t number = value ? 1 : 0;
  (*this)(key, number, 0, 1);
  value = number != 0;
}

void Archive::operator()(std::string_view key, std::string& value) {
  if (!loading_) {
    write_key(key, 's');
    write_varint(value.size());
    out_.append(value);
    return;
  }
  const std::string_view read = text(key);
  if (status_.ok()) value.assign(read);
}

std::string_view Archive::text(std::string_view key) {
  if (!read_key(key, 's')) return {};
  const uint64_t size = read_varint();
  if (!status_.ok()) return {};
  if (size > in_.size()) {
    fail(concat("the field ", quote(key), " of a saved state is cut short"));
    return {};
  }
  const std::string_view read = in_.substr(0, size);
  in_.remove_prefix(size);
  return read;
}

template <class T>
void Archive::list(std::string_view key, std::vector<T>& values) {
  if (!loading_) {
    write_key(key, 'l');
    write_varint(values.size());
    for (T value : values) write_varint(zigzag(static_cast<int64_t>(value)));
    return;
  }
  if (!read_key(key, 'l')) return;
  uint64_t count = read_varint();
  if (!status_.ok()) return;
  // Every entry takes at least one byte, so the size of what is left bounds the allocation.
  if (count > in_.size()) {
    fail(concat("the list ", quote(key), " of a saved state is cut short"));
    return;
  }
  std::vector<T> read(count);
  for (T& value : read) value = static_cast<T>(unzigzag(read_varint()));
  if (status_.ok()) values = std::move(read);
}

void Archive::operator()(std::string_view key, std::vector<int64_t>& values) { list(key, values); }
void Archive::operator()(std::string_view key, std::vector<uint64_t>& values) { list(key, values); }

void Archive::fail(const Mistake& mistake) { fail(data_loss(mistake)); }

void Archive::fail(const Status& status) {
  if (status_.ok()) status_ = status;
}

void Archive::finish() {
  if (loading_ && status_.ok() && !in_.empty()) fail("a saved state has more fields than expected");
}

}  // namespace weir

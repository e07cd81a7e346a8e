// Archive: the visitor that saves and restores state.
//
// A cursor's `state(Archive&)` names each of its members once; the same lines save and load. Fields are
// keyed: the key is written with the value and checked on reading, so foreign or damaged state gives an error
// and never a wrong number. Errors are sticky: after the first, reads leave their targets as they are. Sizes
// read are checked against the bytes that are left.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace weir {

// Signed numbers are written with their sign in the lowest bit.
constexpr uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
constexpr int64_t unzigzag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

struct Holding;  // dataset/holding.h

class Archive {
 public:
  // Writes.
  Archive() = default;
  // Writes rows that cannot be made again by value. Null: writes as usual.
  explicit Archive(Holding* holding) : holding_(holding) {}
  // Reads.
  // REQUIRES: `bytes` outlives the archive.
  explicit Archive(std::string_view bytes) : loading_(true), in_(bytes) {}

  bool loading() const { return loading_; }
  // Null, or writes rows that cannot be made again by value.
  Holding* holding() const { return holding_; }

  void operator()(std::string_view key, int64_t& value) { integer(key, value); }
  // A loaded value outside [low, high] is data_loss.
  void operator()(std::string_view key, int64_t& value, int64_t low, int64_t high);
  void operator()(std::string_view key, uint64_t& value);
  void operator()(std::string_view key, bool& value);
  void operator()(std::string_view key, std::string& value);
  // The text of a field that is read, without a copy; empty after an error.
  std::string_view text(std::string_view key);
  void operator()(std::string_view key, std::vector<int64_t>& values);
  void operator()(std::string_view key, std::vector<uint64_t>& values);

  // Whether the next field has this key: what was saved may have one of several forms.
  // REQUIRES: loading()
  bool next_is(std::string_view key) const;
  // Takes all fields that are left, to be read later.
  // REQUIRES: loading()
  void rest(std::string& bytes) {
    bytes.assign(in_);
    in_ = {};
  }

  // Adds fields that another archive wrote.
  // REQUIRES: !loading()
  void append(std::string_view fields) { out_.append(fields); }

  void fail(const Mistake& mistake);
  void fail(const Status& status);
  const Status& status() const { return status_; }
  // data_loss unless everything was read.
  void finish();
  // What was written.
  // REQUIRES: !loading()
  std::string take() { return std::move(out_); }

 private:
  void integer(std::string_view key, int64_t& value);
  bool read_key(std::string_view key, char type);
  void write_key(std::string_view key, char type);
  void write_varint(uint64_t value);
  uint64_t read_varint();
  template <class T>
  void list(std::string_view key, std::vector<T>& values);

  bool loading_ = false;
  Holding* holding_ = nullptr;
  std::string out_;
  std::string_view in_;
  Status status_;
};

}  // namespace weir

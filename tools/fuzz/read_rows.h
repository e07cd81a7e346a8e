// Reads an input as a file, with readers whose memory differs: they must give the same rows.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/block.h"
#include "format/file_reader.h"

namespace weir::fuzz {

class InputStream final : public ByteStream {
 public:
  explicit InputStream(std::string_view bytes) : bytes_(bytes) {}
  Result<size_t> read(std::span<uint8_t> out) override {
    const size_t count = std::min(out.size(), bytes_.size() - at_);
    std::memcpy(out.data(), bytes_.data() + at_, count);
    at_ += count;
    return count;
  }
  Status seek(uint64_t offset) override {
    at_ = static_cast<size_t>(std::min<uint64_t>(offset, bytes_.size()));
    return Status();
  }
  const std::string& file() const override { return name_; }

 private:
  const std::string_view bytes_;
  const std::string name_ = "input";
  size_t at_ = 0;
};

// The bytes of each row, or "error".
inline void append_rows(const Block& block, std::vector<std::string>& out) {
  for (int row = 0; row < block.rows; ++row) {
    std::string& text = out.emplace_back();
    if (block.failed(row)) {
      text = "error";
      continue;
    }
    for (const Column& column : block.columns) {
      const Tensor tensor = column.row(row);
      text += tensor.shape.to_string();
      if (tensor.dtype == DType::string) {
        for (const Str& entry : tensor.entries<const Str>()) text += std::string(entry.view()) + "|";
      } else {
        text.append(reinterpret_cast<const char*>(tensor.data), tensor.byte_size());
      }
    }
  }
}

template <class Reader>
std::vector<std::string> rows_of(Reader& reader, size_t max_rows) {
  std::vector<std::string> out;
  for (;;) {
    Block block;
    const Status status = reader.next_batch(max_rows, 1 << 20, block);
    append_rows(block, out);
    if (!status.ok()) {
      out.emplace_back("failed");
    } else if (block.rows == 0) {
      return out;
    }
  }
}

template <class Reader>
void check_rows(std::string_view input, const std::vector<FieldType>& fields, uint64_t record_bytes) {
  const auto read = [&](size_t max_rows, size_t block_bytes) {
    Reader reader(std::make_unique<InputStream>(input), fields, record_bytes, block_bytes);
    return rows_of(reader, max_rows);
  };
  const std::vector<std::string> rows = read(1000, size_t{1} << 20);
  if (read(1, 600) != rows) std::abort();
}

// A field of that type.
inline FieldType field(std::string name, FieldType::Form form, DType dtype = DType::string,
                       Shape shape = {}) {
  FieldType out;
  out.name = std::move(name);
  out.form = form;
  out.dtype = dtype;
  out.shape = shape;
  return out;
}

}  // namespace weir::fuzz

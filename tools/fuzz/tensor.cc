// Fuzzes TensorProto: a tensor that can be read is the same after it was written and read again.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "format/tensor_proto.h"

namespace weir {

namespace {

// Its entries; strings as their sizes and bytes.
bool read(std::string_view bytes, TensorMessage& message, std::vector<uint64_t>& room, std::string& out) {
  constexpr int64_t kEntries = 1 << 16;
  if (!open_tensor(bytes, message).ok() || message.shape.count() > kEntries) return false;
  const size_t size = static_cast<size_t>(message.shape.count()) * dtype_size(message.dtype);
  room.assign(size / sizeof(uint64_t) + 1, 0);
  if (!read_tensor(message, room.data()).ok()) return false;
  out.clear();
  if (message.dtype != DType::string) {
    out.assign(reinterpret_cast<const char*>(room.data()), size);
    return true;
  }
  const Str* strings = reinterpret_cast<const Str*>(room.data());
  for (int64_t i = 0; i < message.shape.count(); ++i) {
    out.append(reinterpret_cast<const char*>(&strings[i].size), sizeof strings[i].size);
    out.append(strings[i].view());
    // One string may stand for many.
    if (out.size() > bytes.size() + (1 << 20)) return false;
  }
  return true;
}

}  // namespace

}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weir;
  TensorMessage first;
  TensorMessage second;
  std::vector<uint64_t> entries;
  std::vector<uint64_t> others;
  std::string value;
  std::string again;
  if (!read({reinterpret_cast<const char*>(data), size}, first, entries, value)) return 0;
  const TensorWriter writer(first.dtype, first.shape);
  std::string written(writer.size(entries.data()), '\0');
  writer.write(entries.data(), written.data());
  if (!read(written, second, others, again)) std::abort();
  if (second.dtype != first.dtype || !(second.shape == first.shape) || again != value) std::abort();
  return 0;
}

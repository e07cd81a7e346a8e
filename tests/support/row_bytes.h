// The bytes of a text's elements, to compare them between block widths, threads and instruction sets.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "core/cpu.h"
#include "core/str.h"
#include "support/pipeline.h"

namespace weir {

inline void add_bytes(std::string& out, const Tensor& tensor) {
  out += std::string(dtype_name(tensor.dtype)) + tensor.shape.to_string();
  if (tensor.dtype == DType::string) {
    for (int64_t i = 0; i < tensor.shape.count(); ++i) {
      std::string_view value = tensor.as<const Str>()[i].view();
      out += std::to_string(value.size()) + ":";
      out += value;
    }
    return;
  }
  out.append(reinterpret_cast<const char*>(tensor.data),
             static_cast<size_t>(tensor.shape.count()) * dtype_size(tensor.dtype));
}

// Dtype, shape and bytes of each element's components; of a row that failed its error.
inline std::vector<std::string> bytes_of(Runtime& runtime, const std::string& text, int width) {
  auto iterator = open_text(runtime, text);
  std::vector<std::string> out;
  Block block;
  while (require_value(iterator->next(width, block)) == PullResult::rows) {
    for (int i = 0; i < block.rows; ++i) {
      std::string& bytes = out.emplace_back();
      if (const ErrorPtr* error = block.error_of(i)) {
        bytes = "error: " + (*error)->describe();
      } else {
        for (const Tensor& tensor : block.row(i)) add_bytes(bytes, tensor);
      }
    }
  }
  return out;
}

// Sets the level back.
struct LevelScope {
  ~LevelScope() { limit_cpu_level(detected_cpu_level()); }
};

}  // namespace weir

// Where the files are that tests read: tests/data in the source tree.
#pragma once

#include <string>

// The build says where the source tree is; without it, tests run from its root.
#ifndef WEIR_SOURCE_DIR
#define WEIR_SOURCE_DIR "."
#endif

namespace weir {

inline std::string test_data(const std::string& name) {
  return std::string(WEIR_SOURCE_DIR "/tests/data/") + name;
}

}  // namespace weir

// Where the files are that tests read: the tests/data folder, by the build or from the root of the source tree.
#pragma once

#include <string>

#ifndef WEIR_TEST_DATA
#define WEIR_TEST_DATA "tests/data"
#endif

namespace weir {

inline std::string test_data(const std::string& name) { return std::string(WEIR_TEST_DATA "/") + name; }

}  // namespace weir

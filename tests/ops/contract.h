// ContractEntries: pipelines with an operator, for the tests that every operator goes through
// (ops/contract_test.cc). They stand at the top of the operator's own test:
//
//   const ContractEntries contract("take", {{"PROBE | take(7)", [](int64_t k) { return k; }}});
//
// Objects must be made before main.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weir {

// PROBE stands for a source of the numbers from 0 that misbehaves on demand, FOLDER for the project's folder.
struct ContractEntry {
  std::string text;
  // How many rows of PROBE `next` may have asked for after it gave k rows; negative: any number.
  int64_t (*demand)(int64_t k) = [](int64_t k) { return k; };
  // An error is followed by what would have come anyway, with fewer elements.
  bool elementwise = true;
};

// Not tested for its demand.
inline int64_t anything(int64_t) { return -1; }

class ContractEntries {
 public:
  ContractEntries(const std::string& name, std::vector<ContractEntry> list) { map()[name] = std::move(list); }
  static const std::map<std::string, std::vector<ContractEntry>>& all() { return map(); }

 private:
  static std::map<std::string, std::vector<ContractEntry>>& map() {
    static std::map<std::string, std::vector<ContractEntry>> entries;
    return entries;
  }
};

}  // namespace weir

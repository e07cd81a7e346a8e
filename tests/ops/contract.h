// ContractEntries: pipelines in which an operator stands, for the tests that every operator goes through
// (ops/contract_test.cc). They stand at the head of the operator's own test:
//
//   const ContractEntries contract("take", {{"PROBE | take(7)", [](int64_t k) { return k; }}});
//
// Threads: made before main. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weir {

// PROBE stands for a source of the numbers from 0 that misbehaves where it is told to, FOLDER for that of the
// project.
struct ContractEntry {
  std::string text;
  // The rows of PROBE that `next` may have asked for after it gave k rows; negative: anything.
  int64_t (*demand)(int64_t k) = [](int64_t k) { return k; };
  // What follows an error is what would have come anyway, less elements.
  bool elementwise = true;
};

// A demand that is not tested.
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

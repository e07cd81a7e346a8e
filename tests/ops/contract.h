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

// What lack of memory may do to pipelines with an operator (ops/out_of_memory_test.cc).
enum Scarcely : unsigned {
  // Nobody knows whether or how often the failed part would have come.
  kLosesPlaces = 1,
  // If places are lost, elements after those differ, or come in another order.
  kLosesOrder = 2,
  // Datasets or files are opened on the way, and one that cannot be opened is a single error.
  kOpens = 4,
  // A missing element changes those after it.
  kRemembers = 8,
  // What it draws from has no end, and so have the errors of an endless lack of memory.
  kEndless = 16,
};

// Not tested for its demand.
inline int64_t anything(int64_t) { return -1; }

class ContractEntries {
 public:
  // `scarcely`: a sum of Scarcely.
  ContractEntries(const std::string& name, std::vector<ContractEntry> list, unsigned scarcely = 0) {
    map()[name] = std::move(list);
    scarce()[name] = scarcely;
  }
  static unsigned scarcely(const std::string& name) { return scarce()[name]; }
  static const std::map<std::string, std::vector<ContractEntry>>& all() { return map(); }

 private:
  static std::map<std::string, std::vector<ContractEntry>>& map() {
    static std::map<std::string, std::vector<ContractEntry>> entries;
    return entries;
  }
  static std::map<std::string, unsigned>& scarce() {
    static std::map<std::string, unsigned> flags;
    return flags;
  }
};

}  // namespace weir

// Text in columns, for terminals.
#pragma once

#include <string>
#include <vector>

namespace weir::command {

class Table {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // Prints each row with its columns two spaces apart, after `indent` spaces.
  void print(size_t indent) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace weir::command

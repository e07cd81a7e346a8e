#include "case_file.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace weir::conformance {

namespace {

bool take_prefix(const std::string& line, const std::string& prefix, std::string& rest) {
  if (line.rfind(prefix, 0) != 0) return false;
  rest = line.substr(prefix.size());
  return true;
}

void read_header(Case& out, const std::string& line) {
  std::string rest;
  if (take_prefix(line, "case: ", rest)) {
    out.name = rest;
  } else if (take_prefix(line, "param: ", rest)) {
    size_t at = rest.find('=');
    out.params.emplace_back(rest.substr(0, at), rest.substr(at + 1));
  } else if (take_prefix(line, "run: ", rest)) {
    out.document = rest;
  } else if (take_prefix(line, "  ", rest)) {
    out.document += "\n" + line;
  } else if (take_prefix(line, "spec: ", rest)) {
    out.spec = rest;
  } else if (take_prefix(line, "cardinality: ", rest)) {
    out.cardinality = rest;
  } else if (take_prefix(line, "take: ", rest)) {
    out.take = std::strtoll(rest.c_str(), nullptr, 10);
  } else if (take_prefix(line, "rank: ", rest)) {
    out.rank = std::strtoll(rest.c_str(), nullptr, 10);
    out.world_size = std::strtoll(rest.c_str() + rest.find('/') + 1, nullptr, 10);
  } else if (take_prefix(line, "tolerance: ", rest)) {
    out.tolerance = std::strtod(rest.c_str(), nullptr);
  } else if (line == "unordered") {
    out.unordered = true;
  } else {
    throw std::runtime_error("a case file has the line '" + line + "'");
  }
}

bool number_at(const std::string& text, size_t at, size_t& end, double& value) {
  bool starts = at == 0 || !(std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '_');
  char c = text[at];
  if (!starts || !(std::isdigit(static_cast<unsigned char>(c)) || c == '-')) return false;
  char* stop = nullptr;
  value = std::strtod(text.c_str() + at, &stop);
  end = static_cast<size_t>(stop - text.c_str());
  return end > at;
}

// Equal but for numbers, which may differ by the tolerance.
bool close(const std::string& a, const std::string& b, double tolerance) {
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    double x;
    double y;
    size_t end_i;
    size_t end_j;
    if (number_at(a, i, end_i, x) && number_at(b, j, end_j, y)) {
      if (std::fabs(x - y) > tolerance + tolerance * std::fabs(x)) return false;
      i = end_i;
      j = end_j;
    } else if (a[i++] != b[j++]) {
      return false;
    }
  }
  return i == a.size() && j == b.size();
}

}  // namespace

std::vector<Case> parse_cases(const std::string& file, const std::string& text) {
  std::vector<Case> out;
  std::istringstream in(text);
  Case current;
  bool in_body = false;
  auto finish = [&] {
    if (!current.name.empty()) out.push_back(current);
    current = Case();
    current.file = file;
    in_body = false;
  };
  finish();
  for (std::string line; std::getline(in, line);) {
    if (line == "====") {
      finish();
    } else if (in_body) {
      current.lines.push_back(line);
    } else if (line == "---") {
      in_body = true;
    } else if (!line.empty() && line[0] != '#') {
      read_header(current, line);
    }
  }
  finish();
  return out;
}

std::string compare(const Case& expected, const std::vector<std::string>& found) {
  std::vector<std::string> left = expected.lines;
  std::vector<std::string> right = found;
  if (expected.unordered) {
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
  }
  for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    std::string a = i < left.size() ? left[i] : "(nothing)";
    std::string b = i < right.size() ? right[i] : "(nothing)";
    bool same = a == b || (expected.tolerance > 0 && close(a, b, expected.tolerance));
    if (!same) return "line " + std::to_string(i + 1) + ": expected " + a + ", found " + b;
  }
  return "";
}

}  // namespace weir::conformance

#include "core/part_positions.h"

#include <zlib.h>

#include "core/exception.h"
#include "core/text.h"

namespace weir {

namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 32;
// A byte of deflate becomes at most that many.
constexpr int64_t kMostPerByte = 1032;

std::string packed(const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  const auto* from = reinterpret_cast<const Bytef*>(bytes.data());
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, from, static_cast<uLong>(bytes.size()),
                Z_BEST_SPEED) != Z_OK)
    throw std::bad_alloc();
  out.resize(size);
  return out;
}

// Numbers, rows given and whether it has ended and has a state, each but the last less that of the part
// before.
void write(const std::vector<PartPosition>& parts, Archive& archive) {
  std::vector<int64_t> numbers;
  PartPosition before;
  for (const PartPosition& part : parts) {
    numbers.insert(numbers.end(), {part.number - before.number, part.given - before.given,
                                   (part.ended ? 1 : 0) + (part.state.empty() ? 0 : 2)});
    before.number = part.number;
    before.given = part.given;
  }
  archive("parts", numbers);
  for (const PartPosition& part : parts) {
    std::string state = part.state;
    if (!state.empty()) archive("state", state);
  }
}

void read(Archive& archive, const World& owner, std::vector<PartPosition>& parts) {
  std::vector<int64_t> numbers;
  archive("parts", numbers);
  int64_t number = 0;
  int64_t given = 0;
  for (size_t i = 0; i + 2 < numbers.size() && archive.status().ok(); i += 3) {
    const auto next = checked_add(number, numbers[i]);
    const auto rows = checked_add(given, numbers[i + 1]);
    const int64_t flags = numbers[i + 2];
    if (!next || !rows || *rows < 0 || *rows > kMostGiven || *next < 0 || (i > 0 && *next <= number) ||
        flags < 0 || flags > 3)
      return archive.fail("the parts of a partition are damaged");
    number = *next;
    given = *rows;
    const std::string_view state = (flags & 2) != 0 ? archive.text("state") : std::string_view();
    if (!owner.known() || number % owner.size == owner.rank)
      parts.push_back({number, given, (flags & 1) != 0, std::string(state)});
  }
  if (numbers.size() % 3 != 0) archive.fail("the parts of a partition are damaged");
}

// Rising numbers from 0 on.
void archive_parts(Archive& archive, PartPositions& positions) {
  if (!archive.loading()) {
    Archive raw;
    write(positions.parts, raw);
    const std::string plain = raw.take();
    auto size = static_cast<int64_t>(plain.size());
    std::string bytes = packed(plain);
    archive("size", size, 0, kMaxBytes);
    archive("packed", bytes);
    return;
  }
  positions.parts.clear();
  int64_t size = 0;
  archive("size", size, 0, kMaxBytes);
  const std::string_view bytes = archive.text("packed");
  if (!archive.status().ok() || positions.leaves_out_all) return;
  if (size > kMostPerByte * static_cast<int64_t>(bytes.size()))
    return archive.fail("the parts of a partition are damaged");
  std::string plain(static_cast<size_t>(size), '\0');
  auto length = static_cast<uLongf>(size);
  const auto* from = reinterpret_cast<const Bytef*>(bytes.data());
  if (uncompress(reinterpret_cast<Bytef*>(plain.data()), &length, from, static_cast<uLong>(bytes.size())) !=
          Z_OK ||
      length != plain.size())
    return archive.fail("the parts of a partition are damaged");
  Archive raw{std::string_view(plain)};
  read(raw, positions.owner, positions.parts);
  raw.finish();
  if (!raw.status().ok()) archive.fail(raw.status().error().message);
}

}  // namespace

Status check_parts(int64_t parts, const World& world) {
  if (parts <= 0 || !world.known() || parts % world.size == 0) return Status();
  return failed_precondition(
      expected_found(concat("a number of parts that ", world.size, " ranks divide"), concat(parts),
                     "choose n of partition as a multiple of all numbers of ranks to come"));
}

void PartPositions::state(Archive& archive) {
  archive("of", n, 1, kMostParts);
  archive("source", source);
  archive_parts(archive, *this);
}

}  // namespace weir

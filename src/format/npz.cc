#include "format/npz.h"

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "format/npy.h"

namespace weir {

namespace {

constexpr std::string_view kSuffix = ".npy";
// Of the names in a message.
constexpr size_t kMostListed = 20;

std::string listed(const std::vector<NpzArray>& arrays) {
  std::string out;
  for (size_t i = 0; i < std::min(arrays.size(), kMostListed); ++i)
    out += concat(i == 0 ? "" : ", ", quote(arrays[i].name));
  return arrays.size() > kMostListed ? out + " …" : out;
}

// Of two members of one name, the later counts, as for NumPy.
std::vector<NpzArray> arrays_among(std::vector<ZipMember> members) {
  std::vector<NpzArray> out;
  for (ZipMember& member : members) {
    if (!member.name.ends_with(kSuffix)) continue;
    const std::string name = member.name.substr(0, member.name.size() - kSuffix.size());
    const auto same =
        std::find_if(out.begin(), out.end(), [&](const NpzArray& array) { return array.name == name; });
    if (same != out.end()) {
      same->member = std::move(member);
    } else {
      out.push_back({name, std::move(member), {}, {}});
    }
  }
  return out;
}

Status choose(std::vector<NpzArray>& arrays, const std::vector<std::string>& names, const std::string& file) {
  std::vector<NpzArray> chosen;
  for (const std::string& name : names) {
    const auto is_name = [&](const NpzArray& array) { return array.name == name; };
    const auto found = std::find_if(arrays.begin(), arrays.end(), is_name);
    if (found == arrays.end()) {
      std::vector<std::string_view> known;
      for (const NpzArray& array : arrays) known.push_back(array.name);
      const std::string near = nearest(name, known);
      return file_error(Code::invalid_argument,
                        expected_found(concat("names of arrays in the file: ", listed(arrays)), quote(name),
                                       near.empty() ? "" : concat("did you mean ", quote(near), "?")),
                        file);
    }
    if (std::any_of(chosen.begin(), chosen.end(), is_name))
      return file_error(Code::invalid_argument,
                        expected_found("each name once", concat(quote(name), " twice")), file);
    chosen.push_back(*found);
  }
  arrays = std::move(chosen);
  return Status();
}

// The same error, of an array among others.
Status of_array(const Status& status, const NpzArray& array) {
  Error error = status.error();
  Mistake mistake = error.what();
  if (error.read_failed) return status;
  mistake.hint = concat("array ", quote(array.name), mistake.hint.empty() ? "" : ": ", mistake.hint);
  error.message = mistake.sentence();
  error.parts.mistake = std::move(mistake);
  return Status(std::move(error));
}

Status read_header(const Npz& npz, NpzArray& array) {
  WEIR_ASSIGN(const std::unique_ptr<ByteStream> stream, open_member(npz.file, array.member));
  WEIR_ASSIGN(const NpyHeader header, read_npy(*stream));
  const Result<ArrayLayout> layout = npy_rows(header, array.member.bytes);
  if (!layout.ok()) return in_file(layout.status(), npz.file->name());
  array.layout = *layout;
  return Status();
}

Status check_lengths(const Npz& npz) {
  for (const NpzArray& array : npz.arrays) {
    if (array.layout.rows == npz.rows()) continue;
    return file_error(Code::invalid_argument,
                      expected_found("arrays of one length, whose rows are read together",
                                     concat(quote(npz.arrays[0].name), " of ", npz.rows(), " rows and ",
                                            quote(array.name), " of ", array.layout.rows),
                                     "choose arrays of one length by names: […]"),
                      npz.file->name());
  }
  return Status();
}

}  // namespace

Spec Npz::spec() const {
  std::vector<std::string> keys;
  std::vector<Spec> members;
  for (const NpzArray& array : arrays) {
    keys.push_back(array.name);
    members.push_back(Spec::tensor(array.layout.type.dtype, array.layout.row));
  }
  return Spec::dict(std::move(keys), std::move(members));
}

Result<Npz> open_npz(FileSystem& files, const std::string& file, const std::vector<std::string>* names) {
  Npz out;
  WEIR_ASSIGN(out.file, files.open(file));
  WEIR_ASSIGN(std::vector<ZipMember> members, read_zip(*out.file));
  // One that is no array by a damaged name isn't left out: its own header has another.
  for (const ZipMember& member : members) {
    if (!member.name.ends_with(kSuffix)) WEIR_TRY(data_offset(*out.file, member).status());
  }
  out.arrays = arrays_among(std::move(members));
  if (names) WEIR_TRY(choose(out.arrays, *names, file));
  if (out.arrays.empty())
    return file_error(Code::invalid_argument, expected_found("at least one array, NAME.npy", "none"), file);
  for (NpzArray& array : out.arrays) {
    const Status read = read_header(out, array);
    if (!read.ok()) return of_array(read, array);
  }
  WEIR_TRY(check_lengths(out));
  return out;
}

Status check_arrays(Npz& npz, uint64_t limit_bytes, size_t piece_bytes) {
  for (NpzArray& array : npz.arrays) {
    WEIR_ASSIGN(array.bytes, check_member(npz.file, array.member, limit_bytes, piece_bytes));
    if (array.bytes) continue;
    WEIR_ASSIGN(const uint64_t begin, data_offset(*npz.file, array.member));
    array.layout.begin += begin;
  }
  return Status();
}

}  // namespace weir

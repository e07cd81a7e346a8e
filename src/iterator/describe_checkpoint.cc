#include "iterator/describe_checkpoint.h"

#include <algorithm>
#include <optional>

#include "core/archive_fields.h"
#include "core/mixtures.h"
#include "core/text.h"
#include "iterator/checkpoint.h"
#include "iterator/checkpoint_group.h"
#include "iterator/generation.h"

namespace weir {

namespace {

// States within states; deeper ones are shown as bytes.
constexpr int kMaxDepth = 200;
constexpr size_t kMaxPositionText = size_t{1} << 20;

// Quoted unless a terminal can show it as it is: the text comes from a file.
std::string plain(std::string_view text) {
  const bool printable = std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return printable ? std::string(text) : quote(text);
}

template <class Numbers>
std::string join(const Numbers& numbers) {
  std::string out;
  for (const auto number : numbers) out += concat(out.empty() ? "" : ", ", number);
  return out;
}

// Members of an object that is written as JSON, or as "name: value" lines.
class Members {
 public:
  explicit Members(bool json) : json_(json) {}

  void text(std::string_view name, std::string_view value) {
    add(name, json_ ? json_string(value) : plain(value));
  }
  void number(std::string_view name, uint64_t value) { add(name, concat(value)); }
  void size(std::string_view name, uint64_t bytes) { add(name, concat(bytes, json_ ? "" : " bytes")); }
  void add(std::string_view name, std::string_view value) {
    if (json_) {
      out_ += concat(out_.empty() ? "" : ", ", json_string(name), ": ", value);
    } else {
      out_ += concat(name, value.starts_with('\n') ? ":" : ": ", value, "\n");
    }
  }
  bool json() const { return json_; }
  std::string take() { return std::move(out_); }

 private:
  const bool json_;
  std::string out_;
};

// The fields of a saved state: a line per operator, "PATH: KEY VALUE, KEY VALUE", or JSON objects.
class Position {
 public:
  explicit Position(bool json) : json_(json) {}

  void describe(std::string_view state) { walk(state, "", "", 0); }
  void mixture(const std::string& path, const Mixtures::Mixture& mixture) {
    number(path, "read", mixture.rows);
    const std::vector<int64_t>& given = mixture.given;
    const size_t first = std::min(given.size(), ArchiveList::kShown);
    list(path, "of_each", {given.size(), {given.begin(), given.begin() + static_cast<ptrdiff_t>(first)}});
  }
  std::string take() { return std::move(out_); }
  uint64_t left_out() const { return left_out_; }

 private:
  // `prefix` names the states around it that are no operator's: "open.".
  void walk(std::string_view state, const std::string& path, const std::string& prefix, int depth) {
    if (depth == kMaxDepth || !is_archive(state)) return bytes(path, prefix + "state", state);
    ArchiveFields fields(state);
    ArchiveField field;
    for (bool more = fields.next(field); more;) {
      const ArchiveField current = field;
      more = fields.next(field);
      // What a Stage writes: its operator's name with how it stands, then the operator's own state.
      const auto* standing = std::get_if<int64_t>(&current.value);
      std::string_view held;
      if (standing && more && field.key == "held") {
        if (const auto* rows = std::get_if<std::string_view>(&field.value)) held = *rows;
        more = fields.next(field);
      }
      const auto* inner =
          more && field.key == "state" ? std::get_if<std::string_view>(&field.value) : nullptr;
      if (standing && inner) {
        const std::string inside = path.empty() ? std::string(current.key) : concat(path, "/", current.key);
        if (!held.empty()) bytes(inside, "held", held);
        op(inside, *standing, *inner, depth);
        more = fields.next(field);
      } else {
        value(current, path, concat(prefix, current.key), depth);
      }
    }
  }

  void op(const std::string& path, int64_t standing, std::string_view state, int depth) {
    if (standing > 0) number(path, "ended", 1);
    // Saved in the middle of an out-of-memory error that stands for several rows.
    if (standing < 0) number(path, "errors_to_come", -std::max(standing, -INT64_MAX));
    walk(state, path, "", depth + 1);
  }

  void value(const ArchiveField& field, const std::string& path, const std::string& key, int depth) {
    if (const auto* text = std::get_if<std::string_view>(&field.value)) {
      if (!text->empty() && depth + 1 < kMaxDepth && is_archive(*text))
        return walk(*text, path, key + ".", depth + 1);
      return bytes(path, key, *text);
    }
    if (const auto* signed_number = std::get_if<int64_t>(&field.value))
      return number(path, key, *signed_number);
    if (const auto* natural = std::get_if<uint64_t>(&field.value)) return number(path, key, *natural);
    list(path, key, std::get<ArchiveList>(field.value));
  }

  template <class Number>
  void number(const std::string& path, const std::string& key, Number value) {
    add(path, key, json_ ? concat("\"value\": ", value) : concat(value));
  }
  void bytes(const std::string& path, const std::string& key, std::string_view value) {
    if (json_) return add(path, key, concat("\"bytes\": ", value.size()));
    if (!value.empty()) add(path, key, concat(value.size(), " bytes"));
  }
  void list(const std::string& path, const std::string& key, const ArchiveList& list) {
    const std::string first = join(list.first);
    if (json_) return add(path, key, concat("\"size\": ", list.size, ", \"first\": [", first, "]"));
    if (list.size == 0) return;
    add(path, key,
        list.size == list.first.size() ? concat("[", first, "]") : concat("[", first, ", …] of ", list.size));
  }

  void add(const std::string& path, const std::string& key, const std::string& value) {
    if (out_.size() > kMaxPositionText) {
      ++left_out_;
    } else if (json_) {
      out_ += concat(out_.empty() ? "" : ", ", R"({"path": )", json_string(path), R"(, "key": )",
                     json_string(key), ", ", value, "}");
    } else if (!out_.empty() && path == last_path_) {
      out_ += concat(", ", key, " ", value);
    } else {
      out_ += concat("\n  ", path, path.empty() ? "" : ": ", key, " ", value);
      last_path_ = path;
    }
  }

  const bool json_;
  std::string out_;
  std::string last_path_;
  uint64_t left_out_ = 0;
};

// "59 s", "1 min 3 s", "25 h 0 min", "3 days 4 h"
std::string age_of(int64_t ns) {
  const int64_t seconds = std::max<int64_t>(ns, 0) / 1'000'000'000;
  if (seconds < 60) return concat(seconds, " s");
  if (seconds < 3600) return concat(seconds / 60, " min ", seconds % 60, " s");
  if (seconds < 48 * 3600) return concat(seconds / 3600, " h ", seconds % 3600 / 60, " min");
  return concat(seconds / 86400, " days ", seconds % 86400 / 3600, " h");
}

// What one file holds.
struct Described {
  std::optional<GenerationName> generation;
  uint64_t extra_size = 0;
  Checkpoint checkpoint;
};

Result<Described> read(FileSystem& files, const std::string& name, int64_t limit_bytes,
                       const std::optional<GenerationName>& expected = std::nullopt) {
  WEIR_ASSIGN(const RefPtr<RandomAccessFile> file, files.open(name));
  WEIR_ASSIGN(const Generation found, expected ? read_generation(*file, limit_bytes)
                                               : read_generation_or_checkpoint(*file, limit_bytes));
  if (expected) WEIR_TRY(check_name(found, *expected));
  Described out;
  if (found.name.number > 0) out.generation = found.name;
  out.extra_size = found.extra.size();
  WEIR_ASSIGN(out.checkpoint, Checkpoint::from_bytes(found.position));
  return out;
}

void add_file(const std::string& name, const FileInfo& info, int64_t now_ns, Members& out) {
  out.text("file", name);
  out.size("size", info.size);
  if (out.json()) {
    out.add("modified_ns", concat(info.modified_ns));
  } else {
    out.text("age", age_of(now_ns - info.modified_ns));
  }
}

void add_contents(const Described& found, Members& out) {
  const Checkpoint& checkpoint = found.checkpoint;
  out.text("kind", found.generation ? "generation" : "checkpoint");
  if (found.generation) {
    out.number("rank", found.generation->rank);
    out.number("number", static_cast<uint64_t>(found.generation->number));
    out.size("extra_size", found.extra_size);
  }
  out.text("library", checkpoint.library_version);
  out.text("fingerprint", checkpoint.fingerprint.to_string());
  std::string params;
  for (const ParamDigest& param : checkpoint.params) {
    params +=
        concat(params.empty() ? "" : ", ", out.json() ? json_string(param.name) : "$" + plain(param.name));
  }
  if (out.json()) params = concat("[", params, "]");
  if (!params.empty()) out.add("params", params);
  if (checkpoint.world_size > 0) {
    out.number("world_rank", static_cast<uint64_t>(checkpoint.rank));
    out.number("world_size", static_cast<uint64_t>(checkpoint.world_size));
  }
  out.number("epoch", checkpoint.opening);
  // Rows that were taken out of the pipeline and not given, by value.
  out.size("held_size", checkpoint.held.size());
}

void add_position(const Checkpoint& checkpoint, Members& out) {
  Position position(out.json());
  position.describe(checkpoint.stage);
  Mixtures mixtures;
  if (mixtures.load(checkpoint.mixtures).ok()) {
    for (const auto& [path, mixture] : mixtures.all()) position.mixture(path, mixture);
  }
  const std::string text = position.take();
  if (out.json()) {
    out.add("position", concat("[", text, "]"));
    out.number("left_out", position.left_out());
    return;
  }
  out.add("position", text.empty() ? "none" : text);
  if (position.left_out() > 0) out.number("left out", position.left_out());
}

// "r00000-000000000012.ckpt: 3 s old, 512 bytes, epoch 0"
std::string list_line(const std::string& name, const FileInfo& info, int64_t now_ns,
                      const Result<Described>& found) {
  const std::string head =
      concat(name, ": ", age_of(now_ns - info.modified_ns), " old, ", info.size, " bytes, ");
  if (found.ok()) return concat(head, "epoch ", found->checkpoint.opening, "\n");
  const Status& status = found.status();
  return concat(head, "unusable: ", code_name(status.code()), ": ", status.error().lead_and_message(), "\n");
}

std::string list_object(const std::string& path, const GenerationName& name, const FileInfo& info,
                        const Result<Described>& found) {
  Members out(true);
  add_file(path, info, 0, out);
  if (found.ok()) {
    add_contents(*found, out);
  } else {
    out.text("kind", "unusable");
    out.number("rank", name.rank);
    out.number("number", static_cast<uint64_t>(name.number));
    out.text("code", code_name(found.status().code()));
    out.text("message", found.status().error().lead_and_message());
  }
  return concat("{", out.take(), "}");
}

// Appends the generations in `folder`, and in the one inside it that is named `group`, if any.
Status add_generations(FileSystem& files, const std::string& folder, const std::string& group,
                       const DescribeOptions& options, std::string& out) {
  WEIR_ASSIGN(const std::vector<GenerationName> names,
              list_generations(files, group.empty() ? folder : path_in(folder, group)));
  for (const GenerationName& name : names) {
    const std::string inside = group.empty() ? name.to_string() : path_in(group, name.to_string());
    const std::string path = path_in(folder, inside);
    const Result<FileInfo> info = files.stat(path);
    // A manager may have removed it since.
    if (!info.ok() && info.status().code() == Code::not_found) continue;
    if (!info.ok()) return info.status();
    const Result<Described> found = read(files, path, options.limit_bytes, name);
    if (options.json) {
      out += concat(out.empty() ? "" : ",", "\n  ", list_object(path, name, *info, found));
    } else {
      out += list_line(inside, *info, options.now_ns, found);
    }
  }
  return Status();
}

// "g00002-of-00008: 3 of 8 ranks have saved"
Status add_group(FileSystem& files, const std::string& folder, const GroupName& group,
                 const DescribeOptions& options, std::string& out) {
  WEIR_ASSIGN(const uint32_t saved, count_saved_ranks(files, folder, group));
  if (!options.json) {
    const std::string count = saved == group.size ? "all" : concat(saved, " of ", group.size);
    out += concat(group.to_string(), ": ", count, " ranks have saved\n");
  }
  return add_generations(files, folder, group.to_string(), options, out);
}

}  // namespace

Result<std::string> describe_checkpoint(FileSystem& files, const std::string& name,
                                        const DescribeOptions& options) {
  WEIR_ASSIGN(const Described found, read(files, name, options.limit_bytes));
  WEIR_ASSIGN(const FileInfo info, files.stat(name));
  Members out(options.json);
  add_file(name, info, options.now_ns, out);
  add_contents(found, out);
  add_position(found.checkpoint, out);
  return options.json ? concat("{", out.take(), "}") : out.take();
}

Result<std::string> describe_generations(FileSystem& files, const std::string& folder,
                                         const DescribeOptions& options) {
  std::string out;
  WEIR_TRY(add_generations(files, folder, "", options, out));
  WEIR_ASSIGN(const std::vector<GroupName> groups, list_groups(files, folder));
  for (const GroupName& group : groups) {
    const Status added = add_group(files, folder, group, options, out);
    // A manager may have removed it since.
    if (!added.ok() && added.code() != Code::not_found) return added;
  }
  if (!options.json) return out;
  return out.empty() ? "[]" : concat("[", out, "\n]");
}

}  // namespace weir

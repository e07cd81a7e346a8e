#include "format/tar/tar_rows.h"

#include <algorithm>
#include <utility>

#include "core/text.h"

namespace weir {

namespace {

constexpr size_t kCopiedBytes = 64 * 1024;

}  // namespace

TarRows::TarRows(const std::vector<FieldType>& fields) : columns_(fields) {
  for (FieldNode& node : columns_.fields()) {
    node.number = ranks_.size();
    ranks_.push_back(0);
    if (node.type.form == FieldType::Form::member) {
      for (size_t i = 0; i < node.type.alternatives.size(); ++i)
        takers_[node.type.alternatives[i]].push_back({&node, i});
    } else if (node.type.name == "__key__") {
      keys_.push_back(&node);
    } else if (node.type.name == "__url__") {
      urls_.push_back(&node);
    } else {
      takers_[node.type.name].push_back({&node, 0});
    }
  }
}

std::string_view TarRows::keep(std::string_view text) {
  if (copies_.empty() || copies_.back()->size() - copied_ < text.size()) {
    copies_.push_back(Buffer::allocate(std::max(text.size(), kCopiedBytes)));
    copied_ = 0;
  }
  char* const at = reinterpret_cast<char*>(copies_.back()->data()) + copied_;
  std::copy(text.begin(), text.end(), at);
  copied_ += text.size();
  return {at, text.size()};
}

void TarRows::begin(size_t max_rows, std::string_view file) {
  columns_.begin(max_rows);
  set_file(file);
}

void TarRows::put(FieldNode& node, std::string_view text) {
  FieldColumns::found(node, stamp_);
  const Str value(text);
  std::memcpy(node.place(columns_.rows()), &value, sizeof value);
}

void TarRows::start_element(std::string_view key) {
  columns_.start_row();
  stamp_ = columns_.new_stamp();
  std::fill(ranks_.begin(), ranks_.end(), SIZE_MAX);
  extension_count_ = 0;
  repeated_.clear();
  fault_ = {};
  if (!keys_.empty()) {
    const std::string_view kept = keep(key);
    for (FieldNode* node : keys_) put(*node, kept);
  }
  for (FieldNode* node : urls_) put(*node, file_);
}

bool TarRows::wants(const std::string& extension) {
  const auto end = extensions_.begin() + static_cast<std::ptrdiff_t>(extension_count_);
  if (std::find(extensions_.begin(), end, extension) != end) {
    if (repeated_.empty()) repeated_ = concat("two members ", quote(extension));
    return false;
  }
  if (extension_count_ == extensions_.size()) extensions_.emplace_back();
  extensions_[extension_count_++] = extension;
  const auto found = takers_.find(extension);
  takers_now_ = found == takers_.end() ? nullptr : &found->second;
  return takers_now_ != nullptr;
}

void TarRows::add_member(std::string_view bytes) {
  for (const Taker& taker : *takers_now_) {
    size_t& rank = ranks_[taker.node->number];
    if (rank < taker.rank) continue;
    rank = taker.rank;
    put(*taker.node, bytes);
  }
}

bool TarRows::finish_element() { return repeated_.empty() && columns_.finish_row(stamp_, fault_); }

Mistake TarRows::mistake() const {
  if (repeated_.empty()) {
    std::vector<std::string> wanted;
    for (const auto& [extension, takers] : takers_) wanted.push_back(extension);
    return describe(fault_, {extensions_.data(), extensions_.data() + extension_count_}, wanted);
  }
  return expected_found("members of different extensions in an element", repeated_);
}

void TarRows::give_owners(std::vector<RefPtr<RefCounted>>& owners) {
  for (BufferRef& buffer : copies_) owners.push_back(std::move(buffer));
  copies_.clear();
}

std::optional<Mistake> refuse_tar_field(const FieldType& field) {
  const bool text =
      field.form == FieldType::Form::member ||
      (field.form == FieldType::Form::tensor && field.dtype == DType::string && field.shape.rank() == 0);
  if (text) return std::nullopt;
  return Mistake{"is no string",
                 "a member of an archive is a string; decode it in a map, as in to_number(e.cls, int64)"};
}

}  // namespace weir

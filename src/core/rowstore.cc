#include "core/rowstore.h"

#include <algorithm>

#include "core/checked.h"
#include "core/text.h"

namespace weir {

namespace {

constexpr size_t kInlineBytes = 64;
// Numbers of fewer bytes are copied even if they could be referenced.
constexpr size_t kReferenceFrom = 64;
constexpr size_t kCacheLine = 64;
// While a row is copied, the beginning of the row so many further on is being loaded; the processor finds the
// rest itself once it is being read.
constexpr size_t kRowsAhead = 2;
constexpr size_t kLoadedAhead = 512;

// How an image holds a component. An image is one Kind per component, then for each its dimensions, unless
// the spec fixes them, and its payload; nothing is aligned.
enum Kind : uint8_t {
  kCopied,       // the entries
  kReferenced,   // a pointer to the entries, a keeper
  kStrings,      // for each entry its length and bytes
  kStringViews,  // a keeper, then the entries
  kDatasets,     // pointers, each with a reference of its own
};

bool is_lasting(const Tensor& tensor) {
  if (!tensor.buffer || !tensor.buffer->lasting()) return false;
  if (!tensor.owners) return true;
  return std::all_of(tensor.owners->list.begin(), tensor.owners->list.end(), [](const auto& owner) {
    const auto* buffer = dynamic_cast<const Buffer*>(owner.get());
    return buffer != nullptr && buffer->lasting();
  });
}

template <class T>
T load(const uint8_t*& from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  from += sizeof(T);
  return value;
}

template <class T>
void store(uint8_t*& to, T value) {
  std::memcpy(to, &value, sizeof(T));
  to += sizeof(T);
}

void store_bytes(uint8_t*& to, const void* bytes, size_t size) {
  if (size > 0) std::memcpy(to, bytes, size);
  to += size;
}

// The length of a string: two bytes, or this and then eight.
constexpr uint16_t kLongString = UINT16_MAX;

size_t length_bytes(size_t length) {
  return length < kLongString ? sizeof(kLongString) : sizeof(kLongString) + sizeof(uint64_t);
}

void store_length(uint8_t*& to, uint64_t length) {
  if (length < kLongString) return store(to, static_cast<uint16_t>(length));
  store(to, kLongString);
  store(to, length);
}

size_t load_length(const uint8_t*& from) {
  const auto length = load<uint16_t>(from);
  return length < kLongString ? length : load<uint64_t>(from);
}

// Copies `count` pieces of one size at two strides; small sizes are spelled out, so that they become moves.
template <size_t Size>
void copy_strided(uint8_t* to, size_t to_stride, const uint8_t* from, size_t from_stride, size_t count) {
  for (size_t i = 0; i < count; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, Size);
}

void copy_strided(uint8_t* to, size_t to_stride, const uint8_t* from, size_t from_stride, size_t size,
                  size_t count) {
  switch (size) {
    case 4:
      return copy_strided<4>(to, to_stride, from, from_stride, count);
    case 8:
      return copy_strided<8>(to, to_stride, from, from_stride, count);
    case 16:
      return copy_strided<16>(to, to_stride, from, from_stride, count);
    case 32:
      return copy_strided<32>(to, to_stride, from, from_stride, count);
    case 64:
      return copy_strided<64>(to, to_stride, from, from_stride, count);
    default:
      for (size_t i = 0; i < count; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, size);
  }
}

Status misfit(const Component& expected, DType dtype, const Shape& shape) {
  return internal_error(concat("a row holds ", dtype_name(dtype), shape.to_string(), " where its spec says ",
                               dtype_name(expected.dtype), expected.shape.to_string(),
                               "; please report this"));
}

void add_once(std::vector<RefPtr<RefCounted>>& list, const RefPtr<RefCounted>& item) {
  if (item && std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

}  // namespace

// One component of a row to be stored, and the tensor that owns its memory.
struct RowStore::Part {
  const Tensor* tensor;
  const Shape* shape;
  const uint8_t* data;
  int64_t count;
  size_t bytes;
  Kind kind;
};

// One column of a block to be stored.
struct RowStore::Source {
  const Column* column;
  const Plan* plan;
  // Of dense columns; a list has a shape per row.
  Shape shape;
  size_t row_bytes = 0;
  bool lasting = false;

  Part row(int32_t i) const {
    Part out;
    bool last = lasting;
    if (column->dense()) {
      out = {&column->tensor(), &shape, column->tensor().data + static_cast<size_t>(i) * row_bytes, 0,
             row_bytes,         kCopied};
    } else {
      const Tensor& tensor = column->list()[static_cast<size_t>(i)];
      out = {&tensor, &tensor.shape, tensor.data, 0, tensor.byte_size(), kCopied};
      last = is_lasting(tensor);
    }
    out.count = out.shape->count();
    if (plan->dtype == DType::string) {
      out.kind = last ? kStringViews : kStrings;
    } else if (plan->dtype == DType::dataset) {
      out.kind = kDatasets;
    } else if (last && out.bytes >= kReferenceFrom) {
      out.kind = kReferenced;
    }
    return out;
  }
  Status check(int32_t i) const {
    const Tensor& tensor = column->dense() ? column->tensor() : column->list()[static_cast<size_t>(i)];
    const Shape& found = column->dense() ? shape : tensor.shape;
    bool fits = tensor.dtype == plan->dtype && (!plan->shape.is_static() || found == plan->shape);
    return fits ? Status() : misfit({plan->dtype, plan->shape}, tensor.dtype, found);
  }

  Source(const Column& c, const Plan& p) : column(&c), plan(&p) {
    if (!c.dense() || c.tensor().dtype == DType::invalid) return;
    shape = c.tensor().shape.tail();
    row_bytes = static_cast<size_t>(shape.count()) * dtype_size(c.tensor().dtype);
    lasting = is_lasting(c.tensor());
  }
};

// One component of a row to be given back.
struct RowStore::View {
  Kind kind = kCopied;
  bool absent = true;
  Shape shape;
  int64_t count = 0;
  uint32_t keeper = 0;
  const uint8_t* payload = nullptr;

  View() = default;
  // Of a row in a table.
  View(const Plan& plan, const uint8_t* entries)
      : absent(false), shape(plan.shape), count(plan.shape.count()), payload(entries) {}
  // Moves `at` past the component.
  View(const Plan& plan, uint8_t how, const uint8_t*& at) : kind(static_cast<Kind>(how)), absent(false) {
    if (plan.shape.is_static()) {
      shape = plan.shape;
    } else {
      int64_t dims[kMaxRank];
      auto rank = load<uint8_t>(at);
      for (uint8_t i = 0; i < rank; ++i) dims[i] = load<int64_t>(at);
      shape = Shape(std::span<const int64_t>(dims, rank));
    }
    count = shape.count();
    if (kind == kStringViews) keeper = load<uint32_t>(at);
    payload = at;
    step_over(plan, at);
  }

  const uint8_t* numbers() const {
    const uint8_t* at = payload;
    return kind == kReferenced ? load<const uint8_t*>(at) : at;
  }
  // Starts loading the entries. Always inlined: gcc drops calls that do nothing else.
  [[gnu::always_inline]] void load_ahead(size_t bytes) const {
    if (absent) return;
    const uint8_t* at = numbers();
    for (size_t i = 0; i < std::min(bytes, kLoadedAhead); i += kCacheLine) __builtin_prefetch(at + i);
  }
  template <class F>
  void each_string(F&& f) const {
    const uint8_t* at = payload;
    for (int64_t i = 0; i < count; ++i) {
      if (kind == kStringViews) {
        f(load<Str>(at).view());
      } else {
        const size_t size = load_length(at);
        f(std::string_view(reinterpret_cast<const char*>(at), size));
        at += size;
      }
    }
  }

 private:
  void step_over(const Plan& plan, const uint8_t*& at) {
    const auto entries = static_cast<size_t>(count);
    switch (kind) {
      case kCopied:
        at += entries * dtype_size(plan.dtype);
        break;
      case kReferenced:
        at += sizeof(const uint8_t*);
        keeper = load<uint32_t>(at);
        break;
      case kStrings:
        for (size_t i = 0; i < entries; ++i) {
          const size_t size = load_length(at);
          at += size;
        }
        break;
      case kStringViews:
        at += entries * sizeof(Str);
        break;
      case kDatasets:
        at += entries * sizeof(RefCounted*);
        break;
    }
  }
};

RowStore::RowStore(std::span<const Component> components) {
  size_t bytes = 0;
  bool fixed = true;
  for (const Component& component : components) {
    Plan plan{component.dtype, component.shape, false, 0, bytes};
    plan.fixed =
        !has_owners(component.dtype) && component.shape.is_static() && component.shape.rank() < kMaxRank;
    if (plan.fixed) {
      // Sizes of specs are not checked: one that overflows is not small.
      int64_t count = checked_count(component.shape.dims());
      bool small = count >= 0 && count <= static_cast<int64_t>(kInlineBytes);
      plan.bytes = small ? static_cast<size_t>(count) * dtype_size(component.dtype) : kInlineBytes + 1;
      bytes = std::min(bytes + plan.bytes, kInlineBytes + 1);
      const auto row = checked_multiply(count, static_cast<int64_t>(dtype_size(component.dtype)));
      fixed = fixed && count >= 0 && row;
      row_bytes_.push_back(static_cast<size_t>(fixed ? *row : 0));
    }
    fixed = fixed && plan.fixed;
    inlined_ = inlined_ && plan.fixed;
    plans_.push_back(plan);
  }
  if (!fixed) row_bytes_.clear();
  inlined_ = inlined_ && bytes <= kInlineBytes;
  entry_bytes_ = sizeof(int64_t) + (inlined_ ? (bytes + 7) / 8 * 8 : sizeof(int64_t));
  slots_.set_entry_bytes(entry_bytes_);
}

RowStore::~RowStore() { clear(); }

Status RowStore::stage(const Block& block, std::span<const int32_t> rows) {
  if (block.columns.size() != plans_.size()) {
    return internal_error(concat("a row has ", block.columns.size(), " components where its spec says ",
                                 plans_.size(), "; please report this"));
  }
  for (size_t c = 0; c < plans_.size() && !rows.empty(); ++c) {
    const Source source(block.columns[c], plans_[c]);
    const size_t checked = block.columns[c].dense() ? 1 : rows.size();
    for (size_t i = 0; i < checked; ++i) WEIR_TRY(source.check(rows[i]));
  }
  in_.resize(rows.size() * entry_bytes_);
  if (inlined_) {
    stage_inline(block, rows);
    return Status();
  }
  int64_t first = 0;
  if (Table* table = rows.empty() ? nullptr : find_table(block, first)) {
    stage_table(*table, first, rows);
  } else {
    stage_images(block, rows);
  }
  return Status();
}

void RowStore::stage_inline(const Block& block, std::span<const int32_t> rows) {
  for (size_t c = 0; c < plans_.size(); ++c) {
    const Plan& plan = plans_[c];
    const Column& column = block.columns[c];
    uint8_t* out = in_.data() + sizeof(int64_t) + plan.offset;
    const bool run = !rows.empty() && rows.back() - rows.front() == static_cast<int32_t>(rows.size()) - 1;
    if (column.dense() && run) {
      const uint8_t* in = column.tensor().data + static_cast<size_t>(rows.front()) * plan.bytes;
      copy_strided(out, entry_bytes_, in, plan.bytes, plan.bytes, rows.size());
      continue;
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      const uint8_t* in = column.dense() ? column.tensor().data + static_cast<size_t>(rows[i]) * plan.bytes
                                         : column.list()[static_cast<size_t>(rows[i])].data;
      if (plan.bytes > 0) std::memcpy(out + i * entry_bytes_, in, plan.bytes);
    }
  }
}

void RowStore::stage_images(const Block& block, std::span<const int32_t> rows) {
  std::vector<Source> sources;
  for (size_t c = 0; c < plans_.size(); ++c) sources.emplace_back(block.columns[c], plans_[c]);
  std::vector<Part> parts(plans_.size());
  size_t staged = 0;
  try {
    for (; staged < rows.size(); ++staged) stage_image(rows[staged], sources, parts, staged);
  } catch (...) {
    // A row that is not placed would leak its memory.
    while (staged-- > 0) let_go(in_.data() + staged * entry_bytes_);
    throw;
  }
}

void RowStore::stage_image(int32_t row, std::span<const Source> sources, std::vector<Part>& parts,
                           size_t at) {
  size_t size = parts.size();
  for (size_t c = 0; c < parts.size(); ++c) {
    parts[c] = sources[c].row(row);
    if (!plans_[c].shape.is_static()) size += 1 + 8 * static_cast<size_t>(parts[c].shape->rank());
    size += payload_size(parts[c]);
  }
  reserve_keepers(parts.size());
  const uint32_t id = arena_.allocate(size);
  write_image(parts, arena_.data(id));
  uint8_t* entry = in_.data() + at * entry_bytes_;
  std::memset(entry, 0, entry_bytes_);
  std::memcpy(entry + sizeof(int64_t), &id, sizeof(id));
}

size_t RowStore::payload_size(const Part& part) {
  const auto entries = static_cast<size_t>(part.count);
  size_t size = 0;
  switch (part.kind) {
    case kCopied:
      return part.bytes;
    case kReferenced:
      return sizeof(const uint8_t*) + sizeof(uint32_t);
    case kStrings:
      for (size_t i = 0; i < entries; ++i) {
        const size_t length = reinterpret_cast<const Str*>(part.data)[i].size;
        size += length_bytes(length) + length;
      }
      return size;
    case kStringViews:
      return sizeof(uint32_t) + entries * sizeof(Str);
    case kDatasets:
      return entries * sizeof(RefCounted*);
  }
  return 0;
}

void RowStore::write_image(std::span<const Part> parts, uint8_t* to) {
  for (const Part& part : parts) store(to, static_cast<uint8_t>(part.kind));
  for (size_t c = 0; c < parts.size(); ++c) {
    const Part& part = parts[c];
    if (!plans_[c].shape.is_static()) {
      store(to, static_cast<uint8_t>(part.shape->rank()));
      for (int64_t dim : part.shape->dims()) store(to, dim);
    }
    switch (part.kind) {
      case kCopied:
        store_bytes(to, part.data, part.bytes);
        break;
      case kReferenced:
        store(to, part.data);
        store(to, keep(part.tensor->buffer, nullptr));
        references_ = true;
        break;
      case kStrings:
        for (int64_t i = 0; i < part.count; ++i) {
          const Str& entry = reinterpret_cast<const Str*>(part.data)[i];
          store_length(to, entry.size);
          store_bytes(to, entry.data, entry.size);
        }
        break;
      case kStringViews:
        store(to, keep(part.tensor->buffer, part.tensor->owners));
        store_bytes(to, part.data, part.bytes);
        references_ = true;
        break;
      case kDatasets:
        for (int64_t i = 0; i < part.count; ++i) {
          const auto* dataset = reinterpret_cast<const NestedDataset* const*>(part.data)[i];
          if (dataset) dataset->ref();
          store(to, dataset);
        }
        references_ = true;
        break;
    }
  }
}

void RowStore::release(uint32_t image) {
  const uint8_t* kinds = arena_.data(image);
  const uint8_t* at = kinds + plans_.size();
  for (size_t c = 0; c < plans_.size(); ++c) {
    const View view(plans_[c], kinds[c], at);
    if (view.kind == kReferenced || view.kind == kStringViews) unkeep(view.keeper);
    if (view.kind != kDatasets) continue;
    const uint8_t* entry = view.payload;
    for (int64_t i = 0; i < view.count; ++i) {
      if (const auto* dataset = load<const NestedDataset*>(entry)) dataset->unref();
    }
  }
}

void RowStore::write(int count, Block& out) {
  out.columns.resize(plans_.size());
  out.rows = count;
  if (inlined_) {
    for (size_t c = 0; c < plans_.size(); ++c) {
      const Plan& plan = plans_[c];
      uint8_t* to = out.columns[c].make_dense(plan.dtype, plan.shape, count);
      copy_strided(to, plan.bytes, out_.data() + sizeof(int64_t) + plan.offset, entry_bytes_, plan.bytes,
                   static_cast<size_t>(count));
    }
    return;
  }
  if (tables_.empty() || !write_table(count, out)) write_images(count, out);
}

// Rows of tables may be among them.
void RowStore::write_images(int count, Block& out) {
  std::vector<const uint8_t*> kinds(static_cast<size_t>(count));
  std::vector<const uint8_t*> cursors(kinds.size());
  for (size_t i = 0; i < kinds.size(); ++i) {
    const uint8_t* entry = out_.data() + i * entry_bytes_;
    const uint32_t id = handle(entry);
    if (id == 0 || in_table(word(entry))) continue;
    kinds[i] = arena_.data(id);
    // Read below, when all are being loaded.
    __builtin_prefetch(kinds[i]);
    cursors[i] = kinds[i] + plans_.size();
  }
  std::vector<View> views(kinds.size());
  for (size_t c = 0; c < plans_.size(); ++c) {
    for (size_t i = 0; i < kinds.size(); ++i) {
      const uint64_t in = word(out_.data() + i * entry_bytes_);
      if (kinds[i]) {
        views[i] = View(plans_[c], kinds[i][c], cursors[i]);
      } else if (in_table(in)) {
        views[i] = View(plans_[c], tables_[table_of(in)].first[c] + table_row(in) * row_bytes_[c]);
      } else {
        views[i] = View();
      }
    }
    write_column(plans_[c], views, out.columns[c]);
  }
}

void RowStore::write_column(const Plan& plan, std::span<const View> views, Column& out) const {
  const View* first = nullptr;
  bool uniform = true;
  for (const View& view : views) {
    if (view.absent) continue;
    if (!first) first = &view;
    uniform = uniform && view.shape == first->shape;
  }
  uniform = uniform && first && first->shape.rank() < kMaxRank;
  if (plan.dtype == DType::string) return write_strings(views, uniform ? &first->shape : nullptr, out);
  if (plan.dtype == DType::dataset) return write_datasets(views, uniform ? &first->shape : nullptr, out);
  if (uniform) {
    const size_t row_bytes = static_cast<size_t>(first->count) * dtype_size(plan.dtype);
    uint8_t* to = out.make_dense(plan.dtype, first->shape, static_cast<int>(views.size()));
    for (size_t i = 0; i < views.size(); ++i) {
      const View& view = views[i];
      if (i + kRowsAhead < views.size()) views[i + kRowsAhead].load_ahead(row_bytes);
      if (view.absent) {
        std::memset(to, 0, row_bytes);
      } else if (row_bytes > 0) {
        std::memcpy(to, view.numbers(), row_bytes);
      }
      to += row_bytes;
    }
    return;
  }
  auto& list = out.make_list();
  for (const View& view : views) {
    Tensor tensor;
    if (view.kind == kReferenced) {
      tensor.dtype = plan.dtype;
      tensor.shape = view.shape;
      tensor.data = const_cast<uint8_t*>(view.numbers());
      tensor.buffer = keepers_[view.keeper].buffer;
    } else if (!view.absent) {
      tensor = Tensor::allocate(plan.dtype, view.shape);
      if (tensor.byte_size() > 0) std::memcpy(tensor.data, view.payload, tensor.byte_size());
    }
    list.push_back(std::move(tensor));
  }
}

namespace {

// Makes a column with a row for each view; `write_row(view, entries)` writes those that are there.
template <class Entry, class View, class Write>
void write_owned(DType dtype, std::span<const View> views, const Shape* uniform, const OwnersRef& owners,
                 Write&& write_row, Column& out) {
  if (uniform) {
    auto* entries = reinterpret_cast<Entry*>(out.make_dense(dtype, *uniform, static_cast<int>(views.size())));
    for (const View& view : views) {
      if (!view.absent) write_row(view, entries);
      entries += uniform->count();
    }
    return out.set_owners(owners);
  }
  auto& list = out.make_list();
  for (const View& view : views) {
    Tensor tensor;
    if (!view.absent) {
      tensor = Tensor::allocate(dtype, view.shape);
      tensor.owners = owners;
      write_row(view, tensor.as<Entry>());
    }
    list.push_back(std::move(tensor));
  }
}

}  // namespace

void RowStore::write_strings(std::span<const View> views, const Shape* uniform, Column& out) const {
  auto owners = make_ref<Owners>();
  for (const View& view : views) {
    if (view.absent || view.kind != kStringViews) continue;
    const Keeper& keeper = keepers_[view.keeper];
    add_once(owners->list, keeper.buffer);
    for (size_t i = 0; keeper.owners && i < keeper.owners->list.size(); ++i) {
      add_once(owners->list, keeper.owners->list[i]);
    }
    if (owners->list.size() >= kMaxOwners) break;
  }
  const bool copy_all = owners->list.size() >= kMaxOwners;
  if (copy_all) owners->list.clear();
  size_t bytes = 0;
  auto copied = [&](const View& view) { return !view.absent && (copy_all || view.kind == kStrings); };
  for (const View& view : views) {
    if (copied(view)) view.each_string([&](std::string_view text) { bytes += text.size(); });
  }
  BufferRef buffer = Buffer::allocate(bytes);
  auto* text_at = reinterpret_cast<char*>(buffer->data());
  owners->list.push_back(std::move(buffer));

  auto write_row = [&](const View& view, Str* entry) {
    view.each_string([&](std::string_view text) {
      if (copied(view) && !text.empty()) {
        std::memcpy(text_at, text.data(), text.size());
        text = {text_at, text.size()};
        text_at += text.size();
      }
      *entry++ = Str(text);
    });
  };
  write_owned<Str>(DType::string, views, uniform, owners, write_row, out);
}

void RowStore::write_datasets(std::span<const View> views, const Shape* uniform, Column& out) const {
  auto owners = make_ref<Owners>();
  auto write_row = [&](const View& view, const NestedDataset** entry) {
    const uint8_t* at = view.payload;
    for (int64_t i = 0; i < view.count; ++i) {
      entry[i] = load<const NestedDataset*>(at);
      if (entry[i]) owners->list.emplace_back(const_cast<NestedDataset*>(entry[i]));
    }
  };
  write_owned<const NestedDataset*>(DType::dataset, views, uniform, owners, write_row, out);
}

void RowStore::give(int count, Block& out) {
  write(count, out);
  discard(count);
}

void RowStore::copy(std::span<const int64_t> slots, Block& out) {
  begin_lift(static_cast<int>(slots.size()));
  for (size_t i = 0; i < slots.size(); ++i) lift(slots[i], static_cast<int>(i));
  write(static_cast<int>(slots.size()), out);
}

}  // namespace weir

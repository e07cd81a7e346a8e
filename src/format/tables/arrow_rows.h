// ArrowRows: batches of a table's columns as rows of fields. Scalars are copied column by column; what is
// nested goes row by row. Strings are views of the batch, which the block then owns. A row of which a field
// has no value, or one that does not fit, is a failed row. Not thread-safe.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/host_call.h"
#include "format/field_columns.h"
#include "format/tables/table_types.h"

namespace weir {

// A batch that several blocks may own.
class TableBatch final : public RefCounted {
 public:
  explicit TableBatch(ArrowOwned<ArrowArray> array) : array_(std::move(array)) {}
  ~TableBatch() override {
    notify_host([this] { array_.reset(); });
  }
  const ArrowArray& array() const { return *array_; }

 private:
  ArrowOwned<ArrowArray> array_;
};

// A column, its type, and its place among those that it lies with.
struct TableColumn {
  TableType type;
  int64_t index = -1;
  // Of a list the entries; of an object and a list of them the members of the field, in its order.
  std::vector<TableColumn> inner;
};

class ArrowRows {
 public:
  explicit ArrowRows(const std::vector<FieldType>& fields);

  // The structure of the batches that follow; fields without a column have no values. `file` has all columns.
  // REQUIRES: check_fields_of() is ok
  void bind(const ArrowSchema& table, const ArrowSchema& file);
  // Makes the rows `rows` of the batch, in rising order, into `out`. `first` is the number in the file of the
  // batch's first row. At most kMaxBlockRows.
  void make(const RefPtr<TableBatch>& batch, std::span<const int32_t> rows, const std::string& file,
            int64_t first, Block& out);

 private:
  struct Scalar {
    FieldNode node;
    TableColumn column;
  };
  struct Place {
    const std::string* file;
    int64_t first;
    std::span<const int32_t> rows;
  };

  void make_scalar(Scalar& scalar, const ArrowArray& table, const Place& place, Block& out);
  // Of a field that is a column, or of one within.
  Mistake mistake(const FieldFault& fault, bool column) const;
  void fail(const FieldFault& fault, const Place& place, int row, Block& out) const;
  void make_nested(const ArrowArray& table, const Place& place, Block& out, const OwnersRef& owners);
  char* text_memory(size_t size);

  bool value(FieldNode& node, const TableColumn& column, const ArrowArray& parent, int64_t at,
             uint64_t stamp);
  bool object(FieldNode& node, const TableColumn& column, const ArrowArray& array, int64_t at);
  bool objects(FieldNode& node, const TableColumn& column, const ArrowArray& array, int64_t at);
  bool lists(FieldNode& node, const TableColumn& column, const ArrowArray& array, int64_t at, int axis,
             Shape& shape, size_t& count);
  bool entries(FieldNode& node, const TableColumn& column, const ArrowArray& array, int64_t begin,
               int64_t count, uint8_t* out);
  bool wrong(const FieldNode& node, const char* what);

  int components_ = 0;
  std::vector<Scalar> scalars_;
  // The others, whose component i is component places_[i] of a row.
  FieldColumns nested_;
  std::vector<TableColumn> nested_columns_;
  std::vector<int> places_;
  Block nested_rows_;
  FieldFault fault_;
  std::vector<std::string> names_;
  std::vector<BufferRef> texts_;
  size_t text_used_ = 0;
};

}  // namespace weir

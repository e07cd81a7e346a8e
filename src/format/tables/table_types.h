// How the columns of tables become fields: which field a column is by itself, whether a field fits a column,
// and how its entries are read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/fields.h"
#include "format/tables/arrow_abi.h"

namespace weir {

// The name of the structures that a map is a list of, a key and a value, whatever the file calls them.
inline constexpr std::string_view kMapEntry = "map entry";

// Metadata of a column, from the format: why it is not read; how many rows it has if not all columns of the
// table have the same number; that the sizes of its lists are a shape.
inline constexpr std::string_view kNotReadKey = "weir.not_read";
inline constexpr std::string_view kRowsKey = "weir.rows";
inline constexpr std::string_view kShapeKey = "weir.shape";

// What a column has, by its Arrow type.
struct TableType {
  enum class Kind : uint8_t {
    boolean,
    number,       // of `dtype`
    time,         // of `dtype`, in units of `unit` nanoseconds
    wide_time,    // 16 bytes, in nanoseconds
    decimal,      // `size` bytes
    text,         // offsets of 4 bytes
    long_text,    // offsets of 8 bytes
    viewed_text,  // views of 16 bytes
    fixed_text,   // `size` bytes each
    list,         // offsets of 4 bytes
    long_list,    // offsets of 8 bytes
    fixed_list,   // `size` entries each
    object,
    other,  // what is not read
  };

  Kind kind = Kind::other;
  // Of entries as they lie there, if weir has it.
  DType dtype = DType::invalid;
  int64_t size = 0;
  int64_t unit = 1;
  int precision = 0;
  int scale = 0;

  // What its entries are without being told; invalid if they have to be told, or are not read.
  DType natural() const;
  bool is_list() const { return kind == Kind::list || kind == Kind::long_list || kind == Kind::fixed_list; }
};

TableType table_type(const ArrowSchema& column);
// As errors name it: "a list of int64".
std::string described(const ArrowSchema& column);

// The column of that name, or -1.
int64_t column_in(const ArrowSchema& table, std::string_view name);

// The field that a column is without being told. `nullable`: one that may be null is optional.
Result<FieldType> natural_field(const ArrowSchema& column, bool nullable);
// Those of a table, in its order, without columns that are not read. invalid_argument if they have different
// numbers of rows.
Result<std::vector<FieldType>> natural_fields(const ArrowSchema& table, bool nullable);

// What fits no column at all.
std::optional<Mistake> refuse_table_field(const FieldType& field);
// invalid_argument, with its name, for a field that the type of its column does not fit, unimplemented for a
// column that is not read. Columns that are missing fit.
Status check_fields_of(const std::vector<FieldType>& fields, const ArrowSchema& table);
// How many rows a column has, in a table of `rows`.
int64_t rows_of_column(const ArrowSchema& column, int64_t rows);
// How many rows the columns of the fields have; `rows` if there are none. invalid_argument if not all the
// same.
Result<int64_t> rows_of_fields(const std::vector<FieldType>& fields, const ArrowSchema& table, int64_t rows);

// The columns of a table that the fields need, as TableFile::read takes them. Of a list or an optional
// structure a leaf is read even if none is needed, to learn where it is null; of a map one of the keys and
// one of the values.
// REQUIRES: check_fields_of() is ok
std::vector<std::string> columns_of(const std::vector<FieldType>& fields, const ArrowSchema& table);

}  // namespace weir

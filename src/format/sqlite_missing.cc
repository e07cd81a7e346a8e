// Stands in for sqlite.cc where WEIR_SQLITE is off.
#include "format/sqlite.h"

namespace weir {

Status check_sqlite() {
  return unimplemented("sql is not in this build of weir; build it with -DWEIR_SQLITE=ON");
}

Result<std::unique_ptr<SqliteRows>> SqliteRows::open(const std::string&, const std::string&,
                                                     std::vector<Column>, int64_t, const std::atomic<bool>&) {
  return check_sqlite();
}

}  // namespace weir

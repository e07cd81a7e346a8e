#include "capi/barrier.h"

#include <exception>
#include <new>
#include <string>

#include "core/controls.h"
#include "core/credentials.h"
#include "core/shape.h"
#include "core/text.h"
#include "core/version.h"

namespace weir::capi {

namespace {

// The strings of a filled weir_error.
struct ErrorStrings final : Object {
  static constexpr HandleKind kKind = HandleKind::error;
  std::string message;
  std::string path;
  std::string file;
  std::string line;
};

struct Bytes final : Object {
  static constexpr HandleKind kKind = HandleKind::bytes;
  explicit Bytes(std::string b) : bytes(std::move(b)) {}
  const std::string bytes;
};

// The first version of weir_error, which every caller has.
constexpr size_t kErrorBytes = sizeof(weir_error);

bool usable(const weir_error* error) {
  return error && bytes_of_struct(error->struct_size, kErrorBytes) >= kErrorBytes;
}

void clear(weir_error& error) noexcept {
  drop_owner(HandleKind::error, error.owner);
  error.code = 0;
  error.message = error.path = error.file = error.line = weir_string{"", 0};
  error.offset = error.record = -1;
  error.owner = 0;
}

// Used if there is no memory for more.
void fill_plainly(weir_error& out, Code code, const char* message) noexcept {
  clear(out);
  out.code = static_cast<int32_t>(code);
  out.message = out.line = weir_string{message, std::strlen(message)};
}

}  // namespace

void fill_error(weir_error* out, const Error& error) noexcept {
  if (!usable(out)) return;
  clear(*out);
  try {
    auto strings = std::make_unique<ErrorStrings>();
    strings->message = without_controls(without_credentials(error.message, error.file));
    strings->path = error.path;
    strings->file = without_credentials(error.file, error.file);
    strings->line = without_credentials(error.describe(), error.file);
    const ErrorStrings& kept = *strings;
    out->owner = publish(HandleKind::error, std::move(strings));
    out->code = static_cast<int32_t>(error.code);
    out->message = to_string_struct(kept.message);
    out->path = to_string_struct(kept.path);
    out->file = to_string_struct(kept.file);
    out->line = to_string_struct(kept.line);
    out->offset = error.offset;
    out->record = error.record;
  } catch (...) {
    fill_plainly(*out, error.code, "out of memory while reporting an error");
  }
}

int32_t answer_error(weir_error* error, const Answer& answer) noexcept {
  fill_error(error, *answer.error());
  return answer.result();
}

int32_t answer_null_out(weir_error* error) noexcept {
  if (usable(error))
    fill_plainly(*error, Code::invalid_argument, "expected a place for the result, found NULL");
  return -WEIR_CODE_INVALID_ARGUMENT;
}

int32_t answer_exception(weir_error* error) noexcept {
  try {
    throw;
  } catch (const TooManyHandles& exception) {
    if (usable(error)) fill_plainly(*error, Code::resource_exhausted, exception.what());
    return -WEIR_CODE_RESOURCE_EXHAUSTED;
  } catch (const std::bad_alloc&) {
    if (usable(error)) fill_plainly(*error, Code::resource_exhausted, "out of memory");
    return -WEIR_CODE_RESOURCE_EXHAUSTED;
  } catch (const std::exception& exception) {
    Error internal;
    internal.code = Code::internal;
    try {
      internal.message = concat("unexpected exception: ", exception.what());
    } catch (...) {
      internal.message.clear();
    }
    fill_error(error, internal);
    return -WEIR_CODE_INTERNAL;
  } catch (...) {
    if (usable(error)) fill_plainly(*error, Code::internal, "unexpected exception of an unknown type");
    return -WEIR_CODE_INTERNAL;
  }
}

Status bad_handle(std::string_view what, uint64_t handle) {
  if (handle == 0) return invalid_argument(expected_found(concat(what), "the zero handle"));
  return invalid_argument(expected_found(
      concat(what), "a handle that was released, belongs to something else or to another process"));
}

Status busy_handle(std::string_view what) {
  return failed_precondition(Mistake(concat("another call is using this ", what.substr(what.find(' ') + 1)),
                                     "give each thread its own"));
}

Status too_many_owners(std::string_view what) {
  return resource_exhausted(concat("expected ", what, " with fewer than 32767 owners"));
}

Status share(HandleKind kind, std::string_view what, uint64_t handle) {
  switch (add_owner(kind, handle)) {
    case OwnerResult::added:
      return Status();
    case OwnerResult::unknown:
      return bad_handle(what, handle);
    case OwnerResult::too_many:
      break;
  }
  return too_many_owners(what);
}

Result<std::string_view> read_string(const char* data, uint64_t size, std::string_view what, uint64_t limit) {
  if (!data) {
    if (size == 0) return std::string_view();
    return invalid_argument(expected_found(concat(what), "NULL with a length"));
  }
  if (size == WEIR_STRLEN) size = strnlen(data, limit + 1);
  if (size > limit) {
    return invalid_argument(expected_found(concat(what, " of at most ", limit, " bytes"), "a longer one"));
  }
  return std::string_view(data, size);
}

Result<std::string_view> read_bytes(const void* data, uint64_t size, std::string_view what) {
  constexpr uint64_t kLimit = uint64_t{1} << 40;
  if (!data && size > 0) return invalid_argument(expected_found(concat(what), "NULL with a size"));
  if (size > kLimit)
    return invalid_argument(expected_found(concat(what, " of at most ", kLimit, " bytes"), concat(size)));
  return std::string_view(static_cast<const char*>(data), static_cast<size_t>(size));
}

Result<std::span<const int64_t>> read_dims(int32_t rank, const int64_t* dims) {
  if (rank < 0 || rank > kMaxRank) {
    return invalid_argument(expected_found(concat("a rank from 0 to ", kMaxRank), concat(rank)));
  }
  if (rank > 0 && !dims) return invalid_argument("expected dimensions, found NULL");
  std::span<const int64_t> all(dims, static_cast<size_t>(rank));
  for (int64_t dim : all) {
    if (dim < 0) return invalid_argument(expected_found("dimensions of 0 and more", concat(dim)));
  }
  return all;
}

Status check_struct_size(std::string_view name, const void* given, uint32_t struct_size, size_t known,
                         size_t first) {
  if (!is_struct_size(struct_size, first)) {
    return invalid_argument(
        expected_found(concat(name, ".struct_size to be from ", first, " to ", kMaxStructBytes),
                       concat(struct_size), "begin with the WEIR_..._INIT macro"));
  }
  const auto* bytes = static_cast<const uint8_t*>(given);
  for (size_t i = known; i < struct_size; ++i) {
    if (bytes[i] != 0) {
      return unimplemented(concat(name, " uses a field that this version of the library, ", weir_version(),
                                  ", does not have"));
    }
  }
  return Status();
}

Status check_reserved(std::string_view name, int64_t reserved) {
  if (reserved == 0) return Status();
  return invalid_argument(expected_found(concat(name, ".reserved to be 0"), concat(reserved),
                                         "begin with the WEIR_..._INIT macro"));
}

Status check_flags(uint32_t flags, uint32_t known, std::string_view what) {
  if ((flags & ~known) == 0) return Status();
  return invalid_argument(expected_found(concat("flags ", what), concat(flags)));
}

Status check_out_struct(std::string_view name, uint32_t struct_size, size_t first) {
  if (bytes_of_struct(struct_size, first) >= first) return Status();
  return invalid_argument(expected_found(concat(name, ".struct_size to be at least ", first),
                                         concat(struct_size), "begin with the WEIR_..._INIT macro"));
}

weir_bytes make_bytes(std::string bytes) {
  auto object = std::make_unique<Bytes>(std::move(bytes));
  const std::string& kept = object->bytes;
  weir_bytes out{kept.data(), kept.size(), 0};
  out.owner = publish(HandleKind::bytes, std::move(object));
  return out;
}

}  // namespace weir::capi

using namespace weir;
using namespace weir::capi;

const char* weir_version(void) { return library_version(); }

const char* weir_code_name(int32_t code) {
  if (code < -WEIR_CODE_DATA_LOSS || code > WEIR_CODE_DATA_LOSS) code = WEIR_CODE_UNKNOWN;
  return code_name(static_cast<Code>(code < 0 ? -code : code)).data();
}

void weir_error_clear(weir_error* error) {
  if (usable(error)) clear(*error);
}

void weir_bytes_release(weir_bytes* bytes) {
  if (!bytes) return;
  drop_owner(HandleKind::bytes, bytes->owner);
  *bytes = weir_bytes{};
}

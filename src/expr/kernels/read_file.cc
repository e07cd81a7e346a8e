// read_file(name): the bytes of each file named, read at once on the blocking lane.
#include <cstring>

#include "core/digest.h"
#include "core/failed_reads.h"
#include "core/file_places.h"
#include "dataset/instance.h"
#include "exec/scheduler.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/map_strings.h"
#include "fs/file_system.h"

namespace weir {

namespace {

Status too_large(const std::string& name, uint64_t limit) {
  return file_error(
      Code::resource_exhausted,
      expected_found(concat("a file of at most ", limit, " bytes (the limit record_bytes)"), "more"), name);
}

// The bytes beyond those that the file's size promised, as files that grow have and those in /proc.
Status read_rest(KernelRun& run, RandomAccessFile& file, uint64_t limit, Str& out) {
  WEIR_ASSIGN(const std::string rest, read_up_to(file, out.size, limit + 1 - out.size));
  if (out.size + rest.size() > limit) return too_large(file.name(), limit);
  const size_t before = static_cast<size_t>(out.size);
  char* to = run.bytes(before + rest.size());
  if (before != 0) std::memcpy(to, out.data, before);
  if (!rest.empty()) std::memcpy(to + before, rest.data(), rest.size());
  out = Str(to, before + rest.size());
  return Status();
}

Status read(KernelRun& run, const std::string& name, Str& out) {
  const Runtime& runtime = run.session().runtime;
  const auto limit = static_cast<uint64_t>(runtime.limits.record_bytes);
  WEIR_ASSIGN(const RefPtr<RandomAccessFile> file, run.session().files().open(name));
  WEIR_ASSIGN(const uint64_t size, file->size());
  if (size > limit) return too_large(name, limit);
  // One byte more shows that the file has ended.
  const auto room = static_cast<size_t>(size) + 1;
  char* to = run.bytes(room);
  size_t used = 0;
  while (used < room) {
    WEIR_ASSIGN(const size_t got, file->read_at(used, {reinterpret_cast<uint8_t*>(to) + used, room - used}));
    if (got == 0) break;
    used += got;
  }
  out = Str(to, used);
  return used == room ? read_rest(run, *file, limit, out) : Status();
}

void read_file_body(KernelRun& run) {
  const std::atomic<bool>& cancelled = run.session().cancelled;
  const Status stopped(Code::cancelled, "read_file was cancelled");
  const FailedReads& failed = run.session().failed_reads();
  each_string(run, [&](int row, std::string_view name, Str& out) {
    if (cancelled.load(std::memory_order_relaxed)) return stopped;
    const uint64_t number =
        hash_of(placeless_name(name), derive_key(run.random_key(), static_cast<uint64_t>(run.ordinal(row))));
    // Of several files nobody knows later which it was.
    if (run.arg(0).shape.count() == 1) run.read_from(row, name);
    if (ErrorPtr listed = failed.find(number)) return Status(std::move(listed));
    return failed_at(read(run, std::string(name), out), number);
  });
  // Who closes the iterator does not wait for a read, so nothing may be called with these rows.
  if (!cancelled.load(std::memory_order_relaxed)) return;
  for (int i = 0; i < run.rows(); ++i) run.fail(i, stopped);
}

Status read_file_infer(KernelCall& call) {
  if (call.dtype(0) != DType::string) return wrong_dtype(call, 0, "string");
  call.result(DType::string, call.shape(0));
  call.body(read_file_body);
  return Status();
}

}  // namespace

extern constinit const Kernel read_file_kernel{
    .name = "read_file",
    .params = {{.name = "name", .doc = "The name of a file, or a tensor of names.", .names_files = true}},
    .infer = read_file_infer,
    .doc =
        "Reads whole files as strings, as tf.io.read_file. A file that is missing (not_found), cannot be read or is larger than the runtime's `record_bytes` (resource_exhausted) is an error of the element. Names are relative to the working folder. The element's later errors name the file, unless it is one of several in a tensor of names.",
    .result = "string, of the same shape.",
    .cost = "Opening and reading the file, on a thread for functions that wait.",
    .example = R"(from_tensors("tests/conformance/data/header.csv") | map(name -> read_file(name)))",
    .output = R"("id,price,name\n1,2.5,x\n2,3.5,y\n")",
    .bench = R"(read_file(if n[0] == 0 then "/proc/version" else s))",
    .can_fail = true,
    .blocks = true};

}  // namespace weir

#include "capi/arrow_stream.h"

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "core/host_call.h"
#include "core/text.h"
#include "format/tables/arrow_value.h"

namespace weir::capi {

namespace {

constexpr size_t kMostWhyBytes = 1 << 12;

}  // namespace

ArrowStream::~ArrowStream() {
  notify_host([this] { stream_.reset(); });
}

template <class Function>
Status ArrowStream::ask(Function&& function) {
  int error = 0;
  std::string why;
  const auto call = [&] {
    error = function();
    if (error == 0) return;
    const char* const said = stream_->get_last_error ? stream_->get_last_error(stream_.get()) : nullptr;
    why = said ? std::string(said, strnlen(said, kMostWhyBytes)) : concat("error ", error);
  };
  if (ErrorPtr thrown = call_host(call)) return Status(thrown);
  if (error == 0) return {};
  if (error == ENOMEM) throw std::bad_alloc();
  const Code code = error == ENOTSUP || error == ENOSYS ? Code::unimplemented : Code::unknown;
  return Status(code, Mistake(concat("the Arrow stream failed: ", why)));
}

Result<DocumentRef> ArrowStream::rows(Runtime& runtime) {
  if (!stream_.there() || !stream_->get_schema || !stream_->get_next)
    return invalid_argument("the Arrow stream has been released, or lacks get_schema or get_next");
  ArrowOwned<ArrowSchema> schema;
  std::vector<RefPtr<TableBatch>> batches;
  WEIR_TRY(ask([&] { return stream_->get_schema(stream_.get(), schema.fill()); }));
  if (!schema.there()) return data_loss("the Arrow stream gave no schema");
  for (;;) {
    ArrowOwned<ArrowArray> batch;
    WEIR_TRY(ask([&] { return stream_->get_next(stream_.get(), batch.fill()); }));
    if (!batch.there()) break;
    batches.push_back(make_ref<TableBatch>(std::move(batch)));
  }
  WEIR_ASSIGN(ArrowValue value, value_of_batches(*schema, std::move(batches)));
  const std::string text = value.row.empty() ? "from_tensor_slices(@1)"
                                             : concat("from_tensor_slices(@1) | map(x -> ", value.row, ")");
  return parse_document(runtime, text, {{"1", HandedValue{std::move(value.spec), std::move(value.values)}}});
}

}  // namespace weir::capi

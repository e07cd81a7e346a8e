#include <algorithm>

#include "capi/arguments.h"
#include "capi/dataset_object.h"
#include "capi/delivery.h"
#include "capi/runtime.h"
#include "core/text.h"
#include "graph/checkpoint_needs.h"
#include "graph/explain.h"
#include "iterator/element_at.h"
#include "syntax/source.h"

namespace weir::capi {

namespace {

Result<std::vector<DocumentRef>> documents_of(const weir_dataset* inputs, uint64_t count) {
  if (count > kMaxArguments || (count > 0 && !inputs)) {
    return invalid_argument(expected_found(concat("at most ", kMaxArguments, " inputs"),
                                           concat(count, inputs ? "" : " at NULL")));
  }
  std::vector<DocumentRef> out;
  for (uint64_t i = 0; i < count; ++i) {
    WEIR_ASSIGN(DocumentRef document, document_of(inputs[i]));
    out.push_back(std::move(document));
  }
  return out;
}

// Takes over the arguments first, before anything can fail, and exactly once whatever the rest of the call
// does.
template <class Body>
int32_t with_arguments(weir_runtime runtime, const weir_argument* arguments, uint64_t count,
                       weir_dataset* out, weir_error* error, Body&& body) {
  weir_dataset unused{};
  return guarded(error, out ? out : &unused, [&]() -> Status {
    TakenArguments taken(arguments, count, runtime);
    if (!out) return invalid_argument("expected a place for the result, found NULL");
    WEIR_ASSIGN(auto host, runtime_of(runtime));
    WEIR_ASSIGN(DocumentRef document, body(*host, taken));
    *out = publish_dataset(std::move(document));
    return Status();
  });
}

}  // namespace

}  // namespace weir::capi

using namespace weir;
using namespace weir::capi;

int32_t weir_dataset_parse(weir_runtime runtime, const char* text, uint64_t text_size,
                           const weir_argument* arguments, uint64_t argument_count, weir_dataset* out,
                           weir_error* error) {
  return with_arguments(runtime, arguments, argument_count, out, error,
                        [&](RuntimeHost& host, TakenArguments& taken) -> Result<DocumentRef> {
                          WEIR_ASSIGN(std::string_view source,
                                      read_string(text, text_size, "a text", syntax::kMaxSourceBytes));
                          WEIR_ASSIGN(Handed handed, handed_of(taken, host.callbacks()));
                          return parse_document(host.runtime(), source, handed);
                        });
}

int32_t weir_dataset_check(weir_runtime runtime, const char* text, uint64_t text_size,
                           const weir_argument* arguments, uint64_t argument_count, uint32_t flags,
                           weir_bytes* out, weir_error* error) {
  weir_bytes unused = WEIR_BYTES_INIT;
  return guarded(error, out ? out : &unused, [&]() -> Status {
    TakenArguments taken(arguments, argument_count, runtime);
    if (!out) return invalid_argument(expected_found("a place for the result", "NULL"));
    WEIR_TRY(check_flags(flags, WEIR_TEXT, "0 or WEIR_TEXT"));
    WEIR_ASSIGN(auto host, runtime_of(runtime));
    WEIR_ASSIGN(std::string_view given, read_string(text, text_size, "a text", syntax::kMaxSourceBytes));
    std::string source(given);
    syntax::Labels labels;
    Status status;
    if (!text && argument_count > 0) {
      WEIR_TRY(taken.status());
      status =
          apply_operator(host->runtime(), "", {}, taken.list(), host->callbacks(), &source, &labels).status();
    } else {
      WEIR_ASSIGN(Handed handed, handed_of(taken, host->callbacks()));
      status = parse_document(host->runtime(), source, handed).status();
    }
    if (flags == 0) {
      *out = make_bytes(syntax::mistakes_json(status, source, labels));
    } else if (!status.ok()) {
      *out = make_bytes(without_credentials(syntax::render(status, source).error().message));
    }
    return Status();
  });
}

int32_t weir_dataset_apply(weir_runtime runtime, const char* operator_name, uint64_t operator_name_size,
                           const weir_dataset* inputs, uint64_t input_count, const weir_argument* arguments,
                           uint64_t argument_count, weir_dataset* out, weir_error* error) {
  return with_arguments(
      runtime, arguments, argument_count, out, error,
      [&](RuntimeHost& host, TakenArguments& taken) -> Result<DocumentRef> {
        WEIR_ASSIGN(std::string_view name,
                    read_string(operator_name, operator_name_size, "an operator's name", kMaxNameBytes));
        WEIR_ASSIGN(auto documents, documents_of(inputs, input_count));
        WEIR_TRY(taken.status());
        return apply_operator(host.runtime(), name, documents, taken.list(), host.callbacks());
      });
}

int32_t weir_dataset_deserialize(weir_runtime runtime, const void* bytes, uint64_t byte_size,
                                 const weir_argument* arguments, uint64_t argument_count, weir_dataset* out,
                                 weir_error* error) {
  return with_arguments(runtime, arguments, argument_count, out, error,
                        [&](RuntimeHost& host, TakenArguments& taken) -> Result<DocumentRef> {
                          WEIR_ASSIGN(std::string_view given,
                                      read_bytes(bytes, byte_size, "a serialized graph"));
                          WEIR_ASSIGN(Handed handed, handed_of(taken, host.callbacks()));
                          return deserialize_document(host.runtime(), given, handed);
                        });
}

int32_t weir_dataset_ref(weir_dataset dataset, weir_error* error) {
  return guarded(error, [&]() -> Status { return share(HandleKind::dataset, "a dataset", dataset.value); });
}

void weir_dataset_unref(weir_dataset dataset) {
  released([&] { drop_owner(HandleKind::dataset, dataset.value); });
}

int32_t weir_dataset_spec(weir_dataset dataset, weir_spec* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    Pin<DatasetObject> pinned(dataset.value);
    if (!pinned) return pin_error(pinned, "a dataset", dataset.value);
    *out = publish_spec(pinned->spec());
    return Status();
  });
}

int32_t weir_dataset_view(weir_dataset dataset, weir_dataset_info* out, weir_error* error) {
  if (!out) return answer_null_out(error);
  return guarded(error, [&]() -> Status {
    WEIR_TRY(check_out_struct("weir_dataset_info", out->struct_size, sizeof(weir_dataset_info)));
    WEIR_ASSIGN(DocumentRef document, document_of(dataset));
    const Fingerprint& fingerprint = document->fingerprint();
    out->cardinality = document->cardinality();
    std::copy_n(fingerprint.words.begin(), 2, out->fingerprint);
    return Status();
  });
}

int32_t weir_dataset_format(weir_dataset dataset, weir_bytes* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    WEIR_ASSIGN(DocumentRef document, document_of(dataset));
    *out = make_bytes(document->format());
    return Status();
  });
}

int32_t weir_dataset_at(weir_runtime runtime, weir_dataset dataset, int64_t position, weir_element element,
                        weir_error* error) {
  return guarded(error, [&]() -> Answer {
    Result<RefPtr<RuntimeHost>> host = runtime_of(runtime);
    if (!host.ok()) return host.status();
    DocumentRef document;
    SpecRef spec;
    {
      Pin<DatasetObject> pinned(dataset.value);
      if (!pinned) return pin_error(pinned, "a dataset", dataset.value);
      document = pinned->document;
      spec = pinned->spec();
    }
    ExclusivePin<Element> into(element.value);
    if (!into) return pin_error(into, "an element", element.value);
    Element& out = *into;
    out.release();
    out.forget();
    out.host = spec->has_dataset() ? *host : nullptr;
    out.spec = std::move(spec);
    out.source_names = nullptr;
    out.batched = false;
    const bool tries = position < WEIR_AT_TRY / 2;
    if (tries) position -= WEIR_AT_TRY;
    if (!tries) out.reading = nullptr;
    try {
      return answer_of(element_at((*host)->runtime(), *host, document, position,
                                  tries ? &out.reading : nullptr, out.block),
                       out.block);
    } catch (...) {
      out.forget();
      throw;
    }
  });
}

int32_t weir_dataset_explain(weir_dataset dataset, uint32_t flags, weir_bytes* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    WEIR_TRY(check_flags(flags, WEIR_TEXT | WEIR_EXPLAIN_CHECKPOINT | WEIR_EXPLAIN_PARTS,
                         "WEIR_TEXT and WEIR_EXPLAIN_..."));
    if (flags & WEIR_EXPLAIN_PARTS && flags != WEIR_EXPLAIN_PARTS)
      return invalid_argument(Mistake("WEIR_EXPLAIN_PARTS stands alone", "leave the other flags out"));
    WEIR_ASSIGN(DocumentRef document, document_of(dataset));
    const bool json = !(flags & WEIR_TEXT);
    *out = make_bytes(flags & WEIR_EXPLAIN_CHECKPOINT ? checkpoint_needs(*document, json)
                                                      : explain(*document, json, flags & WEIR_EXPLAIN_PARTS));
    return Status();
  });
}

int32_t weir_dataset_serialize(weir_dataset dataset, weir_bytes* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    WEIR_ASSIGN(DocumentRef document, document_of(dataset));
    WEIR_ASSIGN(std::string bytes, document->serialize());
    *out = make_bytes(std::move(bytes));
    return Status();
  });
}

#include "iterator/element_dataset.h"

#include <utility>

#include "dataset/cardinality.h"
#include "exec/scheduler.h"
#include "iterator/root_key.h"
#include "iterator/session_owner.h"

namespace weir {

namespace {

// kUnknown where counting it fails, since the error belongs to whoever opens it.
int64_t count_of(Runtime& runtime, RefPtr<RefCounted> owner, const NestedDataset& nested) {
  DatasetRef node(static_cast<const Dataset*>(nested.node.get()));
  if (node->cardinality() != kUnknown) return node->cardinality();
  auto scheduler = make_ref<Scheduler>(runtime);
  auto session =
      make_ref<Session>(runtime, make_ref<SessionOwner>(std::move(owner), scheduler), scheduler.get());
  const Result<int64_t> count = cardinality_at(*session, {std::move(node), nested.env, root_key(0)});
  return count.ok() ? *count : kUnknown;
}

}  // namespace

Result<DocumentRef> element_dataset(Runtime& runtime, RefPtr<RefCounted> owner, const Spec& spec,
                                    const Tensor& value) {
  const int64_t count = count_of(runtime, std::move(owner), dataset_of(value));
  return parse_document(runtime, "from_tensors(@1) | flat_map(d -> d)", {{"1", HandedValue{spec, {value}}}},
                        count);
}

}  // namespace weir

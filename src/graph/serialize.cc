#include <cstring>

#include "core/text.h"
#include "core/values.h"
#include "format/proto/graph.pb.h"
#include "graph/canonical.h"
#include "graph/envelope.h"
#include "graph/same_draws.h"
#include "syntax/parser.h"
#include "syntax/printer.h"
#include "syntax/spec.h"

namespace weir {

namespace {

constexpr EnvelopeKind kEnvelope{.magic = "weirgrph",
                                 .version = 2,
                                 .name = "a serialized graph",
                                 .origin = "what a dataset's serialize wrote"};

bool begins_with_digit(std::string_view word) { return !word.empty() && word[0] >= '0' && word[0] <= '9'; }

void write_tensor(const Tensor& tensor, graph::Tensor& out) {
  out.set_dtype(static_cast<uint32_t>(tensor.dtype));
  for (int64_t dim : tensor.shape.dims()) out.add_dims(dim);
  if (tensor.dtype == DType::string) {
    for (const Str& text : tensor.entries<Str>()) out.add_strings(text.data, text.size);
  } else {
    out.set_entries(tensor.data, tensor.byte_size());
  }
}

Result<Tensor> read_tensor(const graph::Tensor& in) {
  if (in.dtype() < static_cast<uint32_t>(DType::boolean) ||
      in.dtype() > static_cast<uint32_t>(DType::string)) {
    return invalid_argument(
        concat("a serialized tensor has the dtype number ", in.dtype(), ", which is unknown"));
  }
  auto dtype = static_cast<DType>(in.dtype());
  if (in.dims_size() > kMaxRank) {
    return invalid_argument(concat("a serialized tensor has ", in.dims_size(), " dimensions; at most ",
                                   kMaxRank, " are possible"));
  }
  std::vector<int64_t> dims(in.dims().begin(), in.dims().end());
  int64_t count = checked_count(dims);
  // The entries that are there bound what is allocated.
  int64_t there = dtype == DType::string ? in.strings_size()
                                         : static_cast<int64_t>(in.entries().size() / dtype_size(dtype));
  bool exact = dtype == DType::string
                   ? in.entries().empty()
                   : in.strings_size() == 0 && in.entries().size() % dtype_size(dtype) == 0;
  Shape shape{std::span<const int64_t>(dims)};
  if (count < 0 || count != there || !exact) {
    return invalid_argument(
        concat("a serialized tensor of shape ", shape.to_string(), " has ", there, " entries"));
  }
  if (dtype == DType::string) {
    std::vector<std::string_view> texts(in.strings().begin(), in.strings().end());
    return Tensor::strings(texts, shape);
  }
  Tensor tensor = Tensor::allocate(dtype, shape);
  if (count > 0) std::memcpy(tensor.data, in.entries().data(), in.entries().size());
  return tensor;
}

Result<HandedValue> read_value(const graph::Value& in) {
  WEIR_ASSIGN(Spec spec, syntax::read_spec(in.spec()));
  HandedValue value;
  value.spec = std::move(spec);
  for (const graph::Tensor& component : in.components()) {
    WEIR_ASSIGN(Tensor tensor, read_tensor(component));
    value.values.push_back(std::move(tensor));
  }
  WEIR_TRY(check_value(value.spec, value.values));
  return value;
}

Status read_handed(const graph::Handed& in, const Handed& callbacks, Handed& out) {
  if (!is_identifier(in.word()) && !begins_with_digit(in.word())) {
    return invalid_argument(
        concat("a serialized graph hands in something under ", quote(in.word()), ", which is no name"));
  }
  HandedThing thing;
  if (in.has_value()) {
    WEIR_ASSIGN(thing, read_value(in.value()));
  } else {
    auto found = callbacks.find(in.word());
    if (found == callbacks.end() || !std::holds_alternative<CallbackRef>(found->second)) {
      return not_found(concat("the serialized graph calls the callback @", in.word(),
                              ", which is not registered; register it under this name first"));
    }
    thing = found->second;
  }
  if (!out.emplace(in.word(), std::move(thing)).second) {
    return invalid_argument(concat("a serialized graph hands in @", in.word(), " twice"));
  }
  return {};
}

}  // namespace

Result<std::string> Document::serialize() const {
  Canonical tree = canonical(*this);
  graph::Graph out;
  out.set_text(syntax::print(*tree.root));
  for (const auto& [word, thing] : tree.handed) {
    graph::Handed* entry = out.add_handed();
    entry->set_word(word);
    if (const auto* value = std::get_if<HandedValue>(&thing)) {
      entry->mutable_value()->set_spec(value->spec.to_string());
      for (const Tensor& tensor : value->values) {
        if (tensor.dtype == DType::dataset) {
          return failed_precondition(
              "a value that holds a dataset cannot be serialized; hand the dataset in by itself");
        }
        write_tensor(tensor, *entry->mutable_value()->add_components());
      }
      continue;
    }
    if (begins_with_digit(word)) {
      return failed_precondition(
          concat("the callback @", word,
                 " has no name, so that the graph cannot be serialized; hand it in under a registered name"));
    }
    entry->mutable_callback();
  }
  for (const auto& [first, second] : drawn_seeds(root_->sites())) {
    out.add_seeds(first);
    out.add_seeds(second);
  }
  if (out.ByteSizeLong() > INT32_MAX) {
    return resource_exhausted(
        concat("the graph holds ", out.ByteSizeLong(), " bytes of tensors; at most 2 GiB can be serialized"));
  }
  return enclose(kEnvelope, out.SerializeAsString());
}

Result<DocumentRef> deserialize_document(Runtime& runtime, std::string_view bytes, const Handed& callbacks) {
  WEIR_ASSIGN(const std::string_view message, open_envelope(kEnvelope, bytes));
  graph::Graph in;
  if (message.size() > INT32_MAX || !in.ParseFromArray(message.data(), static_cast<int>(message.size()))) {
    return invalid_argument(concat("these ", bytes.size(), " bytes hold no serialized graph"));
  }
  Handed handed;
  for (const graph::Handed& entry : in.handed()) WEIR_TRY(read_handed(entry, callbacks, handed));
  // Functions of the host are called by their names alone.
  for (const auto& [name, thing] : callbacks) {
    const auto* callback = std::get_if<CallbackRef>(&thing);
    if (callback != nullptr && (*callback)->signature() != nullptr) handed.emplace(name, thing);
  }
  SeedPairs seeds;
  for (int i = 0; i + 1 < in.seeds_size(); i += 2) seeds.emplace_back(in.seeds(i), in.seeds(i + 1));
  WEIR_ASSIGN(DocumentRef document,
              build_with_draws(
                  runtime, seeds, [&](Runtime& same) { return parse_document(same, in.text(), handed); },
                  [](const DocumentRef& built) -> const Sites& { return built->root()->sites(); }));
  const size_t drawn = 2 * drawn_seeds(document->root()->sites()).size();
  if (static_cast<size_t>(in.seeds_size()) == drawn) return document;
  return invalid_argument(
      expected_found(concat("a serialized graph with ", drawn, " numbers for the seeds that it leaves open"),
                     concat(in.seeds_size())));
}

}  // namespace weir

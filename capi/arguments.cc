#include "capi/arguments.h"

#include <cstddef>
#include <new>

#include "capi/callback.h"
#include "capi/dataset_object.h"
#include "capi/generator.h"
#include "capi/tensor.h"
#include "core/exception.h"
#include "syntax/source.h"

namespace weir::capi {

namespace {

HandedValue value_of(Tensor tensor) {
  Spec spec = Spec::tensor(tensor.dtype, tensor.shape);
  return HandedValue{std::move(spec), {std::move(tensor)}};
}

// The first weir_argument, and the one that size 0 stands for: arrays of {0} lie that far apart.
constexpr size_t kFirstArgumentBytes = offsetof(weir_argument, generator);
constexpr size_t kArgumentBytesOfZero = offsetof(weir_argument, generator) + sizeof(const weir_generator*);

}  // namespace

TakenArguments::TakenArguments(const weir_argument* arguments, uint64_t count) {
  if (count == 0) return;
  if (!arguments || count > kMaxArguments) {
    status_ = invalid_argument(expected_found(concat("at most ", kMaxArguments, " arguments"),
                                              concat(count, arguments ? "" : " at NULL")));
    return;
  }
  // Elements are spaced by the size of the caller's version of the struct. Every one is read, even after a
  // failure, since its callback has to be destroyed.
  const uint32_t stride = bytes_of_struct(arguments->struct_size, kArgumentBytesOfZero);
  const auto* bytes = reinterpret_cast<const char*>(arguments);
  for (uint64_t i = 0; i < count; ++i) {
    const auto* given = reinterpret_cast<const weir_argument*>(bytes + i * stride);
    weir_argument known = WEIR_ARGUMENT_INIT;
    Status status = read_struct("weir_argument", given, kFirstArgumentBytes, kArgumentBytesOfZero, known);
    if (status.ok() && given->struct_size != arguments->struct_size) {
      status =
          invalid_argument("expected all weir_arguments of a call to have one struct_size, found several");
    }
    const bool readable =
        given->struct_size == arguments->struct_size && is_struct_size(stride, kFirstArgumentBytes);
    if (readable) {
      try {
        const Status taken = take(known);
        if (status.ok()) status = taken;
      } catch (const std::bad_alloc&) {
        status = Status(out_of_memory());
      }
    }
    if (!status.ok() && status_.ok()) status_ = status;
    if (!readable) return;
  }
}

Status TakenArguments::take(const weir_argument& known) {
  // Both are taken over before either is refused.
  Result<CallbackRef> function = known.callback ? take_callback(known.callback) : CallbackRef();
  Result<CallbackRef> generator = known.generator ? take_generator(known.generator) : CallbackRef();
  WEIR_TRY(function.status());
  WEIR_TRY(generator.status());
  CallbackRef callback = *function ? *std::move(function) : *std::move(generator);
  // A size alone means that a text was intended.
  const bool has_text = known.text != nullptr || known.text_size > 0;
  int given = has_text + (known.callback != nullptr) + (known.dataset.value != 0) +
              (known.tensor.value != 0) + (known.generator != nullptr);
  if (given != 1) {
    return invalid_argument(
        expected_found("a weir_argument with one of text, callback, dataset, tensor and generator",
                       concat(given, " of them")));
  }
  WEIR_ASSIGN(std::string_view name, read_string(known.name, known.name_size, "a name", kMaxNameBytes));
  const bool is_function = callback && callback->signature() != nullptr;
  if (is_function && is_identifier(name)) WEIR_TRY(check_function_name(name));
  TakenArgument argument{std::string(name), std::string()};
  if (has_text) {
    WEIR_ASSIGN(std::string_view text,
                read_string(known.text, known.text_size, "a text", syntax::kMaxSourceBytes));
    argument.value = std::string(text);
  } else if (callback) {
    argument.value = HandedThing(std::move(callback));
  } else if (known.dataset.value != 0) {
    WEIR_ASSIGN(DocumentRef document, document_of(known.dataset));
    argument.value = HandedThing(std::move(document));
  } else {
    WEIR_ASSIGN(Tensor tensor, tensor_of(known.tensor));
    argument.value = HandedThing(value_of(std::move(tensor)));
  }
  list_.push_back(std::move(argument));
  return Status();
}

Result<Handed> handed_of(const TakenArguments& arguments, Handed registered) {
  WEIR_TRY(arguments.status());
  Handed out = std::move(registered);
  Handed given;
  for (const TakenArgument& argument : arguments.list()) {
    const auto* text = std::get_if<std::string>(&argument.value);
    HandedThing thing =
        text ? HandedThing(value_of(Tensor::string(*text))) : std::get<HandedThing>(argument.value);
    if (!given.try_emplace(argument.name, thing).second) {
      return invalid_argument(expected_found(concat("one argument named ", quote(argument.name)), "two"));
    }
    out.insert_or_assign(argument.name, std::move(thing));
  }
  return out;
}

Result<std::vector<ParamValue>> params_of(const TakenArguments& arguments) {
  WEIR_TRY(arguments.status());
  std::vector<ParamValue> out;
  for (const TakenArgument& argument : arguments.list()) {
    if (const auto* text = std::get_if<std::string>(&argument.value)) {
      out.push_back({argument.name, *text});
      continue;
    }
    const auto* value = std::get_if<HandedValue>(&std::get<HandedThing>(argument.value));
    if (!value) {
      return invalid_argument(expected_found(concat("a text or a tensor for $", argument.name),
                                             "a callback, a generator or a dataset"));
    }
    out.push_back({argument.name, *value});
  }
  return out;
}

}  // namespace weir::capi

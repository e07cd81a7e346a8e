#include "capi/arguments.h"

#include <cstddef>
#include <new>

#include "capi/arrow_stream.h"
#include "capi/callback.h"
#include "capi/dataset_object.h"
#include "capi/generator.h"
#include "capi/runtime.h"
#include "capi/tensor.h"
#include "core/exception.h"
#include "syntax/source.h"

namespace weir::capi {

namespace {

HandedValue value_of(Tensor tensor) {
  Spec spec = Spec::tensor(tensor.dtype, tensor.shape);
  return HandedValue{std::move(spec), {std::move(tensor)}};
}

// The first weir_argument, and the one that size 0 means: arrays of {0} are spaced by it.
constexpr size_t kFirstArgumentBytes = offsetof(weir_argument, generator);
constexpr size_t kArgumentBytesOfZero = offsetof(weir_argument, arrow) + sizeof(ArrowArrayStream*);

}  // namespace

TakenArguments::TakenArguments(const weir_argument* arguments, uint64_t count, weir_runtime runtime)
    : runtime_(runtime) {
  const uint32_t size = count > 0 && arguments ? arguments->struct_size : 0;
  take_all(arguments, count, size, 0, list_);
}

void TakenArguments::take_all(const weir_argument* arguments, uint64_t count, uint32_t size, int depth,
                              std::vector<Argument>& out) {
  const auto refuse = [this](const Status& status) {
    if (status_.ok()) status_ = status;
  };
  if (count == 0) return;
  const bool too_deep = depth > kMaxArgumentDepth;
  if (!arguments || too_deep || count > kMaxArguments - count_) {
    return refuse(invalid_argument(
        expected_found(concat("at most ", kMaxArguments, " arguments in ", kMaxArgumentDepth, " levels"),
                       !arguments ? concat(count, " at NULL")
                       : too_deep ? concat(count, " deeper")
                                  : concat(count_ + count, " or more; pass values as one tensor"))));
  }
  count_ += count;
  // Elements are spaced by the size of the caller's version of the struct. Every one is read, even after a
  // failure, since its callback has to be destroyed.
  const uint32_t stride = bytes_of_struct(size, kArgumentBytesOfZero);
  const auto* bytes = reinterpret_cast<const char*>(arguments);
  for (uint64_t i = 0; i < count; ++i) {
    const auto* given = reinterpret_cast<const weir_argument*>(bytes + i * stride);
    weir_argument known = WEIR_ARGUMENT_INIT;
    Status status = read_struct("weir_argument", given, kFirstArgumentBytes, kArgumentBytesOfZero, known);
    if (status.ok() && given->struct_size != size) {
      status =
          invalid_argument("expected all weir_arguments of a call to have one struct_size, found several");
    }
    const bool readable = given->struct_size == size && is_struct_size(stride, kFirstArgumentBytes);
    if (readable) {
      const auto guarded = [&status](auto&& body) {
        try {
          const Status result = body();
          if (status.ok()) status = result;
        } catch (const std::bad_alloc&) {
          status = Status(out_of_memory());
        }
      };
      Argument taken;
      guarded([&] { return take(known, taken); });
      take_all(known.members, known.member_count, size, depth + 1, taken.members);
      guarded([&] {
        out.push_back(std::move(taken));
        return Status();
      });
    }
    if (!status.ok()) refuse(status);
    if (!readable) return;
  }
}

Status TakenArguments::take(const weir_argument& known, Argument& out) {
  // All are taken over before one is refused.
  ArrowStream stream(known.arrow);
  Result<CallbackRef> function = known.callback ? take_callback(known.callback) : CallbackRef();
  Result<CallbackRef> generator = known.generator ? take_generator(known.generator) : CallbackRef();
  WEIR_TRY(function.status());
  WEIR_TRY(generator.status());
  CallbackRef callback = *function ? *std::move(function) : *std::move(generator);
  static_assert(uint32_t{WEIR_VALUE_JOINED} == static_cast<uint32_t>(Argument::Kind::joined));
  if (known.kind > WEIR_VALUE_JOINED) return invalid_argument("weir_argument.kind is no WEIR_VALUE_...");
  out.kind = static_cast<Argument::Kind>(known.kind);
  out.number = known.number;
  // A size alone means that a text was intended.
  const bool text_given = known.text != nullptr || known.text_size > 0;
  const int things = (known.callback != nullptr) + (known.dataset.value != 0) + (known.tensor.value != 0) +
                     (known.generator != nullptr) + (known.arrow != nullptr);
  if (known.kind == 0 && things + text_given != 1) {
    return invalid_argument(
        expected_found("a weir_argument with one of text, callback, dataset, tensor, generator and arrow",
                       concat(things + text_given, " of them")));
  }
  const bool may_have_text = known.kind <= WEIR_VALUE_STRING || known.kind >= WEIR_VALUE_CALL;
  if ((known.kind != 0 && things > 0) || (text_given && !may_have_text) ||
      (known.member_count > 0 && known.kind < WEIR_VALUE_LIST)) {
    return invalid_argument("expected a weir_argument with nothing but what its kind has, found more");
  }
  WEIR_ASSIGN(std::string_view name, read_string(known.name, known.name_size, "a name", kMaxNameBytes));
  out.name = std::string(name);
  const bool is_function = callback && callback->signature() != nullptr;
  if (is_function && !name.empty() && name[0] == '@') name.remove_prefix(1);
  if (is_function && is_identifier(name)) WEIR_TRY(check_function_name(name));
  if (text_given) {
    WEIR_ASSIGN(std::string_view text,
                read_string(known.text, known.text_size, "a text", syntax::kMaxSourceBytes));
    out.text = std::string(text);
    return {};
  }
  if (things == 0) return {};
  out.kind = Argument::Kind::handed;
  if (callback) {
    out.thing = std::move(callback);
  } else if (known.dataset.value != 0) {
    WEIR_ASSIGN(out.thing, document_of(known.dataset));
  } else if (known.arrow) {
    if (runtime_.value == 0 || !status_.ok()) return {};
    WEIR_ASSIGN(RefPtr<RuntimeHost> host, runtime_of(runtime_));
    WEIR_ASSIGN(out.thing, stream.rows(host->runtime()));
  } else {
    WEIR_ASSIGN(Tensor tensor, tensor_of(known.tensor));
    out.thing = value_of(std::move(tensor));
  }
  return {};
}

Result<Handed> handed_of(const TakenArguments& arguments, Handed registered) {
  WEIR_TRY(arguments.status());
  Handed out = std::move(registered);
  Handed given;
  for (const Argument& argument : arguments.list()) {
    const bool text = argument.kind == Argument::Kind::text || argument.kind == Argument::Kind::string;
    if (!text && argument.kind != Argument::Kind::handed) {
      return invalid_argument(
          concat("expected a string, tensor, dataset, callback or generator as @", argument.name));
    }
    HandedThing thing = text ? HandedThing(value_of(Tensor::string(argument.text))) : argument.thing;
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
  for (const Argument& argument : arguments.list()) {
    if (const auto* value = std::get_if<HandedValue>(&argument.thing)) {
      out.push_back({argument.name, *value});
    } else if (auto text = text_of(argument)) {
      out.push_back({argument.name, *std::move(text)});
    } else {
      return invalid_argument(expected_found(concat("a text, a tensor or a value for $", argument.name),
                                             "a callback, a generator or a dataset"));
    }
  }
  return out;
}

}  // namespace weir::capi

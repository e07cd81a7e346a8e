// bitwise_and, bitwise_or, bitwise_xor, shift_left and shift_right of integers, with broadcasting. A shift by
// a negative amount or by the width and more is an error of the element.
#include "core/text.h"
#include "expr/kernels/shared/infer.h"

namespace weir {

namespace {

struct BitAnd {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};

struct BitOr {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};

struct Xor {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};

template <class T>
bool is_amount(T b) {
  using Unsigned = std::make_unsigned_t<T>;
  return static_cast<Unsigned>(b) < sizeof(T) * 8;
}

struct ShiftLeft {
  template <class T>
  static const char* check(T, T b) {
    return is_amount(b) ? nullptr : "shift_left: expected an amount from 0 to below the width of the dtype";
  }
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << b);
  }
};

struct ShiftRight {
  template <class T>
  static const char* check(T, T b) {
    return is_amount(b) ? nullptr : "shift_right: expected an amount from 0 to below the width of the dtype";
  }
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a >> b);
  }
};

Status check_integer(const KernelCall& call) {
  if (is_integer(call.dtype(0))) return Status();
  const char* hint = call.dtype(0) == DType::boolean ? "for bools write and, or, !=" : "";
  return call.error(0, expected_found("an integer dtype", dtype_name(call.dtype(0)), hint));
}

template <class F>
Status bitwise_infer(KernelCall& call) {
  WEIR_TRY(check_integer(call));
  return infer_binary<Integers, F>(call, "an integer dtype");
}

// Amounts that are known and good need no check of each entry.
template <class F>
Status shift_infer(KernelCall& call) {
  WEIR_TRY(check_integer(call));
  WEIR_TRY((infer_binary<Integers, F>(call, "an integer dtype")));
  const Tensor* amount = call.constant(1);
  bool good = amount != nullptr;
  visit<Integers>(call.dtype(0), [&]<class T>() {
    if (amount != nullptr) {
      for (const T& entry : amount->entries<const T>()) good = good && is_amount(entry);
    }
    if (!good) call.body(checked_body<F, T, T, T>);
  });
  call.set_can_fail(!good || may_not_broadcast(call));
  return Status();
}

constexpr std::initializer_list<KernelParam> kShiftParams = {
    {.name = "a", .type = "T"}, {.name = "b", .type = "T", .doc = "The number of bits."}};

}  // namespace

extern constinit const Kernel bitwise_and_kernel =
    of_both({.name = "bitwise_and",
             .infer = bitwise_infer<BitAnd>,
             .doc = "The bitwise and of two integers.",
             .example = "from_tensors(bitwise_and([12, -1], 10))",
             .output = "[8, 10]",
             .bench = "bitwise_and(n, 255)"});

extern constinit const Kernel bitwise_or_kernel =
    of_both({.name = "bitwise_or",
             .infer = bitwise_infer<BitOr>,
             .doc = "The bitwise or of two integers.",
             .example = "from_tensors(bitwise_or([12, -1], 10))",
             .output = "[14, -1]",
             .bench = "bitwise_or(n, 255)"});

extern constinit const Kernel bitwise_xor_kernel =
    of_both({.name = "bitwise_xor",
             .infer = bitwise_infer<Xor>,
             .doc = "The bitwise exclusive or of two integers.",
             .example = "from_tensors(bitwise_xor([12, -1], 10))",
             .output = "[6, -11]",
             .bench = "bitwise_xor(n, 255)"});

extern constinit const Kernel shift_left_kernel{
    .name = "shift_left",
    .params = kShiftParams,
    .infer = shift_infer<ShiftLeft>,
    .doc =
        "Shifts the bits of `a` left by `b`. Zeros fill the low bits. A negative amount, or one of the width of the dtype and more, is an error of the element.",
    .result = "The operands' dtype and broadcast shape.",
    .cost = "One vectorised pass over the entries. A check of each entry if the amount is not constant.",
    .example = "from_tensors(shift_left([1, 5], 3))",
    .output = "[8, 40]",
    .bench = "shift_left(n, 3)",
    .can_fail = true};

extern constinit const Kernel shift_right_kernel{
    .name = "shift_right",
    .params = kShiftParams,
    .infer = shift_infer<ShiftRight>,
    .doc =
        "Shifts the bits of `a` right by `b`. Copies of the sign fill the high bits, or zeros for unsigned dtypes. A negative amount, or one of the width of the dtype and more, is an error of the element.",
    .result = "The operands' dtype and broadcast shape.",
    .cost = "One vectorised pass over the entries. A check of each entry if the amount is not constant.",
    .example = "from_tensors(shift_right([100, -16], 2))",
    .output = "[25, -4]",
    .bench = "shift_right(n, 3)",
    .can_fail = true};

}  // namespace weir

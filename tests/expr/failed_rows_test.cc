// Calls each function over blocks with failed rows: the other rows have the values that they have alone,
// whether their columns are dense or lists, and `drop` finds the same failures.
#include <map>
#include <set>

#include "expr/harness.h"
#include "support/sanitized.h"
#include "support/test_data.h"

namespace weir::test {

namespace {

// An image of one pixel in every other row.
const char* const kBmpOrNot =
    "decode_bmp((if I % 2 == 0 then \"none \" else \"BM:\") + \"\\x00\\x00\\x00\\x00\\x00\\x00\\x006\\x00\\x00\\x00("
    "\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x01\\x00\\x18\\x00\\x00\\x00\\x00\\x00\\x04\\x00\\x00\\x00"
    "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x02\\x03\\x00\")";

// Calls by kernel; I, S, F, V, M and T stand for variables of a row that may have failed: an int64, a string,
// float32[3], int64[2], int64[2, 3] and float32[?], whose length differs between rows.
const std::multimap<std::string, std::string> kCalls = {
    {"all", "all(V > 2)"},
    {"any", "any(M == 7, axis: 0)"},
    {"arange", "arange(I)"},
    {"argmax", "(argmax(M, axis: 1), argmax(V))"},
    {"argmin", "argmin(F)"},
    {"+", "(I + V, V + I, M + I, F + F)"},
    {"-", "(I - V, F - float32(I))"},
    {"*", "(I * V, V * I, T * float32(I), float32(I) * T, M * V[0])"},
    {"assert", "assert(I != 3, \"three\", (V, S))"},
    {"bitcast", "(bitcast(I, uint8), bitcast(V, int16), bitcast(I, float64), bitcast(T, uint8))"},
    {"bitcast", "(bitcast(bitcast(I, uint8), int64), bitcast(V[1:], uint32), bitcast(F, int32))"},
    {"cast", "(uint8(V), float16(F), float64(I), bool(T))"},
    {"clip", "(clip(V, 1, I), clip(F, 0.5, float32(I)))"},
    {"concat", "(concat([V, V]), concat([M, M], axis: 1), concat([T, F]))"},
    {"stack", "(stack([V, V], axis: 1), stack([S, \"b\"]))"},
    {"decode_base64", "decode_base64([encode_base64(S), \"YQ==\"])"},
    {"encode_base64", "encode_base64(S)"},
    {"decode_compressed",
     "decode_compressed(if I > 3 then \"x\\x9cK\\xcb\\xccK\\x05\\x00\\x04\\x18\\x01\\xa3\" else S, \"zlib\")"},
    {"decode_csv",
     "decode_csv(if I > 5 then \"1,a\" else if I > 3 then \",b\" else if I > 1 then \"0,\" else S, [9, \"d\"])"},
    {"decode_padded_raw", "(decode_padded_raw(S, 16, int32), decode_padded_raw([S, \"b\"], I * 2, uint16))"},
    {"decode_npy",
     R"(decode_npy(string_join(["\x93NUMPY\x01\x00\x3a\x00{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n", substr(as_string(I + 100), 0, 2)]), uint8))"},
    {"parse_json",
     R"(parse_json(string_join(["{\"a\": ", as_string(I), "}"]), {a: int64, b: string = "c"}))"},
    {"decode_raw", "(decode_raw(S, uint8), decode_raw(S, int16))"},
    {"/", "(I / 3, V / I, float32(I) / F)"},
    {"example", "example({a: I, t: T, s: S, m: M})"},
    {"sequence_example", "sequence_example({i: I, s: S}, {m: M, t: T, r: ragged(V, [0, 1, 2])})"},
    {"full", "(full([I], S), full([2, 2], I))"},
    {"ones", "ones([I])"},
    {"ones_like", "(ones_like(M), ones_like(T))"},
    {"zeros", "zeros([I, 2], dtype: uint8)"},
    {"zeros_like", "zeros_like(T)"},
    {"//", "(12 // I, V // I, F // 0.3)"},
    {"%", "(12 % I, V % I, F % 0.3)"},
    {"[]", "([I, 4], [V, V], [S, \"z\"])"},
    {"==", "(V == I, S == \"\")"},
    {"!=", "I != V"},
    {"<", "V < I"},
    {"<=", "I <= V"},
    {">", "(F > 2.5, S > \"\\x0a\\x0c\\x0a\\x0a\\x0a\\x01a\\x12\\x05\\x1a\\x03\\x0a\\x01\\x04\")"},
    {">=", "M >= V[0]"},
    {"and", "I > 2 and V > 3"},
    {"or", "V > 3 or I > 2"},
    {"not", "not (V > 3)"},
    {"bitwise_and", "bitwise_and(V, I)"},
    {"bitwise_or", "bitwise_or(M, I)"},
    {"bitwise_xor", "bitwise_xor(I, V)"},
    {"shift_left", "(shift_left(V, I), shift_left(M, 2))"},
    {"shift_right", "(shift_right(M, I), shift_right(I, 1))"},
    {"cos", "cos(T * 1e6)"},
    {"expm1", "expm1(F)"},
    {"is_finite", "is_finite(T)"},
    {"is_nan", "is_nan(F)"},
    {"log1p", "log1p(T)"},
    {"reciprocal", "reciprocal(T)"},
    {"rsqrt", "rsqrt(F)"},
    {"sigmoid", "sigmoid(T)"},
    {"sin", "(sin(T), sin(F * 1e6))"},
    {"tan", "tan(F)"},
    {"tanh", "tanh(T)"},
    {"abs", "abs(V)"},
    {"ceil", "ceil(F)"},
    {"exp", "(exp(F), exp(T))"},
    {"floor", "floor(T)"},
    {"log", "log(F)"},
    {"negative", "(-I, -T)"},
    {"round", "round(F)"},
    {"sign", "sign(V)"},
    {"sqrt", "sqrt(F)"},
    {"square", "square(T)"},
    {"max", "(max(M, axis: 0), max(T))"},
    {"min", "(min(M), min(V))"},
    {"minimum", "minimum(V, I)"},
    {"maximum", "maximum(I, V)"},
    {"one_hot", "(one_hot(I, 5), one_hot(V, 9))"},
    {"parse_example", "parse_example(S, {a: int64 = 7, b: string = \"x\"})"},
    {"parse_tensor", "parse_tensor(serialize_tensor(T), float32)"},
    {"parse_tensor", "parse_tensor(if I % 3 == 1 then S else serialize_tensor([S, \"b\"]), string)"},
    {"serialize_tensor", "(serialize_tensor(T), serialize_tensor(S), serialize_tensor(M))"},
    {"parse_example", "parse_example(S, {a: varlen(int64), b: sequence(float32[2]), c: ragged(string)})"},
    {"parse_sequence_example",
     "parse_sequence_example(S, {a: int64 = 7}, {b: sequence(int64, allow_missing: true), c: varlen(string)})"},
    {"**", "(I ** 2, F ** float32(I))"},
    {"pow", "pow(V, I)"},
    {"random_bool", "random_bool(1.0 / float32(I % 4), seed: 5)"},
    {"random_crop",
     "(random_crop(M, [1, 2], seed: 5), random_crop(T, [size(T) // 2], seed: 6), random_crop(V, [I % 4], seed: 7))"},
    {"random_normal",
     "(random_normal([3], seed: 5), random_normal([I], float64(I), dtype: float64, seed: 6))"},
    {"random_shuffle",
     "(random_shuffle(T, seed: 5), random_shuffle(M, seed: 5), random_shuffle(stack([S, \"z\"]), seed: 6))"},
    {"random_uniform", "(random_uniform([3], seed: 5), random_uniform([I], max: 99, dtype: int64, seed: 6))"},
    {"read_file", "read_file(if I > 3 then \"" + test_data("records/people.tfrecord") + "\" else S)"},
    {"adjust_brightness", "(adjust_brightness(F, float32(I)), adjust_brightness(M, 0.5))"},
    {"adjust_contrast", "adjust_contrast(reshape(T, [1, -1, 1]), float32(I))"},
    {"adjust_hue",
     "(adjust_hue(reshape(F, [1, 1, 3]), 0.1 * float32(I)), adjust_hue(uint8(M[newaxis]), 0.3))"},
    {"adjust_saturation", "adjust_saturation(reshape(F, [1, 1, 3]), 0.3 * float32(I))"},
    {"random_brightness", "random_brightness(T, 2.0 - float32(I % 4), seed: 5)"},
    {"random_contrast", "random_contrast(reshape(T, [1, -1, 1]), 0.5, float32(I % 3), seed: 5)"},
    {"random_hue", "random_hue(stack([T, T, T * 0.5], axis: 1)[newaxis], 0.1, seed: 5)"},
    {"random_saturation", "random_saturation(reshape(F, [1, 1, 3]), 0.5, float32(I % 3), seed: 5)"},
    {"grayscale_to_rgb", "(grayscale_to_rgb(reshape(T, [-1, 1])), grayscale_to_rgb(S[newaxis]))"},
    {"hsv_to_rgb", "hsv_to_rgb(stack([T, T, T], axis: 1))"},
    {"rgb_to_grayscale", "(rgb_to_grayscale(M), rgb_to_grayscale(stack([T, T, T], axis: 1)))"},
    {"rgb_to_hsv", "(rgb_to_hsv(F), rgb_to_hsv(stack([T, T, T * 0.5], axis: 1)))"},
    {"flip_left_right", "(flip_left_right(reshape(T, [1, -1, 1])), flip_left_right(reshape(M, [1, 2, 3])))"},
    {"flip_up_down",
     "(flip_up_down(reshape(T, [-1, 1, 1])), flip_up_down(reshape(stack([S, \"z\"]), [2, 1, 1])))"},
    {"random_flip_left_right", "random_flip_left_right(reshape(T, [1, -1, 1]), seed: 5)"},
    {"random_flip_up_down", "random_flip_up_down(reshape(M, [2, 3, 1, 1]), seed: 5)"},
    {"reshape", "(reshape(M, [3, 2]), reshape(M, [-1]), reshape(T, [-1, 1]), reshape(V, [I // I, 2]))"},
    {"reshape", "(reshape(S, [1]), reshape(M, [I, -1]))"},
    {"rank", "rank(T) + I"},
    {"shape", "(shape(T), shape(T)[0] + I)"},
    {"size", "size(T) * I"},
    {"expand_dims", "(expand_dims(I, 0), expand_dims(V, -1), expand_dims(S, 0), expand_dims(T, 1))"},
    {"squeeze", "(squeeze(expand_dims(M, 1)), squeeze(expand_dims(T, 0), axis: 0))"},
    {"string_length", "string_length(S)"},
    {"substr", "(substr(S, I, 3), substr([S, \"abcdefghi\"], V, I))"},
    {"string_join",
     "(string_join([S, \"b\", S], separator: \"-\"), string_join([as_string(T), S], separator: S))"},
    {"string_split", "(string_split(S), string_split(S, sep: \"q\"))"},
    {"lower", "lower(as_string(T))"},
    {"upper", "(upper(S), upper([S, \"z\"]))"},
    {"strip", "strip(S)"},
    {"regex_match", "(regex_match(S, \"(?s).*qq\"), regex_match(S, as_string(I)))"},
    {"regex_replace",
     "(regex_replace(S, \"q\", \"..\"), regex_replace(as_string(T), \"\\\\d\", as_string(I)))"},
    {"to_number", "(to_number(as_string(T)), to_number(as_string([I, I * 40]), int8))"},
    {"as_string", "(as_string(I), as_string(T), as_string(V > 3), as_string(S))"},
    {"hash_bucket", "(hash_bucket(S, 100), hash_bucket([S, \"x\"], I - 2))"},
    {"lookup", "(lookup(as_string(V), [\"4\", \"5\"], I), lookup(S, [S, \"x\"], 0))"},
    {"count_nonzero", "(count_nonzero(M % I), count_nonzero(T, axis: 0), count_nonzero(stack([S, \"\"])))"},
    {"cumsum", "(cumsum(V), cumsum(M, axis: 1, reverse: true), cumsum(T, exclusive: true))"},
    {"saturate_cast", "(saturate_cast(V * 100, uint8), saturate_cast(T, int16))"},
    {"std", "(std(F), std(T), std(float32(M), axis: 0))"},
    {"variance", "(variance(F), variance(T), variance(float32(M), axis: 1, keepdims: true))"},
    {"argsort", "(argsort(T), argsort(M, axis: 0), argsort(V, descending: true))"},
    {"boolean_mask",
     "(boolean_mask(M, M > I), boolean_mask(T, T > 1.0), boolean_mask(M, V > 3), boolean_mask(M[0], [true, false, true]))"},
    {"bucketize", "(bucketize(T, [0.5, 3.0]), bucketize(V, [2, 4]))"},
    {"gather",
     "(gather(M, [1, 0, 1]), gather(T, I // 4), gather(V, V % 2), gather(stack([S, \"a\"]), [1, 0, 0]))"},
    {"gather", "(gather(arange(5), I), gather(M, [[2], [0]], axis: -1))"},
    {"matmul",
     "(matmul(M, transpose(M)), matmul(expand_dims(F, 0), expand_dims(F, 1)), matmul(M, [[I], [1], [2]]))"},
    {"matmul", "matmul(expand_dims(T, 1), expand_dims(T, 0))"},
    {"searchsorted",
     "(searchsorted(sort(T), F), searchsorted(V, M), searchsorted([2, 4], V, side: \"right\"))"},
    {"sort", "(sort(T, descending: true), sort(M), sort(M, axis: 0), sort(V))"},
    {"top_k", "(top_k(T, 1), top_k(M, 2), top_k(arange(5), I))"},
    {"unique", "(unique(V), unique(reshape(M, [-1])), unique(stack([S, \"a\", S])), unique(T))"},
    {"broadcast_to", "(broadcast_to(V, [2, 2]), broadcast_to(I, [I, 2]), broadcast_to(S, [2]))"},
    {"ensure_shape",
     "(ensure_shape(T, [none]), ensure_shape(arange(I // 4), [0]), ensure_shape(M, [none, 3]))"},
    {"eye", "(eye(I), eye(I - 2, dtype: uint8))"},
    {"pad", "(pad(V, [[1, 2]], value: I), pad(T, [[1, 0]], \"symmetric\"), pad(M, stack([[I, 0], V])))"},
    {"pad", "pad(arange(4), expand_dims(V - 1, 0), mode: \"reflect\")"},
    {"reverse", "(reverse(M, [0, 1]), reverse(T, 0), reverse(expand_dims(S, 0), 0))"},
    {"roll", "(roll(M, V, [0, 1]), roll(T, I, 0), roll(V, 1, 0))"},
    {"split", "(split(M, 3, axis: 1), split(M, 2), split(arange(I * 2), 2), split(arange(I), 2, axis: -1))"},
    {"tile", "(tile(V, [2]), tile(M, [I - 1, 1]), tile(T, [I - 2]), tile(expand_dims(S, 0), [I]))"},
    {"transpose", "(transpose(M), transpose(expand_dims(T, 1), [1, 0]), transpose(stack([S, \"a\"])))"},
    {"unstack", "(unstack(M), unstack(M, axis: 1), unstack(stack([S, \"a\"])))"},
    {"mean", "(mean(V), mean(T))"},
    {"prod", "prod(M, axis: 1)"},
    {"sum", "(sum(M, axis: 0), sum(T), sum(V))"},
    {"sparse", "sparse([[I, 1], [I - I, 2]], V, [7, I])"},
    {"sparse", "sparse(expand_dims(V, 1), V, [6])"},
    {"indices", "indices(from_dense(M - I))"},
    {"values", "values(sparse([[I - 1], [3]], [S, \"x\"], [I + 3]))"},
    {"dense_shape", "dense_shape(from_dense(T))"},
    {"to_dense", "(to_dense(sparse([[I]], [S], [9])), to_dense(sparse([[0], [I]], V, [I + I]), default: I))"},
    {"to_dense", "to_dense(sparse([[3], [I]], V, [9]))"},
    {"from_dense", "(from_dense(M % I), from_dense(T - 1.5))"},
    {"ragged", "(ragged(V, [0, 2]), ragged(T, stack([0, size(T)])), ragged(M, stack([0, I % 3, 2])))"},
    {"to_tensor",
     "(to_tensor(ragged(M, [0, 0, 2]), default: I), to_tensor(ragged(T, stack([0, I // I, size(T)]))))"},
    {"row_lengths", "row_lengths(ragged(T, stack([0, size(T) // 2, size(T)])))"},
    {"flat_values", "flat_values(ragged(F, stack([0, I % 3, 3])))"},
    {"some", "some((I, {s: S, t: T}))"},
    {"rows", "(rows(V, v -> v * I), rows({v: V, s: M}, {v, ...e} -> {...e, w: (S, v)}))"},
    {"rows", "rows(T, t -> [t, F[0]])"},
    {"only", "only({p: M, q: T, r: S}, [\"q\", \"p\"])"},
    {"without", "without({p: S, q: T, r: (I, F)}, [\"q\"])"},
    {"nothing", "if I % 3 == 0 then some(T) else nothing(float32[?])"},
    {"has_value", "has_value(if I > 3 then some(S) else nothing(string))"},
    {"get_value", "get_value(if I > 3 then some((S, M)) else nothing((string, int64[2, 3])))"},
    {"where", "(where(V > 3, V, I), where(I > 3, F, 0.5), where(I > 2, S, \"small\"))"},
    {"decode_jpeg", "decode_jpeg(encode_jpeg(zeros([I, 3, 1], dtype: uint8)))"},
    {"decode_png", "decode_png(encode_png(uint8(reshape(M, [2, 3, 1]))), channels: 3)"},
    {"decode_bmp", kBmpOrNot},
    {"decode_gif", "decode_gif(encode_png(zeros([2, I, 3], dtype: uint8)))"},
    {"decode_image", "decode_image(encode_png(uint8(reshape(M, [1, 2, 3]))))"},
    {"decode_and_crop_jpeg",
     "decode_and_crop_jpeg(encode_jpeg(zeros([4, 9, 1], dtype: uint8)), [I % 4, I - 1, 1, 4])"},
    {"jpeg_shape", "jpeg_shape(encode_jpeg(zeros([I, 3, 1], dtype: uint8)))"},
    {"encode_jpeg", "encode_jpeg(uint8(reshape(M, [2, 1, 3])))"},
    {"encode_png", "(encode_png(uint16(reshape(M, [2, 3, 1]))), encode_png(uint8(reshape(T, [1, -1, 1]))))"},
    {"resize", "resize(reshape(M, [2, 3, 1]), [3, I % 3])"},
    {"resize",
     "(resize(reshape(T, [1, -1, 1]), [2, 2]), resize(reshape(M, [1, 2, 3]), [1, 3], \"nearest\"))"},
    {"crop", "(crop(reshape(M, [2, 3, 1]), I % 3, 0, 1, 2), crop(reshape(T, [1, -1, 1]), 0, 0, 1, 1))"},
    {"central_crop", "(central_crop(reshape(M, [2, 3, 1]), 0.5), central_crop(reshape(T, [1, -1, 1]), 0.5))"},
    {"pad_to", "(pad_to(reshape(M, [2, 3, 1]), I - 2, 0, 4, 3), pad_to(reshape(T, [1, -1, 1]), 0, 0, I, 7))"},
    {"rot90",
     "(rot90(reshape(M, [2, 3, 1])), rot90(reshape(M, [3, 2, 1]), I), rot90(reshape(T, [1, -1, 1])))"},
    {"standardize", "(standardize(reshape(M, [2, 3, 1])), standardize(reshape(T, [1, -1, 1])))"},
    {"convert_image_dtype", "(convert_image_dtype(uint8(M), float32), convert_image_dtype(T, uint8))"},
    // Not kernels, but they share and cut as well.
    {"x[…]", "(M[0], M[1, 1:], M[:, 0], M[::-1], V[I - I], V[newaxis], T[1:], S[newaxis])"},
    {"if", "if I > 3 then (V, S, T) else (V * 2, \"else\", T + 1.0)"},
    {"if", "(if I > 3 then bitcast(I, uint8) else bitcast(V[0], uint8), if I % 2 == 0 then S else \"odd\")"},
    {"let", "let w = V * I in (w, reshape(w, [2, 1]), bitcast(w, int32), (I, S))"},
};

// Which rows fail.
const char* const kPatterns[] = {".......", "x......", "......x", "..x....", "x.x.x.x",
                                 ".x.x.x.", "xxxxxx.", ".xxxxxx", "xxxxxxx", "xx..xx."};

constexpr int kRows = 7;

// The call, with each variable as a member of the tuple `a`.
std::string over_members(const std::string& call) {
  const std::string names = "ISFVMT";
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  std::string out;
  for (size_t at = 0; at < call.size(); ++at) {
    const bool alone = (at == 0 || !letter(call[at - 1])) && (at + 1 == call.size() || !letter(call[at + 1]));
    const size_t member = alone ? names.find(call[at]) : std::string::npos;
    out += member == std::string::npos ? std::string(1, call[at]) : "a." + std::to_string(member);
  }
  return out;
}

// A serialized tf.Example with an int64 `a` and an unknown field, so that lengths differ.
std::string example_literal(int value) {
  std::string out =
      "\"\\x0a\\x0c\\x0a\\x0a\\x0a\\x01a\\x12\\x05\\x1a\\x03\\x0a\\x01\\x0" + std::to_string(value);
  if (value > 1) out += "\\x1a\\x0" + std::to_string(value) + std::string(static_cast<size_t>(value), 'q');
  return out + "\"";
}

// Rows that differ in every variable. With `equal_shapes`, T has the same length in all of them.
Block rows_of(Lab& lab, const std::string& pattern, bool equal_shapes, Spec* spec) {
  std::vector<std::string> rows;
  for (int i = 0; i < kRows; ++i) {
    const std::string n = std::to_string(i + 1);
    const std::string ok = pattern[static_cast<size_t>(i)] == 'x' ? "false" : "true";
    const std::string t = equal_shapes ? "[0.5, " + n + ".25, 3.0]" : "float32(arange(" + n + ")) + 0.5";
    rows.push_back("(" + ok + ", (" + n + ", " + example_literal(i + 1) + ", [" + n + ".5, 0.5, 7.0], [" + n +
                   ", 4], [[1, " + n + ", 7], [9, 2, " + n + "]], " + t + "))");
  }
  return lab.block(rows, spec);
}

// The same rows with one tensor per row in each column.
Block as_lists(const Block& block) {
  Block out = block;
  for (size_t i = 0; i < out.columns.size(); ++i) {
    std::vector<Tensor>& list = out.columns[i].make_list();
    for (int row = 0; row < block.rows; ++row) list.push_back(block.columns[i].row(row));
  }
  return out;
}

void check_alone(Lab& lab, const Function& f, const Block& in, const Block& alone) {
  Block made;
  f.call({.session = *lab.world.session, .key = 7}, in, made);
  Block dropped;
  f.call({.session = *lab.world.session, .key = 7, .drop = true}, in, dropped);
  REQUIRE(made.rows == in.rows);
  for (int row = 0; row < in.rows; ++row) {
    INFO("row " << row);
    CHECK(dropped.failed(row) == made.failed(row));
    const bool expected = in.failed(row) || alone.failed(row);
    CHECK(made.failed(row) == expected);
    if (expected || made.failed(row)) continue;
    const Components have = made.row(row);
    const Components want = alone.row(row);
    REQUIRE(have.size() == want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      INFO("component " << i);
      CHECK(have[i].shape.to_string() == want[i].shape.to_string());
      CHECK(bit_equal(have[i], want[i]));
    }
  }
  // Code that passes rows on reads the places of failed ones, too.
  Block moved;
  moved.append(made, 0, made.rows);
  moved.append(made, 0, made.rows);
  CHECK(moved.byte_size() >= 0);
}

}  // namespace

TEST_CASE("Every function has a call here, and every call its function") {
  std::set<std::string> named;
  for (const auto& [name, call] : kCalls) named.insert(name);
  for (const char* other : {"x[…]", "if", "let"}) CHECK(named.erase(other) == 1);
  for (const Kernel* kernel : kernels()) {
    INFO(kernel->name);
    CHECK(named.erase(kernel->name) == 1);
  }
  CHECK(named.empty());
}

TEST_CASE("Rows beside failed ones have the values that they have alone") {
  Lab lab;
  size_t tried = 0;
  for (const auto& [name, call] : kCalls) {
    INFO(call);
    const std::string body = over_members(call);
    for (const bool equal_shapes : {true, false}) {
      Spec spec;
      const Block good = rows_of(lab, kPatterns[0], equal_shapes, &spec);
      Result<FunctionRef> plain = lab.compile("(_, a) -> " + body, spec);
      if (!plain.ok()) FAIL(plain.status().error().message);
      Result<FunctionRef> asserted = lab.compile("(ok, x) -> let a = assert(ok, \"m\", x) in " + body, spec);
      if (!asserted.ok()) FAIL(asserted.status().error().message);
      const Block alone = lab.run(**plain, good, 1);
      CHECK(alone.value_rows() > 2);
      for (const char* pattern : kPatterns) {
        if (++tried % sanitized_step(3) != 0) continue;
        INFO(pattern);
        const Block in = rows_of(lab, pattern, equal_shapes, &spec);
        Block expected = alone;
        Block failed_before = in;
        for (int row = 0; row < kRows; ++row) {
          if (pattern[row] != 'x') continue;
          expected.fail_row(row, invalid_argument("m").pointer());
          failed_before.fail_row(row, invalid_argument("m").pointer());
        }
        check_alone(lab, **asserted, in, expected);
        check_alone(lab, **asserted, as_lists(in), expected);
        check_alone(lab, **plain, failed_before, expected);
        check_alone(lab, **plain, as_lists(failed_before), expected);
      }
    }
  }
}

}  // namespace weir::test

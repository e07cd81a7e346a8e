#include "core/spec.h"

#include <catch2/catch_test_macros.hpp>

namespace weir {
namespace {

Spec image() { return Spec::tensor(DType::uint8, Shape{28, 28}); }
Spec label() { return Spec::tensor(DType::int64); }

Spec sparse(Shape shape) {
  Spec spec = Spec::tensor(DType::float32, shape);
  spec.kind = Spec::Kind::sparse;
  return spec;
}

TEST_CASE("Specs are written as in the notation") {
  CHECK(Spec::dict({"image", "a b"}, {image(), label()}).to_string() ==
        "{image: uint8[28, 28], \"a b\": int64}");
  CHECK(Spec::tuple({label()}).to_string() == "(int64,)");
  CHECK(Spec::tuple({}).to_string() == "()");
  CHECK(Spec::dataset(label()).to_string() == "dataset<int64>");
  CHECK(sparse(Shape{3, kUnknownDim}).to_string() == "sparse<float32>[3, ?]");
}

TEST_CASE("The flat list of components") {
  Spec spec =
      Spec::tuple({label(), Spec::dict({"s", "d"}, {sparse(Shape{3, 4}), Spec::dataset(label())}), image()});
  CHECK(spec.component_count() == 6);
  auto components = spec.components();
  REQUIRE(components.size() == 6);
  CHECK(components[1] == Component{DType::int64, Shape{kUnknownDim, 2}});
  CHECK(components[4].dtype == DType::dataset);
  CHECK(spec.child_offset(1) == 1);
  CHECK(spec.child_offset(2) == 5);
}

TEST_CASE("Dicts are equal in any order of keys") {
  Spec a = Spec::dict({"x", "y"}, {image(), label()});
  Spec b = Spec::dict({"y", "x"}, {label(), image()});
  CHECK(a == b);
  CHECK(a.check_compatible(b).ok());
  CHECK(component_order(a, b) == std::vector<int>{1, 0});
  CHECK(!(a == Spec::dict({"x", "z"}, {image(), label()})));
  CHECK(b.find("x") == 1);
  CHECK(b.find("z") == -1);
}

TEST_CASE("Components are found across nested dicts") {
  Spec from = Spec::tuple({label(), Spec::dict({"x", "s"}, {image(), sparse(Shape{2})})});
  Spec to = Spec::tuple({label(), Spec::dict({"s", "x"}, {sparse(Shape{2}), image()})});
  CHECK(component_order(from, to) == std::vector<int>{0, 2, 3, 4, 1});
}

TEST_CASE("Compatible is about shapes, not about structure and dtypes") {
  Spec known = Spec::tensor(DType::int64, Shape{3});
  Spec unknown = Spec::tensor(DType::int64, Shape{kUnknownDim});
  CHECK(known.check_compatible(unknown).ok());
  Status status = known.check_compatible(Spec::tensor(DType::int64, Shape{4}));
  CHECK(status.code() == Code::invalid_argument);
  CHECK(status.error().message == "expected int64[3], found int64[4]");
  CHECK(!known.check_compatible(Spec::tensor(DType::int32, Shape{3})).ok());
  CHECK(!known.check_compatible(Spec::tuple({known})).ok());
  CHECK(Spec::relax(known, Spec::tensor(DType::int64, Shape{4})) == unknown);
}

TEST_CASE("A structure has a bound on its parts and on how deep they stand") {
  CHECK(Spec::tuple(std::vector<Spec>(kMaxParts - 1, label())).check_size().ok());
  CHECK(Spec::tuple(std::vector<Spec>(kMaxParts - 1, label())).part_count() == kMaxParts);
  CHECK(Spec::tuple(std::vector<Spec>(kMaxParts, label())).check_size().code() == Code::invalid_argument);
  // Empty tuples have no components, but are parts.
  CHECK_FALSE(Spec::tuple(std::vector<Spec>(kMaxParts, Spec::tuple({}))).check_size().ok());
  Spec deep = label();
  for (int i = 1; i < kMaxNesting; ++i) deep = Spec::dataset(std::move(deep));
  CHECK(deep.check_size().ok());
  CHECK_FALSE(Spec::tuple({deep}).check_size().ok());
}

}  // namespace
}  // namespace weir

#include "expr/features/field_syntax.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/text.h"

namespace weir {

namespace {

using FieldForm = FieldType::Form;
using syntax::Item;
using syntax::Kind;
using syntax::Node;

std::string field_path(const std::string& parent, const std::string& name) {
  const std::string key = is_identifier(name) ? name : quote(name);
  return parent.empty() ? key : concat(parent, ".", key);
}

class FieldReader {
 public:
  explicit FieldReader(const ConstantOf& constant_of) : constant_of_(constant_of) {}

  Status read(const Node& node, const std::string& parent, std::vector<FieldType>& out) {
    for (const Item& item : node.items) {
      FieldType& field = out.emplace_back();
      field.name = item.name;
      const std::string path = std::exchange(path_, field_path(parent, item.name));
      WEIR_TRY(read_type(item.value->child(0), field));
      if (item.value->items.size() > 1) WEIR_TRY(read_default(item.value->child(1), field));
      path_ = path;
    }
    return Status();
  }

 private:
  Status refuse(const Node& at, std::string_view what, std::string hint = "") const {
    return with_span(invalid_argument({concat("the field ", path_, " ", what), std::move(hint)}), at.span);
  }

  Status read_type(const Node& type, FieldType& out) {
    switch (type.kind) {
      case Kind::spec_tensor:
        return read_tensor(type, out);
      case Kind::features:
        out.form = FieldForm::object;
        return read(type, path_, out.members);
      default:
        return read_kind(type, out);
    }
  }

  Status read_tensor(const Node& type, FieldType& out) {
    out.dtype = type.dtype;
    out.shape = type.shape;
    if (in_list_ && type.shape != Shape()) {
      return refuse(type, concat("has the shape ", type.shape.to_string(), " inside list(…)"),
                    concat("a list there is written ragged(", dtype_name(type.dtype), ")"));
    }
    if (!type.shape.rank_known()) {
      return refuse(type, "has an unknown rank", "write a ? for each dimension of any length");
    }
    if (type.shape.rank() >= kMaxRank)
      return refuse(type, concat("has more than ", kMaxRank - 1, " dimensions"));
    std::vector<int64_t> known(type.shape.dims().begin(), type.shape.dims().end());
    std::replace(known.begin(), known.end(), kUnknownDim, int64_t{1});
    if (checked_count(known) < 0) return refuse(type, "has more values than an int64 counts");
    return Status();
  }

  Status read_kind(const Node& kind, FieldType& out) {
    if (kind.text == "json") {
      out.form = FieldForm::json;
      return Status();
    }
    if (kind.text == "member") return read_member(kind, out);
    if (kind.items.size() != 1) {
      const char* example = kind.text == "list"     ? "list({name: string})"
                            : kind.text == "ragged" ? "ragged(int64)"
                                                    : "optional(float32)";
      return refuse(kind, concat("has ", kind.items.size(), " arguments of ", kind.text),
                    concat("write ", example));
    }
    const Node& inner = kind.child(0);
    if (kind.text == "optional") return read_optional(inner, out);
    if (kind.text == "list") {
      if (in_list_)
        return refuse(kind, "is a list of objects inside another one",
                      "read it as json, and parse it with parse_json");
      out.form = FieldForm::list;
      in_list_ = true;
      WEIR_TRY(read(inner, path_, out.members));
      in_list_ = false;
      return Status();
    }
    out.form = FieldForm::ragged;
    if (inner.kind != Kind::spec_tensor || inner.shape != Shape())
      return refuse(inner, "has something else than a dtype inside ragged", "write ragged(int64)");
    out.dtype = inner.dtype;
    return Status();
  }

  Status read_optional(const Node& inner, FieldType& out) {
    if (in_list_)
      return refuse(inner, "is optional inside list(…)", "give it a default: score: float32 = 0.0");
    WEIR_TRY(read_type(inner, out));
    if (out.optional) return refuse(inner, "is optional twice");
    out.optional = true;
    return Status();
  }

  Status read_member(const Node& kind, FieldType& out) {
    out.form = FieldForm::member;
    for (const Item& item : kind.items) {
      WEIR_ASSIGN(const Tensor name, constant_of_(*item.value, DType::string));
      if (name.dtype != DType::string || name.shape.rank() != 0)
        return refuse(*item.value, "has a member whose name is no string");
      out.alternatives.emplace_back(name.as<Str>()->view());
    }
    if (!out.alternatives.empty()) return Status();
    return refuse(kind, "names no member", "write member(\"jpg\", \"jpeg\")");
  }

  Status read_default(const Node& node, FieldType& out) {
    if (out.optional) return refuse(node, "is optional and has a default", "leave one out");
    if (out.form == FieldForm::object) return refuse(node, "has a default", "give its members defaults");
    const DType dtype = out.form == FieldForm::list ? DType::invalid : out.dtype;
    WEIR_ASSIGN(Tensor value, constant_of_(node, dtype));
    if (out.form == FieldForm::list) {
      if (value.count() != 0) return refuse(node, "has a default that isn't []");
      out.fallback = std::move(value);
      return Status();
    }
    if (value.dtype != dtype) {
      return refuse(node, concat("has a default of dtype ", dtype_name(value.dtype)),
                    concat("write one of dtype ", dtype_name(dtype)));
    }
    Shape wanted = out.shape;
    if (out.form == FieldForm::ragged)
      wanted = in_list_ ? Shape{kUnknownDim} : Shape{kUnknownDim, kUnknownDim};
    // A list without members has one dimension.
    if (value.count() == 0 && value.shape.rank() == 1 && wanted.rank() > 1) {
      Shape empty = wanted;
      for (int d = 0; d < empty.rank(); ++d) empty.set_dim(d, std::max<int64_t>(empty[d], 0));
      if (empty[0] == 0) value = value.reshaped(empty);
    }
    if (value.shape.rank() == 0 && wanted.is_static() && wanted.rank() > 0) value = repeated(value, wanted);
    if (!value.shape.compatible(wanted)) {
      return refuse(node, concat("has a default of shape ", value.shape.to_string()),
                    concat("write one of shape ", wanted.to_string()));
    }
    out.fallback = std::move(value);
    return Status();
  }

  static Tensor repeated(const Tensor& value, const Shape& shape) {
    Tensor out = Tensor::allocate(value.dtype, shape);
    const size_t size = dtype_size(value.dtype);
    for (int64_t i = 0; i < out.count(); ++i)
      std::memcpy(out.data + static_cast<size_t>(i) * size, value.data, size);
    if (value.dtype == DType::string) {
      out.owners = make_ref<Owners>();
      if (value.buffer) out.owners->list.push_back(value.buffer);
      if (value.owners) out.owners->list.push_back(value.owners);
    }
    return out;
  }

  const ConstantOf& constant_of_;
  std::string path_;
  bool in_list_ = false;
};

Status check_each(const std::vector<FieldType>& fields, RefusesField refuses, const std::string& parent) {
  for (const FieldType& field : fields) {
    const std::string path = field_path(parent, field.name);
    if (auto mistake = refuses(field))
      return invalid_argument({concat("the field ", path, " ", mistake->message), mistake->hint});
    WEIR_TRY(check_each(field.members, refuses, path));
  }
  return Status();
}

}  // namespace

Result<std::vector<FieldType>> read_fields(const Node& node, const ConstantOf& constant_of) {
  if (node.kind != Kind::features) {
    return with_span(invalid_argument("expected fields, such as {text: string, label: int64}"), node.span);
  }
  std::vector<FieldType> fields;
  WEIR_TRY(FieldReader(constant_of).read(node, "", fields));
  const Status fits = spec_of_fields(fields).check_size();
  if (!fits.ok()) return with_span(fits, node.span);
  return fields;
}

Status check_fields(const std::vector<FieldType>& fields, RefusesField refuses) {
  return check_each(fields, refuses, "");
}

std::optional<Mistake> refuse_no_column(const FieldType& field) {
  if (field.form == FieldForm::tensor && !field.optional && field.shape == Shape()) return std::nullopt;
  return Mistake{"isn't the dtype of a column",
                 "write a dtype, with a default for empty fields or without: int64 = 0"};
}

}  // namespace weir

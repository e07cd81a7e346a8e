#include "expr/features/feature_syntax.h"

#include "core/text.h"
#include "syntax/tree.h"

namespace weir {

namespace {

using Form = FeatureSyntax::Form;
using syntax::Item;
using syntax::Node;

class Reader {
 public:
  Reader(KernelCall& call, int param, FeatureSyntax& out) : call_(call), param_(param), out_(out) {}

  // `node` is a spec or a kind with its arguments, and the default after it, if there is one.
  Status read(const Node& node) {
    const Node& type = node.child(0);
    if (type.kind == syntax::Kind::spec_tensor) {
      WEIR_TRY(read_type(type));
    } else {
      WEIR_TRY(read_kind(type));
    }
    return node.items.size() > 1 ? read_default(node.child(1)) : Status();
  }

 private:
  Status refuse(std::string_view found, std::string hint = "") const {
    return refuse_feature(call_, param_, out_.name, found, std::move(hint));
  }

  Status set_dtype(DType dtype) {
    out_.dtype = dtype;
    switch (dtype) {
      case DType::int64:
        out_.type = FeatureType::int64;
        return Status();
      case DType::float32:
        out_.type = FeatureType::float32;
        return Status();
      case DType::string:
        out_.type = FeatureType::string;
        return Status();
      default:
        return refuse(concat("is of dtype ", dtype_name(dtype)),
                      "an Example holds int64, float32 and string");
    }
  }

  Status read_type(const Node& type) {
    WEIR_TRY(set_dtype(type.dtype));
    if (!type.shape.is_static() || checked_count(type.shape.dims()) < 0) {
      return refuse(concat("needs a known shape, found ", type.shape.to_string()),
                    "write varlen, sequence or ragged where the number of values varies");
    }
    // The records' dimension and that of the steps go before it.
    const int most = kMaxRank - (out_.form == Form::sequence ? 2 : 1);
    if (type.shape.rank() > most) return refuse(concat("has too many dimensions; at most ", most));
    out_.shape = type.shape;
    return Status();
  }

  Status read_kind(const Node& kind) {
    out_.form = kind.text == "varlen"     ? Form::varlen
                : kind.text == "sequence" ? Form::sequence
                : kind.text == "ragged"   ? Form::ragged
                                          : Form::sparse;
    for (const Item& item : kind.items) WEIR_TRY(read_argument(kind.text, item));
    if (out_.form == Form::sparse) {
      if (out_.dtype == DType::invalid || out_.index_key.empty() || out_.value_key.empty() || !has_size_) {
        return refuse("lacks an argument",
                      "write sparse(index_key: \"i\", value_key: \"v\", dtype: float32, size: 100)");
      }
    } else if (out_.dtype == DType::invalid) {
      return refuse("lacks its dtype", concat("write ", kind.text, "(int64)"));
    } else if (out_.form != Form::sequence && out_.shape.rank() != 0) {
      return refuse(concat("has the shape ", out_.shape.to_string(), " inside ", kind.text),
                    concat("write ", kind.text, "(", dtype_name(out_.dtype), ")"));
    }
    return Status();
  }

  Status read_argument(const std::string& kind, const Item& item) {
    const Node& value = *item.value;
    const bool sparse = out_.form == Form::sparse;
    if (item.name.empty() && !sparse) {
      return out_.dtype == DType::invalid ? read_type(value) : refuse("has a second dtype");
    }
    if (item.name == "dtype") {
      return out_.dtype == DType::invalid ? set_dtype(value.dtype) : refuse("has a second dtype");
    }
    if (item.name == "allow_missing" && out_.form == Form::sequence) {
      WEIR_ASSIGN(const Tensor flag, scalar(value, DType::boolean));
      out_.allow_missing = *flag.as<bool>();
      return Status();
    }
    if (sparse && (item.name == "index_key" || item.name == "value_key")) {
      WEIR_ASSIGN(const Tensor key, scalar(value, DType::string));
      (item.name == "index_key" ? out_.index_key : out_.value_key) = std::string(key.as<Str>()->view());
      return Status();
    }
    if (sparse && item.name == "size") {
      WEIR_ASSIGN(const Tensor size, scalar(value, DType::int64));
      out_.size = *size.as<int64_t>();
      has_size_ = true;
      return out_.size >= 0 ? Status() : refuse(concat("has the size ", out_.size), "write 0 or more");
    }
    const std::string given =
        item.name.empty() ? "an argument by position" : concat("the argument ", item.name);
    const char* known = sparse                        ? "index_key, value_key, dtype and size"
                        : out_.form == Form::sequence ? "a dtype with a shape, and allow_missing"
                                                      : "a dtype";
    return refuse(concat("has ", given, ", which ", kind, " does not take"), concat("it takes ", known));
  }

  Result<Tensor> scalar(const Node& node, DType dtype) {
    WEIR_ASSIGN(Tensor value, call_.constant_of(node, dtype));
    if (value.shape.rank() == 0) return value;
    return refuse(concat("has an argument of shape ", value.shape.to_string()), "write a scalar");
  }

  Status read_default(const Node& node) {
    if (out_.form != Form::fixed && out_.form != Form::sequence) {
      return refuse("has a default",
                    "without values it is empty; only fixed features and sequences take one");
    }
    WEIR_ASSIGN(out_.fallback, call_.constant_of(node, out_.dtype));
    if (out_.form == Form::sequence && out_.fallback->count() != 1) {
      return refuse(concat("has a default of ", out_.fallback->count(), " values"),
                    "a sequence is padded with one value");
    }
    return Status();
  }

  KernelCall& call_;
  const int param_;
  FeatureSyntax& out_;
  bool has_size_ = false;
};

}  // namespace

Status refuse_feature(const KernelCall& call, int param, const std::string& name, std::string_view found,
                      std::string hint) {
  return call.error(param, {concat("the feature ", quote(name), " ", found), std::move(hint)});
}

Result<std::vector<FeatureSyntax>> read_features(KernelCall& call, int param) {
  const Node& node = call.node(param);
  if (node.kind != syntax::Kind::features) {
    return call.error(param, "expected features, such as {image: string, label: int64}");
  }
  std::vector<FeatureSyntax> features;
  for (const Item& item : node.items) {
    FeatureSyntax& feature = features.emplace_back();
    feature.name = item.name;
    WEIR_TRY(Reader(call, param, feature).read(*item.value));
  }
  return features;
}

}  // namespace weir

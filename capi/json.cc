#include "capi/json.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/text.h"
#include "core/utf8.h"
#include "graph/format_block.h"
#include "graph/visit_entry.h"
#include "iterator/nested.h"

namespace weir::capi {

namespace {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    size_t count = std::min<size_t>(3, bytes.size() - i);
    for (size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (size_t k = 0; k < 4; ++k) out += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::string json_bytes(std::string_view bytes) {
  return is_utf8(bytes) ? json_string(bytes) : concat("{\"base64\": \"", base64(bytes), "\"}");
}

template <class T>
std::string json_of(const T& entry) {
  if constexpr (std::is_same_v<T, bool>) {
    return entry ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(entry);
  } else if constexpr (std::is_same_v<T, Str>) {
    return json_bytes(entry.view());
  } else {
    const Compute<T> value = load(entry);
    if (std::isnan(value)) return "\"NaN\"";
    if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    return format_float(entry);
  }
}
template <class T>
std::string json_of(const std::complex<T>& entry) {
  return concat("[", json_of(entry.real()), ", ", json_of(entry.imag()), "]");
}

std::string json_entry(const Tensor& tensor, int64_t i) {
  std::string out = "null";
  visit_entry(tensor, i, [&](const auto& entry) { out = json_of(entry); });
  return out;
}

// Returns false once the text is longer than kMaxElementText.
bool append_tensor(std::string& out, const Tensor& tensor, int axis, int64_t& next) {
  if (axis == tensor.shape.rank()) {
    out += json_entry(tensor, next++);
    return out.size() <= kMaxElementText;
  }
  out += '[';
  for (int64_t i = 0; i < tensor.shape[axis]; ++i) {
    if (i > 0) out += ", ";
    if (!append_tensor(out, tensor, axis + 1, next)) return false;
  }
  out += ']';
  return out.size() <= kMaxElementText;
}

class JsonWriter {
 public:
  // `rows`: of a block, or kOneElement.
  JsonWriter(const Components& values, const RefPtr<RuntimeHost>& host, int rows = kOneElement)
      : values_(values), host_(host), rows_(rows) {}

  static constexpr int kOneElement = -1;

  Status write(const Spec& spec, std::string& out) {
    if (rows_ != kOneElement && prints_row_by_row(spec)) return write_rows(spec, out);
    switch (spec.kind) {
      case Spec::Kind::tensor:
        return append(out);
      case Spec::Kind::sparse:
        WEIR_TRY(append(out += "{\"indices\": "));
        WEIR_TRY(append(out += ", \"values\": "));
        WEIR_TRY(append(out += ", \"shape\": "));
        out += '}';
        return Status();
      case Spec::Kind::ragged:
        WEIR_TRY(append(out += "{\"values\": "));
        WEIR_TRY(append(out += ", \"row_splits\": "));
        out += '}';
        return Status();
      case Spec::Kind::dataset:
        return write_dataset(spec.children[0], values_[next_++], out);
      case Spec::Kind::optional:
        return write_optional(spec.children[0], out);
      case Spec::Kind::tuple:
      case Spec::Kind::dict:
        break;
    }
    return write_members(spec, out);
  }

 private:
  Status append(std::string& out) {
    const Tensor& tensor = values_[next_++];
    int64_t first = 0;
    if (text_exceeds(tensor.shape, kMaxElementText) || !append_tensor(out, tensor, 0, first))
      return text_too_long(kMaxElementText);
    return Status();
  }

  Status write_rows(const Spec& spec, std::string& out) {
    out += '[';
    for (int row = 0; row < rows_; ++row) {
      if (row > 0) out += ", ";
      const Components parts = row_of_part(spec, values_, next_, row);
      WEIR_TRY(JsonWriter(parts, host_).write(spec, out));
    }
    out += ']';
    next_ += static_cast<size_t>(spec.component_count());
    return Status();
  }

  Status write_members(const Spec& spec, std::string& out) {
    const bool dict = spec.kind == Spec::Kind::dict;
    const bool text = std::all_of(spec.keys.begin(), spec.keys.end(), is_utf8);
    out += !dict ? "[" : text ? "{" : "{\"base64\": {";
    for (size_t i = 0; i < spec.children.size(); ++i) {
      if (i > 0) out += ", ";
      if (dict) out += (text ? json_string(spec.keys[i]) : concat('"', base64(spec.keys[i]), '"')) + ": ";
      WEIR_TRY(write(spec.children[i], out));
    }
    out += !dict ? "]" : text ? "}" : "}}";
    return Status();
  }

  Status write_optional(const Spec& value, std::string& out) {
    if (!*values_[next_++].as<bool>()) {
      next_ += static_cast<size_t>(value.component_count());
      out += "null";
      return Status();
    }
    out += "{\"some\": ";
    WEIR_TRY(write(value, out));
    out += '}';
    return Status();
  }

  Status write_dataset(const Spec& element, const Tensor& dataset, std::string& out) {
    if (dataset.shape.rank() > 0) {
      out += '[';
      for (int64_t i = 0; i < dataset.shape[0]; ++i) {
        if (i > 0) out += ", ";
        WEIR_TRY(write_dataset(element, dataset.row(i), out));
      }
      out += ']';
      return Status();
    }
    class Rows final : public RowVisitor {
     public:
      Rows(const Spec& spec, const RefPtr<RuntimeHost>& host, std::string& text)
          : spec_(spec), host_(host), text_(text) {}
      Status row(const Components& values) override {
        if (!first_) text_ += ", ";
        first_ = false;
        return JsonWriter(values, host_).write(spec_, text_);
      }

     private:
      const Spec& spec_;
      const RefPtr<RuntimeHost>& host_;
      std::string& text_;
      bool first_ = true;
    };
    out += '[';
    Rows rows(element, host_, out);
    WEIR_TRY(drain_nested(host_->runtime(), host_, dataset_of(dataset), rows));
    out += ']';
    return Status();
  }

  const Components& values_;
  const RefPtr<RuntimeHost>& host_;
  const int rows_;
  size_t next_ = 0;
};

}  // namespace

Result<std::string> json_of_block(const Spec& spec, const Components& block, int rows) {
  // Blocks hold no nested datasets.
  const RefPtr<RuntimeHost> host;
  std::string out;
  WEIR_TRY(JsonWriter(block, host, rows).write(spec, out));
  return out;
}

Result<std::string> json_of(const Spec& spec, const Components& values, const RefPtr<RuntimeHost>& host) {
  std::string out;
  WEIR_TRY(JsonWriter(values, host).write(spec, out));
  return out;
}

}  // namespace weir::capi

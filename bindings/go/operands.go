package weir

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// What operators take. Each of these accepts the types that it names, and an Expr; nil stands for the default. Build says
// where something else was given.
type (
	// Int is an int, int32, int64, uint32 or uint64, or Auto where the operator has that.
	Int = any
	// Bool is a bool, or None where the operator has that.
	Bool = any
	// String is a string, byte for byte.
	String = any
	// Seed is an integer, as in tf.data, or the pair [2]int64 that its kernels see, or None.
	Seed = any
	// DTypeName is a DType.
	DTypeName = any
	// SpecText is a *Spec, or its text as a string.
	SpecText = any
	// Value is a number or bool, which is written as a literal and adapts to the dtype that it meets; a string; a
	// *Tensor; a map[string]any or []any of them, which is a dict or tuple.
	Value = any
	// Function is a lambda of the notation, "x -> x * 2", as a string; a *Callback; or a func(*Call) error.
	Function = any
	// Operand is a Pipeline or a *Dataset.
	Operand = any
	// Datasets is a []Pipeline, whose elements become tuples, or a map[string]Pipeline, whose elements become dicts.
	Datasets = any
	// DatasetList is a []Pipeline: datasets that are told apart by their numbers.
	DatasetList = any
	// Values is a []any of values.
	Values = any
	// ValueOrDataset is a Value, or a Pipeline or *Dataset that gives one for each element.
	ValueOrDataset = any
	// Files is a file's name, a []string of names, or a Pipeline or *Dataset of names.
	Files = any
	// Expression is a text of the notation: a string, or an Expr.
	Expression = any
)

// Expr is a text of the notation where a value is due: weir.Expr("$n * 2").
type Expr string

const (
	// Auto is the word `auto` of the notation: the library chooses.
	Auto = Expr("auto")
	// None is the word `none` of the notation.
	None = Expr("none")
)

// fragment is part of a document: text, with things handed in between, which get their names when it is complete.
type fragment struct {
	pieces []any // a text is a string, anything else is handed in
	err    error
}

func text(value string) fragment { return fragment{pieces: []any{value}} }
func handed(value any) fragment  { return fragment{pieces: []any{handedIn{value}}} }
func bad(what string, v any) fragment {
	return fragment{err: expectedFound(what, fmt.Sprintf("%T", v))}
}
func (f fragment) plus(o ...any) fragment { return joined("", append([]any{f}, o...)...) }

type handedIn struct{ value any }

// joined puts texts and fragments in a row.
func joined(separator string, parts ...any) fragment {
	var out fragment
	for i, part := range parts {
		if i > 0 && separator != "" {
			out.pieces = append(out.pieces, separator)
		}
		switch part := part.(type) {
		case string:
			out.pieces = append(out.pieces, part)
		case fragment:
			out.pieces = append(out.pieces, part.pieces...)
			if out.err == nil {
				out.err = part.err
			}
		}
	}
	return out
}

func quoted(value string) string {
	var out strings.Builder
	out.WriteByte('"')
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '"' || c == '\\':
			out.WriteByte('\\')
			out.WriteByte(c)
		case c >= 0x20 && c < 0x7f:
			out.WriteByte(c)
		default:
			fmt.Fprintf(&out, "\\x%02x", c)
		}
	}
	out.WriteByte('"')
	return out.String()
}

func key(name string) string {
	for i, c := range name {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return quoted(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

func integer(value any) (fragment, bool) {
	switch value := value.(type) {
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return text(fmt.Sprint(value)), true
	case Expr:
		return text(string(value)), true
	}
	return fragment{}, false
}

func asInt(value any) fragment {
	if out, ok := integer(value); ok {
		return out
	}
	return bad("an integer", value)
}

func asBool(value any) fragment {
	switch value := value.(type) {
	case bool:
		return text(strconv.FormatBool(value))
	case Expr:
		return text(string(value))
	}
	return bad("a bool", value)
}

func asString(value any) fragment {
	switch value := value.(type) {
	case string:
		return text(quoted(value))
	case Expr:
		return text(string(value))
	}
	return bad("a string", value)
}

func asSeed(value any) fragment {
	if pair, ok := value.([2]int64); ok {
		return text(fmt.Sprintf("(%d, %d)", pair[0], pair[1]))
	}
	if out, ok := integer(value); ok {
		return out
	}
	return bad("an integer or [2]int64", value)
}

func asDTypeName(value any) fragment {
	switch value := value.(type) {
	case DType:
		return text(value.String())
	case Expr:
		return text(string(value))
	}
	return bad("a DType", value)
}

func asSpecText(value any) fragment {
	switch value := value.(type) {
	case string:
		return text(value)
	case *Spec:
		return text(value.String())
	case Expr:
		return text(string(value))
	}
	return bad("a *Spec or its text", value)
}

func asExpression(value any) fragment {
	switch value := value.(type) {
	case string:
		return text(value)
	case Expr:
		return text(string(value))
	}
	return bad("a text of the notation", value)
}

// float is a literal that gives the same bits again.
func float(value float64, bits int) fragment {
	switch {
	case math.IsNaN(value):
		return text("nan")
	case math.IsInf(value, 0):
		return text(strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(value, 'g', -1, bits)), "+"))
	}
	out := strconv.FormatFloat(value, 'g', -1, bits)
	if !strings.ContainsAny(out, ".e") {
		out += ".0"
	}
	return text(out)
}

func asValue(value any) fragment {
	switch value := value.(type) {
	case bool:
		return asBool(value)
	case string:
		return asString(value)
	case float32:
		return float(float64(value), 32)
	case float64:
		return float(value, 64)
	case *Tensor:
		return handed(value)
	case []any:
		return members("(", value, asValue, ",)")
	case map[string]any:
		names := make([]string, 0, len(value))
		for name := range value {
			names = append(names, name)
		}
		sort.Strings(names)
		parts := make([]any, len(names))
		for i, name := range names {
			parts[i] = joined("", key(name), ": ", asValue(value[name]))
		}
		return joined("", "{", joined(", ", parts...), "}")
	}
	if out, ok := integer(value); ok {
		return out
	}
	return bad("a number, bool, string, *Tensor, map[string]any or []any", value)
}

func members[T any](open string, values []T, as func(any) fragment, end string) fragment {
	parts := make([]any, len(values))
	for i, value := range values {
		parts[i] = as(value)
	}
	return joined("", open, joined(", ", parts...), end)
}

func asFunction(value any) fragment {
	switch value := value.(type) {
	case *Callback:
		return handed(value)
	case func(*Call) error:
		return handed(&Callback{Function: value})
	case string, Expr:
		return asExpression(value)
	}
	return bad("a text of the notation, a func(*weir.Call) error or a *weir.Callback", value)
}

func asOperand(value any) fragment {
	switch value := value.(type) {
	case Pipeline:
		return value.fragment
	case *Dataset:
		return handed(value)
	}
	return asExpr(value, "a Pipeline or *Dataset")
}

func asExpr(value any, what string) fragment {
	if value, ok := value.(Expr); ok {
		return text(string(value))
	}
	return bad(what, value)
}

func asDatasets(value any) fragment {
	switch value := value.(type) {
	case []Pipeline:
		return members("", value, asOperand, "")
	case map[string]Pipeline:
		names := make([]string, 0, len(value))
		for name := range value {
			names = append(names, name)
		}
		sort.Strings(names)
		parts := make([]any, len(names))
		for i, name := range names {
			parts[i] = joined("", key(name), ": ", value[name].fragment)
		}
		return joined("", "{", joined(", ", parts...), "}")
	}
	return asExpr(value, "a []Pipeline or map[string]Pipeline")
}

func asDatasetList(value any) fragment {
	if value, ok := value.([]Pipeline); ok {
		return members("[", value, asOperand, "]")
	}
	return asExpr(value, "a []Pipeline")
}

func asValues(value any) fragment {
	if value, ok := value.([]any); ok {
		return members("[", value, asValue, "]")
	}
	return asExpr(value, "a []any")
}

func asValueOrDataset(value any) fragment {
	switch value.(type) {
	case Pipeline, *Dataset:
		return asOperand(value)
	}
	return asValue(value)
}

func asFiles(value any) fragment {
	switch value := value.(type) {
	case string:
		return asString(value)
	case []string:
		return members("[", value, asString, "]")
	}
	return asOperand(value)
}

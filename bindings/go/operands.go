package weir

// #include "weirgo.h"
import "C"

import (
	"fmt"
	"sort"
	"strconv"
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

// node is what an operator is given, or a call of one: what Build hands to the library, which writes the document.
type node struct {
	name    string // of a parameter or a key
	kind    C.uint32_t
	text    string
	number  float64
	value   any // a *Tensor, *Dataset, *Callback or declared
	members []node
	spread  bool // its members stand in its place
	err     error
}

func text(value string) node { return node{text: value} }
func handed(value any) node  { return node{value: value} }
func bad(what string, v any) node {
	return node{err: expectedFound(what, fmt.Sprintf("%T", v))}
}
func (n node) called(name string) node {
	n.name = name
	return n
}

// group is a list, tuple, dict or call.
func group(kind C.uint32_t, text string, members ...node) node {
	out := node{kind: kind, text: text, members: members}
	for _, member := range members {
		if member.err != nil && out.err == nil {
			out.err = member.err
		}
	}
	return out
}

func all[T any](values []T, as func(any) node) []node {
	out := make([]node, len(values))
	for i, value := range values {
		out[i] = as(value)
	}
	return out
}

func dict[T any](values map[string]T, as func(any) node) node {
	members := make([]node, 0, len(values))
	for name, value := range values {
		members = append(members, as(value).called(name))
	}
	sort.Slice(members, func(i, j int) bool { return members[i].name < members[j].name })
	return group(C.WEIR_VALUE_DICT, "", members...)
}

// or is an Expr, or else a mistake.
func or(what string, value any) node {
	if value, ok := value.(Expr); ok {
		return text(string(value))
	}
	return bad(what, value)
}

func asInt(value any) node {
	switch value.(type) {
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return text(fmt.Sprint(value))
	}
	return or("an integer", value)
}

func asBool(value any) node {
	if value, ok := value.(bool); ok {
		return text(strconv.FormatBool(value))
	}
	return or("a bool", value)
}

func asString(value any) node {
	if value, ok := value.(string); ok {
		return node{kind: C.WEIR_VALUE_STRING, text: value}
	}
	return or("a string", value)
}

func asSeed(value any) node {
	if pair, ok := value.([2]int64); ok {
		return group(C.WEIR_VALUE_TUPLE, "", asInt(pair[0]), asInt(pair[1]))
	}
	if out := asInt(value); out.err == nil {
		return out
	}
	return bad("an integer or [2]int64", value)
}

func asDTypeName(value any) node {
	if value, ok := value.(DType); ok {
		return text(value.String())
	}
	return or("a DType", value)
}

func asSpecText(value any) node {
	switch value := value.(type) {
	case string:
		return text(value)
	case *Spec:
		return text(value.String())
	}
	return or("a *Spec or its text", value)
}

func asExpression(value any) node {
	if value, ok := value.(string); ok {
		return text(value)
	}
	return or("a text of the notation", value)
}

func asValue(value any) node {
	switch value := value.(type) {
	case bool:
		return asBool(value)
	case string:
		return asString(value)
	case float32:
		return node{kind: C.WEIR_VALUE_FLOAT32, number: float64(value)}
	case float64:
		return node{kind: C.WEIR_VALUE_FLOAT64, number: value}
	case *Tensor:
		return handed(value)
	case []any:
		return group(C.WEIR_VALUE_TUPLE, "", all(value, asValue)...)
	case map[string]any:
		return dict(value, asValue)
	}
	if out := asInt(value); out.err == nil {
		return out
	}
	return bad("a number, bool, string, *Tensor, map[string]any or []any", value)
}

func asFunction(value any) node {
	switch value := value.(type) {
	case *Callback:
		return handed(value)
	case func(*Call) error:
		return handed(&Callback{Function: value})
	case string:
		return text(value)
	}
	return or("a text of the notation, a func(*weir.Call) error or a *weir.Callback", value)
}

func asOperand(value any) node {
	switch value := value.(type) {
	case Pipeline:
		return value.node
	case *Dataset:
		return handed(value)
	}
	return or("a Pipeline or *Dataset", value)
}

func asDatasets(value any) node {
	switch value := value.(type) {
	case []Pipeline:
		out := group(0, "", all(value, asOperand)...)
		out.spread = true
		return out
	case map[string]Pipeline:
		return dict(value, asOperand)
	}
	return or("a []Pipeline or map[string]Pipeline", value)
}

func asDatasetList(value any) node {
	if value, ok := value.([]Pipeline); ok {
		return group(C.WEIR_VALUE_LIST, "", all(value, asOperand)...)
	}
	return or("a []Pipeline", value)
}

func asValues(value any) node {
	if value, ok := value.([]any); ok {
		return group(C.WEIR_VALUE_LIST, "", all(value, asValue)...)
	}
	return or("a []any", value)
}

func asValueOrDataset(value any) node {
	switch value.(type) {
	case Pipeline, *Dataset:
		return asOperand(value)
	}
	return asValue(value)
}

func asFiles(value any) node {
	switch value := value.(type) {
	case string:
		return asString(value)
	case []string:
		return group(C.WEIR_VALUE_LIST, "", all(value, asString)...)
	}
	return asOperand(value)
}

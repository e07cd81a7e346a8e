package weir

// #include "weirgo.h"
import "C"

// Pipeline is a document under construction: a source, then transformations. Nothing is checked before Build. Each call
// gives a new pipeline and leaves the old one as it was. One that is used twice is written twice; to share one, with its
// epochs, build it and use the dataset.
type Pipeline struct{ node }

// operatorCall is a call of an operator: batch(4, drop_remainder: true).
type operatorCall struct {
	name  string
	parts []node
	err   error
}

func newCall(name string) *operatorCall { return &operatorCall{name: name} }

func (c *operatorCall) add(name, parameter string, as func(any) node, value any) {
	part := as(value).called(parameter)
	if part.err != nil && c.err == nil {
		c.err = Errorf(CodeInvalidArgument, "%s, %s: %s", c.name, name, part.err.(*Error).Message)
	}
	if part.spread {
		c.parts = append(c.parts, part.members...)
	} else {
		c.parts = append(c.parts, part)
	}
}

func (c *operatorCall) positional(name string, as func(any) node, value any) {
	c.add(name, "", as, value)
}

// named adds nothing if nothing was given.
func (c *operatorCall) named(name string, as func(any) node, value any) {
	if value != nil {
		c.add(name, name, as, value)
	}
}

func (c *operatorCall) atMostOne(count int) bool {
	if count > 1 && c.err == nil {
		c.err = Errorf(CodeInvalidArgument, "%s: expected at most one value or struct of options, found %d", c.name, count)
	}
	return count == 1
}

func begin(c *operatorCall) Pipeline {
	out := group(C.WEIR_VALUE_CALL, c.name, c.parts...)
	if c.err != nil {
		out.err = c.err
	}
	return Pipeline{out}
}

func (p Pipeline) then(c *operatorCall) Pipeline {
	c.parts = append([]node{p.node}, c.parts...)
	if p.err != nil {
		c.err = p.err
	}
	return begin(c)
}

// From begins with a dataset that was built before.
func From(dataset *Dataset) Pipeline { return Pipeline{handed(dataset)} }

// Param declares a parameter that gets its value when an iterator begins. Expressions and lambdas call it $NAME.
func (p Pipeline) Param(name, spec string) Pipeline {
	return Pipeline{group(C.WEIR_VALUE_CALL, "", p.node, text(spec).called("$"+name))}
}

// With hands in what expressions and lambdas call @NAME: a string, *Tensor, *Dataset, *Callback or func(*Call) error.
func (p Pipeline) With(name string, value any) Pipeline {
	return Pipeline{group(C.WEIR_VALUE_CALL, "", p.node, argument("@"+name, value))}
}

// Build makes the dataset. An error shows the document that the calls are, with a caret below the place.
func (p Pipeline) Build(r *Runtime) (*Dataset, error) {
	if p.err != nil {
		return nil, p.err
	}
	return applied(r, "", nil, []node{p.node})
}

// Generate begins with the elements that a generator of the program gives.
func Generate(generator *Generator) Pipeline {
	return Pipeline{group(C.WEIR_VALUE_CALL, "from_generator", handed(declared{generator}), text(generator.Spec))}
}

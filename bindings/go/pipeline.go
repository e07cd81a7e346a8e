package weir

import (
	"fmt"
	"strings"
)

// Pipeline is a document under construction: a source, then transformations. Nothing is checked before Build. Each call
// gives a new pipeline and leaves the old one as it was. One that is used twice is written twice; to share one, with its
// epochs, build it and use the dataset.
type Pipeline struct {
	fragment
	params []string
	named  Arguments
}

// operatorCall is a call of an operator: batch(4, drop_remainder: true).
type operatorCall struct {
	name  string
	parts []any
	from  []any
	err   error
}

func newCall(name string) *operatorCall { return &operatorCall{name: name} }

func (c *operatorCall) add(name, prefix string, as func(any) fragment, value any) {
	part := as(value)
	if part.err != nil && c.err == nil {
		c.err = Errorf(CodeInvalidArgument, "%s, %s: %s", c.name, name, part.err.(*Error).Message)
	}
	c.parts = append(c.parts, joined("", prefix, part))
	c.from = append(c.from, value)
}

func (c *operatorCall) positional(name string, as func(any) fragment, value any) {
	c.add(name, "", as, value)
}

// named adds nothing if nothing was given.
func (c *operatorCall) named(name string, as func(any) fragment, value any) {
	if value != nil {
		c.add(name, name+": ", as, value)
	}
}

func (c *operatorCall) atMostOne(count int) bool {
	if count > 1 && c.err == nil {
		c.err = Errorf(CodeInvalidArgument, "%s: expected at most one value or struct of options, found %d", c.name, count)
	}
	return count == 1
}

func begin(c *operatorCall) Pipeline { return Pipeline{}.with("", c) }

func (p Pipeline) then(c *operatorCall) Pipeline { return p.with(" | ", c) }

func (p Pipeline) with(separator string, c *operatorCall) Pipeline {
	out := Pipeline{named: p.named, params: append([]string{}, p.params...)}
	out.fragment = p.plus(separator, c.name, "(", joined(", ", c.parts...), ")")
	if p.err == nil && c.err != nil {
		out.err = c.err
	}
	for _, value := range c.from {
		out.inherit(value)
	}
	return out
}

// inherit takes over what pipelines among the arguments need.
func (p *Pipeline) inherit(value any) {
	switch value := value.(type) {
	case Pipeline:
		for _, param := range value.params {
			if !contains(p.params, param) {
				p.params = append(p.params, param)
			}
		}
		for name, argument := range value.named {
			*p = p.With(name, argument)
		}
	case []Pipeline:
		for _, member := range value {
			p.inherit(member)
		}
	case map[string]Pipeline:
		for _, member := range value {
			p.inherit(member)
		}
	}
}

func contains(list []string, what string) bool {
	for _, member := range list {
		if member == what {
			return true
		}
	}
	return false
}

// From begins with a dataset that was built before.
func From(dataset *Dataset) Pipeline { return Pipeline{fragment: handed(dataset)} }

// Param declares a parameter that gets its value when an iterator begins. Expressions and lambdas call it $NAME.
func (p Pipeline) Param(name, spec string) Pipeline {
	statement := fmt.Sprintf("param %s: %s\n", name, spec)
	if !contains(p.params, statement) {
		p.params = append(append([]string{}, p.params...), statement)
	}
	return p
}

// With hands in what expressions and lambdas call @NAME: a string, *Tensor, *Dataset, *Callback or func(*Call) error.
func (p Pipeline) With(name string, value any) Pipeline {
	named := Arguments{name: value}
	for other, given := range p.named {
		if other != name {
			named[other] = given
		}
	}
	p.named = named
	return p
}

func (p Pipeline) document() (string, Arguments) {
	var out strings.Builder
	arguments := Arguments{}
	for name, value := range p.named {
		arguments[name] = value
	}
	for _, statement := range p.params {
		out.WriteString(statement)
	}
	count := 0
	for _, piece := range p.pieces {
		if value, ok := piece.(handedIn); ok {
			count++
			name := fmt.Sprintf("argument%d", count)
			if _, ok := value.value.(declared); ok {
				name = fmt.Sprintf("generator%d", count)
			}
			arguments[name] = value.value
			out.WriteString("@" + name)
			continue
		}
		out.WriteString(piece.(string))
	}
	return out.String(), arguments
}

// takesNamesOfGenerators says whether texts or arguments of the program use the names that generators get: another
// structure beside one of them would give it too little memory for its results.
func (p Pipeline) takesNamesOfGenerators() bool {
	generators, taken := false, false
	for _, piece := range p.pieces {
		switch piece := piece.(type) {
		case string:
			taken = taken || strings.Contains(piece, "@generator")
		case handedIn:
			_, is := piece.value.(declared)
			generators = generators || is
		}
	}
	for name := range p.named {
		taken = taken || strings.HasPrefix(name, "generator")
	}
	return generators && taken
}

// Text is the document.
func (p Pipeline) Text() string {
	out, _ := p.document()
	return out
}

// Build parses it. An error says the line and column, with a caret below the place in Text.
func (p Pipeline) Build(r *Runtime) (*Dataset, error) {
	if p.err != nil {
		return nil, p.err
	}
	if p.takesNamesOfGenerators() {
		return nil, expectedFound("other names than @generator... beside a Generator", "@generator")
	}
	document, arguments := p.document()
	return Parse(r, document, arguments)
}

// Generate begins with the elements that a generator of the program gives.
func Generate(generator *Generator) Pipeline {
	return Pipeline{fragment: joined("", "from_generator(", handed(declared{generator}), ", ", generator.Spec, ")")}
}

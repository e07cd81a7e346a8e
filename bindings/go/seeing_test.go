package weir

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestExplain(t *testing.T) {
	d := must(Range(10).Batch(4).Prefetch(2).Build(newTestRuntime(t)))
	var said struct {
		Graph struct {
			Text   string
			Inputs []struct{ Operator string }
		}
		Windows    int
		Checkpoint struct {
			NeedsPolicy bool `json:"needs_policy"`
		}
	}
	expect(t, json.Unmarshal([]byte(must(d.Explain(false))), &said), nil)
	expect(t, said.Graph.Text, "prefetch(2)")
	expect(t, said.Graph.Inputs[0].Operator, "batch")
	expect(t, said.Windows, 1)
	expect(t, said.Checkpoint.NeedsPolicy, false)
	if text := must(d.Explain(true)); !strings.HasPrefix(text, "prefetch(2)") {
		t.Fatal(text)
	}
}

func TestStats(t *testing.T) {
	it := must(must(Range(10).Batch(4).Build(newTestRuntime(t))).Iterator())
	e := must(NewElement())
	defer e.Close()
	expect(t, it.NextInto(background, e), nil)
	var said struct {
		Elements int64
		Stages   []struct {
			Path     string
			Elements int64
		}
	}
	expect(t, json.Unmarshal([]byte(must(it.Stats(StatsJSON))), &said), nil)
	expect(t, said.Elements, int64(1))
	expect(t, said.Stages[1].Path, "batch/range")
	expect(t, said.Stages[1].Elements, int64(4))
	if text := must(it.Stats(StatsText)); !strings.HasPrefix(text, "stage ") {
		t.Fatal(text)
	}
	if text := must(it.Stats(StatsPrometheus)); !regexp.MustCompile(`(?m)^weir_elements_total\{.*"batch/range".*\} 4$`).MatchString(text) {
		t.Fatal(text)
	}
	expect(t, it.Close(), nil)
	_, err := it.Stats(StatsJSON)
	expectError(t, err, CodeInvalidArgument, "")
}

func TestTraceFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trace.json")
	r := must(NewRuntime(RuntimeOptions{TraceFile: name}))
	d := must(Range(10).Batch(4).Build(r))
	it := must(d.Iterator())
	results(it)
	d.Close()
	r.Close()
	it.Close()
	text := must(os.ReadFile(name))
	if !json.Valid(text) || !strings.Contains(string(text), "traceEvents") {
		t.Fatal(string(text))
	}
}

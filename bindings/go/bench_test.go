package weir

import (
	"context"
	"testing"

	"weir/internal/reference"
)

const benchDocument = "counter()"

// What a program does per element: the next one, and a slice of its entries.
func benchNext(b *testing.B, ctx context.Context) {
	r := must(NewRuntime())
	it := must(must(Parse(r, benchDocument)).Iterator())
	e := must(NewElement())
	sum := int64(0)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if err := it.NextInto(ctx, e); err != nil {
			b.Fatal(err)
		}
		values, err := Slice[int64](e, 0)
		if err != nil {
			b.Fatal(err)
		}
		sum += values[0]
	}
	b.StopTimer()
	if sum != int64(b.N)*int64(b.N-1)/2 {
		b.Fatal(sum)
	}
	e.Close()
	it.Close()
	r.Close()
}

func BenchmarkNext(b *testing.B) { benchNext(b, context.Background()) }

func BenchmarkNextWithCancel(b *testing.B) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	benchNext(b, ctx)
}

func BenchmarkNextNewElement(b *testing.B) {
	r := must(NewRuntime())
	it := must(must(Parse(r, benchDocument)).Iterator())
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		e := must(it.Next(context.Background()))
		if must(Slice[int64](e, 0))[0] != int64(i) {
			b.Fatal(i)
		}
		e.Close()
	}
	b.StopTimer()
	it.Close()
	r.Close()
}

func BenchmarkNextInC(b *testing.B) {
	loop := reference.Begin(b.N, benchDocument)
	defer loop.End()
	b.ResetTimer()
	if sum := loop.Run(b.N); sum != int64(b.N)*int64(b.N-1)/2 {
		b.Fatal(sum)
	}
}

func BenchmarkCallOfC(b *testing.B) {
	for i := 0; i < b.N; i++ {
		reference.Nothing()
	}
}

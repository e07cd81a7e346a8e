//go:build go1.23

package weir

import (
	"context"
	"io"
	"iter"
)

// All gives the elements that are left, for a loop: for element, err := range iterator.All(ctx). The element is valid until
// the next round. An error takes the place of its element, and the loop continues; any other error is the last.
func (it *Iterator) All(ctx context.Context) iter.Seq2[*Element, error] {
	return func(yield func(*Element, error) bool) {
		e, err := NewElement()
		if err != nil {
			yield(nil, err)
			return
		}
		defer e.Close()
		for {
			switch err := it.NextInto(ctx, e); {
			case err == io.EOF:
				return
			case err != nil:
				if !yield(nil, err) || !IsElement(err) {
					return
				}
			case !yield(e, nil):
				return
			}
		}
	}
}

// All gives the elements of the next epoch, for a loop over the dataset: each loop has another order of the shuffles.
func (d *Dataset) All(ctx context.Context) iter.Seq2[*Element, error] {
	return func(yield func(*Element, error) bool) {
		it, err := d.NextEpoch()
		if err != nil {
			yield(nil, err)
			return
		}
		defer it.Close()
		it.All(ctx)(yield)
	}
}

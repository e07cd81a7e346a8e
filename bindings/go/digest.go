package weir

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
)

// Digest is the XXH64 of a sequence's elements: their dtypes, shapes and bytes, and the codes of those that failed. Equal
// sequences have equal digests in every language, and `weir digest` prints the same. It may be taken in parts, before and
// after a checkpoint.
type Digest struct {
	hash  *xxhash.Digest
	ended bool
}

// NewDigest is that of nothing yet.
func NewDigest() *Digest { return &Digest{hash: xxhash.New()} }

// String is the digest in 16 digits.
func (d *Digest) String() string { return fmt.Sprintf("%016x", d.hash.Sum64()) }

// Update adds up to count elements, or all that are left if it is negative, and gives their number. Failed ones count, and
// so does the end, once, if it comes before.
func (d *Digest) Update(ctx context.Context, it *Iterator, count int64) (int64, error) {
	taken, ended, err := d.rows(ctx, it, count)
	if err == nil && ended && !d.ended {
		d.ended = true
		d.add([]byte{'z'})
	}
	return taken, err
}

// add hashes bytes, which never fails.
func (d *Digest) add(bytes []byte) { _, _ = d.hash.Write(bytes) }

func (d *Digest) number(value uint64) {
	var bytes [8]byte
	binary.LittleEndian.PutUint64(bytes[:], value)
	d.add(bytes[:])
}

func (d *Digest) rows(ctx context.Context, it *Iterator, count int64) (taken int64, ended bool, err error) {
	spec, err := it.Spec()
	if err != nil {
		return 0, false, err
	}
	defer spec.Close()
	dtypes, err := spec.ComponentDTypes()
	if err != nil {
		return 0, false, err
	}
	element, err := NewElement()
	if err != nil {
		return 0, false, err
	}
	defer element.Close()
	for ; count < 0 || taken < count; taken++ {
		switch err := it.NextInto(ctx, element); {
		case err == io.EOF:
			return taken, true, nil
		case IsElement(err):
			var bytes [5]byte
			bytes[0] = 'f'
			binary.LittleEndian.PutUint32(bytes[1:], uint32(codeOf(err)))
			d.add(bytes[:])
		case err != nil:
			return taken, false, err
		default:
			if err := d.element(ctx, it.Runtime(), element, dtypes); err != nil {
				return taken, false, err
			}
		}
	}
	return taken, false, nil
}

func (d *Digest) element(ctx context.Context, r *Runtime, element *Element, dtypes []DType) error {
	d.add([]byte{'e'})
	for index, dtype := range dtypes {
		if dtype == DTypeDataset {
			d.add([]byte{byte(dtype)})
			if err := d.nested(ctx, r, element, index); err != nil {
				return err
			}
			continue
		}
		view, err := element.View(index)
		if err != nil {
			return err
		}
		d.add([]byte{byte(view.DType()), byte(len(view.Dims()))})
		for _, dim := range view.Dims() {
			d.number(uint64(dim))
		}
		if dtype != DTypeString {
			d.add(view.Bytes())
			continue
		}
		values, err := view.Strings()
		if err != nil {
			return err
		}
		for _, value := range values {
			d.number(uint64(len(value)))
			d.add(value)
		}
	}
	return nil
}

func (d *Digest) nested(ctx context.Context, r *Runtime, element *Element, index int) error {
	dataset, err := element.Dataset(r, index)
	if err != nil {
		return err
	}
	defer dataset.Close()
	it, err := dataset.Iterator()
	if err != nil {
		return err
	}
	defer it.Close()
	if _, _, err := d.rows(ctx, it, -1); err != nil {
		return err
	}
	d.add([]byte{'z'})
	return nil
}

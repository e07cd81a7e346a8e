// Command digest prints the digest of a document: digest DOCUMENT THREADS SAVE_AT. With SAVE_AT from 0 up, a position is
// saved after so many elements, and an iterator of another runtime goes on from there.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"weir"
)

func begin(text string, threads int64, options weir.IteratorOptions) (*weir.Iterator, error) {
	runtime, err := weir.NewRuntime(weir.RuntimeOptions{ThreadCount: int32(threads)})
	if err != nil {
		return nil, err
	}
	dataset, err := weir.Parse(runtime, text)
	if err != nil {
		return nil, err
	}
	return dataset.Iterator(options)
}

func run(document string, threads, saveAt int64) (string, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	text, err := os.ReadFile(document)
	if err != nil {
		return "", err
	}
	digest := weir.NewDigest()
	iterator, err := begin(string(text), threads, weir.IteratorOptions{})
	if err != nil {
		return "", err
	}
	if saveAt >= 0 {
		if _, err := digest.Update(ctx, iterator, saveAt); err != nil {
			return "", err
		}
		position, err := iterator.Save()
		if err != nil {
			return "", err
		}
		iterator.Close()
		if iterator, err = begin(string(text), threads, weir.IteratorOptions{Checkpoint: position}); err != nil {
			return "", err
		}
	}
	defer iterator.Close()
	_, err = digest.Update(ctx, iterator, -1)
	return digest.String(), err
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: digest DOCUMENT THREADS SAVE_AT")
		os.Exit(2)
	}
	threads, _ := strconv.ParseInt(os.Args[2], 10, 32)
	saveAt, _ := strconv.ParseInt(os.Args[3], 10, 64)
	digest, err := run(os.Args[1], threads, saveAt)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(digest)
}

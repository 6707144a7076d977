// Command makehistory writes the demo's history: ninety days in which simulated buyers of all strategies negotiate and pay, and
// their merchant ships, refunds and decides. They send requests to a real server with a simulated clock, so a use case has
// written every row of the history.
//
// The seed determines everything that happens. The ids are replaced when the file is loaded.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("out", "history.gz", "the file to write")
	seed := flag.Uint64("seed", 4, "the same seed makes the same history")
	flag.Parse()
	if err := run(context.Background(), *out, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "makehistory:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out string, seed uint64) error {
	chance := [32]byte{byte(seed >> 24), byte(seed >> 16), byte(seed >> 8), byte(seed)}
	rand.Reader = mathrand.NewChaCha8(chance) // for ids, salts and order numbers
	dir, err := os.MkdirTemp("", "haggle-history-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w, err := open(ctx, "sqlite://"+filepath.Join(dir, "haggle.db"), seed)
	if err != nil {
		return err
	}
	defer w.lapse.Close()
	if err := w.live(); err != nil {
		return err
	}
	var file bytes.Buffer
	if err := w.lapse.Export(ctx, &file); err != nil {
		return fmt.Errorf("cannot export: %w", err)
	}
	fmt.Printf("%s: %d bytes\n%s", out, file.Len(), w.report())
	return os.WriteFile(out, file.Bytes(), 0o644)
}

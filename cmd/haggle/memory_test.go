package main

import (
	"math"
	"os"
	"runtime/debug"
	"testing"
)

func TestLimitMemory(t *testing.T) {
	limit, percent := debug.SetMemoryLimit(math.MaxInt64), debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetMemoryLimit(limit); debug.SetGCPercent(percent) })

	t.Setenv("GOMEMLIMIT", "1GiB") // the runtime reads it only when it starts
	t.Setenv("GOGC", "50")
	if err := limitMemory(); err != nil {
		t.Fatal(err)
	}
	if l, p := debug.SetMemoryLimit(-1), debug.SetGCPercent(100); l != math.MaxInt64 || p != 100 {
		t.Errorf("the environment's limits became %d bytes and %d %%", l, p)
	}
	os.Unsetenv("GOMEMLIMIT")
	os.Unsetenv("GOGC")
	if err := limitMemory(); err != nil {
		t.Fatal(err)
	}
	if l, p := debug.SetMemoryLimit(-1), debug.SetGCPercent(100); l < 16<<20 || l == math.MaxInt64 || p != rareCollection {
		t.Errorf("%d bytes, %d %%", l, p)
	}
}

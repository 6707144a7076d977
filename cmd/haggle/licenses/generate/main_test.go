package main

import (
	"runtime"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/haggle/licenses"
)

// The program embeds the license texts of every module that is linked on this system. Other systems link a few more
// modules, which go generate covers.
func TestCollect_committed(t *testing.T) {
	t.Parallel()
	want, err := collect([]string{runtime.GOOS})
	if err != nil {
		t.Fatal(err)
	}
	have, err := licenses.Load()
	if err != nil {
		t.Fatal(err)
	}
	if len(want.Components) < 50 {
		t.Fatalf("only %d components are linked", len(want.Components))
	}
	for _, c := range want.Components {
		if c.Name != "Go" && !slices.Equal(have.Of(c.Name), want.Of(c.Name)) {
			t.Errorf("%s: its %d texts are not those in texts.json.gz, which has %d: run go generate ./cmd/haggle/licenses",
				c.Name, len(want.Of(c.Name)), len(have.Of(c.Name)))
		}
	}
}

package main

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/version"
)

// TestRelease_built checks what make release wrote to the folder RELEASE, and rebuilds this platform's archive.
func TestRelease_built(t *testing.T) {
	folder := os.Getenv("RELEASE")
	if folder == "" {
		t.Skip("RELEASE names no release")
	}
	files, schema := filesOf(t, folder), bomSchema(t)
	wantSums(t, files)
	if len(files) != 2*len(released)+1 {
		t.Errorf("%d files", len(files))
	}
	for _, name := range released {
		name := "haggle_" + version.Number + "_" + strings.ReplaceAll(name, "/", "_")
		entries := unpack(t, files[name+".tar.gz"])
		for _, file := range append([]string{"haggle", "haggle-sim", "THIRD_PARTY_LICENSES.txt", "sbom.cdx.json"}, documents...) {
			if len(entries[name+"/"+file].content) == 0 {
				t.Errorf("%s has no %s", name, file)
			}
		}
		if err := validate(t, schema, files[name+".cdx.json"]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var b bill
		if err := json.Unmarshal(files[name+".cdx.json"], &b); err != nil || len(b.Components) < 80 {
			t.Errorf("%s: the SBOM has %d components, %v", name, len(b.Components), err)
		}
		if strings.Contains(name, "_linux_") {
			wantStatic(t, entries[name+"/haggle"].content)
		}
	}
	t.Run("again", func(t *testing.T) { wantSameAgain(t, files) })
}

// wantStatic checks that a program needs no dynamic loader and no shared library.
func wantStatic(t *testing.T, content []byte) {
	t.Helper()
	program, err := elf.NewFile(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range program.Progs {
		if part.Type == elf.PT_INTERP || part.Type == elf.PT_DYNAMIC {
			t.Errorf("the program has a segment %s", part.Type)
		}
	}
	if program.Section(".symtab") != nil {
		t.Error("the program has symbols")
	}
}

// wantSameAgain rebuilds this platform's files, with an empty build cache if FRESH is set, and runs the program.
func wantSameAgain(t *testing.T, files map[string][]byte) {
	if os.Getenv("FRESH") != "" {
		t.Setenv("GOCACHE", t.TempDir())
	}
	out := t.TempDir()
	if err := run([]string{"-out", out, "-platforms", here.String()}); err != nil {
		t.Fatal(err)
	}
	for name, content := range filesOf(t, out) {
		if name != sumsFile && !bytes.Equal(content, files[name]) {
			t.Errorf("%s is not the same again", name)
		}
	}
	name := "haggle_" + version.Number + "_" + here.os + "_" + here.arch
	program := filepath.Join(t.TempDir(), "haggle")
	if err := os.WriteFile(program, unpack(t, files[name+".tar.gz"])[name+"/haggle"].content, 0o700); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command(program, "version").Output(); err != nil || !strings.HasPrefix(string(said), "haggle "+version.Number+" ") {
		t.Errorf("%s, %v", said, err)
	}
}

package main

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const dict = "/usr/share/wordnet"

// The uncompressed data are compared, because another version of compress/flate may compress them differently.
func TestCompact_equalsCommittedFile(t *testing.T) {
	if _, err := os.Stat(filepath.Join(dict, "data.noun")); errors.Is(err, fs.ErrNotExist) {
		t.Fatal(dict + " is not there: run .ci/need wordnet, as make test does, or apt-get install wordnet-base")
	}
	file, err := os.ReadFile("../wordnet.flate")
	if err != nil {
		t.Fatal(err)
	}
	head, committed, _ := bytes.Cut(file, []byte{0})
	if licence, err := licence(dict); err != nil || licence != string(head) {
		t.Errorf("wordnet.flate begins with another licence than the dictionary, %v:\n%s", err, head)
	}
	want, err := io.ReadAll(flate.NewReader(bytes.NewReader(committed)))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := compact(dict)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("generating gives %d other bytes than the %d of wordnet.flate; run go generate", len(got), len(want))
		}
	}
}

func TestCompact_withoutDictionary(t *testing.T) {
	_, err := compact(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "apt-get install wordnet-base") || strings.Contains(err.Error(), "\n") {
		t.Fatalf("error: %v", err)
	}
}

func TestPlain(t *testing.T) {
	for lemma, want := range map[string]string{
		"couch": "couch", "cell_phone": "cell phone", "T-shirt": "t shirt", "carpenter's_hammer": "carpenter hammer",
		"o'clock": "oclock", "a.m.": "a m", "24/7": "24 7", "hors_d'oeuvre": "hors doeuvre",
	} {
		if got := plain(lemma); got != want {
			t.Errorf("plain(%q) = %q, want %q", lemma, got, want)
		}
	}
}

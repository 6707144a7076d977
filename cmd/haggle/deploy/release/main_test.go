package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParsePlatforms_unknown(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"", "linux", "linux/amd64,plan9/386", "linux/amd64, linux/arm64"} {
		if _, err := parsePlatforms(list); err == nil || !strings.Contains(err.Error(), "-platforms has ") {
			t.Errorf("%q: %v", list, err)
		}
	}
	if got, err := parsePlatforms("linux/arm64,darwin/amd64"); err != nil || !slices.Equal(got, []platform{{"linux", "arm64"}, {"darwin", "amd64"}}) {
		t.Errorf("%v, %v", got, err)
	}
}

// here is the platform that tests build for.
var here = platform{runtime.GOOS, runtime.GOARCH}

// smallRelease returns a release of two small programs in its own folder.
func smallRelease(t *testing.T, greeting string) release {
	t.Helper()
	root := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":    "module example.com/small\n\ngo 1.26\n",
		"a/main.go": fmt.Sprintf("package main\n\nfunc main() { println(%q) }\n", greeting),
		"b/main.go": "package main\n\nfunc main() {}\n",
		"LICENSE":   "Do what you like.\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return release{
		root:      root,
		out:       filepath.Join(root, "out"),
		version:   "1.2.3",
		programs:  []string{"example.com/small/a", "example.com/small/b"},
		documents: []string{"LICENSE"},
		platforms: []platform{here},
	}
}

// written writes a release and returns its files.
func written(t *testing.T, r release) map[string][]byte {
	t.Helper()
	if err := r.write(); err != nil {
		t.Fatal(err)
	}
	return filesOf(t, r.out)
}

func filesOf(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(folder, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// A release depends on the source only, not on the folder, the user's environment or the time of the build.
func TestRelease_reproducible(t *testing.T) {
	first := written(t, smallRelease(t, "hello"))
	t.Setenv("GOAMD64", "v3")
	t.Setenv("GOFLAGS", "-ldflags=-X=main.x=y")
	second := written(t, smallRelease(t, "hello"))
	other := written(t, smallRelease(t, "goodbye"))
	if len(first) != 3 {
		t.Errorf("a release has %d files", len(first))
	}
	for name, content := range first {
		if !bytes.Equal(second[name], content) {
			t.Errorf("%s is not the same again", name)
		}
		if bytes.Equal(other[name], content) {
			t.Errorf("%s is the same of another source", name)
		}
	}
}

func TestRelease_archive(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1767225600")
	r := smallRelease(t, "hello")
	files := written(t, r)
	name := "haggle_1.2.3_" + here.os + "_" + here.arch
	entries := unpack(t, files[name+".tar.gz"])
	for _, e := range []struct {
		name string
		mode int64
	}{{"a", 0o755}, {"b", 0o755}, {"LICENSE", 0o644}, {"THIRD_PARTY_LICENSES.txt", 0o644}, {"sbom.cdx.json", 0o644}} {
		got := entries[name+"/"+e.name]
		if got.header == nil || got.header.Mode != e.mode || len(got.content) == 0 || !got.header.ModTime.Equal(time.Unix(1767225600, 0)) {
			t.Errorf("%s: %+v", e.name, got.header)
		}
	}
	if len(entries) != 5 || !bytes.Equal(entries[name+"/sbom.cdx.json"].content, files[name+".cdx.json"]) {
		t.Errorf("%d entries", len(entries))
	}
	wantSums(t, files)
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if err := r.write(); err == nil || !strings.Contains(err.Error(), `SOURCE_DATE_EPOCH is "yesterday"`) {
		t.Errorf("a wrong date: %v", err)
	}
}

func TestRelease_doesNotBuild(t *testing.T) {
	t.Parallel()
	r := smallRelease(t, "hello")
	r.programs = append(r.programs, "example.com/small/missing")
	if err := r.write(); err == nil || !strings.Contains(err.Error(), "cannot build for "+here.String()) || !strings.Contains(err.Error(), "small/missing") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(r.out, sumsFile)); err == nil {
		t.Error("a release that failed has checksums")
	}
}

// unpacked is a file of an archive.
type unpacked struct {
	header  *tar.Header
	content []byte
}

func unpack(t *testing.T, packed []byte) map[string]unpacked {
	t.Helper()
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]unpacked{}
	for archive := tar.NewReader(plain); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		entries[header.Name] = unpacked{header, content}
	}
}

// wantSums checks that SHA256SUMS has the checksum of every other file.
func wantSums(t *testing.T, files map[string][]byte) {
	t.Helper()
	listed := map[string]string{}
	for line := range strings.Lines(string(files[sumsFile])) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		listed[name] = sum
	}
	for name, content := range files {
		sum := sha256.Sum256(content)
		if name != sumsFile && listed[name] != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: the sum of %s is %q", sumsFile, name, listed[name])
		}
	}
	if len(listed) != len(files)-1 {
		t.Errorf("%s lists %d of %d files", sumsFile, len(listed), len(files)-1)
	}
}

// self returns this test's program, which links dozens of modules.
func self(t *testing.T) program {
	t.Helper()
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return program{
		name: "self",
		file: file,
		info: info,
	}
}

package feed_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/feed"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

// summarize reads a feed and returns a line for each product and problem: "2 A" or "line 3 (sku B): price …".
func summarize(t *testing.T, name, text string) []string {
	t.Helper()
	r, err := feed.New(strings.NewReader(text), feed.Options{Name: name, Currency: money.USD})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line, err := range r.All() {
		all = append(all, describe(t, line, err)...)
	}
	return all
}

func describe(t *testing.T, line feed.Line, err error) (all []string) {
	t.Helper()
	_, bad := errors.AsType[*fault.Error](err)
	if bad != (len(line.Problems) > 0) {
		t.Errorf("line %d has %v and the error %v", line.Number, line.Problems, err)
	}
	switch {
	case err == nil:
		return []string{fmt.Sprintf("%d %s", line.Number, line.SKU)}
	case !bad:
		return []string{fmt.Sprintf("%d ends: %v", line.Number, err)}
	}
	for _, p := range line.Problems {
		all = append(all, p.String())
	}
	return all
}

func equal(t *testing.T, got, want []string) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

// only returns the product of a feed that has one.
func only(t *testing.T, name, text string) catalog.Draft {
	t.Helper()
	r, err := feed.New(strings.NewReader(text), feed.Options{Name: name, Currency: money.USD})
	if err != nil {
		t.Fatal(err)
	}
	var drafts []catalog.Draft
	for line, err := range r.All() {
		if err != nil {
			t.Fatalf("line %d: %v", line.Number, err)
		}
		drafts = append(drafts, line.Draft)
	}
	if len(drafts) != 1 {
		t.Fatalf("%d products, want one", len(drafts))
	}
	return drafts[0]
}

// The file's name decides between CSV and NDJSON. Under any other name, the content does.
func TestNew_detectsFormat(t *testing.T) {
	t.Parallel()
	const csv, ndjson = "sku,name\nA,Tent\n", `{"sku":"A","name":"Tent"}`
	for _, c := range []struct{ name, text string }{
		{"a.csv", csv}, {"A.CSV", csv}, {"a.csv.gz", csv}, {"a.txt", csv}, {"", csv}, {"a.csv", "\ufeff" + csv},
		{"a.ndjson", ndjson}, {"a.jsonl", ndjson}, {"a.json", ndjson}, {"", ndjson}, {"", "\n \n" + ndjson}, {"a", "\ufeff" + ndjson},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			draft := only(t, c.name, c.text)
			if name, _ := draft.Name.Value(); name != "Tent" {
				t.Errorf("%q read from %q", name, c.text)
			}
		})
	}
}

// An unusable file is refused before any product is read.
func TestNew_unusableFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"a.csv", "", "a.csv: is empty"},
		{"a.csv", "sku,colour,price,when\nA,red,1,2\n", `line 1: unknown columns "colour" (did you mean color?), "when"; known are sku, name,`},
		{"a.csv", "sku,Categories\n", `unknown columns "Categories" (did you mean category?)`},
		{"a.csv", "\n\nsku,attributes.\n", `line 3: unknown columns "attributes."`},
		{"a.csv", "sku;name;price\n", `line 1: the columns are separated by ";": separate them by commas`},
		{"a.csv", "sku\tname\n", `line 1: the columns are separated by "\t"`},
		{"a.csv", "\xff\xfes\x00k\x00u\x00\n\x00", "a.csv: is UTF-16: save the file as UTF-8"},
		{"a.ndjson", "\xfe\xff\x00{", "a.ndjson: is UTF-16"},
		{"a.csv", "s\x00k\x00u\x00", "a.csv: is UTF-16"},
		{"a.csv", "sku,n\xe4me\n", "line 1: is not UTF-8: save the file as UTF-8"},
		{"a.csv", "sku,price,price\n", `column "price" is given twice`},
		{"a.csv", "name,price\n", `column "sku" is missing`},
		{"a.csv", "sku,\"name\n", "line 1: has a quoted field without an end"},
		{"a.json", `[{"sku":"A"}]`, "is a JSON array"},
		{"a.ndjson", "\x1f\x8bnothing", "a.ndjson: "},
	} {
		r, err := feed.New(strings.NewReader(c.text), feed.Options{Name: c.name, Currency: money.USD})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, %v; want an error with %q", c.text, r, err, c.want)
		}
	}
}

func TestOpen_compressedFile(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&text, "{\"sku\":\"A%d\",\"name\":\"Tent %d\",\"price\":%d.95}\n", i, i*i, i+1)
	}
	path := filepath.Join(t.TempDir(), "feed.ndjson.gz")
	packed := pack(t, text.String())
	if err := os.WriteFile(path, packed, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := feed.Open(path, feed.Options{Currency: money.USD})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line, err := range r.All() {
		if n++; err != nil || line.Number != n {
			t.Fatalf("line %d: number %d, %v", n, line.Number, err)
		}
	}
	if n != 5_000 || r.Size() != int64(len(packed)) || r.Read() != r.Size() {
		t.Errorf("%d lines, %d of %d bytes; want 5000 and all of %d", n, r.Read(), r.Size(), len(packed))
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := feed.Open(filepath.Join(t.TempDir(), "none.csv"), feed.Options{Currency: money.USD}); !os.IsNotExist(err) {
		t.Errorf("a missing file: %v", err)
	}
}

func pack(t *testing.T, text string) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// A small archive may hold a large text.
func TestNew_unpacked(t *testing.T) {
	t.Parallel()
	text := "sku,name\n" + strings.Repeat("A,"+strings.Repeat("x", 990)+"\n", 1000)
	for unpacked, want := range map[int64]bool{0: true, int64(len(text)): true, int64(len(text)) - 1: false} {
		r, err := feed.New(bytes.NewReader(pack(t, text)), feed.Options{
			Name:     "a.csv",
			Currency: money.USD,
			Unpacked: unpacked,
		})
		if err != nil {
			t.Fatal(err)
		}
		var last error
		for _, last = range r.All() {
		}
		if (last == nil) != want {
			t.Errorf("at most %d of %d bytes: %v", unpacked, len(text), last)
		}
	}
}

func TestReader_All_damagedArchive(t *testing.T) {
	t.Parallel()
	const csv = "sku,variant_sku,name\nA,,Tent\nB,B-1,Mat\nB,B-2,\n"
	packed := pack(t, csv)
	got := summarize(t, "a.csv", string(packed[:len(packed)-4])) // its checksum is cut
	equal(t, got, []string{
		"2 A",
		"line 3 (sku B): sku is left out with all its variants, for the file cannot be read further",
		"5 ends: unexpected EOF",
	})
}

func TestReader_All_stoppedEarly(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a.csv":    "sku,price,variant_sku\nA,1,\nB,x,\nC,1,C-1\nC,y,C-2\nD,1,\n",
		"a.ndjson": "{\"sku\":\"A\"}\n{}\n{\"sku\":\"C\"}\n",
	} {
		total := len(summarize(t, name, text))
		for enough := 1; enough <= total; enough++ {
			r, err := feed.New(strings.NewReader(text), feed.Options{Name: name, Currency: money.USD})
			if err != nil {
				t.Fatal(err)
			}
			seen := 0
			for range r.All() {
				if seen++; seen == enough {
					break
				}
			}
			if seen != enough {
				t.Errorf("%s: %d seen, want %d", name, seen, enough)
			}
		}
	}
}

// endless repeats a text for ever.
type endless struct{ text, rest string }

func (e *endless) Read(p []byte) (int, error) {
	if e.rest == "" {
		e.rest = e.text
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// Products are yielded before the end of the feed is read.
func TestReader_All_streams(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]*endless{
		"a.csv":    {"B,B-1\nA,\n", "sku,variant_sku\n"},
		"a.ndjson": {`{"sku":"A"}` + "\n", ""},
	} {
		r, err := feed.New(from, feed.Options{Name: name, Currency: money.USD})
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for _, err := range r.All() {
			if seen++; err != nil || seen == 1000 {
				break
			}
		}
		if seen != 1000 {
			t.Errorf("%s: %d products, want 1000", name, seen)
		}
	}
}

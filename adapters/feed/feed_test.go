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

// told is what a feed says, a line for each product or problem: "2 A" or "3 price: is too large".
func told(t *testing.T, name, text string) []string {
	t.Helper()
	r, err := feed.New(strings.NewReader(text), name, money.USD)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line, err := range r.All() {
		all = append(all, say(line, err))
	}
	return all
}

func say(line feed.Line, err error) string {
	if err == nil {
		sku, _ := line.Draft.SKU.Value()
		return fmt.Sprintf("%d %s", line.Number, sku)
	}
	bad, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return fmt.Sprintf("%d ends: %v", line.Number, err)
	}
	if len(bad.Details) == 0 {
		return fmt.Sprintf("%d %s", line.Number, bad.Message)
	}
	var problems []string
	for _, d := range bad.Details {
		problems = append(problems, d.Field+": "+d.Message)
	}
	return fmt.Sprintf("%d %s", line.Number, strings.Join(problems, "; "))
}

func equal(t *testing.T, got, want []string) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

// only is the one product of a feed.
func only(t *testing.T, name, text string) catalog.Draft {
	t.Helper()
	r, err := feed.New(strings.NewReader(text), name, money.USD)
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

func TestTheNameElseTheContentDecides(t *testing.T) {
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

func TestAFeedThatCannotBeUsedIsRefusedUpFront(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"a.csv", "", "a.csv: is empty"},
		{"a.csv", "sku,colour,price,when\nA,red,1,2\n", `line 1: unknown columns ["colour" "when"]; known are sku, name,`},
		{"a.csv", "\n\nsku,attributes.\n", `line 3: unknown columns ["attributes."]`},
		{"a.csv", "sku,price,price\n", `column "price" is given twice`},
		{"a.csv", "name,price\n", `column "sku" is missing`},
		{"a.csv", "sku,\"name\n", "line 1: invalid_request: The row has a quoted field without end."},
		{"a.json", `[{"sku":"A"}]`, "is a JSON array"},
		{"a.ndjson", "\x1f\x8bnothing", "a.ndjson: "},
	} {
		r, err := feed.New(strings.NewReader(c.text), c.name, money.USD)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, %v; want an error with %q", c.text, r, err, c.want)
		}
	}
}

func TestOpenCountsTheBytesOfACompressedFile(t *testing.T) {
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
	r, err := feed.Open(path, money.USD)
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
	if _, err := feed.Open(filepath.Join(t.TempDir(), "none.csv"), money.USD); !os.IsNotExist(err) {
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

func TestADamagedArchiveEndsTheReadingWithItsError(t *testing.T) {
	t.Parallel()
	const csv = "sku,variant_sku,name\nA,,Tent\nB,B-1,Mat\nB,B-2,\n"
	packed := pack(t, csv)
	got := told(t, "a.csv", string(packed[:len(packed)-4])) // its checksum is cut
	equal(t, got, []string{
		"2 A",
		"3 sku: is left out with all its variants because of line 5",
		"5 ends: unexpected EOF",
	})
}

func TestWhoHasEnoughIsNotToldMore(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a.csv":    "sku,price,variant_sku\nA,1,\nB,x,\nC,1,C-1\nC,y,C-2\nD,1,\n",
		"a.ndjson": "{\"sku\":\"A\"}\n{}\n{\"sku\":\"C\"}\n",
	} {
		total := len(told(t, name, text))
		for enough := 1; enough <= total; enough++ {
			r, err := feed.New(strings.NewReader(text), name, money.USD)
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

func TestProductsComeBeforeTheFeedEnds(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]*endless{
		"a.csv":    {"B,B-1\nA,\n", "sku,variant_sku\n"},
		"a.ndjson": {`{"sku":"A"}` + "\n", ""},
	} {
		r, err := feed.New(from, name, money.USD)
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

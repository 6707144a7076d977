package searcheval

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// file writes a text to a file, compressed if its name ends with .gz, and returns the path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	content := []byte(text)
	if strings.HasSuffix(name, ".gz") {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		content = packed.Bytes()
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func readProducts(ctx context.Context, path string) (*shop, error) {
	return readShop(ctx, Config{Products: path, Progress: func(string, int64, int64) {}})
}

func open(t *testing.T, name, text string) *shop {
	t.Helper()
	s, err := readProducts(t.Context(), file(t, name, text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	asNDJSON = `{"sku":"T-1","name":"Ridge Tent","price":199,"category":"outdoor/tents","variants":[{"sku":"T-1-G","color":"Green","quantity":3},{"sku":"T-1-R","color":"Red","quantity":0}]}
{"sku":"M-1","name":"Mat","price":20.5,"quantity":7}
`
	asCSV = "sku,variant_sku,name,price,category,color,quantity\nT-1,T-1-G,Ridge Tent,199,outdoor/tents,Green,3\nT-1,T-1-R,,,,Red,0\nM-1,,Mat,20.5,,,7\n"
)

func TestReadShop_formats(t *testing.T) {
	t.Parallel()
	want := open(t, "a.ndjson", asNDJSON).changes()
	if len(want.Changed) != 2 || len(want.Levels) != 3 || want.Version == 0 || want.Changed[0].Variants[1].Color != "Red" {
		t.Fatalf("%+v", want)
	}
	for i, l := range want.Levels {
		sku, quantity := []string{"T-1-G", "T-1-R", "M-1"}[i], []int{3, 0, 7}[i]
		if l.SKU != sku || l.Quantity != quantity || l.Location != "main" || l.Variant.IsZero() || l.Product.IsZero() {
			t.Errorf("level %+v, want %d of %s", l, quantity, sku)
		}
	}
	for name, text := range map[string]string{
		"b.ndjson": asNDJSON, "b.ndjson.gz": asNDJSON, "b.jsonl": asNDJSON, "b": asNDJSON, "b.csv": asCSV, "b.csv.gz": asCSV,
	} {
		if got := open(t, name, text).changes(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v\nwant %+v", name, got, want)
		}
	}
}

func TestReadShop_updatedAndRefused(t *testing.T) {
	t.Parallel()
	s := open(t, "a.ndjson", asNDJSON+`{"sku":"T-1","name":"Ridge Tent 2","variants":[{"sku":"T-1-R","color":"Red"},{"sku":"T-1-B","color":"Blue","quantity":4}]}
{"sku":"M-2","name":"Mat","price":-1}
{"name":"Nameless","price":1}
{"sku":"T-1-B","name":"Thief","price":1}
{"sku":"M-3","name":"Thief","price":1,"variants":[{"sku":"M-1"}]}
{"sku":"T-1-G","name":"Free again","price":1,"quantity":2}
{"sku":"M-4"
`)
	var names []string
	for _, i := range s.items {
		names = append(names, fmt.Sprintf("%s: %d of %d", i.product.Name, i.pieces(), len(i.product.Variants)))
	}
	if got, want := strings.Join(names, ", "), "Ridge Tent 2: 4 of 2, Mat: 7 of 1, Free again: 2 of 1"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	if levels := s.changes().Levels; len(levels) != 4 {
		t.Errorf("levels %+v; those of the variant that is gone are gone", levels)
	}
	want := []Refused{
		{4, "sku M-2: price must be more than zero"}, {5, "sku is required"},
		{6, "sku T-1-B: The sku T-1-B belongs to another product."}, {7, "sku M-3: The sku M-1 belongs to another product."},
	}
	if s.refused != 5 || !reflect.DeepEqual(s.why[:4], want) || s.why[4].Line != 9 || !strings.Contains(s.why[4].Says, "not JSON") {
		t.Errorf("%d refused: %+v\nwant %+v and line 9", s.refused, s.why, want)
	}
}

func TestReadShop_errors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"a.csv":        {"sku,colour\n", `unknown columns "colour" (did you mean color?)`},
		"b.csv":        {"sku,name\n", "has no products"},
		"c.ndjson":     {"\n{}\n{}\n", "line 2: sku is required"},
		"d.ndjson":     {"", "has no products"},
		"e.ndjson":     {"\x1f\x8bnothing", "e.ndjson: "},
		"f.csv":        {"", "f.csv: is empty"},
		"g.ndjson":     {"[{}]", "is a JSON array"},
		"h.csv.ndjson": {"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xffxx", "line 1: "},
	} {
		path := file(t, name, c.text)
		_, err := readProducts(t.Context(), path)
		_, isInputError := errors.AsType[*InputError](err)
		if !isInputError || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), path) != 1 {
			t.Errorf("%s: %v; want %s", name, err, c.want)
		}
	}
	if _, err := readProducts(t.Context(), filepath.Join(t.TempDir(), "none.csv")); !errors.As(err, new(*InputError)) ||
		!strings.HasSuffix(err.Error(), "none.csv: no such file or directory") {
		t.Errorf("no file: %v", err)
	}
}

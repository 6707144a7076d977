// Package feed reads product feeds, the files that `haggle import` accepts, as drafts of products: files in Haggle's own
// format, described below, and the product CSV files of Shopify (shopify.go) and WooCommerce (woocommerce.go). It streams and
// keeps no more than one product in memory, except that it keeps WooCommerce's products with variations until the end of the
// file. Storing the drafts is the caller's job.
//
// A file in Haggle's format is NDJSON (.ndjson, .jsonl) or CSV (.csv); under any other name the content decides. It is
// UTF-8, with or without a byte order mark, and may be compressed with gzip whatever its name.
// Numbers are parsed from their decimal digits, without floating point. A line, or a CSV record, has at most 1 MiB.
// A bad line is reported with its number, its SKU, and each invalid field and value. Reading continues after it.
//
// # NDJSON
//
// One product a line, in the form that the Management API takes: sku, name, price, category, brand,
// description, attributes {name: text}, tags, images [{url, alt}], variants [{sku, size, color,
// price, quantity, gtin, mpn, inventory_policy,
// requires_shipping}], negotiable, cost, competitor_price, reviews {average_rating, count, summary},
// related, status, quantity, gtin, mpn, inventory_policy and requires_shipping. Names are case-sensitive.
// Unknown and repeated names are refused. An omitted field keeps the stored value; null restores the default.
//
// # CSV
//
// A header row, then fields separated by commas and quoted as in RFC 4180. The header names, in any
// order, sku and any of name, price, category, brand, description, color, size, quantity, cost,
// competitor_price, negotiable (true or false), tags (separated by |), image_url, variant_sku, gtin,
// mpn, inventory_policy, requires_shipping (true or false) and attributes.<name>. Other columns are refused before
// a row is read. An empty cell counts as omitted. The columns line, field, value and problem are ignored: a file of
// refused lines has them.
//
// A row without variant_sku is a whole product; its color and size, if any, become attributes.
// Rows with a variant_sku that follow each other with the same sku are one product with those
// variants: the first row gives what belongs to the product, later ones repeat it or leave it empty,
// and a later price that differs is that variant's own. If one of them is bad, or an unreadable row
// touches them, the whole product is refused rather than imported without a variant.
//
// In a file with the column record, each cell of that column holds one product as NDJSON.
package feed

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Line is a product of the feed.
type Line struct {
	Number int    // of the line where the product starts, from 1
	SKU    string // as the file has it; "" if unknown
	// Draft is what could be read; zero if the line could not be parsed.
	Draft catalog.Draft
	// Problems are the line's errors. A line without any is a product.
	Problems []catalog.LineProblem
	// Rows are the lines that describe the product, at most 1,000.
	Rows []catalog.FileRow
	// locate finds a field of the draft: the index in Rows, the name that the file has for it, and the value there.
	locate func(field string) (row int, name, value string)
}

// At returns where the file has a field of the draft, such as variants.1.price: the line, the name of the column, and
// the value as written.
func (l Line) At(field string) (number int, name, value string) {
	if l.locate == nil {
		return l.Number, field, ""
	}
	row, name, value := l.locate(field)
	return l.Rows[row].Number, name, catalog.Shown(value)
}

// Reader reads one feed, once.
type Reader struct {
	file   io.Closer // nil: the caller's own
	size   int64
	read   *counter
	format format
}

// format is CSV or NDJSON. Its all method implements Reader.All.
type format interface {
	all(yield func(Line, error) bool)
	columns() []string
}

// Options say how a feed is read.
type Options struct {
	Name     string // decides between CSV and NDJSON, and stands in errors; it may be empty
	Currency money.Currency
	Format   Format // zero: Haggle
	Unpacked int64  // bytes of a compressed feed at most; 0: any number
}

// Open opens the feed at path. Without Options.Name, path is its name. An invalid header is reported here, before anything
// is imported.
func Open(path string, o Options) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	o.Name = cmp.Or(o.Name, path)
	r, err := New(file, o)
	if err != nil {
		file.Close()
		return nil, err
	}
	r.file = file
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		r.size = info.Size()
	}
	return r, nil
}

// New is Open for a reader instead of a file.
func New(from io.Reader, o Options) (*Reader, error) {
	r := &Reader{read: &counter{from: from}}
	text, err := plain(bufio.NewReaderSize(r.read, bufferSize), o.Unpacked)
	if err == nil {
		r.format, err = open(text, o)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmp.Or(o.Name, "feed"), err)
	}
	return r, nil
}

// All yields the products in the order of the feed, each with the line where it starts. A *fault.Error describes the
// problems of that line, like its Problems, and reading continues. Any other error (disk, damaged archive) ends the
// iteration.
func (r *Reader) All() iter.Seq2[Line, error] { return r.format.all }

// Size returns the file's size in bytes, 0 if unknown.
func (r *Reader) Size() int64 { return r.size }

// Columns returns the names in the CSV header row; nil for NDJSON.
func (r *Reader) Columns() []string { return r.format.columns() }

// Read returns how many bytes of the file were read so far. It may be called while All runs.
func (r *Reader) Read() int64 { return r.read.n.Load() }

// Close closes the file.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

const bufferSize = 64 << 10

// plain returns a reader of the text, decompressed and without a byte order mark.
func plain(raw *bufio.Reader, unpacked int64) (*bufio.Reader, error) {
	if magic, _ := raw.Peek(2); string(magic) == "\x1f\x8b" {
		archive, err := gzip.NewReader(raw)
		if err != nil {
			return nil, err
		}
		var text io.Reader = archive
		if unpacked > 0 {
			text = &bounded{from: archive, left: unpacked}
		}
		raw = bufio.NewReaderSize(text, bufferSize)
	}
	if start, _ := raw.Peek(4); isUTF16(start) {
		return nil, errors.New("is UTF-16: save the file as UTF-8")
	}
	if mark, _ := raw.Peek(3); string(mark) == "\ufeff" {
		raw.Discard(3)
	}
	return raw, nil
}

// isUTF16 reports whether a text starts with a UTF-16 byte order mark, or with an ASCII character encoded as UTF-16.
func isUTF16(start []byte) bool {
	if len(start) < 2 {
		return false
	}
	mark := string(start[:2])
	return mark == "\xff\xfe" || mark == "\xfe\xff" || (start[0] == 0) != (start[1] == 0)
}

func open(text *bufio.Reader, o Options) (format, error) {
	isJSON, err := looksLikeJSON(text, o.Name)
	if err != nil {
		return nil, err
	}
	lines := &lines{from: text}
	if isJSON && o.Format != Haggle && o.Format != (Format{}) {
		return nil, fmt.Errorf("is JSON; the format %s is a CSV file", o.Format)
	}
	if isJSON {
		return &ndjson{lines, o.Currency}, nil
	}
	return openTable(lines, o)
}

// looksLikeJSON decides by the name, else by the first character. It refuses a JSON array, because its products are rarely
// one per line.
func looksLikeJSON(text *bufio.Reader, name string) (bool, error) {
	start, _ := text.Peek(512)
	first := strings.TrimSpace(string(start))
	if strings.HasPrefix(first, "[") {
		return false, errors.New("is a JSON array; write one product a line, without brackets and commas around them")
	}
	switch filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz")) {
	case ".ndjson", ".jsonl":
		return true, nil
	case ".csv":
		return false, nil
	}
	return strings.HasPrefix(first, "{"), nil
}

// counter counts the bytes that pass.
type counter struct {
	from io.Reader
	n    atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// bounded is a reader that fails after its limit of bytes.
type bounded struct {
	from io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errors.New("is too large once it is unpacked")
	}
	return n, err
}

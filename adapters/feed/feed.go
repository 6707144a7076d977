// Package feed reads product feeds, the files that `haggle import` takes, as drafts of products. It
// streams and keeps no more than one product in memory; storing the drafts is the caller's job.
//
// A feed is NDJSON (.ndjson, .jsonl) or CSV (.csv); under another name the content decides. It is
// UTF-8, with or without a byte order mark, and may be compressed with gzip whatever its name.
// Numbers are taken from their digits. A line, or a CSV record, has at most 1 MiB. A bad line is
// reported with its number, its SKU, and each field and value at fault, and does not end the reading.
//
// # NDJSON
//
// One product a line, in the form that the Management API takes: sku, name, price, category, brand,
// description, attributes {name: text}, tags, images [{url, alt}], variants [{sku, size, color,
// price, quantity, gtin, mpn, inventory_policy,
// requires_shipping}], negotiable, cost, competitor_price, reviews {average_rating, count, summary},
// related, status, quantity, gtin, mpn, inventory_policy and requires_shipping. Names are case-sensitive. Unknown and repeated ones are refused. What
// is left out keeps what is there, null restores the default.
//
// # CSV
//
// A header row, then fields separated by commas and quoted as in RFC 4180. The header names, in any
// order, sku and any of name, price, category, brand, description, color, size, quantity, cost,
// competitor_price, negotiable (true or false), tags (separated by |), image_url, variant_sku, gtin,
// mpn, inventory_policy, requires_shipping (true or false) and attributes.<name>. Other columns are refused before a row is read. An empty cell is left out.
// The columns line, field, value and problem are not read: they are those of a file of refused lines.
//
// A row without variant_sku is a whole product; its color and size, if any, become attributes.
// Rows with a variant_sku that follow each other with the same sku are one product with those
// variants: the first row gives what belongs to the product, later ones repeat it or leave it empty,
// and a later price that differs is that variant's own. If one of them is bad, or an unreadable row
// touches them, the whole product is refused rather than imported without a variant.
//
// A file with the column record has one product in NDJSON in each cell of it.
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
	SKU    string // as it is written; "": it is not known
	// Draft is what could be read, and zero if the line could not be taken apart.
	Draft catalog.Draft
	// Problems are what is wrong with the line; none: it is a product.
	Problems []catalog.LineProblem
	// Rows are the lines that the product is of, at most 1,000.
	Rows []catalog.FileRow
	// locate finds a field of the draft: the index in Rows, the name that the file has for it, and the value there.
	locate func(field string) (row int, name, value string)
}

// At finds what the file says about a field of the draft, such as variants.1.price: the line, the name of the column, and
// the value as it is written.
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

// format is CSV or NDJSON. It yields what All promises.
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

// Open opens the feed at path, by which it goes without a name. A header that cannot be used is an error here, before
// anything is imported.
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

// New is Open for what is no file.
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

// All yields the products in the order of the feed, each with the line where it starts. An error
// that is a *fault.Error says what is wrong with that line, as its Problems do; reading goes on. Any other error (the
// disk, a damaged archive) is the last.
func (r *Reader) All() iter.Seq2[Line, error] { return r.format.all }

// Size is how many bytes the file has, 0 where that is unknown.
func (r *Reader) Size() int64 { return r.size }

// Columns are the names in the header row of CSV; nil for NDJSON.
func (r *Reader) Columns() []string { return r.format.columns() }

// Read is how many of them were read so far. It may be called while All runs.
func (r *Reader) Read() int64 { return r.read.n.Load() }

// Close closes the file.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

const bufferSize = 64 << 10

// plain is the text itself: decompressed and without a byte order mark.
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

// isUTF16 reports whether a text starts with the byte order mark of UTF-16, or with a character of ASCII in it.
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

// looksLikeJSON goes by the name, else by the first character. The products of a JSON array are
// hardly ever one to a line, so it is refused as a whole.
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

// bounded fails once more than so many bytes were read.
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

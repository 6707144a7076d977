// Package feed reads product feeds, the files that `haggle import` takes, as drafts of products. It
// streams and keeps no more than one product in memory; storing the drafts is the caller's job.
//
// A feed is NDJSON (.ndjson, .jsonl) or CSV (.csv); under another name the content decides. It is
// UTF-8, with or without a byte order mark, and may be compressed with gzip whatever its name.
// Numbers are taken from their digits. A line, or a CSV record, has at most 1 MiB. A bad line is
// reported with its number and does not end the reading.
//
// # NDJSON
//
// One product a line, in the form that the Management API takes: sku, name, price, category, brand,
// description, attributes {name: text}, tags, images [{url, alt}], variants [{sku, size, color,
// price, quantity, gtin, mpn}], negotiable, cost, competitor_price, reviews {average_rating, count, summary},
// related, status, quantity, gtin and mpn. Names are case-sensitive. Unknown and repeated ones are refused. What
// is left out keeps what is there, null restores the default.
//
// # CSV
//
// A header row, then fields separated by commas and quoted as in RFC 4180. The header names, in any
// order, sku and any of name, price, category, brand, description, color, size, quantity, cost,
// competitor_price, negotiable (true or false), tags (separated by |), image_url, variant_sku, gtin,
// mpn and attributes.<name>. Other columns are refused before a row is read. An empty cell is left out.
//
// A row without variant_sku is a whole product; its color and size, if any, become attributes.
// Rows with a variant_sku that follow each other with the same sku are one product with those
// variants: the first row gives what belongs to the product, later ones repeat it or leave it empty,
// and a later price that differs is that variant's own. If one of them is bad, or an unreadable row
// touches them, the whole product is left out rather than imported without a variant.
package feed

import (
	"bufio"
	"cmp"
	"compress/gzip"
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
	Number int // of the line where the product starts, from 1
	Draft  catalog.Draft
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
}

// Open opens the feed at path, whose prices are in the currency. A header that cannot be used is an
// error here, before anything is imported.
func Open(path string, currency money.Currency) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := New(file, path, currency)
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

// New is Open for what is no file. The name decides the format and stands in errors; it may be empty.
func New(from io.Reader, name string, currency money.Currency) (*Reader, error) {
	r := &Reader{read: &counter{from: from}}
	text, err := plain(bufio.NewReaderSize(r.read, bufferSize))
	if err == nil {
		r.format, err = open(text, name, currency)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmp.Or(name, "feed"), err)
	}
	return r, nil
}

// All yields the products in the order of the feed, each with the line where it starts. An error
// that is a *fault.Error says what is wrong with that line; reading goes on. Any other error (the
// disk, a damaged archive) is the last.
func (r *Reader) All() iter.Seq2[Line, error] { return r.format.all }

// Size is how many bytes the file has, 0 where that is unknown.
func (r *Reader) Size() int64 { return r.size }

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
func plain(raw *bufio.Reader) (*bufio.Reader, error) {
	if magic, _ := raw.Peek(2); string(magic) == "\x1f\x8b" {
		archive, err := gzip.NewReader(raw)
		if err != nil {
			return nil, err
		}
		raw = bufio.NewReaderSize(archive, bufferSize)
	}
	if mark, _ := raw.Peek(3); string(mark) == "\ufeff" {
		raw.Discard(3)
	}
	return raw, nil
}

func open(text *bufio.Reader, name string, currency money.Currency) (format, error) {
	isJSON, err := looksLikeJSON(text, name)
	if err != nil {
		return nil, err
	}
	lines := &lines{from: text}
	if isJSON {
		return &ndjson{lines, currency}, nil
	}
	return openTable(lines, currency)
}

// looksLikeJSON goes by the name, else by the first character. The products of a JSON array are
// hardly ever one to a line, so it is refused as a whole.
func looksLikeJSON(text *bufio.Reader, name string) (bool, error) {
	start, _ := text.Peek(512)
	first := strings.TrimSpace(string(start))
	if strings.HasPrefix(first, "[") {
		return false, fmt.Errorf("is a JSON array; write one product a line, without brackets and commas around them")
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

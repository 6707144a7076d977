package feed

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Format names the system whose CSV columns a feed has.
type Format struct{ name string }

var (
	// Haggle is the format of the package's description, in CSV or NDJSON.
	Haggle = Format{"haggle"}
	// Shopify is Shopify's product CSV file, with the column names used since 2024 or those used before.
	Shopify = Format{"shopify"}
	// WooCommerce is the file of WooCommerce's product exporter.
	WooCommerce = Format{"woocommerce"}
)

func (f Format) String() string { return cmp.Or(f.name, Haggle.name) }

// Formats are all formats by name.
var Formats = map[string]Format{"haggle": Haggle, "shopify": Shopify, "woocommerce": WooCommerce}

// platform is how a platform's columns become products.
type platform struct {
	format Format
	title  string
	// names maps alternative column names, in lower case, to the names that the platform's code uses.
	names map[string]string
	// required are the columns that a file must have, by the names that the code uses.
	required []string
	// typical are columns that hardly any other format has. Two of them identify the format.
	typical []string
	all     func(t *table, yield func(Line, error) bool)
}

var platforms = []platform{shopifyCSV, wooCSV}

// column returns the name that the code uses for a column.
func (p *platform) column(name string) string {
	name = strings.ToLower(name)
	return cmp.Or(p.names[name], name)
}

// wrote reports whether a header looks like one that the platform wrote.
func (p *platform) wrote(header []string) bool {
	found := 0
	for _, name := range header {
		if slices.Contains(p.typical, p.column(name)) {
			found++
		}
	}
	return found >= 2
}

// FormatError reports a file that looks like another format than the requested one.
type FormatError struct {
	Looks Format
	title string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("looks like a product file of %s: choose the format %s", e.title, e.Looks)
}

// recognize returns a FormatError for a header that looks like another format's.
func recognize(header []string, as Format) error {
	for i := range platforms {
		p := &platforms[i]
		if p.format != as && p.wrote(header) {
			return &FormatError{Looks: p.format, title: p.title}
		}
	}
	if as != Haggle && !slices.ContainsFunc(header, func(name string) bool { return !isColumn(name) }) {
		return &FormatError{Looks: Haggle, title: "Haggle"}
	}
	return nil
}

// openPlatform finds the platform's columns and ignores unknown ones.
func (t *table) openPlatform(as Format) error {
	i := slices.IndexFunc(platforms, func(p platform) bool { return p.format == as })
	t.platform = &platforms[i]
	refused := slices.Contains(t.header, "problem") // it is a table of refused products, with a sku column beside the platform's
	for n, name := range t.header {
		column := t.platform.column(name)
		if _, twice := t.at[column]; twice || slices.Contains(notes, column) || refused && name == "sku" {
			continue
		}
		t.at[column] = n
	}
	if err := recognize(t.header, as); err != nil {
		return err
	}
	for _, column := range t.platform.required {
		if _, ok := t.at[column]; !ok {
			return fmt.Errorf("column %q is missing", column)
		}
	}
	return nil
}

// name returns the file's own name of a column.
func (t *table) name(column string) string {
	if i, ok := t.at[column]; ok {
		return t.header[i]
	}
	return column
}

var errEmpty = errors.New("is empty; a CSV feed starts with a header row")

package segment

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/haggle-commerce/haggle/adapters/search/words"
	"github.com/haggle-commerce/haggle/domain/catalog"
)

// Code is a text that identifies one or a few products: a SKU, a GTIN, a part number.
type Code struct {
	Kind  string // its name in reasons
	Value string // as the merchant wrote it
}

// codeMark is the prefix of codes' terms, which distinguishes them from words. They are the first of a dictionary.
const codeMark = "\x00"

// Bounds of a code, in characters of its term.
const longestCode = 64

// CodeTerm returns the term of a code, ignoring case and punctuation; "" if it has neither letters nor digits, or is too long.
// Leading zeros of a GTIN are ignored, because a UPC is an EAN with one.
func CodeTerm(text string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, words.Fold(text))
	if strings.Trim(plain, "0123456789") == "" {
		switch len(plain) {
		case 8, 12, 13, 14:
			plain = strings.TrimLeft(plain, "0")
		}
	}
	if plain == "" || len(plain) > longestCode {
		return ""
	}
	return codeMark + plain
}

// IsCode reports whether a term is a code's.
func IsCode(term string) bool { return strings.HasPrefix(term, codeMark) }

// Codes returns how many terms of a dictionary are codes.
func (d Dictionary) Codes() int { return d.From("\x01") }

// codeNames maps names of attributes that contain codes, reduced to letters and digits, to the names used in reasons.
var codeNames = map[string]string{
	"gtin": "GTIN", "gtin8": "GTIN", "gtin12": "GTIN", "gtin13": "GTIN", "gtin14": "GTIN", "barcode": "GTIN",
	"ean": "EAN", "ean8": "EAN", "ean13": "EAN", "jan": "EAN", "upc": "UPC", "upca": "UPC",
	"isbn": "ISBN", "isbn10": "ISBN", "isbn13": "ISBN", "asin": "ASIN",
	"mpn": "MPN", "manufacturerpartnumber": "MPN", "manufacturerspartnumber": "MPN",
	"partnumber": "part number", "partno": "part number", "partnr": "part number", "articlenumber": "part number",
	"modelnumber": "model number", "modelno": "model number", "modelnr": "model number",
}

// CodesOf returns the codes of a product.
func CodesOf(p *catalog.Product) (codes []Code) {
	add := func(kind, value string) {
		if value != "" {
			codes = append(codes, Code{kind, value})
		}
	}
	add("SKU", p.SKU)
	for _, v := range p.Variants {
		if v.SKU != p.SKU {
			add("SKU", v.SKU)
		}
		add("GTIN", v.GTIN)
		add("MPN", v.MPN)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Attributes)) {
		letters := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, name)
		add(codeNames[letters], p.Attributes[name])
	}
	return slices.DeleteFunc(codes, func(c Code) bool { return c.Kind == "" })
}

// code adds the codes of a product as separate terms, which are merged and counted like words.
func (b *builder) code(p *catalog.Product) {
	for _, c := range CodesOf(p) {
		term := CodeTerm(c.Value)
		if term == "" {
			continue
		}
		before := len(b.terms)
		number := b.number(term)
		b.codes += len(b.terms) - before
		if b.current[number] == 0 {
			b.seen = append(b.seen, number)
			b.current[number] = b.current[number].more(TitleHead)
		}
	}
}

package words

import (
	"bytes"
	"strconv"
	"strings"
)

// unit is the normalized form of a unit. A loose unit counts only directly after its number: "5g", not "5 g".
type unit struct {
	form  string
	loose bool
}

// units maps written words to units.
var units = func() map[string]unit {
	all := make(map[string]unit)
	for form, written := range map[string]string{
		"in": "in inch inches", "ft": "ft foot feet", "yd": "yd yard yards", "mm": "mm millimeter millimeters millimetre millimetres",
		"cm": "cm centimeter centimeters centimetre centimetres", "sqft": "sqft", "cuft": "cuft",
		"w": "w watt watts", "kw": "kw kilowatt kilowatts", "v": "v volt volts", "amp": "amp amps ampere amperes", "mah": "mah", "ah": "ah", "wh": "wh",
		"hz": "hz hertz", "khz": "khz", "mhz": "mhz", "ghz": "ghz", "kb": "kb", "mb": "mb", "gb": "gb gigabyte gigabytes gig", "tb": "tb terabyte terabytes",
		"oz": "oz ounce ounces", "lb": "lb lbs pound pounds", "gal": "gal gallon gallons", "qt": "qt quart quarts", "pt": "pt pint pints",
		"l": "liter liters litre litres", "ml": "ml milliliter milliliters millilitre millilitres", "kg": "kg kgs kilogram kilograms",
		"g": "gram grams", "btu": "btu btus", "rpm": "rpm", "psi": "psi", "hp": "hp horsepower", "mp": "mp megapixel megapixels", "lm": "lm lumen lumens",
		"pk": "pk pack packs ct count pc pcs piece pieces", "ga": "ga gauge", "deg": "deg degree degrees", "dpi": "dpi", "ppm": "ppm", "mbps": "mbps", "gbps": "gbps",
		"m": "meter meters metre metres", "person": "person persons", "mil": "mil",
	} {
		for word := range strings.FieldsSeq(written) {
			all[word] = unit{form, false}
		}
	}
	for form, written := range map[string]string{"m": "m", "g": "g", "l": "l", "amp": "a", "v": "vac vdc", "pk": "pcs", "in": "ins"} {
		for word := range strings.FieldsSeq(written) {
			all[word] = unit{form, true}
		}
	}
	return all
}()

// marks are units that are written as a symbol.
var marks = map[rune]string{'"': "in", '\'': "ft", '%': "percent"}

// squares are the units for "ft" after these words.
var squares = map[string]string{"sq": "sqft", "square": "sqft", "cu": "cuft", "cubic": "cuft"}

// quantity is a number in a text with its unit, if it has one, and its end.
type quantity struct {
	number string // normalized: 1.5
	unit   string // "", or a normalized unit
	next   int    // index of the piece after it
}

// quantity reads the number that starts at a piece, if there is one.
func (r *Reader) quantity(i int) (q quantity, ok bool) {
	if i >= len(r.pieces) || !digit(r.text(i)[0]) {
		return q, false
	}
	text := r.text(i)
	end := numberEnd(text)
	number, rest := plain(text[:end]), text[end:]
	if number == "" {
		return q, false
	}
	q = quantity{number: number, next: i + 1}
	if len(rest) > 0 {
		u, known := units[string(rest)]
		q.unit = u.form
		r.inches(&q)
		return q, known
	}
	if whole, fraction := r.mixed(i); whole {
		q.number, q.next = addFraction(number, fraction), i+2
	}
	r.unitOf(&q)
	return q, true
}

// unitOf reads the unit after a number.
func (r *Reader) unitOf(q *quantity) {
	if form, marked := marks[r.pieces[q.next-1].mark]; marked {
		q.unit = form
		r.inches(q)
		return
	}
	if q.next >= len(r.pieces) || !r.pieces[q.next].near {
		return
	}
	word := r.text(q.next)
	if form, square := squares[string(word)]; square && q.next+1 < len(r.pieces) {
		if u := units[string(r.text(q.next+1))]; u.form == "ft" {
			q.unit, q.next = form, q.next+2
			return
		}
	}
	if u, known := units[string(word)]; known && !u.loose {
		q.unit, q.next = u.form, q.next+1
		r.inches(q)
	}
}

// inches reads inches after feet: 5'3", 5 ft. 3 in. The quantity's number stays that of the feet.
func (r *Reader) inches(q *quantity) {
	if q.unit != "ft" || q.next >= len(r.pieces) || !r.pieces[q.next].near {
		return
	}
	if behind, counted := r.quantity(q.next); counted && behind.unit == "in" {
		q.unit, q.next = "ft"+behind.number+"in", behind.next
	}
}

// mixed reports whether a fraction follows a whole number: 1-1/2, 1 1/2.
func (r *Reader) mixed(i int) (bool, string) {
	if i+1 >= len(r.pieces) || !r.pieces[i+1].near || r.pieces[i].mark != 0 || bytes.ContainsAny(r.text(i), "./") {
		return false, ""
	}
	next := r.text(i + 1)
	if !bytes.ContainsRune(next, '/') || numberEnd(next) != len(next) {
		return false, ""
	}
	fraction := plain(next)
	return strings.HasPrefix(fraction, "0."), fraction
}

func addFraction(whole, fraction string) string { return whole + fraction[1:] }

// numberEnd returns the end of the digits, points and slashes at a piece's beginning.
func numberEnd(text []byte) int {
	for i, b := range text {
		if !digit(b) && b != '.' && b != '/' {
			return i
		}
	}
	return len(text)
}

// plain normalizes a number: 17.0 to 17, 1/2 to 0.5; it returns "" for other texts such as 24/7.
func plain(text []byte) string {
	above, below, fraction := strings.Cut(string(text), "/")
	if !fraction {
		whole, places, _ := strings.Cut(above, ".")
		whole, places = strings.TrimLeft(whole, "0"), strings.TrimRight(places, "0")
		switch {
		case strings.Contains(places, "."):
			return ""
		case whole == "":
			whole = "0"
		}
		if places == "" {
			return whole
		}
		return whole + "." + places
	}
	n, errN := strconv.Atoi(above)
	d, errD := strconv.Atoi(below)
	if errN != nil || errD != nil || n <= 0 || n >= d || d > 64 {
		return ""
	}
	return strconv.FormatFloat(float64(n)/float64(d), 'f', -1, 32)
}

// times reports whether a piece separates the sides of a size: x, by.
func (r *Reader) times(i int) bool {
	if i >= len(r.pieces) {
		return false
	}
	word := string(r.text(i))
	return word == "x" || word == "by"
}

package console

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/bojanz/currency"
)

// words formats amounts and times by a shop's settings.
type words struct {
	money    *currency.Formatter
	locale   currency.Locale
	currency string
	zone     *time.Location
	now      time.Time
}

func newWords(locale, code string, zone *time.Location, now time.Time) *words {
	l := currency.NewLocale(locale)
	return &words{
		money:    currency.NewFormatter(l),
		locale:   l,
		currency: code,
		zone:     zone,
		now:      now.In(zone),
	}
}

// amount writes an amount of the API in a currency; "" is the shop's.
func (w *words) amount(n json.Number, code string) string {
	if code == "" {
		code = w.currency
	}
	a, err := currency.NewAmount(n.String(), code)
	if err != nil {
		return n.String() + " " + code
	}
	return strings.Replace(w.money.Format(a), "-", minus, 1)
}

// change writes an amount of the shop's currency with its sign.
func (w *words) change(n json.Number) string {
	text := w.amount(n, "")
	if strings.HasPrefix(text, minus) || strings.Trim(n.String(), "0.") == "" {
		return text
	}
	return "+" + text
}

const minus = "−"

// day writes a date: "Nov 22", with the year when it is another one.
func (w *words) day(t time.Time) string {
	t = t.In(w.zone)
	if t.Year() != w.now.Year() {
		return t.Format("Jan 2, 2006")
	}
	return t.Format("Jan 2")
}

// clock writes a time of a day: "12:52", with the date when it is another one.
func (w *words) clock(t time.Time) string {
	t = t.In(w.zone)
	if sameDay(t, w.now) {
		return t.Format("15:04")
	}
	return w.day(t) + ", " + t.Format("15:04")
}

func sameDay(a, b time.Time) bool {
	return a.Year() == b.Year() && a.YearDay() == b.YearDay()
}

// age writes how long ago something was: "8 s", "40 min", "3 h", "2 days".
func (w *words) age(t time.Time) string { return span(w.now.Sub(t)) }

func span(d time.Duration) string {
	switch {
	case d < 0:
		return "now"
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + " s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + " min"
	case d < 24*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + " h"
	}
	return count(int(d/(24*time.Hour)), "day", "days")
}

// count writes a number of things.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// thousands writes a number with commas.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// share writes a share as per cent with one decimal: 0.129 is "12.9%".
func share(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(100*x, 'f', 1, 64), ".0") + "%"
}

// short abbreviates an id: "ord_3xjv…q5xc".
func short(id string) string {
	head, tail, ok := strings.Cut(id, "_")
	if !ok || len(tail) < 12 {
		return id
	}
	return head + "_" + tail[:4] + "…" + tail[len(tail)-4:]
}

// axis writes an amount at an axis, without decimals: "$2k".
func (w *words) axis(x float64, code string) string {
	unit := ""
	if x >= 1000 {
		x, unit = x/1000, "k"
	}
	digits := strconv.FormatFloat(x, 'f', -1, 64)
	symbol, _ := currency.GetSymbol(code, w.locale)
	return symbol + digits + unit
}

// join joins names: "a, b and c".
func join(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// capital capitalizes the first letter.
func capital(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

// ago writes how long ago something was, as part of a sentence: "just now", "40 min ago", "on Nov 2".
func (w *words) ago(t time.Time) string {
	d := w.now.Sub(t)
	switch {
	case d < time.Minute:
		return "just now"
	case d < 24*time.Hour:
		return span(d) + " ago"
	}
	return "on " + w.day(t)
}

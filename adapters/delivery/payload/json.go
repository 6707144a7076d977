package payload

import (
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// object writes a JSON object, with its members in the order of the calls. Unlike json.Marshal it needs no struct for
// each shape.
type object struct{ json []byte }

func (o *object) name(name string) {
	if o.json[len(o.json)-1] != '{' {
		o.json = append(o.json, ',')
	}
	o.quoted(name)
	o.json = append(o.json, ':')
}

// quoted escapes as json.Marshal does.
func (o *object) quoted(text string) {
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ', c >= utf8.RuneSelf, c == '"', c == '\\', c == '<', c == '>', c == '&':
			quoted, _ := json.Marshal(text) // a text has no error
			o.json = append(o.json, quoted...)
			return
		}
	}
	o.json = append(append(append(o.json, '"'), text...), '"')
}

func (o *object) raw(name, json string) {
	o.name(name)
	o.json = append(o.json, json...)
}

func (o *object) text(name, value string) {
	o.name(name)
	o.quoted(value)
}

func (o *object) textOrNull(name, value string) {
	if value == "" {
		o.raw(name, "null")
		return
	}
	o.text(name, value)
}

func (o *object) int(name string, value int) { o.raw(name, strconv.Itoa(value)) }

func (o *object) bool(name string, value bool) { o.raw(name, strconv.FormatBool(value)) }

func (o *object) time(name string, value time.Time) {
	o.text(name, value.UTC().Format("2006-01-02T15:04:05.999Z07:00"))
}

func (o *object) amount(name string, value money.Amount) { o.raw(name, value.String()) }

// amountOrNull is null for an amount in no currency.
func (o *object) amountOrNull(name string, value money.Amount) {
	if value.Currency().Code() == "" {
		o.raw(name, "null")
		return
	}
	o.amount(name, value)
}

// money is an amount and its currency.
func (o *object) money(name string, value money.Amount) {
	o.amount(name, value)
	o.text("currency", value.Currency().Code())
}

// orderEvent is what every event of an order has.
func (o *object) orderEvent(of id.Order, sequence int) {
	o.text("order_id", of.String())
	o.int("sequence", sequence)
}

func (o *object) object(name string, members func()) {
	o.raw(name, "{")
	members()
	o.json = append(o.json, '}')
}

// list writes a list of objects.
func (o *object) list(name string, length int, members func(i int)) {
	o.raw(name, "[")
	for i := range length {
		if i > 0 {
			o.json = append(o.json, ',')
		}
		o.json = append(o.json, '{')
		members(i)
		o.json = append(o.json, '}')
	}
	o.json = append(o.json, ']')
}

package payload

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// object writes a JSON object, with its members in the order of the calls.
type object struct {
	json    bytes.Buffer
	encoder *json.Encoder // to json
	word    string        // buffer for the encoder: passing a pointer to it does not allocate
	subject string        // see EncodeEvent
}

func newObject() *object {
	o := &object{}
	o.json.Grow(1024)
	o.json.WriteByte('{')
	o.encoder = json.NewEncoder(&o.json)
	return o
}

// quoted writes a JSON string.
func (o *object) quoted(text string) {
	o.word = text
	_ = o.encoder.Encode(&o.word)     // encoding a string does not fail
	o.json.Truncate(o.json.Len() - 1) // the newline at its end
}

func (o *object) raw(name, json string) {
	if all := o.json.Bytes(); all[len(all)-1] != '{' {
		o.json.WriteByte(',')
	}
	o.quoted(name)
	o.json.WriteByte(':')
	o.json.WriteString(json)
}

func (o *object) text(name, value string) {
	o.raw(name, "")
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

// timeOrNull writes null for the zero time.
func (o *object) timeOrNull(name string, value time.Time) {
	if value.IsZero() {
		o.raw(name, "null")
		return
	}
	o.time(name, value)
}

func (o *object) amount(name string, value money.Amount) { o.raw(name, value.String()) }

// amountOrNull writes null for an amount without a currency.
func (o *object) amountOrNull(name string, value money.Amount) {
	if value.Currency().Code() == "" {
		o.raw(name, "null")
		return
	}
	o.amount(name, value)
}

// money writes an amount and its currency.
func (o *object) money(name string, value money.Amount) {
	o.amount(name, value)
	o.text("currency", value.Currency().Code())
}

// orderEvent writes the members that every event of an order has.
func (o *object) orderEvent(of id.Order, sequence int) {
	o.subject = of.String()
	o.text("order_id", of.String())
	o.int("sequence", sequence)
}

// checkout writes the members of an event about a checkout without an order.
func (o *object) checkout(of id.Checkout) {
	o.subject = of.String()
	o.text("checkout_id", of.String())
}

func (o *object) object(name string, members func()) {
	o.raw(name, "{")
	members()
	o.json.WriteByte('}')
}

// texts writes a list of strings.
func (o *object) texts(name string, values []string) {
	o.raw(name, "[")
	for i, value := range values {
		if i > 0 {
			o.json.WriteByte(',')
		}
		o.quoted(value)
	}
	o.json.WriteByte(']')
}

// list writes a list of objects.
func (o *object) list(name string, length int, members func(i int)) {
	o.raw(name, "[")
	for i := range length {
		if i > 0 {
			o.json.WriteByte(',')
		}
		o.json.WriteByte('{')
		members(i)
		o.json.WriteByte('}')
	}
	o.json.WriteByte(']')
}

func (o *object) items(list []event.Item) {
	o.list("items", len(list), func(i int) {
		o.text("product_id", list[i].Product.String())
		o.text("variant_id", list[i].Variant.String())
		o.text("sku", list[i].SKU)
		o.text("name", list[i].Name)
		o.int("quantity", list[i].Quantity)
		o.amount("price", list[i].Price)
		o.amount("original_price", list[i].Original)
	})
}

func (o *object) address(name string, a checkout.Address) {
	o.object(name, func() {
		o.text("name", a.Name)
		if a.First != "" {
			o.text("first_name", a.First)
		}
		if a.Last != "" {
			o.text("last_name", a.Last)
		}
		o.text("line1", a.Line1)
		o.text("line2", a.Line2)
		o.text("city", a.City)
		o.text("state", a.State)
		o.text("postal_code", a.PostalCode)
		o.text("country", a.Country)
		o.text("phone", a.Phone)
	})
}

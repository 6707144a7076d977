package wire

import (
	"errors"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// Money is an amount in a response: a JSON number with all of its currency's decimals, 49.90.
type Money struct{ money.Amount }

// ToMoney is the amount on the wire.
func ToMoney(a money.Amount) Money { return Money{a} }

// ToOptionalMoney is nil for nil.
func ToOptionalMoney(a *money.Amount) *Money {
	if a == nil {
		return nil
	}
	return &Money{*a}
}

func (m Money) MarshalJSON() ([]byte, error) { return []byte(m.String()), nil }

// MarshalJSONTo is MarshalJSON without a copy.
func (m Money) MarshalJSONTo(to *jsontext.Encoder) error {
	return to.WriteValue(money.AppendDecimal(to.AvailableBuffer(), m.Minor(), m.Currency().Digits()))
}

func (Money) Schema(huma.Registry) *huma.Schema {
	// The format double keeps generated clients from using 32-bit floats, which lose cents.
	return &huma.Schema{Type: huma.TypeNumber, Format: "double"}
}

// Decimal is the text of a JSON number, kept as it was written because floats would change it.
type Decimal string

// ToDecimal converts an integer scaled by 10^digits to a number without trailing zeros: (125, 1) is 12.5.
func ToDecimal(n int64, digits int) Decimal {
	text := money.FormatDecimal(n, digits)
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return Decimal(text)
}

func (d Decimal) MarshalJSON() ([]byte, error) { return []byte(d), nil }

func (d *Decimal) UnmarshalJSON(text []byte) error {
	if string(text) != "null" {
		*d = Decimal(text)
	}
	return nil
}

// Schema bounds the number by the largest amount (features/PROTOCOL.md#values), so that 1e400 is refused.
func (Decimal) Schema(huma.Registry) *huma.Schema {
	limit, negative := float64(money.Limit), -float64(money.Limit)
	return &huma.Schema{
		Type:             huma.TypeNumber,
		Format:           "double",
		ExclusiveMinimum: &negative,
		ExclusiveMaximum: &limit,
	}
}

// Amount converts the number to an amount. A number that the currency cannot hold becomes a problem of the field.
func (d Decimal) Amount(c money.Currency, field string, check fault.Check) money.Amount {
	amount, err := money.Parse(string(d), c)
	switch {
	case errors.Is(err, money.ErrTooPrecise):
		check.That(false, field, "has more decimals than "+c.Code()+" has")
	case err != nil:
		check.That(false, field, err.Error())
	}
	return amount
}

// Scaled converts the number to an integer scaled by 10^digits: with 1 digit, 12.5 is 125.
func (d Decimal) Scaled(digits int, field string, check fault.Check) int64 {
	n, err := money.ParseDecimal(string(d), digits)
	switch {
	case errors.Is(err, money.ErrTooPrecise):
		check.That(false, field, "has too many decimals")
	case err != nil:
		check.That(false, field, err.Error())
	}
	return n
}

// Percent converts the number to a percentage, which has at most one decimal.
func (d Decimal) Percent(field string, check fault.Check) money.Percent {
	return money.Percent(d.Scaled(1, field, check))
}

// ToPercent converts a percentage to a number: 12.5. For text ("12.5%") use its String method.
func ToPercent(p money.Percent) Decimal { return Decimal(p.Decimal()) }

// Time is a moment in a response: RFC 3339 in UTC, to the millisecond at most (features/PROTOCOL.md#values).
type Time struct{ time.Time }

// ToTime is the time on the wire.
func ToTime(t time.Time) Time { return Time{t} }

func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(t.UTC().Format(`"2006-01-02T15:04:05.999Z"`)), nil
}

func (Time) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time"}
}

// ID parses an identifier of a path or body: ID[id.Product](text, "product"). A malformed identifier cannot
// exist, so it is answered as missing.
func ID[T id.ID[K], K id.Kind](text, thing string) (T, error) {
	parsed, err := id.Parse[T, K](text)
	if err != nil {
		return T{}, fault.Missing(thing)
	}
	return parsed, nil
}

// OptionalID is ID for an identifier that may be left out.
func OptionalID[T id.ID[K], K id.Kind](text, thing string) (T, error) {
	if text == "" {
		return T{}, nil
	}
	return ID[T, K](text, thing)
}

// When is an RFC 3339 time or a date in a request, from the year 2 on. The zero value means that it was not given, and so does
// the zero time.
type When struct {
	at     time.Time // of a date: its midnight in UTC
	isDate bool
}

var errWhen = errors.New("must be a time such as 2030-01-31T12:00:00Z, or a date such as 2030-01-31")

func (w *When) UnmarshalText(text []byte) error {
	if day, err := time.Parse(time.DateOnly, string(text)); err == nil && day.Year() > 1 {
		*w = When{day, true}
		return nil
	}
	at, err := time.Parse(time.RFC3339, string(text))
	if err != nil || at.UTC().Year() < 2 {
		return errWhen
	}
	*w = When{at: at.UTC()}
	return nil
}

// Given reports whether it was given.
func (w When) Given() bool { return w != When{} }

// In returns the time, which for a date is the beginning of that day in the zone. It returns the zero time if none was given.
func (w When) In(zone *time.Location) time.Time {
	if !w.isDate {
		return w.at
	}
	y, m, d := w.at.Date()
	return analytics.StartOfDay(y, m, d, zone).UTC()
}

// Schema has no format: date-time would exclude dates.
func (When) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Examples: []any{"2026-03-01"}}
}

// Optional is a field of a merge patch (RFC 7396): left out, null, or a value. Its field needs the
// option omitzero, which makes it optional in the schema.
type Optional[T any] struct {
	given, null bool
	value       T
}

func (o *Optional[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*o = Optional[T]{given: true, null: d.PeekKind() == 'n'}
	if o.null {
		return d.SkipValue()
	}
	return json.UnmarshalDecode(d, &o.value)
}

// Given reports whether the field is there at all, null included.
func (o Optional[T]) Given() bool { return o.given }

// Null reports whether the field is there and null.
func (o Optional[T]) Null() bool { return o.null }

// Value is the value, and whether there is one.
func (o Optional[T]) Value() (T, bool) { return o.value, o.given && !o.null }

// Field is the field as the domain has it.
func (o Optional[T]) Field() patch.Field[T] {
	return MapField(o, func(value T) T { return value })
}

// Group returns the value of a field that is an object of Optionals. Null stands for an object in which each of them is null.
func (o Optional[T]) Group() T {
	group := o.value
	if o.null {
		for _, field := range reflect.ValueOf(&group).Elem().Fields() {
			field.Addr().Interface().(interface{ setNull() }).setNull()
		}
	}
	return group
}

func (o *Optional[T]) setNull() { *o = Optional[T]{given: true, null: true} }

// MapField converts the value of a field if it has one.
func MapField[T, U any](o Optional[T], convert func(T) U) patch.Field[U] {
	switch {
	case o.null:
		return patch.Null[U]()
	case o.given:
		return patch.To(convert(o.value))
	}
	return patch.Field[U]{}
}

// Schema is the value's, and nullable.
func (o Optional[T]) Schema(r huma.Registry) *huma.Schema {
	s := *r.Schema(o.wrapped(), false, "")
	s.Nullable = true
	return &s
}

func (Optional[T]) wrapped() reflect.Type { return reflect.TypeFor[T]() }

package shopify

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// input reads an input object. Its errors have the path of the field.
type input struct {
	values map[string]any
	path   []string
	to     *userErrors
}

// userErrors are the user errors of a mutation.
type userErrors struct {
	of   string // the type of the errors
	list []object
}

func (c *userErrors) add(path []string, code, format string, args ...any) {
	values := map[string]any{"field": slices.Clone(path), "message": fmt.Sprintf(format, args...), "code": code}
	if path == nil {
		values["field"] = nil
	}
	if code == "" {
		values["code"] = nil
	}
	c.list = append(c.list, facts{c.of, values})
}

func (c *userErrors) none() bool { return len(c.list) == 0 }

// shown returns the errors. It is never nil, because the schema requires a list.
func (c *userErrors) shown() []object { return append([]object{}, c.list...) }

func (i input) addError(name, code, format string, args ...any) {
	path := i.path
	if name != "" {
		path = append(slices.Clone(i.path), name)
	}
	i.to.add(path, code, format, args...)
}

func (i input) has(name string) bool { return i.values[name] != nil }

func (i input) text(name string) string { value, _ := i.values[name].(string); return value }

func (i input) flag(name string, absent bool) bool {
	if value, is := i.values[name].(bool); is {
		return value
	}
	return absent
}

func (i input) number(name string) int { return number64(i.values[name]) }

// inner returns an input object of a field, which is empty if the field is missing.
func (i input) inner(name string) input {
	values, _ := i.values[name].(map[string]any)
	return input{values, append(slices.Clone(i.path), name), i.to}
}

// each returns the input objects of a list.
func (i input) each(name string) (list []input) {
	values, _ := i.values[name].([]any)
	if one, alone := i.values[name].(map[string]any); alone { // GraphQL accepts a single value as a list
		values = []any{one}
	}
	for n, one := range values {
		object, _ := one.(map[string]any)
		list = append(list, input{object, append(slices.Clone(i.path), name, strconv.Itoa(n)), i.to})
	}
	return list
}

func (i input) texts(name string) []string {
	list := []string{}
	values, _ := i.values[name].([]any)
	for _, one := range values {
		if text, is := one.(string); is {
			list = append(list, text)
		}
	}
	if one, alone := i.values[name].(string); alone {
		list = append(list, one)
	}
	return list
}

func (i input) pairs(name, key string) (list []pair) {
	for _, one := range i.each(name) {
		list = append(list, pair{one.text(key), one.text("value")})
	}
	return list
}

// decimal reads Decimal and Money, which may be strings or numbers.
func decimal(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case int64:
		return strconv.FormatInt(v, 10)
	case int:
		return strconv.Itoa(v)
	}
	return ""
}

// cents parses an amount. It refuses more than two decimals, because Shopify's rounding is not documented.
func cents(text string) (int64, bool) {
	digits, negative := strings.CutPrefix(text, "-")
	whole, part, _ := strings.Cut(digits, ".")
	part = strings.TrimRight(part, "0")
	if whole == "" || len(part) > 2 || len(whole) > 12 || strings.ContainsAny(whole+part, "+-") {
		return 0, false
	}
	n, err := strconv.ParseInt(whole+(part + "00")[:2], 10, 64)
	if negative {
		n = -n
	}
	return n, err == nil
}

// money reads a MoneyBagInput in the order's currency. The look-alike supports one currency: it refuses amounts in other
// currencies and presentment currencies, which Shopify converts.
func (i input) money(name, currency string) int64 {
	bag := i.inner(name)
	shop := bag.inner("shopMoney")
	sum, good := cents(decimal(shop.values["amount"]))
	switch {
	case !good:
		shop.addError("amount", "INVALID", "Amount is not a number of whole cents")
	case shop.text("currencyCode") != currency:
		shop.addError("currencyCode", "INVALID", "Currency must be %s", currency)
	case bag.has("presentmentMoney"):
		other := bag.inner("presentmentMoney")
		if same, _ := cents(decimal(other.values["amount"])); same != sum || other.text("currencyCode") != currency {
			other.addError("", "INVALID", "The look-alike takes no presentment currency but the order's")
		}
	}
	return sum
}

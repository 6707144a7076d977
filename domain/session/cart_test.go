package session_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/session"
)

func lines(items []session.CartItem) (numbers []int) {
	for _, item := range items {
		numbers = append(numbers, item.Line)
	}
	return numbers
}

func TestCart_Replace_lineNumbers(t *testing.T) {
	t.Parallel()
	cart := session.Cart{Items: []session.CartItem{{Line: 2}, {Line: 7}}, LineSeq: 4}
	given := []session.CartItem{{}, {Line: 2}, {}}
	after := cart.Replace(given)
	if got := lines(after.Items); !slices.Equal(got, []int{8, 2, 9}) || after.LineSeq != 9 || given[0].Line != 0 {
		t.Errorf("lines %v, the last one %d; given %v", got, after.LineSeq, lines(given))
	}
	emptied := after.Replace(nil)
	if got := emptied.Replace([]session.CartItem{{}}); got.Items[0].Line != 10 {
		t.Errorf("after an empty cart: %v", lines(got.Items))
	}
}

func TestCart_Line(t *testing.T) {
	t.Parallel()
	cart := session.Cart{Items: []session.CartItem{{Line: 1, Quantity: 3}, {}}}
	if item, ok := cart.Line(1); !ok || item.Quantity != 3 {
		t.Errorf("line 1 is %+v, %v", item, ok)
	}
	for _, line := range []int{0, 2, -1} {
		if _, ok := cart.Line(line); ok {
			t.Errorf("there is a line %d", line)
		}
	}
}

func TestCart_Check_limits(t *testing.T) {
	t.Parallel()
	item := func(quantity int, cents int64) session.CartItem {
		return session.CartItem{
			Variant:  id.New[id.Variant]([16]byte{1}),
			Quantity: quantity,
			Price:    money.Of(cents, money.USD),
		}
	}
	for name, c := range map[string]struct {
		items []session.CartItem
		field string
	}{
		"nothing":           {nil, ""},
		"fifty lines":       {slices.Repeat([]session.CartItem{item(1000, 1)}, 50), ""},
		"one more":          {slices.Repeat([]session.CartItem{item(1, 1)}, 51), "items"},
		"no piece":          {[]session.CartItem{item(1, 1), item(0, 1)}, "items.1.quantity"},
		"too many pieces":   {[]session.CartItem{item(1001, 1)}, "items.0.quantity"},
		"too much money":    {[]session.CartItem{item(1000, money.Limit/1000)}, "items"},
		"almost that much":  {[]session.CartItem{item(1000, money.Limit/1000-1)}, ""},
		"more than can add": {slices.Repeat([]session.CartItem{item(1000, money.Limit-1)}, 50), "items"},
	} {
		err := session.Cart{Items: c.items}.Check(money.USD)
		var f *fault.Error
		field := ""
		if errors.As(err, &f) {
			field = f.Details[0].Field
		}
		if field != c.field || (err == nil) != (c.field == "") {
			t.Errorf("%s: %v names %q, want %q", name, err, field, c.field)
		}
	}
}

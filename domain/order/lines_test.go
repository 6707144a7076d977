package order_test

import (
	"fmt"
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// The pieces left and shipped of two lines, of three pieces and of one piece.
func TestCase_LineStates(t *testing.T) {
	t.Parallel()
	returned := order.Return{Status: order.Approved, Allocation: []order.Allocation{{Line: 0, Quantity: 2}}}
	asked := order.Return{Status: order.Requested, Allocation: []order.Allocation{{Line: 1, Quantity: 1}}}
	for name, c := range map[string]struct {
		status  order.FulfillmentStatus
		returns []order.Return
		want    string
	}{
		"placed":           {order.FulfillmentProcessing, nil, "[{4 3 3 0} {2 1 1 0}]"},
		"shipped":          {order.Shipped, nil, "[{4 3 3 3} {2 1 1 1}]"},
		"partly returned":  {order.Delivered, []order.Return{returned}, "[{4 3 1 1} {2 1 1 1}]"},
		"returned in vain": {order.Delivered, []order.Return{asked, {Status: order.Rejected, Allocation: asked.Allocation}}, "[{4 3 3 3} {2 1 1 1}]"},
		"canceled":         {order.FulfillmentCanceled, []order.Return{returned}, "[{4 3 0 0} {2 1 0 0}]"},
	} {
		placed := &order.Case{
			Order:   &order.Order{Lines: []checkout.Line{{ID: 4, Quantity: 3}, {ID: 2, Quantity: 1}}, Fulfillment: order.Fulfillment{Status: c.status}},
			Returns: c.returns,
		}
		var got []string
		for _, s := range placed.LineStates() {
			got = append(got, fmt.Sprintf("{%d %d %d %d}", s.Number, s.Original, s.Total, s.Fulfilled))
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

// Lines of older versions have no ID: their number is their position.
func TestOrder_LineNumber(t *testing.T) {
	t.Parallel()
	o := order.Order{Lines: []checkout.Line{{}, {}}}
	if a, b := o.LineNumber(0), o.LineNumber(1); a != 1 || b != 2 {
		t.Errorf("%d and %d", a, b)
	}
}

// A return of an earlier release is allocated from the pieces that no other return has.
func TestCase_AllocationOf(t *testing.T) {
	t.Parallel()
	v := id.New[id.Variant]([16]byte{1})
	items := []order.ReturnItem{{Variant: v, Quantity: 1}}
	c := &order.Case{
		Order: &order.Order{Lines: []checkout.Line{{Variant: v, Quantity: 1}, {Variant: v, Quantity: 1}, {Variant: v, Quantity: 1}}},
		Returns: []order.Return{
			{ID: id.New[id.Return]([16]byte{1}), Status: order.Approved, Items: items},
			{ID: id.New[id.Return]([16]byte{2}), Status: order.Approved, Allocation: []order.Allocation{{Line: 0, Quantity: 1}}},
			{ID: id.New[id.Return]([16]byte{3}), Status: order.Requested, Items: items},
		},
	}
	for i, want := range []int{1, 0, 2} {
		if got := c.AllocationOf(&c.Returns[i]); len(got) != 1 || got[0] != (order.Allocation{Line: want, Quantity: 1}) {
			t.Errorf("return %d: %v", i, got)
		}
	}
}

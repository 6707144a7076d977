package purchase

import (
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/order"
)

func CheckoutArgs(s checkout.Snapshot) []any {
	return checkouts.Args(toCheckoutRow(checkout.Rehydrate(s)))
}

func OrderArgs(o order.Order) []any { return orders.Args(toOrderRow(&o)) }

var SlotOf = slotOf

package faults

import (
	"fmt"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// writeFaults are the faults by platform. WooCommerce does not recognize repeated requests, so an attempt without a response is
// repeated almost a minute later, and one such fault has to do.
func writeFaults() map[string][]platforms.Fault {
	all := map[string][]platforms.Fault{}
	add := func(platform string, times int, kinds, resources string) {
		for resource := range strings.FieldsSeq(resources) {
			for kind := range strings.FieldsSeq(kinds) {
				all[platform] = append(all[platform], platforms.Fault{
					Platform: platform,
					Kind:     kind,
					Resource: resource,
					Times:    times,
				})
			}
		}
	}
	add(platforms.Shopify, 2, "lost error throttle garbage", "order_create order_find order_cancel refund_create inventory")
	add(platforms.WooCommerce, 1, "lost error throttle garbage", "order_create order_update order_read refund_create")
	add(platforms.WooCommerce, 2, "lost error throttle garbage", "orders refunds")
	add(platforms.WooCommerce, 1, "unpaid", "order_create order_update")
	add(platforms.Custom, 2, "lost error throttle garbage", "order_create orders order_read order_cancel refund_create inventory")
	return all
}

// orderShop is the merchant's view of a platform that orders are written to.
type orderShop interface {
	refund(order string) error // 1.00 of the order
	cancel(order string) error
	orders() []orderThere
	stock() (violations []string)
}

// orderThere is an order at a platform, with our order's id as its reference.
type orderThere struct {
	reference          string
	canceled           bool
	received, refunded string
}

func (f *feed) orderShop(platform string) orderShop {
	switch platform {
	case platforms.WooCommerce:
		return wooOrders{f}
	case platforms.Custom:
		return customOrders{f}
	}
	return shopifyOrders{f}
}

type shopifyOrders struct{ f *feed }

func (s shopifyOrders) refund(order string) error {
	_, err := s.f.platform.RefundAtShopify(platforms.AdminRefund{Order: order, Amount: "1.00"})
	return err
}

func (s shopifyOrders) cancel(order string) error {
	return s.f.platform.CancelAtShopify(platforms.AdminCancel{
		Order:   order,
		Refund:  true,
		Restock: true,
	})
}

func (s shopifyOrders) orders() (list []orderThere) {
	for _, one := range s.f.platform.State()["shopify_orders"].([]any) {
		o := one.(map[string]any)
		list = append(list, orderThere{
			reference: fmt.Sprint(o["sourceIdentifier"]),
			canceled:  o["cancelledAt"] != nil,
			received:  fmt.Sprint(o["received"]),
			refunded:  fmt.Sprint(o["refunded"]),
		})
	}
	return list
}

func (s shopifyOrders) stock() []string { return s.f.stockEquals(platforms.Shopify) }

type wooOrders struct{ f *feed }

func (s wooOrders) refund(order string) error {
	return s.f.platform.ChangeAtWooCommerce(platforms.WooCommerceChange{Order: order, Refund: "1.00"})
}

func (s wooOrders) cancel(order string) error {
	return s.f.platform.ChangeAtWooCommerce(platforms.WooCommerceChange{Order: order, Status: "cancelled"})
}

// In WooCommerce, an order that is canceled here is refunded in full and gets the status "refunded". An order that the merchant
// cancels there is not refunded.
func (s wooOrders) orders() (list []orderThere) {
	for _, one := range s.f.platform.State()["woocommerce_orders"].([]any) {
		o := one.(map[string]any)
		received := "0.00"
		if o["date_paid_gmt"] != nil {
			received = fmt.Sprint(o["total"])
		}
		list = append(list, orderThere{
			reference: fmt.Sprint(o["reference"]),
			canceled:  o["status"] == "refunded",
			received:  received,
			refunded:  fmt.Sprint(o["refunded"]),
		})
	}
	return list
}

// stock compares the stock of the products that the shop counts.
func (s wooOrders) stock() []string {
	return slices.DeleteFunc(s.f.stockEquals(platforms.WooCommerce), func(violation string) bool {
		var have int
		_, err := fmt.Sscanf(violation, "%d of", &have)
		return err == nil && have >= uncounted
	})
}

type customOrders struct{ f *feed }

func (s customOrders) refund(order string) error {
	return s.f.platform.ChangeAtCustom(platforms.CustomChange{Order: order, Refund: "1.00"})
}

func (s customOrders) cancel(order string) error {
	return s.f.platform.ChangeAtCustom(platforms.CustomChange{Order: order, Cancel: true})
}

// An order that is canceled here is refunded in full. An order that the merchant cancels there is not refunded.
func (s customOrders) orders() (list []orderThere) {
	for _, one := range s.f.platform.State()["custom_orders"].([]any) {
		o := one.(map[string]any)
		list = append(list, orderThere{
			reference: fmt.Sprint(o["reference"]),
			canceled:  o["canceled"] == true && o["refunded"] != "0.00",
			received:  fmt.Sprint(o["total"]),
			refunded:  fmt.Sprint(o["refunded"]),
		})
	}
	return list
}

func (s customOrders) stock() []string { return s.f.stockEquals(platforms.Custom) }

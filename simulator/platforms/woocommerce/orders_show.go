package woocommerce

import (
	"strconv"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// calculate is calculate_totals. It applies the shop's tax to lines, fees and shipping, unless the order's metadata has
// is_vat_exempt (calculate_taxes), and not to fees whose tax_status is none.
func (w *Platform) calculate(p *purchase) {
	exempt := find(p.meta, "is_vat_exempt") == "yes"
	for _, l := range p.lines {
		l.tax = 0
		if !exempt && !l.untaxed {
			l.tax = (l.total*int64(w.Host.Config.WooCommerceTax) + 50) / 100
		}
		if w.Host.Config.WooCommerceWhole {
			l.tax = (l.tax + 50) / 100 * 100
		}
	}
	p.whole = w.Host.Config.WooCommerceWhole
}

// total returns the total, rounded to the shop's decimals (set_total in calculate_totals).
func (p *purchase) total() (sum int64) {
	for _, l := range p.lines {
		sum += l.total + l.tax
	}
	if p.whole {
		return (sum + 50) / 100 * 100
	}
	return sum
}

func (p *purchase) sum(of string, amount func(*line) int64) (sum int64) {
	for _, l := range p.lines {
		if of == "" || l.of == of {
			sum += amount(l)
		}
	}
	return sum
}

func (p *purchase) refunded() (sum int64) {
	for _, r := range p.refunds {
		sum += r.cents
	}
	return sum
}

func tax(l *line) int64   { return l.tax }
func total(l *line) int64 { return l.total }

func gmtOrNull(ms int64) any {
	if ms == 0 {
		return nil
	}
	return gmt(ms)
}

func showMeta(list []entry) []any {
	shown := []any{}
	for _, e := range list {
		shown = append(shown, map[string]any{"id": e.id, "key": e.key, "value": e.value})
	}
	return shown
}

func (w *Platform) show(p *purchase) map[string]any {
	refunds := []any{}
	for _, r := range p.refunds {
		refunds = append(refunds, map[string]any{"id": r.id, "reason": r.reason, "total": "-" + host.Dollars(r.cents)})
	}
	number := strconv.Itoa(firstOrder + p.n)
	shown := map[string]any{
		"id": firstOrder + p.n, "parent_id": 0, "number": number, "order_key": "wc_order_" + number, "created_via": "rest-api", "version": "10.4.0",
		"status": p.status, "currency": p.currency, "date_created_gmt": gmt(p.created), "date_modified_gmt": gmt(p.updated), "date_paid_gmt": gmtOrNull(p.paid),
		"date_completed_gmt": gmtOrNull(p.sent), "discount_total": "0.00", "shipping_total": host.Dollars(p.sum("shipping_lines", total)),
		"shipping_tax": host.Dollars(p.sum("shipping_lines", tax)), "cart_tax": host.Dollars(p.sum("", tax) - p.sum("shipping_lines", tax)),
		"total": host.Dollars(p.total()), "total_tax": host.Dollars(p.sum("", tax)), "prices_include_tax": false, "customer_id": 0, "customer_note": p.note,
		"billing": p.billing, "shipping": p.shipping, "payment_method": p.method, "payment_method_title": p.title, "transaction_id": p.transaction,
		"meta_data": showMeta(p.meta), "coupon_lines": []any{}, "tax_lines": []any{}, "refunds": refunds, "needs_payment": p.needsPayment(),
	}
	for _, of := range []string{"line_items", "fee_lines", "shipping_lines"} {
		list := []any{}
		for _, l := range p.lines {
			if l.of == of {
				list = append(list, w.showLine(l))
			}
		}
		shown[of] = list
	}
	if p.sum("", tax) > 0 {
		shown["tax_lines"] = []any{map[string]any{
			"id": 1, "label": "Tax", "rate_percent": w.Host.Config.WooCommerceTax, "tax_total": shown["cart_tax"], "shipping_tax_total": shown["shipping_tax"],
		}}
	}
	return shown
}

func (w *Platform) showLine(l *line) map[string]any {
	meta := showMeta(l.meta)
	if l.taken > 0 {
		meta = append(meta, map[string]any{"id": l.id, "key": "_reduced_stock", "value": strconv.Itoa(l.taken)})
	}
	shown := map[string]any{"id": l.id, "total": host.Dollars(l.total), "total_tax": host.Dollars(l.tax), "meta_data": meta}
	switch l.of {
	case "shipping_lines":
		shown["method_id"], shown["method_title"] = l.method, l.name
		return shown
	case "fee_lines":
		shown["name"] = l.name
		return shown
	}
	shown["name"], shown["quantity"], shown["subtotal"] = l.name, l.quantity, host.Dollars(l.subtotal)
	shown["product_id"], shown["variation_id"], shown["sku"] = 0, 0, nil
	if l.item >= 0 {
		i := w.Items[l.item]
		shown["product_id"], shown["sku"] = firstProduct+i.Product, i.SKU
		if w.kind(i.Product) != "simple" {
			shown["variation_id"] = firstVariation + l.item
		}
	}
	return shown
}

// Written returns the orders that were written through the API and not deleted, with their refunds.
func (w *Platform) Written() (list []any) {
	list = []any{}
	w.Read(func(*host.World) {
		for n := range w.Orders {
			if p := w.purchases[n]; p != nil && !p.gone {
				shown := w.show(p)
				shown["refunded"], shown["reference"] = host.Dollars(p.refunded()), find(p.meta, "haggle_order_id")
				shown["notes"] = p.notes
				list = append(list, shown)
			}
		}
	})
	return list
}

package shopify

import (
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

func joined(tags []string) string { return strings.Join(tags, ", ") }

func lowerOrNull(text string) any { return host.OrNull(strings.ToLower(text)) }

// restRefund returns the payload of refunds/create (docs/api/admin-rest/latest/resources/refund).
func (s *Platform) restRefund(p *purchase, r *refund) map[string]any {
	lines, movements, restocked := []any{}, []any{}, false
	for _, l := range r.lines {
		place := any(nil)
		if l.place >= 0 {
			place = locationNumbers[l.place]
		}
		restocked = restocked || l.restocked
		lines = append(lines, map[string]any{
			"id": l.id, "line_item_id": p.lines[l.line].id, "quantity": l.quantity, "restock_type": lowerOrNull(l.restock), "location_id": place,
			"subtotal": host.Dollars(l.subtotal), "total_tax": host.Dollars(l.tax), "line_item": s.restLine(p, l.line),
		})
	}
	for _, t := range p.transactions {
		for _, id := range r.movements {
			if t.id == id {
				movements = append(movements, s.restTransaction(p, t))
			}
		}
	}
	return map[string]any{
		"id": r.id, "admin_graphql_api_id": gid("Refund", r.id), "order_id": orderBase + p.n, "created_at": restTime(r.made), "processed_at": restTime(r.made),
		"note": host.OrNull(r.note), "user_id": nil, "restock": restocked, "refund_line_items": lines, "transactions": movements, "order_adjustments": []any{},
	}
}

// restFulfillment returns the payload of fulfillments/create and fulfillments/update
// (docs/api/admin-rest/latest/resources/fulfillment).
func (s *Platform) restFulfillment(p *purchase, f *fulfillment) map[string]any {
	lines := []any{}
	for _, l := range f.lines {
		line := s.restLine(p, l.line)
		line["quantity"] = l.quantity
		lines = append(lines, line)
	}
	number, url := any(nil), any(nil)
	if len(f.numbers) > 0 {
		number = f.numbers[0]
	}
	if len(f.urls) > 0 {
		url = f.urls[0]
	}
	return map[string]any{
		"id": f.id, "admin_graphql_api_id": gid("Fulfillment", f.id), "order_id": orderBase + p.n, "name": p.name + ".F" + strconv.Itoa(f.number), "status": lowerOrNull(f.status),
		"service": "manual", "location_id": locationNumbers[f.place], "tracking_company": host.OrNull(f.company), "tracking_number": number,
		"tracking_numbers": append([]string{}, f.numbers...), "tracking_url": url, "tracking_urls": append([]string{}, f.urls...),
		"created_at": restTime(f.made), "updated_at": restTime(f.updated), "line_items": lines,
	}
}

package shoptest

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

var (
	list, target, floor    = decimal.FromInt(100), decimal.FromInt(92), decimal.FromInt(80)
	standard, express, tax = decimal.FromInt(5), decimal.FromInt(9), decimal.FromInt(1)
)

// price reads a number of a request. made is false if it is null or missing.
func price(value any) (d decimal.Decimal, made bool) {
	number, made := value.(json.Number)
	if !made {
		return decimal.Decimal{}, false
	}
	return decimal.MustParse(number.String()), true
}

func count(value any) int64 {
	number, _ := value.(json.Number)
	n, _ := number.Int64()
	return n
}

func lower(a, b decimal.Decimal) decimal.Decimal {
	if a.Less(b) {
		return a
	}
	return b
}

// quote accepts offers at 92 or at its own counter, rejects offers below 80, and counters others half way between offer
// and list price.
func (s *Shop) quote(_ *http.Request, in Answer) (int, Answer) {
	session, _ := in["session_id"].(string)
	quote, followUp := in["quote_id"].(string)
	if !followUp {
		quote = s.next("quote")
		s.lines[quote] = Answer{"product_id": in["product_id"], "name": "Claw hammer", "quantity": in["quantity"]}
	}
	answer := Answer{"session_id": session, "quote_id": quote, "valid_until": soon()}
	offer, made := price(in["offer_price"])
	counter, countered := s.offers[quote]
	switch {
	case !made:
		answer["status"], answer["list_price"], answer["offered_price"] = "quote", list, list
	case !offer.Less(target) || countered && !offer.Less(counter):
		answer["status"], answer["message"] = "accept", "yes"
		answer["final_price"], answer["checkout_token"] = lower(offer, list), s.accept(session, quote, lower(offer, list))
	case !offer.Less(floor):
		asked := offer.Plus(list).Over(2).Plus(decimal.FromInt(1)).Down(2)
		if countered {
			asked = lower(asked, counter)
		}
		s.offers[quote] = asked
		answer["status"], answer["original_price"], answer["your_offer"], answer["counter_price"] = "counter_offer", list, offer, asked
		answer["product"], answer["discount_applied"], answer["reasoning"] = Answer{"id": "p", "name": "n"}, "5%", "because"
		answer["next_actions"] = []string{"accept", "counter", "decline"}
	default:
		answer["status"], answer["reason"], answer["floor_hint"] = "reject", "too low", "80"
		answer["offered_price"] = list
		if countered {
			answer["offered_price"] = counter
		}
	}
	s.history[session] = append(s.history[session], Answer{
		"timestamp": soon(), "type": "quote_request", "offer": in["offer_price"], "response": answer["status"],
	})
	return 200, answer
}

// accept puts the product of a quote into the cart and returns its checkout token.
func (s *Shop) accept(session, quote string, agreed decimal.Decimal) string {
	line := Answer{"negotiated_price": agreed}
	for name, value := range s.lines[quote] {
		line[name] = value
	}
	token := s.next("ctok")
	s.lines[token] = line
	s.carts[session] = append(s.carts[session], line)
	return token
}

func (s *Shop) init(_ *http.Request, in Answer) (int, Answer) {
	item := in["items"].([]any)[0].(Answer)
	token, _ := in["checkout_token"].(string)
	unit, quantity := list, count(item["quantity"])
	if line := s.lines[token]; line != nil {
		unit = line["negotiated_price"].(decimal.Decimal)
	}
	if s.used[token] {
		return 409, Answer{"error": "token_redeemed"}
	}
	subtotal := unit.Times(quantity)
	answer := Answer{
		"checkout_id": s.next("chk"), "status": "ready", "valid_until": soon(),
		"summary": Answer{
			"subtotal": subtotal, "shipping": standard, "tax": tax, "total": subtotal.Plus(standard).Plus(tax),
			"savings": list.Minus(unit).Times(quantity), "currency": "USD",
		},
		"items": []Answer{{
			"product_id": item["product_id"], "name": "Claw hammer", "variant": "red", "quantity": quantity,
			"unit_price": unit, "original_price": list, "discount": "5%",
		}},
		"shipping_options": []Answer{
			{"id": "standard", "name": "Standard", "price": standard, "estimate": "2 days", "selected": true},
			{"id": "express", "name": "Express", "price": express, "estimate": "1 day"},
		},
		"payment_methods": []Answer{{"type": "psp_spt", "ready": true}, {"type": "wallet_ba", "ready": true}},
	}
	s.checkouts[answer["checkout_id"].(string)] = &checkout{
		token:    token,
		answer:   answer,
		subtotal: subtotal,
	}
	return 200, answer
}

func (s *Shop) finalize(_ *http.Request, in Answer) (int, Answer) {
	id := in["checkout_id"].(string)
	c := s.checkouts[id]
	if c == nil {
		return 404, Answer{"error": "checkout_not_found"}
	}
	if _, code, declined := strings.Cut(in["payment"].(Answer)["token"].(string), "_decline_"); declined && c.order == "" {
		return 200, Answer{
			"status": "payment_failed", "checkout_id": id, "checkout_status": "pending", "retry_allowed": true,
			"error": Answer{"code": "card_declined", "message": "no", "decline_code": code},
		}
	}
	if c.order != "" {
		return 200, copied(s.orders[c.order])
	}
	if c.token != "" && s.used[c.token] {
		return 409, Answer{"error": "token_redeemed"}
	}
	s.used[c.token] = c.token != ""
	c.order = s.next("ord")
	shipping := standard
	if in["shipping_option"] == "express" {
		shipping = express
	}
	item := c.answer["items"].([]Answer)[0]
	total := c.subtotal.Plus(shipping).Plus(tax)
	s.orders[c.order] = Answer{
		"status": "success", "receipt_url": s.URL + "/receipt",
		"order":       Answer{"id": c.order, "manage_token": "om_" + c.order, "confirmation_number": "C1", "status": "confirmed", "created_at": soon()},
		"payment":     Answer{"id": s.next("pay"), "status": "succeeded", "amount": total, "currency": "USD", "method": "card"},
		"fulfillment": Answer{"status": "processing", "estimated_ship_date": "2026-01-01", "estimated_delivery": "soon"},
		"tracking":    Answer{"available": false, "url": nil, "message": "later"},
		"summary": Answer{
			"items":    []Answer{{"name": "Claw hammer", "quantity": item["quantity"], "price": item["unit_price"]}},
			"subtotal": c.subtotal, "shipping": shipping, "tax": tax, "total": total,
		},
	}
	return 200, copied(s.orders[c.order])
}

// copied returns a copy of an answer, so that tampering does not change the shop's state.
func copied(answer Answer) Answer {
	out := Answer{}
	for name, value := range answer {
		if nested, ok := value.(Answer); ok {
			value = copied(nested)
		}
		out[name] = value
	}
	return out
}

func (s *Shop) session(r *http.Request, _ Answer) (int, Answer) {
	id, subtotal := r.PathValue("id"), decimal.Decimal{}
	for _, line := range s.carts[id] {
		subtotal = subtotal.Plus(line["negotiated_price"].(decimal.Decimal).Times(count(line["quantity"])))
	}
	return 200, Answer{
		"session_id": id, "status": "active", "created_at": soon(), "last_activity": soon(), "expires_at": soon(),
		"cart":                Answer{"items": append([]Answer{}, s.carts[id]...), "subtotal": subtotal},
		"negotiation_history": append([]Answer{}, s.history[id]...), "recommendations_shown": []Answer{},
	}
}

func (s *Shop) extend(r *http.Request, in Answer) (int, Answer) {
	minutes := count(in["duration_minutes"])
	ends := time.Now().Add(time.Duration(minutes) * time.Minute)
	return 200, Answer{"session_id": r.PathValue("id"), "new_expires_at": ends.UTC().Format(time.RFC3339)}
}

func (s *Shop) order(r *http.Request, _ Answer) (int, Answer) {
	if s.orders[r.PathValue("id")] == nil {
		return 404, Answer{"error": "order_not_found"}
	}
	return 200, copied(s.orders[r.PathValue("id")])
}

func (s *Shop) sendBack(*http.Request, Answer) (int, Answer) {
	return 201, Answer{
		"return_id": s.next("ret"), "status": "requested", "refund_estimate": 90, "currency": "USD", "instructions": "send it",
	}
}

package fakeshop

import (
	"net/http"
	"strings"
	"time"
)

const (
	list, target, floor = 100, 92, 80
	standard, express   = 5, 9
)

// quote accepts at 92 or at its own counter, counters half way between the offer and list, and rejects below 80.
func (s *Shop) quote(_ *http.Request, in Answer) (int, Answer) {
	session, _ := in["session_id"].(string)
	quote, followUp := in["quote_id"].(string)
	if !followUp {
		quote = s.next("quote")
		s.lines[quote] = Answer{"product_id": in["product_id"], "name": "Claw hammer", "quantity": in["quantity"]}
	}
	answer := Answer{"session_id": session, "quote_id": quote, "valid_until": soon()}
	offer, made := in["offer_price"].(float64)
	counter, countered := s.offers[quote]
	switch {
	case !made:
		answer["status"], answer["list_price"], answer["offered_price"] = "quote", list, list
	case offer >= target || countered && offer >= float64(counter):
		token := s.next("ctok")
		line := Answer{"negotiated_price": min(offer, list)}
		for name, value := range s.lines[quote] {
			line[name] = value
		}
		s.lines[token] = line
		s.carts[session] = append(s.carts[session], line)
		answer["status"], answer["final_price"], answer["message"] = "accept", min(offer, list), "yes"
		answer["checkout_token"] = token
	case offer >= floor:
		price := (int(offer)+list)/2 + 1
		if countered {
			price = max(min(price, counter), int(offer)+1)
		}
		s.offers[quote] = price
		answer["status"], answer["original_price"], answer["your_offer"], answer["counter_price"] = "counter_offer", list, offer, price
		answer["product"], answer["discount_applied"], answer["reasoning"] = Answer{"id": "p", "name": "n"}, "5%", "because"
		answer["next_actions"] = []string{"accept", "counter", "decline"}
	default:
		answer["status"], answer["reason"], answer["floor_hint"] = "reject", "too low", "80"
	}
	s.history[session] = append(s.history[session], Answer{
		"timestamp": soon(), "type": "quote_request", "offer": in["offer_price"], "response": answer["status"],
	})
	return 200, answer
}

func (s *Shop) init(_ *http.Request, in Answer) (int, Answer) {
	item := in["items"].([]any)[0].(Answer)
	token, _ := in["checkout_token"].(string)
	price, quantity := float64(list), item["quantity"].(float64)
	if line := s.lines[token]; line != nil {
		price = line["negotiated_price"].(float64)
	}
	if s.used[token] {
		return 409, Answer{"error": "token_redeemed"}
	}
	subtotal := price * quantity
	answer := Answer{
		"checkout_id": s.next("chk"), "status": "ready", "valid_until": soon(),
		"summary": Answer{
			"subtotal": subtotal, "shipping": standard, "tax": 1, "total": subtotal + standard + 1,
			"savings": (list - price) * quantity, "currency": "USD",
		},
		"items": []Answer{{
			"product_id": item["product_id"], "name": "Claw hammer", "variant": "red", "quantity": quantity,
			"unit_price": price, "original_price": list, "discount": "5%",
		}},
		"shipping_options": []Answer{
			{"id": "standard", "name": "Standard", "price": standard, "estimate": "2 days", "selected": true},
			{"id": "express", "name": "Express", "price": express, "estimate": "1 day"},
		},
		"payment_methods": []Answer{{"type": "psp_spt", "ready": true}, {"type": "wallet_ba", "ready": true}},
	}
	s.checkouts[answer["checkout_id"].(string)] = &checkout{token: token, answer: answer, subtotal: int(subtotal)}
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
	total := c.subtotal + shipping + 1
	s.orders[c.order] = Answer{
		"status": "success", "receipt_url": s.URL + "/receipt",
		"order":       Answer{"id": c.order, "confirmation_number": "C1", "status": "confirmed", "created_at": soon()},
		"payment":     Answer{"id": s.next("pay"), "status": "succeeded", "amount": total, "currency": "USD", "method": "card"},
		"fulfillment": Answer{"status": "processing", "estimated_ship_date": "2026-01-01", "estimated_delivery": "soon"},
		"tracking":    Answer{"available": false, "url": nil, "message": "later"},
		"summary": Answer{
			"items":    []Answer{{"name": "Claw hammer", "quantity": item["quantity"], "price": item["unit_price"]}},
			"subtotal": c.subtotal, "shipping": shipping, "tax": 1, "total": total,
		},
	}
	return 200, copied(s.orders[c.order])
}

// copied keeps tampering away from what the shop remembers.
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
	id, subtotal := r.PathValue("id"), 0.0
	for _, line := range s.carts[id] {
		subtotal += line["negotiated_price"].(float64) * line["quantity"].(float64)
	}
	return 200, Answer{
		"session_id": id, "status": "active", "created_at": soon(), "last_activity": soon(), "expires_at": soon(),
		"cart":                Answer{"items": append([]Answer{}, s.carts[id]...), "subtotal": subtotal},
		"negotiation_history": append([]Answer{}, s.history[id]...), "recommendations_shown": []Answer{},
	}
}

func (s *Shop) extend(r *http.Request, in Answer) (int, Answer) {
	minutes, _ := in["duration_minutes"].(float64)
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

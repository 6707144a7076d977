package features

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/exchange"
)

// attackTexts are texts, one a line, that run a script, load a resource or change a page if they are not escaped. They
// cover the classes of OWASP's "XSS Filter Evasion Cheat Sheet" and of PortSwigger's "Cross-site scripting cheat sheet".
//
//go:embed testdata/attacks.txt
var attackTexts string

// attackMark is part of each attack text. It is also the window property that an attack sets if it runs.
const attackMark = "zx9"

// attack fills a shop's texts with attacks and reads the console's pages as a member.
type attack struct {
	scenario *scenario
	texts    []string
	accepted map[string]int  // how many attacks the server stored, by field
	email    string          // of the member who reads
	cookie   *http.Cookie    // of the session
	pages    map[string]bool // paths that were read
	location string          // header of the latest answer
}

func attackSteps(sc stepRegistry, s *scenario) {
	a := &attack{scenario: s}
	sc.Given(`^a shop whose every text is an attack$`, a.opensShop)
	sc.Then(`^each role reaches the pages and forms of the table$`, a.checkRoleTable)
	sc.When(`^"([^"]*)" reads every page of the console$`, a.readsConsole)
	sc.Then(`^at least (\d+) pages contain no attack$`, func(n int) error {
		if len(a.pages) < n {
			return fmt.Errorf("only %d pages were read", len(a.pages))
		}
		return nil
	})
	sc.Then(`^no attack runs in the browser of "([^"]*)"$`, a.opensInBrowser)
}

func (a *attack) opensShop() error {
	a.texts, a.accepted = strings.Split(strings.TrimSpace(attackTexts), "\n"), map[string]int{}
	for i, text := range a.texts {
		if err := a.sellAndReturn(i, text); err != nil {
			return fmt.Errorf("attack %d: %w", i, err)
		}
	}
	if err := a.fillManagement(); err != nil {
		return err
	}
	for _, field := range []string{"product.name", "quote.message", "init.shipping_address.name", "finalize.notes", "return.comment", "ship.carrier", "refund.reason", "reject.reason"} {
		if a.accepted[field] < len(a.texts)/4 {
			return fmt.Errorf("%s took only %d attacks: %v", field, a.accepted[field], a.accepted)
		}
	}
	return nil
}

// sellAndReturn creates a product with an attack as its texts, and a buyer who negotiates, buys and returns it with the same texts.
func (a *attack) sellAndReturn(i int, text string) error {
	made, err := a.post("product", "/v1/catalog/products", map[string]any{
		"name": text, "sku": fmt.Sprintf("%s-%d", text, i), "price": 100, "brand": text, "category": text, "description": text, "tags": []string{text},
		"attributes": map[string]any{"material": text}, "reviews": map[string]any{"average_rating": 4, "count": 1, "summary": text},
		"variants": []any{
			map[string]any{"sku": fmt.Sprintf("v-%d", i), "size": text, "color": text, "quantity": 9},
			map[string]any{"sku": fmt.Sprintf("w-%d", i), "size": "other", "quantity": 9},
		},
	})
	if err != nil {
		return err
	}
	product, variant := made["id"], made["variants"].([]any)[0].(map[string]any)["id"]
	quote, err := a.post("quote", "/acp/quote", map[string]any{
		"product_id": product, "variant_id": variant, "quantity": 1, "offer_price": 70, "message": text,
		"buyer_context": map[string]any{"location": text, "urgency": text, "loyalty_tier": text},
	})
	if err != nil {
		return err
	}
	checkout, err := a.post("init", "/acp/checkout/init", map[string]any{
		"session_id": quote["session_id"], "items": []any{map[string]any{"product_id": product, "variant_id": variant, "quantity": 1}},
		"shipping_address": map[string]any{"name": text, "line1": text, "line2": text, "city": text, "state": "NY", "postal_code": "10001", "country": "US", "phone": text},
	})
	if err != nil {
		return err
	}
	paid, err := a.post("finalize", "/acp/checkout/finalize", map[string]any{
		"checkout_id": checkout["checkout_id"], "payment": map[string]any{"method": "psp_spt", "token": goodToken},
		"buyer_email": fmt.Sprintf("buyer+%d@example.com", i), "notes": text,
	})
	if err != nil {
		return err
	}
	bought, _ := paid["order"].(map[string]any)
	return a.handleOrder(i, text, fmt.Sprint(bought["id"]), product, variant)
}

// handleOrder lets the merchant refund an order, or ship it and handle its return and dispute, depending on i.
func (a *attack) handleOrder(i int, text, order string, product, variant any) error {
	if _, err := a.post("note", "/v1/orders/"+order+"/notes", map[string]any{"text": text}); err != nil {
		return err
	}
	if i%3 == 0 {
		seen, err := a.send(http.MethodGet, "/v1/orders/"+order, nil)
		if err != nil {
			return err
		}
		payment, _ := seen["payment"].(map[string]any)
		_, err = a.post("refund", fmt.Sprintf("/v1/finance/payments/%v/refund", payment["id"]), map[string]any{"amount": 1, "reason": text})
		return err
	}
	_, err := a.post("ship", "/v1/orders/"+order+"/fulfillment", map[string]any{"status": "shipped", "carrier": text, "tracking_number": text, "tracking_url": text})
	if err != nil {
		return err
	}
	back, err := a.post("return", "/acp/returns", map[string]any{
		"order_id": order, "comment": text, "items": []any{map[string]any{"product_id": product, "variant_id": variant, "quantity": 1, "reason": text}},
	})
	if err != nil {
		return err
	}
	if err := a.disputeOrder(order, text, i%3 == 2); err != nil || i%3 == 1 {
		return err
	}
	_, err = a.post("reject", fmt.Sprintf("/v1/returns/%v/reject", back["return_id"]), map[string]any{"reason": text})
	return err
}

// disputeOrder lets the buyer dispute an order and, if answered, the merchant send evidence.
func (a *attack) disputeOrder(order, text string, answered bool) error {
	seen, err := a.send(http.MethodGet, "/v1/orders/"+order, nil)
	if err != nil {
		return err
	}
	payment, _ := seen["payment"].(map[string]any)
	made, err := a.post("dispute", "/v1/sandbox/disputes", map[string]any{"payment_id": payment["id"], "amount": 1})
	if err != nil || !answered {
		return err
	}
	_, err = a.post("evidence", fmt.Sprintf("/v1/disputes/%v/evidence", made["id"]), map[string]any{
		"product": text, "carrier": text, "tracking_number": text, "communication": text, "receipt": text, "note": text,
	})
	return err
}

// fillManagement fills the texts that the merchant's members write.
func (a *attack) fillManagement() error {
	for i, text := range a.texts[:min(12, len(a.texts))] {
		for _, one := range []struct {
			name, path string
			body       map[string]any
		}{
			{"key", "/v1/api-keys", map[string]any{"name": text, "scopes": []string{"catalog:read"}}},
			{"agent key", "/v1/agent-keys", map[string]any{"name": text, "profile": fmt.Sprintf("https://agent%d.example.com/profile", i)}},
			{"subscription", "/v1/event-subscriptions", map[string]any{"url": fmt.Sprintf("https://hooks%d.example.com/", i), "event_types": []string{"order.completed"}, "description": text}},
		} {
			if _, err := a.post(one.name, one.path, one.body); err != nil {
				return err
			}
		}
	}
	made, err := a.post("agent", "/v1/agents", map[string]any{"name": a.texts[0]})
	if err != nil {
		return err
	}
	for _, text := range a.texts[:min(12, len(a.texts))] {
		if _, err := a.post("policy", fmt.Sprintf("/v1/agents/%v/policies", made["id"]), map[string]any{"note": text, "policy": map[string]any{}}); err != nil {
			return err
		}
	}
	_, err = a.send(http.MethodPatch, "/v1/projects/"+a.scenario.shop.ID, map[string]any{"name": a.texts[min(12, len(a.texts)-1)], "description": a.texts[0]})
	return err
}

// post sends a body, and repeats it without the fields that the server refused.
func (a *attack) post(name, path string, body map[string]any) (map[string]any, error) {
	for range 12 {
		answer, err := a.send(http.MethodPost, path, body)
		var r *refusedFields
		if err == nil {
			a.countAccepted(name, body)
			return answer, nil
		}
		if !errors.As(err, &r) || len(r.fields) == 0 {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, field := range r.fields {
			removeField(body, strings.Split(field, "."))
		}
	}
	return nil, fmt.Errorf("%s: no end of refused fields", name)
}

func (a *attack) countAccepted(name string, body map[string]any) {
	for field, value := range body {
		switch v := value.(type) {
		case string:
			if strings.Contains(v, attackMark) {
				a.accepted[name+"."+field]++
			}
		case map[string]any:
			a.countAccepted(name+"."+field, v)
		}
	}
}

// removeField replaces an attack in a refused field by a harmless text. It deletes any other refused field.
func removeField(value any, path []string) {
	switch v := value.(type) {
	case map[string]any:
		if len(path) > 1 {
			removeField(v[path[0]], path[1:])
			return
		}
		if old, ok := v[path[0]].(string); ok && strings.Contains(old, attackMark) && path[0] != "tracking_url" {
			v[path[0]] = "harmless"
			return
		}
		delete(v, path[0])
	case []any:
		var at int
		if _, err := fmt.Sscan(path[0], &at); err == nil && at < len(v) && len(path) > 1 {
			removeField(v[at], path[1:])
		}
	}
}

// refusedFields is an error answer with the fields that it names.
type refusedFields struct {
	status int
	body   string
	fields []string
}

func (r *refusedFields) Error() string { return fmt.Sprintf("%d %s", r.status, r.body) }

func (a *attack) send(method, path string, body map[string]any) (map[string]any, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	var status int
	var content []byte
	if strings.HasPrefix(path, "/acp/") {
		status, content, err = a.sendAsBuyer(method, path, text)
	} else {
		var response exchange.Response
		response, err = a.scenario.merchant.Do(a.scenario.ctx, method, path, nil, text)
		status, content = response.Status, response.Body
	}
	if err != nil {
		return nil, err
	}
	var answer map[string]any
	if err := json.Unmarshal(content, &answer); err != nil {
		return nil, fmt.Errorf("%s %s: %d %.300s", method, path, status, content)
	}
	if status < 300 {
		return answer, nil
	}
	refused := &refusedFields{status: status, body: string(content)}
	for _, m := range fieldNamePattern.FindAllSubmatch(content, -1) {
		refused.fields = append(refused.fields, string(m[1]))
	}
	return nil, refused
}

func (a *attack) sendAsBuyer(method, path string, body []byte) (int, []byte, error) {
	r, err := http.NewRequestWithContext(a.scenario.ctx, method, a.scenario.app.URL()+"/p/"+a.scenario.shop.Slug+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	return a.do(r)
}

var fieldNamePattern = regexp.MustCompile(`"field":\s*"([^"]+)"`)

func (a *attack) do(r *http.Request) (int, []byte, error) {
	answer, err := (&http.Client{
		Transport:     retryTransport{a.scenario.server.transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}).Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	a.location = answer.Header.Get("Location")
	for _, c := range answer.Cookies() {
		if c.Name == "haggle_console" {
			a.cookie = c
		}
	}
	content, err := io.ReadAll(answer.Body)
	return answer.StatusCode, content, err
}

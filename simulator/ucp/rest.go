package ucp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/ucp/judge"
)

// routes are the methods and paths of the operations (rest.openapi.json). {id} is the resource's id.
var routes = map[judge.Operation]struct {
	method, path string
}{
	judge.SearchCatalog:    {"POST", "/catalog/search"},
	judge.LookupCatalog:    {"POST", "/catalog/lookup"},
	judge.GetProduct:       {"POST", "/catalog/product"},
	judge.CreateCart:       {"POST", "/carts"},
	judge.UpdateCart:       {"PUT", "/carts/{id}"},
	judge.GetCart:          {"GET", "/carts/{id}"},
	judge.CancelCart:       {"POST", "/carts/{id}/cancel"},
	judge.CreateCheckout:   {"POST", "/checkout-sessions"},
	judge.UpdateCheckout:   {"PUT", "/checkout-sessions/{id}"},
	judge.GetCheckout:      {"GET", "/checkout-sessions/{id}"},
	judge.CompleteCheckout: {"POST", "/checkout-sessions/{id}/complete"},
	judge.CancelCheckout:   {"POST", "/checkout-sessions/{id}/cancel"},
	judge.GetOrder:         {"GET", "/orders/{id}"},
	judge.StartNegotiation: {"POST", "/negotiations"},
	judge.MakeOffer:        {"POST", "/negotiations/{id}/offers"},
	judge.AcceptOffer:      {"POST", "/negotiations/{id}/accept"},
	judge.GetNegotiation:   {"GET", "/negotiations/{id}"},
	judge.DeclineOffer:     {"POST", "/negotiations/{id}/decline"},
}

// negotiates reports whether the operation belongs to the negotiation service.
func negotiates(operation judge.Operation) bool {
	return strings.HasPrefix(routes[operation].path, "/negotiations")
}

// request sends an operation over REST. A status other than 200 and 201 is an *Error.
func (c *Client) request(ctx context.Context, o outgoing) ([]byte, exchange.Response, error) {
	route := routes[o.operation]
	base := c.endpoint
	if negotiates(o.operation) {
		base = c.deals
	}
	path := base + strings.ReplaceAll(route.path, "{id}", url.PathEscape(o.id))
	if o.key != "" {
		o.header.Set("Idempotency-Key", o.key)
	}
	body := []byte(o.body)
	if body == nil && route.method != http.MethodGet {
		body = []byte("{}")
	}
	raw, err := c.send(ctx, route.method, path, o.header, body)
	if err != nil {
		return nil, raw, err
	}
	if raw.Status == http.StatusOK || raw.Status == http.StatusCreated {
		c.status(o.operation, raw)
		return raw.Body, raw, nil
	}
	c.report(o.operation, raw, judge.TransportError(raw.Status, raw.Body))
	return nil, raw, transportError(raw)
}

// status checks the status: 201 for a new resource, or 200 if it existed already.
func (c *Client) status(operation judge.Operation, raw exchange.Response) {
	creates := operation == judge.CreateCart || operation == judge.CreateCheckout || operation == judge.StartNegotiation
	if raw.Status == http.StatusCreated && !creates {
		c.config.Connection.Report(exchange.Request{Method: "REST", Path: "/" + string(operation)}, raw, "201 is for what is new")
	}
}

func transportError(raw exchange.Response) *Error {
	var said struct {
		Code    string `json:"code"`
		Content string `json:"content"`
	}
	_ = json.Unmarshal(raw.Body, &said)
	seconds, _ := strconv.Atoi(raw.Header.Get("Retry-After"))
	return &Error{
		HTTPStatus: raw.Status,
		Code:       said.Code,
		Content:    said.Content,
		RetryAfter: time.Duration(seconds) * time.Second,
	}
}

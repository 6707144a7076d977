package custom

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.OrderWriter = (*Connector)(nil)

// RepeatAfter returns 0, because by the contract a system recognizes a repeated request by its Idempotency-Key.
func (s *Connector) RepeatAfter() time.Duration { return 0 }

// soldOut is the code of a refusal because of insufficient stock.
const soldOut = "sold_out"

// forAccount returns the client for the requests of one account. It maps 409 and 422 to a PlatformRefusal, and if stock is true the
// code sold_out to a SoldOut error.
func (s *Connector) forAccount(c ports.Connection, stock bool) *connectors.Platform {
	return s.platform.Judging(func(a connectors.Answer) error {
		if a.Status != http.StatusConflict && a.Status != http.StatusUnprocessableEntity {
			return nil
		}
		var problem struct{ Code, Message string }
		_ = json.Unmarshal(a.Body, &problem) // the code and the message are optional
		why := connectors.Plain(cmp.Or(problem.Message, problem.Code), c.Credentials.Key)
		switch {
		case stock && problem.Code == soldOut:
			return &ports.SoldOut{Reason: "Your system has too little stock for it."}
		case why == "":
			return nil
		}
		return s.platform.Refused("refused the request: " + why)
	})
}

// postRequest returns a POST request, with key as its Idempotency-Key unless key is "".
func postRequest(c ports.Connection, path, key string, body any) connectors.Request {
	r := request(c, path)
	r.JSON = body
	if key != "" {
		r.Header["Idempotency-Key"] = key
	}
	return r
}

// FindOrder looks up an order by our id.
func (s *Connector) FindOrder(ctx ports.Outbound, c ports.Connection, d ports.OrderDraft) (*ports.WrittenOrder, error) {
	ours := d.Order.ID.String()
	query := url.Values{"reference": {ours}, "limit": {strconv.Itoa(pageSize)}}
	var answer page
	if err := s.platform.Ask(ctx, request(c, "/orders?"+query.Encode()), &answer); err != nil {
		return nil, err
	}
	if err := s.check(answer, syncrun.Orders); err != nil {
		return nil, err
	}
	for _, raw := range answer.Data {
		var values map[string]json.RawMessage
		_ = json.Unmarshal(raw, &values) // a value that is no object has no id either
		o, err := s.placed(values)
		switch {
		case err != nil:
			return nil, err
		case o.reference != ours:
			return nil, s.platform.Failed("answers GET /orders?reference=… with orders that have another reference", nil)
		case !o.deleted:
			w := o.written(d)
			return &w, nil
		}
	}
	return nil, nil
}

// WriteOrder creates an order, or returns the existing one if the system already has it.
func (s *Connector) WriteOrder(ctx ports.Outbound, c ports.Connection, d ports.OrderDraft) (ports.WrittenOrder, error) {
	var answer map[string]json.RawMessage
	r := postRequest(c, "/orders", d.Order.ID.String(), orderInput(d))
	if err := s.forAccount(c, true).Ask(ctx, r, &answer); err != nil {
		return ports.WrittenOrder{}, err
	}
	o, err := s.placed(answer)
	if err != nil {
		return ports.WrittenOrder{}, err
	}
	return o.written(d), nil
}

// placed is an order in the system.
type placed struct {
	id, number, reference, url string
	total, currency            string
	deleted                    bool
}

// placed reads an order from an answer. An unreadable order is a PlatformFailure and no refusal, because the system may have it.
func (s *Connector) placed(values map[string]json.RawMessage) (placed, error) {
	f := fieldsOf(values)
	o := placed{
		id:        f.id("id"),
		number:    f.text("number"),
		reference: f.text("reference"),
		url:       f.text("url"),
		total:     f.digits("total"),
		currency:  f.currency("currency"),
		deleted:   f.boolean("deleted"),
	}
	if o.id == "" {
		f.addProblem("id", "is required")
	}
	if problem := f.problem(); problem != "" {
		return o, s.platform.Failed("sent an order that cannot be read: "+connectors.Plain(problem), nil)
	}
	return o, nil
}

// longestURL limits the URLs that are stored, in bytes.
const longestURL = 500

// written converts the order for storage. By the contract the system has taken the pieces of all its items from its stock.
func (o placed) written(d ports.OrderDraft) ports.WrittenOrder {
	w := ports.WrittenOrder{Remote: o.id, Name: connectors.Plain(cmp.Or(o.number, o.id))}
	if u, err := url.Parse(o.url); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && len(o.url) <= longestURL {
		w.URL = o.url
	}
	for _, item := range d.Items {
		if item != "" {
			w.Counted = append(w.Counted, item)
		}
	}
	want := d.Order.Total
	currency := cmp.Or(o.currency, want.Currency().Code())
	got, err := money.Parse(cmp.Or(o.total, want.String()), want.Currency())
	if currency != want.Currency().Code() || err != nil || got != want {
		w.WrongTotal = connectors.Plain(o.total + " " + currency)
	}
	return w
}

// bySKU is the prefix of an item key that consists of the SKU, for items without an item_id.
const bySKU = "sku:"

// itemOf returns the item key of a product or variant: its item_id, or its SKU with the prefix bySKU.
func itemOf(item, sku string) string {
	if item == "" && sku != "" {
		return bySKU + sku
	}
	return item
}

// orderInput returns the body of POST /orders. Amounts are text.
func orderInput(d ports.OrderDraft) map[string]any {
	o := d.Order
	lines := make([]map[string]any, len(o.Lines))
	for n, l := range o.Lines {
		lines[n] = lineInput(l, d.Items[n])
	}
	input := map[string]any{
		"reference": o.ID.String(),
		"number":    o.Confirmation,
		"test":      !d.Live,
		"placed_at": o.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z07:00"),
		"currency":  o.Total.Currency().Code(),
		"lines":     lines,
		"subtotal":  o.Subtotal.String(),
		"shipping":  o.Shipping.String(),
		"tax":       o.Tax.String(),
		"total":     o.Total.String(),
		"payment": map[string]any{
			"id":        o.Payment.ID.String(),
			"provider":  o.Payment.Route.Provider,
			"reference": o.Payment.Provider,
			"amount":    o.Total.String(),
		},
	}
	for name, text := range map[string]string{"email": o.Email, "notes": o.Notes, "shipping_method": o.Fulfillment.ShippingOption} {
		if text != "" {
			input[name] = text
		}
	}
	if o.Address.Line1 != "" {
		input["address"] = addressInput(o.Address)
	}
	return input
}

// lineInput returns a line of the body. Goods that the system does not have have neither sku nor item_id.
func lineInput(l checkout.Line, item string) map[string]any {
	line := map[string]any{
		"variant_id":        l.Variant.String(),
		"name":              strings.TrimSpace(cmp.Or(l.Name, l.SKU, "Goods") + " " + l.Label),
		"quantity":          l.Quantity,
		"unit_price":        l.Unit.String(),
		"list_price":        l.Original.String(),
		"requires_shipping": !l.Digital,
	}
	for name, text := range itemInput(item, l.SKU) {
		line[name] = text
	}
	return line
}

// itemInput returns the fields that identify an item.
func itemInput(item, sku string) map[string]any {
	own, is := strings.CutPrefix(item, bySKU)
	switch {
	case item == "":
		return nil
	case is:
		return map[string]any{"sku": own}
	}
	return map[string]any{"item_id": item, "sku": sku}
}

func addressInput(a checkout.Address) map[string]any {
	first, last := a.Names()
	input := map[string]any{}
	for name, text := range map[string]string{
		"name": a.Name, "first_name": first, "last_name": last, "line1": a.Line1, "line2": a.Line2, "city": a.City, "state": a.State,
		"postal_code": a.PostalCode, "country": a.Country, "phone": a.Phone,
	} {
		if text != "" {
			input[name] = text
		}
	}
	return input
}

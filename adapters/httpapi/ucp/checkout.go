package ucp

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

// checkoutBody is a checkout.
type checkoutBody struct {
	UCP         envelope     `json:"ucp"`
	ID          string       `json:"id"`
	Status      string       `json:"status"`
	Currency    string       `json:"currency"`
	LineItems   []lineItem   `json:"line_items"`
	Buyer       *buyer       `json:"buyer,omitempty"`
	Totals      []total      `json:"totals"`
	Discounts   *discounts   `json:"discounts,omitempty"`
	Fulfillment *fulfilling  `json:"fulfillment,omitempty"`
	Messages    []message    `json:"messages,omitempty"`
	Links       []link       `json:"links"`
	ExpiresAt   *wire.Time   `json:"expires_at,omitempty"`
	ContinueURL string       `json:"continue_url,omitempty"`
	Order       *orderPlaced `json:"order,omitempty"`
}

type lineItem struct {
	ID       string  `json:"id"`
	Item     item    `json:"item"`
	Quantity int     `json:"quantity"`
	Totals   []total `json:"totals"`

	UCP *members `json:"ucp,omitempty"`
}

type item struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Price int64  `json:"price"`
}

type buyer struct {
	FirstName   string `json:"first_name,omitempty"`
	LastName    string `json:"last_name,omitempty"`
	Email       string `json:"email,omitempty"`
	PhoneNumber string `json:"phone_number,omitempty"`
}

type link struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

type orderPlaced struct {
	ID           string `json:"id"`
	Label        string `json:"label"`
	PermalinkURL string `json:"permalink_url"`
}

// shown is a checkout with what an answer shows in addition.
type shown struct {
	checkout *checkout.Checkout
	order    *order.Order // nil: none
	codes    []string     // those of the request; those of the checkout's deals are known anyway
	messages []message    // of the request
	nameless bool         // neither the buyer nor the address is shown
	payer    bool         // the request has the payment token that paid
}

func (h *handlers) toAPICheckout(rq Request, v shown) checkoutBody {
	c, s, now := v.checkout, v.checkout.Snapshot(), h.Clock.Now()
	body := checkoutBody{
		UCP:       h.success(rq, capability.Checkout),
		ID:        s.ID.String(),
		Status:    statuses[s.Status],
		Currency:  s.Subtotal.Currency().Code(),
		LineItems: toAPILines(s.Lines),
		Buyer:     toAPIBuyer(s.Buyer),
		Totals:    toAPITotals(c.Totals(), s.Selected == ""),
		Links:     []link{},
		ExpiresAt: wire.ToKnownTime(s.ValidUntil),
	}
	body.UCP.Handlers = h.paymentHandlers(rq.Caller.Shop, rq.Caller.Platform.Profile.Handlers)
	active := rq.Caller.Platform.Active
	if active.Has(capability.Discount) {
		body.Discounts = h.toAPIDiscounts(s.Lines, v.codes)
	}
	if active.Has(capability.Fulfillment) {
		body.Fulfillment = h.toAPIFulfillment(rq.Caller.Shop, c, now)
	}
	if v.nameless {
		body.Buyer = nil
		if body.Fulfillment != nil {
			body.Fulfillment.Methods[0].Destinations, body.Fulfillment.Methods[0].Selected = []destination{}, nil
		}
	}
	body.Messages = append(v.messages, h.toAPIMessages(c)...)
	body.Messages = append(body.Messages, personalizedLines(c.Notices(v.payer))...)
	if v.order != nil {
		body.Order = &orderPlaced{v.order.ID.String(), v.order.Confirmation, h.permalink(rq.Caller.Shop, v.order)}
	}
	if !s.Status.Ended() {
		body.ContinueURL = h.continueURL(rq.Caller.Shop, c)
		if !c.DealsLost() { // codes of lost deals must not be sent again
			h.lock(&body, s.Lines)
		}
	}
	switch {
	case s.Status.Open() && c.HasDigital():
		h.escalate(rq, &body)
	case s.Status == checkout.Incomplete && !active.Has(capability.Fulfillment):
		askForAddress(&body)
		h.escalate(rq, &body)
	case s.Status.Open() && slices.ContainsFunc(v.messages, func(m message) bool { return m.Severity == buyerReview }):
		h.escalate(rq, &body)
	}
	return body
}

// lock adds constraints that make the next request keep what agreed prices depend on.
func (h *handlers) lock(body *checkoutBody, lines []checkout.Line) {
	body.UCP.Constraints = h.lockCodes(body.Discounts)
	for i, l := range lines {
		body.LineItems[i].UCP = h.lockQuantity(l)
	}
}

// escalate asks for a person to continue a checkout.
func (h *handlers) escalate(rq Request, body *checkoutBody) {
	body.Status = "requires_escalation"
	body.ContinueURL = h.page(rq.Caller.Shop, body.ID)
}

// askForAddress escalates a checkout for agents that cannot send an address.
func askForAddress(body *checkoutBody) {
	body.Messages = slices.DeleteFunc(body.Messages, func(m message) bool { return strings.HasPrefix(m.Path, "$.fulfillment") })
	body.Messages = append(body.Messages, message{
		Type:     "error",
		Code:     "fulfillment_required",
		Content:  "The buyer chooses the destination on the shop's page.",
		Severity: buyerInput,
	})
}

// statuses maps our checkout statuses to the protocol's. A checkout whose payment was declined may be paid again, so it is ready.
var statuses = map[checkout.Status]string{
	checkout.Incomplete: "incomplete",
	checkout.Ready:      "ready_for_complete",
	checkout.Pending:    "ready_for_complete",
	checkout.Processing: "complete_in_progress",
	checkout.Completed:  "completed",
	checkout.Canceled:   "canceled",
	checkout.Expired:    "canceled",
}

func toAPILines(lines []checkout.Line) []lineItem {
	list := make([]lineItem, len(lines))
	for i, l := range lines {
		list[i] = lineItem{
			ID:       commerce.LineID(l.ID),
			Item:     item{l.Variant.String(), title(l.Name, l.Label), l.Original.Minor()},
			Quantity: l.Quantity,
			Totals:   lineTotals(l.Unit, l.Original, l.Quantity),
		}
	}
	return list
}

// title returns the name of a variant: the product's name and its own options.
func title(name, label string) string {
	if label != "" {
		name += ", " + label
	}
	return commerce.PlainLine(name)
}

func toAPIBuyer(b checkout.Buyer) *buyer {
	return wire.ToOptional(buyer{
		FirstName:   b.First,
		LastName:    b.Last,
		Email:       b.Email,
		PhoneNumber: b.Phone,
	})
}

// continueURL returns the address where a person can continue. The protocol requires https.
func (h *handlers) continueURL(shop *project.Project, c *checkout.Checkout) string {
	return secure(h.page(shop, c.ID().String()))
}

// page is the address of a checkout's page.
func (h *handlers) page(shop *project.Project, of string) string {
	return h.Address(shop.Slug) + "/acp/checkout/" + of + "/page"
}

func secure(url string) string {
	if !strings.HasPrefix(url, "https://") {
		return ""
	}
	return url
}

// permalink is the page of an order without personal data.
func (h *handlers) permalink(shop *project.Project, o *order.Order) string {
	return permalink(h.Address(shop.Slug), o)
}

func permalink(address string, o *order.Order) string {
	return address + "/acp/orders/" + o.ID.String() + "/receipt"
}

// toAPIMessages returns the messages about a checkout in its current state.
func (h *handlers) toAPIMessages(c *checkout.Checkout) (list []message) {
	s := c.Snapshot()
	add := func(code, path, content string) {
		list = append(list, message{
			Type:     "error",
			Code:     code,
			Path:     path,
			Content:  content,
			Severity: recoverable,
		})
	}
	if s.Status.Open() && c.HasDigital() {
		return append(list, digital(s.Lines)...)
	}
	switch s.Status {
	case checkout.Expired:
		return []message{{
			Type:    "info",
			Code:    "checkout_expired",
			Content: "The checkout has expired. Create a new one.",
		}}
	case checkout.Pending:
		add("payment_failed", "$.payment", "The payment was declined. Try another instrument.")
		return list
	case checkout.Incomplete:
	default:
		return nil
	}
	for _, p := range s.CartProblems {
		add(codeOf(p.Kind), problemPath(s.Lines, p), problems[p.Kind])
	}
	for _, field := range c.Missing() {
		if m := missingParts[field]; m.path != "" {
			if s.Address.IsZero() && m.ofAddress {
				continue
			}
			add("missing", m.path, m.content)
		}
	}
	switch {
	case s.Address.IsZero():
		add("missing", methodPath+".selected_destination_id", "The destination address is required.")
	case c.Undeliverable():
		add("address_undeliverable", destinationPath, "The shop does not ship to this country.")
	}
	return list
}

// digital returns messages about lines that are not sold over this protocol. The checkout was opened over another one.
func digital(lines []checkout.Line) (list []message) {
	for i, l := range lines {
		if l.Digital {
			list = append(list, message{
				Type: "error",
				Code: checkout.ItemUnavailable.String(),
				Path: lineAt(i),
				Content: "The item is digital, and the checkout cannot be paid over this protocol. Pay it over the protocol that opened " +
					"it, or update it without the item.",
				Severity: buyerInput,
			})
		}
	}
	return list
}

// codeOf is the code of a problem's message.
func codeOf(kind checkout.ProblemKind) string {
	if kind == checkout.ItemsRefused {
		kind = checkout.ItemUnavailable
	}
	return kind.String()
}

const (
	methodPath      = "$.fulfillment.methods[0]"
	destinationPath = methodPath + ".destinations[0]"
)

// missingParts maps what a checkout may lack, by fields of Haggle's own protocol, to messages.
var missingParts = map[string]struct {
	path, content string
	ofAddress     bool
}{
	"buyer.email":                  {"$.buyer.email", "The buyer's e-mail address is required.", false},
	"shipping_address.name":        {destinationPath + ".last_name", "The recipient's name is required.", true},
	"shipping_address.line1":       {destinationPath + ".street_address", "The street address is required.", true},
	"shipping_address.city":        {destinationPath + ".address_locality", "The city is required.", true},
	"shipping_address.state":       {destinationPath + ".address_region", "The state or province is required, by its code or name.", true},
	"shipping_address.postal_code": {destinationPath + ".postal_code", "The postal code is required.", true},
	"shipping_address.country":     {destinationPath + ".address_country", "The country is required, as an ISO 3166-1 alpha-2 code, such as US.", true},
}

// problems has the texts of problems of a cart.
var problems = map[checkout.ProblemKind]string{
	checkout.DealExpired:  "An agreed price has expired. Negotiate again, or send the checkout without its code.",
	checkout.DealRedeemed: "Another order has used the agreed price. Send the checkout without its code; to send no code, set discounts.codes to [].",
	checkout.DealUnknown: "A deal code is unknown in this cart or checkout. A deal is valid in its negotiation's cart, or in a " +
		"checkout that is created with its code. Send this one without it.",
	checkout.DealNotUsed:         "An agreed price is for another item or quantity. Send the line as it was agreed, or the checkout without the code.",
	checkout.ItemUnavailable:     "An item is not sold here, and was omitted. Send the checkout without it.",
	checkout.QuantityReduced:     "One line can have at most 1,000 pieces. Send the quantity that you want.",
	checkout.ShippingUnsupported: "All items are shipped together, with one method, to one destination. Send one method with one group.",
	checkout.DestinationUnknown: "The selected destination is unknown. Send its address among the destinations, with this id, or " +
		"select the checkout's destination by its id.",
	checkout.ItemsRefused: "The latest update was rejected: none of its items is sold here. The checkout is unchanged, and can " +
		"be completed after an accepted update.",
	checkout.UpdateRefused: "The latest update was rejected. The checkout is unchanged, and can be completed after an accepted update.",
}

// problemPath returns the path of a problem: its line, or else the part of the request that it is about.
func problemPath(lines []checkout.Line, p checkout.Problem) string {
	for i, l := range lines {
		if p.Line != 0 && l.ID == p.Line {
			return lineAt(i)
		}
	}
	switch p.Kind {
	case checkout.ItemUnavailable, checkout.ItemsRefused, checkout.UpdateRefused:
		return "$.line_items"
	case checkout.ShippingUnsupported:
		return "$.fulfillment.methods"
	case checkout.DestinationUnknown:
		return methodPath + ".selected_destination_id"
	}
	return "$.discounts.codes"
}

// tooFew warns of lines that exceed the stock. Only complete takes from stock, which may change until then, so the status does not
// depend on it.
func tooFew(short []checkout.Shortage) (list []message) {
	for _, s := range short {
		m := message{
			Type:    "warning",
			Code:    "out_of_stock",
			Path:    lineAt(s.Line) + ".quantity",
			Content: "The item is out of stock.",
		}
		if s.Left > 0 {
			m.Code = "insufficient_stock"
			m.Content = "There are " + strconv.Itoa(s.Left) + " in stock now. Send a quantity of at most that."
		}
		list = append(list, m)
	}
	return list
}

// endOf returns the end of a day in a shop's time zone, as the latest time of arrival.
func endOf(day time.Time, zone *time.Location) *wire.Time {
	return &wire.Time{Time: time.Date(day.Year(), day.Month(), day.Day(), 23, 59, 59, 0, zone)}
}

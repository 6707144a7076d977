package ucp

import (
	"encoding/json"
	"slices"
	"time"
)

// Money is an amount in the currency's minor units.
type Money struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

// Entity is a capability or service that was used for an answer.
type Entity struct {
	Version string `json:"version"`
}

// Handler is a payment handler of a checkout.
type Handler struct {
	ID          string `json:"id"`
	Version     string `json:"version"`
	Instruments []struct {
		Type string `json:"type"`
	} `json:"available_instruments"`
}

// Envelope is the ucp member of an answer.
type Envelope struct {
	Version         string               `json:"version"`
	Status          string               `json:"status"` // success or error; empty means success
	Capabilities    map[string][]Entity  `json:"capabilities"`
	PaymentHandlers map[string][]Handler `json:"payment_handlers"`
	Constraints     json.RawMessage      `json:"request_constraints"`
}

// Handler returns the payment handler with an id.
func (e Envelope) Handler(id string) (Handler, bool) {
	for _, handlers := range e.PaymentHandlers {
		for _, handler := range handlers {
			if handler.ID == id {
				return handler, true
			}
		}
	}
	return Handler{}, false
}

// Message is a message of the shop about its answer.
type Message struct {
	Type     string `json:"type"` // error, warning or info
	Code     string `json:"code"`
	Content  string `json:"content"`
	Severity string `json:"severity"` // of an error
	Path     string `json:"path"`
}

// Messages are all messages of an answer.
type Messages []Message

// Has reports whether there is a message with the code.
func (m Messages) Has(code string) bool {
	return slices.ContainsFunc(m, func(said Message) bool { return said.Code == code })
}

// Errors returns the messages of type error.
func (m Messages) Errors() Messages {
	return slices.DeleteFunc(slices.Clone(m), func(said Message) bool { return said.Type != "error" })
}

// Total is one entry of a breakdown. Negative amounts are reductions.
type Total struct {
	Type        string `json:"type"`
	DisplayText string `json:"display_text"`
	Amount      int64  `json:"amount"`
}

// Totals is a breakdown.
type Totals []Total

// Of returns the sum of the entries of a type.
func (t Totals) Of(kind string) int64 {
	var sum int64
	for _, entry := range t {
		if entry.Type == kind {
			sum += entry.Amount
		}
	}
	return sum
}

// Item is a product or variant in a line. Requests send only its id.
type Item struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	Price int64  `json:"price,omitempty"`
}

// Line is one line of a cart or checkout. Requests send item, quantity and, for an existing line, its id.
type Line struct {
	ID       string `json:"id,omitempty"`
	Item     Item   `json:"item"`
	Quantity int    `json:"quantity"`
	Totals   Totals `json:"totals,omitempty"`
}

// Asked returns the line as a request sends it.
func (l Line) Asked() Line {
	return Line{
		ID:       l.ID,
		Item:     Item{ID: l.Item.ID},
		Quantity: l.Quantity,
	}
}

// Discounts are the codes that were sent, and the discounts that were applied.
type Discounts struct {
	Codes   []string  `json:"codes"`
	Applied []Applied `json:"applied,omitempty"`
}

// Applied is one applied discount.
type Applied struct {
	Code        string `json:"code"`
	Title       string `json:"title"`
	Amount      int64  `json:"amount"`
	Allocations []struct {
		Path   string `json:"path"`
		Amount int64  `json:"amount"`
	} `json:"allocations"`
}

// Buyer is the buyer's contact data.
type Buyer struct {
	FirstName string `json:"first_name,omitempty"`
	LastName  string `json:"last_name,omitempty"`
	Email     string `json:"email,omitempty"`
	Phone     string `json:"phone_number,omitempty"`
}

// Address is a shipping address. ID and Type are those of a destination.
type Address struct {
	ID         string `json:"id,omitempty"`
	Type       string `json:"type,omitempty"` // shipping_address, since 2026-08-25
	Street     string `json:"street_address,omitempty"`
	Extended   string `json:"extended_address,omitempty"`
	Locality   string `json:"address_locality,omitempty"`
	Region     string `json:"address_region,omitempty"`
	PostalCode string `json:"postal_code,omitempty"`
	Country    string `json:"address_country,omitempty"`
	FirstName  string `json:"first_name,omitempty"`
	LastName   string `json:"last_name,omitempty"`
	Phone      string `json:"phone_number,omitempty"`
}

// Fulfillment is how an order is delivered.
type Fulfillment struct {
	Methods []Method `json:"methods"`
}

// Method is a fulfillment method for some of the lines.
type Method struct {
	ID          string    `json:"id,omitempty"`
	Type        string    `json:"type,omitempty"`
	LineItemIDs []string  `json:"line_item_ids,omitempty"`
	Address     []Address `json:"destinations,omitempty"`
	Selected    string    `json:"selected_destination_id,omitempty"`
	Groups      []Group   `json:"groups,omitempty"`
}

// Group is a package with its shipping options.
type Group struct {
	ID          string   `json:"id,omitempty"`
	LineItemIDs []string `json:"line_item_ids,omitempty"`
	Options     []Option `json:"options,omitempty"`
	Selected    string   `json:"selected_option_id,omitempty"`
}

// Option is a shipping option of a package.
type Option struct {
	ID          string      `json:"id"`
	Title       string      `json:"title"`
	Description Description `json:"description"`
	Totals      Totals      `json:"totals"`
}

// Description is a text. For options, 2026-04-08 has a plain string and 2026-08-25 an object of formats.
type Description struct {
	Plain, Markdown, HTML string
}

// UnmarshalJSON decodes both formats.
func (d *Description) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, &d.Plain)
	}
	var formats struct {
		Plain    string `json:"plain"`
		Markdown string `json:"markdown"`
		HTML     string `json:"html"`
	}
	err := json.Unmarshal(text, &formats)
	d.Plain, d.Markdown, d.HTML = formats.Plain, formats.Markdown, formats.HTML
	return err
}

// Instrument is a payment instrument. Answers have no credential.
type Instrument struct {
	ID         string      `json:"id"`
	HandlerID  string      `json:"handler_id"`
	Type       string      `json:"type"`
	Selected   bool        `json:"selected,omitempty"`
	Credential *Credential `json:"credential,omitempty"`
}

// Credential is the secret of a payment instrument.
type Credential struct {
	Type  string `json:"type"`
	Token string `json:"token"`
}

// Payment are the payment instruments of a request.
type Payment struct {
	Instruments []Instrument `json:"instruments"`
}

// Link is a link to a page of the shop.
type Link struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// Cart is the shop's answer to requests for a cart.
type Cart struct {
	UCP         Envelope   `json:"ucp"`
	ID          string     `json:"id"`
	Lines       []Line     `json:"line_items"`
	Currency    string     `json:"currency"`
	Totals      Totals     `json:"totals"`
	Discounts   *Discounts `json:"discounts"`
	Messages    Messages   `json:"messages"`
	ContinueURL string     `json:"continue_url"`
	ExpiresAt   time.Time  `json:"expires_at"`
}

// The states of a checkout.
const (
	Incomplete         = "incomplete"
	RequiresEscalation = "requires_escalation"
	ReadyForComplete   = "ready_for_complete"
	CompleteInProgress = "complete_in_progress"
	Completed          = "completed"
	Canceled           = "canceled"
)

// Checkout is the shop's answer to requests for a checkout.
type Checkout struct {
	UCP         Envelope     `json:"ucp"`
	ID          string       `json:"id"`
	Status      string       `json:"status"`
	Lines       []Line       `json:"line_items"`
	Buyer       *Buyer       `json:"buyer"`
	Currency    string       `json:"currency"`
	Totals      Totals       `json:"totals"`
	Discounts   *Discounts   `json:"discounts"`
	Fulfillment *Fulfillment `json:"fulfillment"`
	Payment     *Payment     `json:"payment"`
	Messages    Messages     `json:"messages"`
	Links       []Link       `json:"links"`
	ContinueURL string       `json:"continue_url"`
	ExpiresAt   time.Time    `json:"expires_at"`
	Order       *struct {
		ID           string `json:"id"`
		Label        string `json:"label"`
		PermalinkURL string `json:"permalink_url"`
	} `json:"order"`
}

// Options returns the shipping options of the first package, and the selected one.
func (c Checkout) Options() (options []Option, selected string) {
	if c.Fulfillment == nil || len(c.Fulfillment.Methods) == 0 || len(c.Fulfillment.Methods[0].Groups) == 0 {
		return nil, ""
	}
	group := c.Fulfillment.Methods[0].Groups[0]
	return group.Options, group.Selected
}

// Order is an order in an answer or a webhook.
type Order struct {
	UCP          Envelope `json:"ucp"`
	ID           string   `json:"id"`
	Label        string   `json:"label"`
	CheckoutID   string   `json:"checkout_id"`
	PermalinkURL string   `json:"permalink_url"`
	Lines        []struct {
		ID       string `json:"id"`
		Item     Item   `json:"item"`
		Quantity struct {
			Original  int `json:"original"`
			Total     int `json:"total"`
			Fulfilled int `json:"fulfilled"`
		} `json:"quantity"`
		Totals Totals `json:"totals"`
		Status string `json:"status"`
	} `json:"line_items"`
	Fulfillment struct {
		Events []struct {
			ID             string    `json:"id"`
			Type           string    `json:"type"`
			OccurredAt     time.Time `json:"occurred_at"`
			TrackingNumber string    `json:"tracking_number"`
		} `json:"events"`
	} `json:"fulfillment"`
	Adjustments []struct {
		ID     string `json:"id"`
		Type   string `json:"type"`
		Status string `json:"status"`
		Totals Totals `json:"totals"`
	} `json:"adjustments"`
	Currency string `json:"currency"`
	Totals   Totals `json:"totals"`
}

package ucp

import (
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/app/dealtoken"
	"github.com/haggle-commerce/haggle/app/pricing"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// lineRequest is a line of a request.
type lineRequest struct {
	ID       string      `json:"id,omitempty" maxLength:"200" doc:"The id of an existing line, to keep it and its price."`
	Item     itemRequest `json:"item"`
	Quantity int         `json:"quantity" minimum:"1" maximum:"9007199254740991" doc:"Pieces, at most 1,000."`
}

type itemRequest struct {
	ID string `json:"id" minLength:"1" maxLength:"200" doc:"The id of a variant. The id of a product with one variant, or a unique SKU, is accepted too."`
}

type buyerRequest struct {
	FirstName   string `json:"first_name,omitempty" maxLength:"200"`
	LastName    string `json:"last_name,omitempty" maxLength:"200"`
	Email       string `json:"email,omitempty" maxLength:"254" doc:"Required before the checkout can be completed."`
	PhoneNumber string `json:"phone_number,omitempty" maxLength:"200"`
}

type discountsRequest struct {
	Codes []string `json:"codes,omitempty" maxItems:"20" maxLength:"200" doc:"Codes of deals, ct_…. They replace the previous ones."`
}

// silent reports whether a request has no codes, so that the earlier ones stay.
func (d *discountsRequest) silent() bool { return d == nil || d.Codes == nil }

// fulfillmentRequest is where and how to deliver the goods. It has one method, one group and one selected destination.
type fulfillmentRequest struct {
	Methods []methodRequest `json:"methods,omitempty" maxItems:"20"`
}

type methodRequest struct {
	Type         string               `json:"type,omitempty" maxLength:"200" doc:"Always shipping."`
	Destinations []destinationRequest `json:"destinations,omitempty" maxItems:"20" doc:"The destination address of all items."`
	Selected     string               `json:"selected_destination_id,omitempty" nullable:"true" maxLength:"200" doc:"The id of the selected destination, if there are several. Without destinations, the id of the checkout's destination keeps it."`
	Groups       []groupRequest       `json:"groups,omitempty" maxItems:"20" doc:"One group, to choose the shipping option."`
}

type groupRequest struct {
	Selected string `json:"selected_option_id,omitempty" nullable:"true" maxLength:"200" doc:"The id of one of the options in the checkout's groups. Default: the cheapest."`
}

type destinationRequest struct {
	ID string `json:"id,omitempty" maxLength:"200" doc:"The agent's own id for it. Without other fields, the id of the checkout's destination keeps that one."`
	PostalAddress
}

// PostalAddress is exported because Huma ignores embedded types that are not.
type PostalAddress struct {
	StreetAddress   string `json:"street_address,omitempty" maxLength:"200" doc:"Street and number."`
	ExtendedAddress string `json:"extended_address,omitempty" maxLength:"200"`
	Locality        string `json:"address_locality,omitempty" maxLength:"200" doc:"City."`
	Region          string `json:"address_region,omitempty" maxLength:"200" doc:"State or province. In the US, Canada and Australia its code: TX."`
	Country         string `json:"address_country,omitempty" maxLength:"200" doc:"ISO 3166-1 alpha-2: US."`
	PostalCode      string `json:"postal_code,omitempty" maxLength:"200"`
	FirstName       string `json:"first_name,omitempty" maxLength:"200"`
	LastName        string `json:"last_name,omitempty" maxLength:"200"`
	PhoneNumber     string `json:"phone_number,omitempty" maxLength:"200"`
}

// asked is a parsed request for a checkout or cart, with messages that every answer to it has.
type asked struct {
	purchase.InitRequest
	codes    []string  // as they were sent
	messages []message // about what was not taken
}

// fromAPICheckout reads a request that creates or replaces a checkout. Values that it cannot use become messages: an address in
// another form than ours, or a malformed e-mail address, counts as missing.
func (h *handlers) fromAPICheckout(rq Request, lines []lineRequest, b *buyerRequest, d *discountsRequest, f *fulfillmentRequest) asked {
	a := asked{InitRequest: purchase.InitRequest{
		Partial: true,
		Strict:  true,
		Agent:   rq.Caller.Agent,
	}}
	active := rq.Caller.Platform.Active
	if !active.Has(capability.Discount) {
		d = nil // an extension that is not active is not read
	}
	a.Lenient = &pricing.LenientItems{Items: fromAPILines(lines), KeepDeals: d.silent()}
	a.addBuyer(b)
	a.addCodes(d)
	if active.Has(capability.Fulfillment) {
		a.addFulfillment(f)
	}
	return a
}

func fromAPILines(lines []lineRequest) []pricing.Wanted {
	list := make([]pricing.Wanted, len(lines))
	for i, l := range lines {
		number, _ := commerce.ParseLine(l.ID) // an unknown id is a new line
		list[i] = pricing.Wanted{
			Line:     number,
			Ref:      strings.TrimSpace(l.Item.ID),
			Quantity: l.Quantity,
		}
	}
	return list
}

func (a *asked) addBuyer(b *buyerRequest) {
	if b == nil {
		return
	}
	a.Buyer = checkout.Buyer{
		First: b.FirstName,
		Last:  b.LastName,
		Email: b.Email,
		Phone: b.PhoneNumber,
	}
	if b.Email != "" && !commerce.PlainAddress(b.Email) {
		a.Buyer.Email = ""
		a.warn("invalid", "$.buyer.email", "The e-mail address is invalid and was ignored.")
	}
}

func (a *asked) warn(code, path, content string) {
	a.messages = append(a.messages, message{
		Type:    "warning",
		Code:    code,
		Path:    path,
		Content: content,
	})
}

// addCodes adds deal codes, which are checkout tokens. They are case-insensitive. Any other code is unknown to the shop.
func (a *asked) addCodes(d *discountsRequest) {
	if d == nil {
		return
	}
	for i, code := range d.Codes {
		code = strings.ToLower(strings.TrimSpace(code))
		a.codes = append(a.codes, code)
		if !strings.HasPrefix(code, dealtoken.Prefix) {
			a.warn("discount_code_invalid", codePath(i), "The code is not one of this shop's.")
			continue
		}
		a.Lenient.Tokens = append(a.Lenient.Tokens, id.Hash(code))
	}
}

func codePath(i int) string { return "$.discounts.codes[" + strconv.Itoa(i) + "]" }

// addFulfillment adds the selected destination and the selected option.
func (a *asked) addFulfillment(f *fulfillmentRequest) {
	if f == nil || len(f.Methods) == 0 {
		return
	}
	m := f.Methods[0]
	if len(f.Methods) > 1 || len(m.Groups) > 1 || m.Type != "" && m.Type != "shipping" {
		a.Problems = append(a.Problems, checkout.Problem{Kind: checkout.ShippingUnsupported})
	}
	if len(m.Groups) > 0 {
		a.Option = m.Groups[0].Selected
	}
	a.Destination = m.Selected
	for _, d := range m.Destinations {
		address := fromAPIAddress(d.PostalAddress)
		address.ID = d.ID
		a.Destinations = append(a.Destinations, address)
	}
}

func fromAPIAddress(p PostalAddress) checkout.Address {
	return checkout.Address{
		First:      p.FirstName,
		Last:       p.LastName,
		Line1:      p.StreetAddress,
		Line2:      p.ExtendedAddress,
		City:       p.Locality,
		State:      p.Region,
		PostalCode: p.PostalCode,
		Country:    p.Country,
		Phone:      p.PhoneNumber,
	}
}

// sent returns the index in the request of the n-th code that is a deal code.
func (a *asked) sent(n int) int {
	for i, code := range a.codes {
		if strings.HasPrefix(code, dealtoken.Prefix) {
			if n--; n == 0 {
				return i
			}
		}
	}
	return 0
}

// notAnOption reports whether a request failed because the checkout does not have its shipping option, perhaps since a new
// address.
func notAnOption(err error) bool {
	e, ok := err.(*fault.Error)
	return ok && len(e.Details) == 1 && e.Details[0].Field == "shipping_option"
}

// withoutOption returns the request with the cheapest shipping option.
func (a asked) withoutOption() asked {
	a.Option = ""
	a.warn("fulfillment_changed", "$.fulfillment.methods[0].groups[0].selected_option_id",
		"The selected option is not available for this destination. The cheapest one is selected.")
	return a
}

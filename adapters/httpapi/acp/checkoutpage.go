package acp

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"html/template"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/project"
)

var (
	//go:embed checkout.html
	checkoutHTML string

	checkoutPage = template.Must(template.New("checkout").Parse(checkoutHTML))
)

func (h *handlers) registerCheckoutPage() {
	wire.AddReadOnly(h.mount, h.operation(huma.Operation{
		OperationID: checkoutPageID,
		Method:      http.MethodGet,
		Path:        "/acp/checkout/{id}/page",
		Tags:        commerceTag,
		Summary:     "Show a checkout as a web page",
		Description: "Returns an HTML page with the items, missing fields and the storefront's checkout_instructions. It shows neither buyer nor address, loads no other files and takes no payment. " +
			"Errors: 404 checkout_not_found.",
		Responses: map[string]*huma.Response{"200": {Description: "The page", Content: map[string]*huma.MediaType{
			"text/html": {Schema: &huma.Schema{Type: huma.TypeString}},
		}}},
	}), h.checkoutPage)
}

func (h *handlers) checkoutPage(ctx context.Context, rq Request, in *checkoutInput) (*receiptReply, error) {
	c, o, err := h.Purchase.In(rq.Stores).Show(ctx, rq.Caller.Shop, in.ID.ID)
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	if err := checkoutPage.Execute(&page, h.toCheckoutPage(rq.Caller.Shop, c, o)); err != nil {
		return nil, err
	}
	return &receiptReply{
		Type:     "text/html; charset=utf-8",
		Policy:   pagePolicy,
		Referrer: "no-referrer",
		Cache:    "no-store",
		Body:     page.Bytes(),
	}, nil
}

// checkoutView is what the page of a checkout shows.
type checkoutView struct {
	Style        template.CSS
	Shop         string
	Headline     string
	Missing      []string // what payment needs, in words
	Open         bool     // whether the checkout can be changed and paid
	Instructions string   // the merchant's, on how to continue manually
	Until        string
	Receipt      string // the address of the order's page
	Confirmation string
	Lines        []checkoutViewLine
	Totals       []checkoutViewTotal
	Disclosure   string // that personal signals moved a price, in the words of the shop's rules
}

type checkoutViewLine struct {
	Name, Label string
	Quantity    int
	Was         string // the list price where another was agreed
	Unit, Total string
}

type checkoutViewTotal struct {
	Name, Amount string
	Last         bool
}

// headlines say where a checkout stands.
var headlines = map[checkout.Status]string{
	checkout.Incomplete: "This checkout is not complete yet.",
	checkout.Ready:      "This checkout is ready to be paid.",
	checkout.Pending:    "The payment was declined. Try another payment method.",
	checkout.Processing: "The payment is in progress. Do not pay again.",
	checkout.Completed:  "This checkout is paid.",
	checkout.Canceled:   "This checkout is canceled. Nothing was charged.",
	checkout.Expired:    "This checkout has expired. Nothing was charged.",
}

// missingWords names what a checkout may lack, by the field of a request.
var missingWords = map[string]string{
	"shipping_address.name":        "the recipient's name",
	"shipping_address.line1":       "the street address",
	"shipping_address.city":        "the city",
	"shipping_address.state":       "the state or province",
	"shipping_address.postal_code": "the postal code",
	"shipping_address.country":     "the country",
	"buyer.email":                  "the buyer's e-mail address",
}

func (h *handlers) toCheckoutPage(shop *project.Project, c *checkout.Checkout, o *order.Order) checkoutView {
	s := c.Snapshot()
	view := checkoutView{
		Style:        template.CSS(pageCSS),
		Shop:         shop.Name,
		Headline:     headlines[s.Status],
		Open:         s.Status.Open(),
		Instructions: shop.Storefront.CheckoutInstructions,
		Until:        s.ValidUntil.In(shop.Settings.Location()).Format("2 January 2006, 15:04 MST"),
	}
	if s.Status == checkout.Incomplete {
		view.Missing = missingOf(c)
	}
	if o != nil {
		view.Receipt, view.Confirmation = h.Address(shop.Slug)+"/acp/orders/"+o.ID.String()+"/receipt", o.Confirmation
	}
	if n := personalization.Together(c.Notices(false)); n != nil && !s.Status.Ended() { // anybody with the page's address may read it later
		view.Disclosure = n.Disclosure
	}
	for _, l := range s.Lines {
		line := checkoutViewLine{
			Name:     l.Name,
			Label:    l.Label,
			Quantity: l.Quantity,
			Unit:     l.Unit.String(),
			Total:    money.Of(l.Unit.Minor()*int64(l.Quantity), l.Unit.Currency()).String(), // cannot overflow: it is part of the subtotal
		}
		if l.Original.Minor() > l.Unit.Minor() {
			line.Was = l.Original.String()
		}
		view.Lines = append(view.Lines, line)
	}
	view.Totals = totalsOf(c)
	return view
}

// missingOf lists in words what a checkout lacks before it can be paid.
func missingOf(c *checkout.Checkout) []string {
	var list []string
	for _, field := range c.Missing() {
		list = append(list, cmp.Or(missingWords[field], field))
	}
	if c.Undeliverable() {
		list = append(list, "another address: it does not ship to this country")
	}
	if len(c.Snapshot().CartProblems) > 0 {
		list = append(list, "another look at the items: some are not available as requested, or their agreed prices do not hold")
	}
	return list
}

func totalsOf(c *checkout.Checkout) []checkoutViewTotal {
	var list []checkoutViewTotal
	sums := c.Totals()
	chosen := c.Snapshot().Selected != ""
	for _, s := range sums {
		switch amount := s.Amount.String(); s.Kind {
		case checkout.Items:
			list = append(list, checkoutViewTotal{Name: "At list price", Amount: amount})
		case checkout.Reduction:
			list = append(list, checkoutViewTotal{Name: "Agreed reductions", Amount: "−" + amount})
		case checkout.Subtotal:
			list = append(list, checkoutViewTotal{Name: "Subtotal", Amount: amount})
		case checkout.Delivery:
			list = append(list, checkoutViewTotal{Name: "Shipping", Amount: amount})
		case checkout.Tax:
			list = append(list, checkoutViewTotal{Name: "Tax", Amount: amount})
		case checkout.Grand:
			name := "Total"
			if !chosen {
				name = "Total before shipping and tax"
			}
			list = append(list, checkoutViewTotal{
				Name:   name,
				Amount: amount + " " + s.Amount.Currency().Code(),
				Last:   true,
			})
		}
	}
	if list[1].Name == "Subtotal" { // nothing was reduced, so one of the two is enough
		list = list[1:]
	}
	return list
}

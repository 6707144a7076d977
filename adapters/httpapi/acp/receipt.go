package acp

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/project"
)

var (
	//go:embed receipt.html
	receiptHTML string
	//go:embed receipt.css
	receiptCSS string

	receiptPage = template.Must(template.New("receipt").Parse(receiptHTML))
)

// receiptPolicy allows the page its own style and nothing else, and forbids framing it.
var receiptPolicy = "default-src 'none'; style-src 'sha256-" + digest(receiptCSS) + "'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

type receiptReply struct {
	Type     string `header:"Content-Type"`
	Policy   string `header:"Content-Security-Policy"`
	Referrer string `header:"Referrer-Policy"`
	Cache    string `header:"Cache-Control"`
	Body     []byte
}

type receiptInput struct {
	ID   wire.Ref[id.Order] `path:"id" thing:"order" doc:"The order's id."`
	Code string             `path:"code" maxLength:"100" doc:"The receipt's own code, from its address."`
}

func (h *handlers) receipt(ctx context.Context, rq Request, in *receiptInput) (*receiptReply, error) {
	shop := rq.Caller.Shop
	c, err := h.Aftersales.In(rq.Stores).Receipt(ctx, shop.ID, in.ID.ID, in.Code)
	if err != nil {
		return nil, err
	}
	view := toReceipt(shop, c)
	view.Buyer = true
	return printed(view)
}

type onOrder struct {
	ID wire.Ref[id.Order] `path:"id" thing:"order" doc:"Anyone who has the id can use it."`
}

func (h *handlers) orderPage(ctx context.Context, rq Request, in *onOrder) (*receiptReply, error) {
	shop := rq.Caller.Shop
	c, err := rq.Stores.Orders.Case(ctx, shop.ID, in.ID.ID)
	if err != nil {
		return nil, err
	}
	return printed(toReceipt(shop, c))
}

func printed(view receiptView) (*receiptReply, error) {
	var page bytes.Buffer
	if err := receiptPage.Execute(&page, view); err != nil {
		return nil, err
	}
	return &receiptReply{
		Type:     "text/html; charset=utf-8",
		Policy:   receiptPolicy,
		Referrer: "no-referrer",
		Cache:    "no-store",
		Body:     page.Bytes(),
	}, nil
}

// receiptView is what the page shows.
type receiptView struct {
	Style        template.CSS
	Shop         string
	Order        *order.Order
	Placed       string
	Delivery     string
	Currency     string
	Lines        []receiptLine
	Saved        bool
	Canceled     bool
	Refunds      []receiptRefund
	Kept         money.Amount // the payment less the refunds; shown with Refunds
	PlaceAndCode string
	Buyer        bool   // whether to show the address and the payment instrument
	Disclosure   string // shown with Buyer
}

type receiptRefund struct {
	Day     string
	Amount  string
	Pending bool
}

type receiptLine struct {
	Name, Label string
	Quantity    int
	Unit, Total string
}

func toReceipt(shop *project.Project, c *order.Case) receiptView {
	o := c.Order
	view := receiptView{
		Style:        template.CSS(receiptCSS),
		Shop:         shop.Name,
		Order:        o,
		Placed:       o.CreatedAt.In(shop.Settings.Location()).Format("2 January 2006, 15:04 MST"),
		Delivery:     days(o.Fulfillment.DeliversFrom, o.Fulfillment.DeliversBy),
		Currency:     o.Total.Currency().Code(),
		Saved:        o.Savings.IsPositive(),
		Canceled:     o.Status == order.Canceled,
		Kept:         money.Of(o.Payment.Amount.Minor()-o.Payment.Refunded.Minor(), o.Total.Currency()),
		PlaceAndCode: joined(o.Address.City, o.Address.State, o.Address.PostalCode),
	}
	var notices []*personalization.Notice
	for _, l := range o.Lines {
		notices = append(notices, l.Notice())
		total := money.Of(l.Unit.Minor()*int64(l.Quantity), l.Unit.Currency()) // cannot overflow: it is part of the subtotal
		view.Lines = append(view.Lines, receiptLine{l.Name, l.Label, l.Quantity, l.Unit.String(), total.String()})
	}
	if n := personalization.Together(notices); n != nil {
		view.Disclosure = n.Disclosure
	}
	for _, r := range c.Refunds {
		if r.Status != order.RefundIsFailed {
			view.Refunds = append(view.Refunds, receiptRefund{
				r.UpdatedAt.In(shop.Settings.Location()).Format("2 January 2006"), r.Amount.String(), r.Status == order.RefundIsPending,
			})
		}
	}
	return view
}

// days formats a range of dates, with common parts once.
func days(from, to time.Time) string {
	last := to.Format("2 January 2006")
	switch {
	case from.Format(time.DateOnly) == to.Format(time.DateOnly):
		return last
	case from.Year() != to.Year():
		return from.Format("2 January 2006") + " to " + last
	case from.Month() != to.Month():
		return from.Format("2 January") + " to " + last
	}
	return from.Format("2") + " to " + last
}

// joined joins the non-empty parts with spaces.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " ")
}

package shopping

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/ucp"
)

// How often, and at which interval, a payment with an unknown outcome is polled.
const (
	asksPending = 50
	pause       = 100 * time.Millisecond
)

// statuses maps UCP's statuses to those of Haggle's own protocol.
var statuses = map[string]string{
	ucp.Incomplete:         "incomplete",
	ucp.RequiresEscalation: "checkout_refused",
	ucp.ReadyForComplete:   "ready",
	ucp.CompleteInProgress: "processing",
	ucp.Completed:          "completed",
	ucp.Canceled:           "canceled",
}

// InitCheckout opens a checkout with lines and deals only, as an agent does that has no address yet, and then adds buyer
// and address.
func (s *Shop) InitCheckout(ctx context.Context, request acp.InitRequest, _ ...acp.Option) (acp.Checkout, error) {
	checkout, err := s.open(ctx, request)
	if err != nil {
		return done(s, request, acp.Checkout{}, err)
	}
	return done(s, request, s.checkoutOf(checkout), nil)
}

func (s *Shop) open(ctx context.Context, request acp.InitRequest) (ucp.Checkout, error) {
	create := ucp.CheckoutRequest{Lines: linesOf(request), Discounts: codesOf(request)}
	if request.FromCart {
		create = ucp.CheckoutRequest{CartID: request.SessionID}
	}
	checkout, err := s.client.CreateCheckout(ctx, create)
	if err != nil {
		return checkout, err
	}
	if errors := checkout.Messages.Errors(); errors.Has("out_of_stock") || errors.Has("item_unavailable") {
		return checkout, refused(errors, "")
	}
	address := addressOf(request.ShippingAddress)
	update := ucp.CheckoutRequest{
		Discounts: checkout.Discounts,
		Buyer: &ucp.Buyer{
			FirstName: address.FirstName,
			LastName:  address.LastName,
			Email:     s.email,
			Phone:     address.Phone,
		},
		Fulfillment: &ucp.Fulfillment{Methods: []ucp.Method{{Type: "shipping", Address: []ucp.Address{address}}}},
	}
	if update.Discounts != nil {
		update.Discounts = &ucp.Discounts{Codes: update.Discounts.Codes}
	}
	for _, line := range checkout.Lines {
		update.Lines = append(update.Lines, line.Asked())
		update.Fulfillment.Methods[0].LineItemIDs = append(update.Fulfillment.Methods[0].LineItemIDs, line.ID)
	}
	if checkout, err = s.client.UpdateCheckout(ctx, checkout.ID, update); err != nil {
		return checkout, err
	}
	if checkout.Status != ucp.ReadyForComplete {
		return checkout, refused(checkout.Messages, "the checkout is "+checkout.Status)
	}
	s.checkouts[checkout.ID] = &opened{latest: checkout, request: update}
	return checkout, nil
}

func linesOf(request acp.InitRequest) []ucp.Line {
	var lines []ucp.Line
	for _, item := range request.Items {
		id := item.VariantID
		if id == "" {
			id = item.ProductID
		}
		lines = append(lines, ucp.Line{Item: ucp.Item{ID: id}, Quantity: item.Quantity})
	}
	return lines
}

func codesOf(request acp.InitRequest) *ucp.Discounts {
	codes := []string{request.CheckoutToken}
	for _, item := range request.Items {
		codes = append(codes, item.CheckoutToken)
	}
	codes = slices.DeleteFunc(codes, func(code string) bool { return code == "" })
	if len(codes) == 0 {
		return nil
	}
	return &ucp.Discounts{Codes: codes}
}

// addressOf converts an address. It splits the name at its last space.
func addressOf(from acp.Address) ucp.Address {
	first, last := from.Name, ""
	if cut := strings.LastIndexByte(from.Name, ' '); cut > 0 {
		first, last = from.Name[:cut], from.Name[cut+1:]
	}
	return ucp.Address{
		Street:     from.Line1,
		Extended:   from.Line2,
		Locality:   from.City,
		Region:     from.State,
		PostalCode: from.PostalCode,
		Country:    from.Country,
		FirstName:  first,
		LastName:   last,
		Phone:      from.Phone,
	}
}

// checkoutOf converts a checkout without computing any sum, because the witness checks the sums that the shop shows.
func (s *Shop) checkoutOf(from ucp.Checkout) acp.Checkout {
	money := func(amount int64) decimal.Decimal { return fromMinor(amount, from.Currency) }
	reduced := from.Totals.Of("items_discount") + from.Totals.Of("discount")
	to := acp.Checkout{
		CheckoutID: from.ID,
		Status:     statuses[from.Status],
		ValidUntil: from.ExpiresAt,
	}
	to.Summary.Subtotal = money(from.Totals.Of("subtotal") + reduced)
	to.Summary.Savings = money(-reduced)
	to.Summary.Shipping = money(from.Totals.Of("fulfillment"))
	to.Summary.Tax = money(from.Totals.Of("tax"))
	to.Summary.Total = money(from.Totals.Of("total"))
	to.Summary.Currency = from.Currency
	for _, line := range from.Lines {
		to.Items = append(to.Items, acp.CheckoutLine{
			ProductID:     s.products[line.Item.ID],
			Name:          line.Item.Title,
			Variant:       line.Item.ID,
			Quantity:      line.Quantity,
			UnitPrice:     money(line.Totals.Of("total")).Over(int64(max(1, line.Quantity))),
			OriginalPrice: money(line.Item.Price),
		})
	}
	options, selected := from.Options()
	for _, option := range options {
		to.ShippingOptions = append(to.ShippingOptions, acp.ShippingOption{
			ID:       option.ID,
			Name:     option.Title,
			Price:    money(option.Totals.Of("total")),
			Estimate: option.Description.Plain,
			Selected: option.ID == selected,
		})
	}
	for _, handlers := range from.UCP.PaymentHandlers {
		for _, handler := range handlers {
			to.PaymentMethods = append(to.PaymentMethods, struct {
				Type  string `json:"type"`
				Ready bool   `json:"ready"`
			}{handler.ID, true})
		}
	}
	return to
}

// Finalize selects the shipping option, if it is not selected yet, and pays.
func (s *Shop) Finalize(ctx context.Context, request acp.FinalizeRequest, _ ...acp.Option) (acp.Finalized, error) {
	checkout, err := s.pay(ctx, request)
	if err != nil {
		return done(s, request, acp.Finalized{}, err)
	}
	if known := s.checkouts[request.CheckoutID]; known != nil {
		known.latest = checkout
	}
	return done(s, request, finalizedOf(request, checkout), nil)
}

func (s *Shop) pay(ctx context.Context, request acp.FinalizeRequest) (ucp.Checkout, error) {
	known := s.checkouts[request.CheckoutID]
	if known == nil {
		known = &opened{}
	}
	if err := s.choose(ctx, request, known); err != nil {
		return ucp.Checkout{}, err
	}
	kind := "token"
	if handler, offered := known.latest.UCP.Handler(request.Payment.Method); offered && len(handler.Instruments) > 0 {
		kind = handler.Instruments[0].Type
	}
	checkout, err := s.client.CompleteCheckout(ctx, request.CheckoutID, ucp.CompleteRequest{Payment: ucp.Payment{Instruments: []ucp.Instrument{{
		ID:         "instrument_1",
		HandlerID:  request.Payment.Method,
		Type:       kind,
		Selected:   true,
		Credential: &ucp.Credential{Type: credentialOf(kind), Token: request.Payment.Token},
	}}}})
	for range asksPending {
		if err != nil || checkout.Status != ucp.CompleteInProgress {
			break
		}
		select {
		case <-ctx.Done():
			return checkout, ctx.Err()
		case <-time.After(pause):
		}
		checkout, err = s.client.Checkout(ctx, request.CheckoutID)
	}
	return checkout, err
}

// credentialOf returns the type of token that an instrument takes.
func credentialOf(kind string) string {
	switch kind {
	case "shared_payment_token":
		return kind
	case "wallet":
		return "billing_agreement"
	}
	return "token"
}

// choose selects the requested shipping option.
func (s *Shop) choose(ctx context.Context, request acp.FinalizeRequest, known *opened) error {
	_, selected := known.latest.Options()
	if request.ShippingOption == "" || request.ShippingOption == selected || known.latest.Status != ucp.ReadyForComplete {
		return nil
	}
	update := known.request
	method := known.latest.Fulfillment.Methods[0]
	method.Groups = []ucp.Group{{ID: method.Groups[0].ID, Selected: request.ShippingOption}}
	update.Fulfillment = &ucp.Fulfillment{Methods: []ucp.Method{method}}
	checkout, err := s.client.UpdateCheckout(ctx, request.CheckoutID, update)
	if err != nil {
		return err
	}
	known.latest, known.request = checkout, update
	if _, now := checkout.Options(); now != request.ShippingOption {
		return refused(checkout.Messages, "the shipping option was not selected")
	}
	return nil
}

// finalizedOf converts the outcome of a payment. UCP says that a payment failed but not why, so the reason is derived
// from the sandbox token and the witness cannot check it.
func finalizedOf(request acp.FinalizeRequest, checkout ucp.Checkout) acp.Finalized {
	total := fromMinor(checkout.Totals.Of("total"), checkout.Currency)
	to := acp.Finalized{CheckoutID: checkout.ID, CheckoutStatus: statuses[checkout.Status]}
	if checkout.Status != ucp.Completed || checkout.Order == nil {
		to.Status = acp.PaymentFailed
		to.Error.Code = "card_declined"
		_, to.Error.DeclineCode, _ = strings.Cut(request.Payment.Token, "_sandbox_decline_")
		for _, said := range checkout.Messages.Errors() {
			to.Error.Message = said.Content
			to.RetryAllowed = said.Severity == "recoverable" && checkout.Status == ucp.ReadyForComplete
		}
		if to.CheckoutStatus == "ready" {
			to.CheckoutStatus = "pending"
		}
		return to
	}
	to.Status = acp.Success
	to.Order.ID, to.ReceiptURL = checkout.Order.ID, checkout.Order.PermalinkURL
	to.Payment.Status, to.Payment.Amount, to.Payment.Currency, to.Payment.Method = "succeeded", total, checkout.Currency, request.Payment.Method
	reduced := checkout.Totals.Of("items_discount") + checkout.Totals.Of("discount")
	to.Summary.Subtotal = fromMinor(checkout.Totals.Of("subtotal")+reduced, checkout.Currency)
	to.Summary.Shipping = fromMinor(checkout.Totals.Of("fulfillment"), checkout.Currency)
	to.Summary.Tax, to.Summary.Total = fromMinor(checkout.Totals.Of("tax"), checkout.Currency), total
	for _, line := range checkout.Lines {
		to.Summary.Items = append(to.Summary.Items, struct {
			Name     string          `json:"name"`
			Quantity int             `json:"quantity"`
			Price    decimal.Decimal `json:"price"`
		}{line.Item.Title, line.Quantity, fromMinor(line.Totals.Of("total"), checkout.Currency).Over(int64(max(1, line.Quantity)))})
	}
	return to
}

// Order reads an order.
func (s *Shop) Order(ctx context.Context, id string, _ ...acp.Option) (acp.OrderRecord, error) {
	order, err := s.client.Order(ctx, id)
	record := acp.OrderRecord{}
	record.Order.ID = order.ID
	record.Summary.Total = fromMinor(order.Totals.Of("total"), order.Currency)
	return done(s, id, record, err)
}

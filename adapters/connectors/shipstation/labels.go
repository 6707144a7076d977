package shipstation

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// carrierConcurrency limits the concurrent requests for rates.
const carrierConcurrency = 4

// maxCarriers is more than an account has, and fewer than the requests that ShipStation permits in a minute.
const maxCarriers = 30

// An order's address has no company, so it is residential. UPS and FedEx charge more for those.
// Source: shipstation.com/docs/api/shipments/get-rates, "residential".
const (
	residential   = true
	residentialV2 = "yes"
)

type weight struct {
	Value int    `json:"value"`
	Units string `json:"units"`
}

func grams(n int) weight { return weight{n, "grams"} }

// Rates returns the rates of one carrier, or of all carriers of the account. It ignores the error of one carrier
// if others have rates.
func (s *Connector) Rates(ctx ports.Outbound, c ports.Connection, r ports.RateRequest) ([]ports.ShippingRate, error) {
	if usesV2(c) {
		return s.clientV2.rates(ctx, c, r)
	}
	if r.Carrier != "" {
		return s.ratesOf(ctx, c, r)
	}
	var carriers []struct {
		Code string `json:"code"`
	}
	if err := s.ask(ctx, c, request{path: "/carriers"}, &carriers); err != nil {
		return nil, err
	}
	carriers = carriers[:min(len(carriers), maxCarriers)]
	answers, problems := make([][]ports.ShippingRate, len(carriers)), make([]error, len(carriers))
	places := make(chan struct{}, carrierConcurrency)
	var all sync.WaitGroup
	for i, carrier := range carriers {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			one := r
			one.Carrier = carrier.Code
			answers[i], problems[i] = s.ratesOf(ctx, c, one)
		})
	}
	all.Wait()
	return joinRates(answers, problems)
}

// joinRates returns the rates of all carriers, or the first error if there are none.
func joinRates(answers [][]ports.ShippingRate, problems []error) (rates []ports.ShippingRate, err error) {
	for i, problem := range problems {
		var throttled ports.Throttled
		if errors.Is(problem, ports.ErrCredentialsRefused) || errors.As(problem, &throttled) {
			return nil, problem
		}
		rates = append(rates, answers[i]...)
		if err == nil {
			err = problem
		}
	}
	if len(rates) > 0 {
		return rates, nil
	}
	return nil, err
}

func (s *Connector) ratesOf(ctx context.Context, c ports.Connection, r ports.RateRequest) ([]ports.ShippingRate, error) {
	to := r.Order.Address
	var offers []struct {
		Name         string      `json:"serviceName"`
		Code         string      `json:"serviceCode"`
		ShipmentCost json.Number `json:"shipmentCost"`
		OtherCost    json.Number `json:"otherCost"`
	}
	err := s.ask(ctx, c, request{path: "/shipments/getrates", body: map[string]any{
		"carrierCode": r.Carrier, "serviceCode": nil, "packageCode": nil, "confirmation": "none", "residential": residential,
		"fromPostalCode": r.Origin, "toCity": to.City, "toState": to.State, "toPostalCode": to.PostalCode, "toCountry": to.Country,
		"weight": grams(r.Grams),
	}}, &offers)
	if err != nil {
		return nil, refusal(err)
	}
	rates := make([]ports.ShippingRate, len(offers))
	for i, o := range offers {
		rates[i] = ports.ShippingRate{
			Carrier:  r.Carrier,
			Service:  o.Code,
			Name:     o.Name,
			Price:    sum(o.ShipmentCost, o.OtherCost),
			Currency: currency,
		}
	}
	return rates, nil
}

// Buy returns the order's existing label. If there is none, it creates the order in ShipStation, under a key that
// makes this idempotent, and buys a label.
func (s *Connector) Buy(ctx ports.Outbound, c ports.Connection, r ports.LabelRequest) (ports.ShippingLabel, error) {
	if usesV2(c) {
		return s.clientV2.buy(ctx, c, r)
	}
	of := keyOf(r.Order, r.Test)
	if found, err := s.find(ctx, c, of, r.Voided); err != nil || found != nil {
		if found == nil {
			found = &ports.ShippingLabel{}
		}
		return *found, err
	}
	var made struct {
		ID     int64  `json:"orderId"`
		Status string `json:"orderStatus"`
	}
	if err := s.ask(ctx, c, request{path: "/orders/createorder", body: orderBody(r, of)}, &made); err != nil {
		return ports.ShippingLabel{}, err
	}
	switch {
	case made.ID <= 0:
		return ports.ShippingLabel{}, s.platform.Failed("did not say which order it made", nil)
	case made.Status == "shipped": // so it has a label, which the search does not show yet
		return ports.ShippingLabel{}, s.platform.Failed("says that the order is shipped, and does not show its label", nil)
	case made.Status == "cancelled" || made.Status == "on_hold":
		return ports.ShippingLabel{}, s.platform.Refused("has the order as " + made.Status)
	}
	return s.label(ctx, c, r, made.ID)
}

// label buys a label for an existing order. After an exception it looks for the label again, because ShipStation
// may have bought it before the exception.
func (s *Connector) label(ctx context.Context, c ports.Connection, r ports.LabelRequest, order int64) (ports.ShippingLabel, error) {
	var bought shipment
	err := s.ask(ctx, c, request{path: "/orders/createlabelfororder", body: map[string]any{
		"orderId": order, "carrierCode": r.Carrier, "serviceCode": r.Service, "packageCode": "package", "confirmation": "none",
		"shipDate": s.clock.Now().In(s.pacific).Format(time.DateOnly), "weight": grams(r.Grams), "testLabel": r.Test,
	}}, &bought)
	if errors.Is(err, errException) {
		found, unknown := s.find(ctx, c, keyOf(r.Order, r.Test), r.Voided)
		switch {
		case unknown != nil:
			return ports.ShippingLabel{}, err
		case found != nil:
			return *found, nil
		}
		err = refusal(err)
	}
	if err != nil {
		return ports.ShippingLabel{}, err
	}
	bought.Carrier, bought.Service = r.Carrier, r.Service // the answer may leave them out
	return bought.label(), nil
}

// label converts a shipment to a label. A label without a readable PDF is bought, too.
func (p shipment) label() ports.ShippingLabel {
	pdf, err := base64.StdEncoding.DecodeString(p.LabelData)
	if err != nil || len(pdf) == 0 {
		pdf = nil
	}
	l := ports.ShippingLabel{
		Carrier:        p.Carrier,
		Service:        p.Service,
		TrackingNumber: p.TrackingNumber,
		Price:          sum(p.ShipmentCost, p.InsuranceCost),
		Currency:       currency,
		PDF:            pdf,
	}
	if p.ID > 0 {
		l.Remote = strconv.FormatInt(p.ID, 10)
	}
	return l
}

func orderBody(r ports.LabelRequest, of key) map[string]any {
	o := r.Order
	lines := o.ShippedLines()
	items := make([]map[string]any, len(lines))
	for i, l := range lines {
		items[i] = map[string]any{
			"lineItemKey": l.Variant.String(), "sku": l.SKU, "name": name(l), "quantity": l.Quantity, "unitPrice": number(l.Unit),
		}
	}
	return map[string]any{
		"orderNumber": of.number, "orderKey": of.key, "orderStatus": "awaiting_shipment",
		"orderDate":     o.CreatedAt.UTC().Format(time.RFC3339),
		"paymentDate":   o.Payment.CreatedAt.UTC().Format(time.RFC3339),
		"customerEmail": o.Email, "customerNotes": o.Notes,
		"billTo": map[string]any{"name": o.Address.Name},
		"shipTo": shipTo(o.Address),
		"items":  items, "weight": grams(r.Grams),
		"amountPaid": number(o.Total), "taxAmount": number(o.Tax), "shippingAmount": number(o.Shipping),
		"carrierCode": r.Carrier, "serviceCode": r.Service, "packageCode": "package", "confirmation": "none",
	}
}

func shipTo(a checkout.Address) map[string]any {
	return map[string]any{
		"name": a.Name, "street1": a.Line1, "street2": a.Line2, "city": a.City, "state": a.State,
		"postalCode": a.PostalCode, "country": a.Country, "phone": a.Phone,
	}
}

func name(l checkout.Line) string {
	if l.Label == "" {
		return l.Name
	}
	return l.Name + " (" + l.Label + ")"
}

// number returns an amount with all of its decimals.
func number(a money.Amount) json.Number { return json.Number(a.String()) }

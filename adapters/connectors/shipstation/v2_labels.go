package shipstation

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

type amountV2 struct {
	Currency string      `json:"currency"`
	Amount   json.Number `json:"amount"`
}

func (m *clientV2) rates(ctx context.Context, c ports.Connection, r ports.RateRequest) ([]ports.ShippingRate, error) {
	carriers, err := m.carriers(ctx, c)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, one := range carriers {
		if r.Carrier == "" || one.Code == r.Carrier {
			ids = append(ids, one.ID)
		}
	}
	if len(ids) == 0 {
		return nil, m.platform.Refused("has no such carrier in the account")
	}
	from, err := m.warehouse(ctx, c, r.Origin)
	if err != nil {
		return nil, err
	}
	to := r.Order.Address
	var offers []offerV2
	err = m.ask(ctx, c, request{path: "/v2/rates/estimate", body: map[string]any{
		"carrier_ids": ids, "ship_date": m.clock.Now().UTC().Format(time.RFC3339),
		"from_country_code": from.Origin.Country, "from_postal_code": from.Origin.PostalCode,
		"from_city_locality": from.Origin.City, "from_state_province": from.Origin.State,
		"to_country_code": to.Country, "to_postal_code": to.PostalCode, "to_city_locality": to.City, "to_state_province": to.State,
		"weight": gramsV2(r.Grams), "confirmation": "none", "address_residential_indicator": residentialV2,
	}}, &offers)
	if err != nil {
		return nil, err
	}
	var rates []ports.ShippingRate
	for _, o := range offers {
		if len(o.Errors) == 0 && o.Validation != "invalid" {
			rates = append(rates, o.rate())
		}
	}
	return rates, nil
}

func gramsV2(n int) map[string]any { return map[string]any{"value": n, "unit": "gram"} }

// offerV2 is an estimate of a rate.
type offerV2 struct {
	Carrier      string   `json:"carrier_code"`
	Service      string   `json:"service_code"`
	Name         string   `json:"service_type"`
	Shipping     amountV2 `json:"shipping_amount"`
	Insurance    amountV2 `json:"insurance_amount"`
	Confirmation amountV2 `json:"confirmation_amount"`
	Other        amountV2 `json:"other_amount"`
	Validation   string   `json:"validation_status"`
	Errors       []string `json:"error_messages"`
}

func (o offerV2) rate() ports.ShippingRate {
	return ports.ShippingRate{
		Carrier:  o.Carrier,
		Service:  o.Service,
		Name:     o.Name,
		Currency: strings.ToUpper(o.Shipping.Currency),
		Price:    sum(o.Shipping.Amount, o.Insurance.Amount, o.Confirmation.Amount, o.Other.Amount),
	}
}

// labelV2 is a label in ShipStation.
type labelV2 struct {
	ID             string   `json:"label_id"`
	Status         string   `json:"status"` // processing, completed, error, voided
	Shipment       string   `json:"shipment_id"`
	Key            string   `json:"external_shipment_id"`
	Number         string   `json:"shipment_number"`
	OrderNumber    string   `json:"external_order_id"`
	ShipDate       string   `json:"ship_date"`
	CreatedAt      string   `json:"created_at"`
	Voided         bool     `json:"voided"`
	VoidedAt       string   `json:"voided_at"`
	IsReturn       bool     `json:"is_return_label"`
	Carrier        string   `json:"carrier_code"`
	Service        string   `json:"service_code"`
	TrackingNumber string   `json:"tracking_number"`
	Cost           amountV2 `json:"shipment_cost"`
	Insurance      amountV2 `json:"insurance_cost"`
	Download       struct {
		Href string `json:"href"`
		PDF  string `json:"pdf"`
	} `json:"label_download"`
}

// usable reports whether the label can be used for shipping.
func (l labelV2) usable() bool {
	return !l.isVoided() && !l.IsReturn && l.Status != "error"
}

func (l labelV2) isVoided() bool { return l.Voided || l.Status == "voided" }

// toLabel converts a label. It has the PDF only if that is inline, because toLabel does not download files.
func (l labelV2) toLabel() ports.ShippingLabel {
	var pdf []byte
	for _, address := range []string{l.Download.Href, l.Download.PDF} {
		if encoded, inline := strings.CutPrefix(address, "data:application/pdf;base64,"); inline && len(pdf) == 0 {
			pdf, _ = base64.StdEncoding.DecodeString(encoded) // a label without a readable PDF is bought, too
		}
	}
	return ports.ShippingLabel{
		Remote:         l.ID,
		Carrier:        l.Carrier,
		Service:        l.Service,
		TrackingNumber: l.TrackingNumber,
		Price:          sum(l.Cost.Amount, l.Insurance.Amount),
		Currency:       strings.ToUpper(l.Cost.Currency),
		PDF:            pdf,
	}
}

// find returns the label of a shipment by our external id. A shipment whose label was voided may have another one, and it is
// not documented which of them ShipStation returns for that id.
func (m *clientV2) find(ctx context.Context, c ports.Connection, of key, voided []order.VoidedLabel) (*ports.ShippingLabel, error) {
	var found labelV2
	none, err := m.askOptional(ctx, c, request{path: "/v2/labels/external_shipment_id/" + url.PathEscape(of.key)}, &found)
	switch {
	case err != nil || none:
		return nil, err
	case found.usable() && !wasVoided(voided, found.ID, found.TrackingNumber):
		return m.finished(found)
	case found.Shipment == "":
		return nil, nil
	}
	page, err := m.page(ctx, c, url.Values{"shipment_id": {found.Shipment}}, 1)
	if err != nil {
		return nil, err
	}
	for _, raw := range slices.Backward(page.List) {
		var one labelV2
		if err := json.Unmarshal(raw, &one); err != nil {
			return nil, m.platform.Failed("sent a label that cannot be read", nil) // it may be the order's
		}
		if one.Shipment == found.Shipment && one.usable() && !wasVoided(voided, one.ID, one.TrackingNumber) {
			return m.finished(one)
		}
	}
	return nil, nil
}

// finished returns a label, or a PlatformFailure if ShipStation has not finished it.
func (m *clientV2) finished(found labelV2) (*ports.ShippingLabel, error) {
	if found.Status == "processing" || found.ID == "" {
		return nil, m.platform.Failed("is still making the label", nil)
	}
	label := found.toLabel()
	return &label, nil
}

// buy returns the order's existing label, or buys one. The external id of a shipment is unique in an account, so that
// ShipStation refuses one of two concurrent purchases. The refused one then finds the label of the other.
func (m *clientV2) buy(ctx context.Context, c ports.Connection, r ports.LabelRequest) (ports.ShippingLabel, error) {
	of := keyOf(r.Order, r.Test)
	if found, err := m.find(ctx, c, of, r.Voided); err != nil || found != nil {
		if found == nil {
			found = &ports.ShippingLabel{}
		}
		return *found, err
	}
	bought, err := m.label(ctx, c, r, of)
	var refusal *ports.PlatformRefusal
	if errors.As(err, &refusal) {
		if found, unknown := m.find(ctx, c, of, r.Voided); unknown == nil && found != nil {
			return *found, nil
		}
	}
	switch {
	case err != nil:
		return ports.ShippingLabel{}, err
	case bought.Status == "error":
		return ports.ShippingLabel{}, m.platform.Refused("could not make the label")
	case bought.ID == "" || bought.Status == "processing":
		return ports.ShippingLabel{}, m.platform.Failed("is still making the label", nil)
	}
	return bought.toLabel(), nil
}

// label buys a label for the shipment of an earlier attempt, or for a new shipment.
func (m *clientV2) label(ctx context.Context, c ports.Connection, r ports.LabelRequest, of key) (bought labelV2, err error) {
	shipment, err := m.shipment(ctx, c, r, of)
	if err != nil {
		return labelV2{}, err
	}
	var made struct {
		ID string `json:"shipment_id"`
	}
	none, err := m.askOptional(ctx, c, request{path: "/v2/shipments/external_shipment_id/" + url.PathEscape(of.key)}, &made)
	if err != nil {
		return labelV2{}, err
	}
	wish := map[string]any{"test_label": r.Test, "label_format": "pdf", "label_download_type": "inline", "validate_address": "no_validation"}
	if none {
		wish["shipment"] = shipment
		err = m.ask(ctx, c, request{path: "/v2/labels", body: wish}, &bought)
		return bought, err
	}
	at := url.PathEscape(made.ID)
	if err := m.ask(ctx, c, request{
		method: http.MethodPut,
		path:   "/v2/shipments/" + at,
		body:   shipment,
	}, nil); err != nil {
		return labelV2{}, err
	}
	err = m.ask(ctx, c, request{path: "/v2/labels/shipment/" + at, body: wish}, &bought)
	return bought, err
}

func (m *clientV2) shipment(ctx context.Context, c ports.Connection, r ports.LabelRequest, of key) (map[string]any, error) {
	carriers, err := m.carriers(ctx, c)
	if err != nil {
		return nil, err
	}
	n := slices.IndexFunc(carriers, func(one carrierV2) bool { return one.Code == r.Carrier })
	if n < 0 {
		return nil, m.platform.Refused("has no such carrier in the account")
	}
	from, err := m.warehouse(ctx, c, r.Origin)
	if err != nil {
		return nil, err
	}
	a, lines := r.Order.Address, r.Order.ShippedLines()
	items := make([]map[string]any, len(lines))
	for i, l := range lines {
		items[i] = map[string]any{"external_order_item_id": l.Variant.String(), "sku": l.SKU, "name": name(l), "quantity": l.Quantity}
	}
	return map[string]any{
		"external_shipment_id": of.key, "shipment_number": of.number, "external_order_id": of.number,
		"carrier_id": carriers[n].ID, "service_code": r.Service, "warehouse_id": from.ID, "confirmation": "none",
		"ship_to": map[string]any{
			"name": a.Name, "phone": a.Phone, "address_line1": a.Line1, "address_line2": a.Line2, "city_locality": a.City,
			"state_province": a.State, "postal_code": a.PostalCode, "country_code": a.Country, "address_residential_indicator": residentialV2,
		},
		"items":    items,
		"packages": []map[string]any{{"weight": gramsV2(r.Grams)}},
	}, nil
}

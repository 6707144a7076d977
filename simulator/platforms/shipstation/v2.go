package shipstation

import (
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// API V2, from docs.shipstation.com/openapi and docs.shipstation.com/apis/docs/guides (read in November 2026): carriers,
// warehouses, rates/estimate, shipments, labels and webhooks. An error is {"request_id", "errors": [{"message", …}]}.

// v2 marks webhooks of API V2.
const v2 = "v2"

func (s *Platform) routeV2() {
	s.Route("GET", "/v2/carriers", "account", s.keyedV2(s.carriersV2))
	s.Route("GET", "/v2/warehouses", "account", s.keyedV2(s.warehousesV2))
	s.Route("POST", "/v2/rates/estimate", "rates", s.keyedV2(s.estimate))
	s.Route("GET", "/v2/shipments/external_shipment_id/{key}", "orders", s.keyedV2(s.shipmentByKey))
	s.Route("PUT", "/v2/shipments/{id}", "orders", s.keyedV2(s.changeShipment))
	s.Route("POST", "/v2/labels", "labels", s.keyedV2(s.makeLabel))
	s.Route("POST", "/v2/labels/shipment/{id}", "labels", s.keyedV2(s.makeLabelOf))
	s.Route("GET", "/v2/labels", "shipments", s.keyedV2(s.listLabels))
	s.Route("GET", "/v2/labels/{id}", "shipments", s.keyedV2(s.labelByID))
	s.Route("GET", "/v2/labels/external_shipment_id/{key}", "shipments", s.keyedV2(s.labelByKey))
	s.Route("PUT", "/v2/labels/{id}/void", "voids", s.keyedV2(s.voidLabelV2))
	s.Route("GET", "/v2/environment/webhooks", "webhooks", s.keyedV2(s.hooksV2))
	s.Route("POST", "/v2/environment/webhooks", "webhooks", s.keyedV2(s.subscribeV2))
	s.Route("DELETE", "/v2/environment/webhooks/{id}", "webhooks", s.keyedV2(s.unsubscribeV2))
	s.Route("GET", "/jwks", "jwks", func(*host.Call) host.Answer { return host.OK(signing().jwks()) })
}

func refuseV2(status int, code, text string) host.Answer {
	return host.Answer{Status: status, Body: map[string]any{"request_id": host.DeliveryID(), "errors": []any{
		map[string]any{"error_source": "shipengine", "error_type": "validation", "error_code": code, "message": text},
	}}}
}

// keyedV2 checks the key and the rate limit. A refusal has Retry-After.
func (s *Platform) keyedV2(handle func(*host.Call) host.Answer) func(*host.Call) host.Answer {
	return func(c *host.Call) host.Answer {
		if subtle.ConstantTimeCompare([]byte(c.Header.Get("API-Key")), []byte(s.Host.Config.ShipStationV2Key)) != 1 {
			return refuseV2(http.StatusUnauthorized, "unauthorized", "The API key is invalid.")
		}
		fits, _, ends := s.countRequest()
		if !fits {
			return refuseV2(http.StatusTooManyRequests, "rate_limit_exceeded", "Too many requests.").With("Retry-After", host.Seconds(ends))
		}
		return handle(c)
	}
}

func carrierID(code string) string {
	return map[string]string{"stamps_com": "se-9001", "ups_walleted": "se-9002", "fedex": "se-9003"}[code]
}

func (s *Platform) carriersV2(*host.Call) host.Answer {
	list := []any{}
	for n, code := range []string{"stamps_com", "ups_walleted", "fedex"} {
		list = append(list, map[string]any{
			"carrier_id": carrierID(code), "carrier_code": code, "account_number": "SS" + strconv.Itoa(1230+n), "friendly_name": shipNames[code],
			"primary": n == 0, "balance": 250.00, "requires_funded_amount": n == 0, "services": []any{}, "packages": []any{},
		})
	}
	return host.OK(map[string]any{"carriers": list})
}

func (s *Platform) warehousesV2(*host.Call) host.Answer {
	return host.OK(map[string]any{"warehouses": []any{map[string]any{
		"warehouse_id": "se-401", "name": "Portland", "is_default": true, "created_at": host.WithMillis(host.Epoch.UnixMilli()),
		"origin_address": map[string]any{
			"name": "Trailhead Outfitters", "phone": "555-0100", "company_name": "Trailhead Outfitters", "address_line1": "1 Pine St", "city_locality": "Portland",
			"state_province": "OR", "postal_code": "97201", "country_code": "US", "address_residential_indicator": "no",
		},
	}}})
}

type weightV2 struct {
	Value float64
	Unit  string
}

func (w weightV2) plain() weight { return weight{w.Value, w.Unit + "s"} }

func (s *Platform) estimate(c *host.Call) host.Answer {
	var asked struct {
		CarrierIDs  []string `json:"carrier_ids"`
		FromCountry string   `json:"from_country_code"`
		FromPostal  string   `json:"from_postal_code"`
		FromCity    string   `json:"from_city_locality"`
		FromState   string   `json:"from_state_province"`
		ToCountry   string   `json:"to_country_code"`
		ToPostal    string   `json:"to_postal_code"`
		ToCity      string   `json:"to_city_locality"`
		ToState     string   `json:"to_state_province"`
		ShipDate    string   `json:"ship_date"`
		Residential string   `json:"address_residential_indicator"`
		Weight      weightV2
	}
	if !host.ReadJSON(c.Content, &asked) || len(asked.CarrierIDs) == 0 || asked.Weight.Value <= 0 ||
		slices.Contains([]string{asked.FromCountry, asked.FromPostal, asked.FromCity, asked.FromState, asked.ToCountry, asked.ToPostal, asked.ToCity,
			asked.ToState, asked.ShipDate}, "") {
		return refuseV2(http.StatusBadRequest, "field_value_required", "carrier_ids, weight, ship_date and both places are required.")
	}
	list := []any{}
	for _, one := range shipServices {
		if slices.Contains(asked.CarrierIDs, carrierID(one.carrier)) {
			list = append(list, map[string]any{
				"rate_type": "shipment", "carrier_id": carrierID(one.carrier), "carrier_code": one.carrier, "service_code": one.code, "service_type": one.name,
				"shipping_amount": dollars(one.cost(asked.Weight.plain())), "insurance_amount": dollars(0), "confirmation_amount": dollars(0),
				"other_amount": dollars(one.surcharge(asked.Residential == "yes")), "validation_status": "valid", "error_messages": []any{}, "warning_messages": []any{},
			})
		}
	}
	return host.OK(list)
}

func dollars(cents int64) map[string]any {
	return map[string]any{"currency": "usd", "amount": host.ExactNumber(cents)}
}

// shipmentV2 is a requested shipment.
type shipmentV2 struct {
	CarrierID   string         `json:"carrier_id"`
	ServiceCode string         `json:"service_code"`
	Key         string         `json:"external_shipment_id"`
	Number      string         `json:"shipment_number"`
	OrderID     string         `json:"external_order_id"`
	WarehouseID string         `json:"warehouse_id"`
	ShipTo      map[string]any `json:"ship_to"`
	Packages    []struct{ Weight weightV2 }
}

// wrong returns what a requested shipment lacks, or "".
func (a shipmentV2) wrong() string {
	name, _ := a.ShipTo["name"].(string)
	line, _ := a.ShipTo["address_line1"].(string)
	_, known := a.service()
	switch {
	case !known:
		return "The carrier has no such service."
	case len(a.Key) > 50:
		return "external_shipment_id is limited to 50 characters."
	case a.WarehouseID != "se-401":
		return "Either warehouse_id or ship_from must be specified."
	case name == "" || line == "":
		return "ship_to needs a name and an address."
	case len(a.Packages) != 1 || a.Packages[0].Weight.Value <= 0:
		return "A shipment needs a package with a weight."
	}
	return ""
}

func (a shipmentV2) service() (shipService, bool) {
	n := slices.IndexFunc(shipServices, func(one shipService) bool { return carrierID(one.carrier) == a.CarrierID && one.code == a.ServiceCode })
	if n < 0 {
		return shipService{}, false
	}
	return shipServices[n], true
}

func (s *Platform) shipmentByKey(c *host.Call) host.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.byKey(c.PathValue("key"))
	if n < 0 {
		return host.Answer{Status: http.StatusNotFound}
	}
	return host.OK(s.showShipmentV2(n))
}

// showShipmentV2 returns a shipment as JSON. The caller must hold the lock.
func (s *Platform) showShipmentV2(n int) map[string]any {
	o := s.orders[n]
	status := map[string]string{"shipped": "label_purchased", "cancelled": "cancelled"}[o.status]
	if status == "" {
		status = "pending"
	}
	return map[string]any{"shipment_id": orderID(n), "external_shipment_id": o.key, "shipment_number": o.number, "shipment_status": status, "ship_to": o.shipTo}
}

func orderID(n int) string { return "se-" + strconv.Itoa(shipNumber(n)) }

// findShipment returns the position of a shipment by its id, or a negative number if there is none. The caller must hold the
// lock.
func (s *Platform) findShipment(id string) int {
	number, err := strconv.Atoi(strings.TrimPrefix(id, "se-"))
	n := number - shipNumber(0)
	if err != nil || n < 0 || n >= len(s.orders) {
		return -1
	}
	return n
}

func (s *Platform) changeShipment(c *host.Call) host.Answer {
	var asked shipmentV2
	if !host.ReadJSON(c.Content, &asked) || asked.wrong() != "" {
		return refuseV2(http.StatusBadRequest, "invalid_field_value", "The shipment is invalid. "+asked.wrong())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.findShipment(c.PathValue("id"))
	switch {
	case n < 0:
		return refuseV2(http.StatusNotFound, "not_found", "The shipment was not found.")
	case s.activeLabel(n) >= 0:
		return refuseV2(http.StatusConflict, "invalid_status", "The shipment has a label and cannot be changed.")
	}
	s.orders[n].given, s.orders[n].shipTo = asked, asked.ShipTo
	return host.OK(s.showShipmentV2(n))
}

// activeLabel returns the position of an order's label that is not voided, or a negative number. The caller must hold the
// lock.
func (s *Platform) activeLabel(order int) int {
	return slices.IndexFunc(s.shipments, func(one shipment) bool { return one.order == order && !one.voided })
}

// makeLabel creates a shipment and its label. An external id creates only one shipment.
func (s *Platform) makeLabel(c *host.Call) host.Answer {
	var asked struct {
		Shipment shipmentV2
		Test     bool `json:"test_label"`
	}
	if !host.ReadJSON(c.Content, &asked) || asked.Shipment.wrong() != "" {
		return refuseV2(http.StatusBadRequest, "invalid_field_value", "The shipment is invalid. "+asked.Shipment.wrong())
	}
	s.mu.Lock()
	given := asked.Shipment
	if given.Key == "" {
		given.Key = host.DeliveryID()
	}
	if s.byKey(given.Key) >= 0 {
		s.mu.Unlock()
		return refuseV2(http.StatusBadRequest, "invalid_field_value", "external_shipment_id must be unique.")
	}
	now := s.Host.Config.Now()
	s.orders = append(s.orders, shipOrder{
		key:     given.Key,
		number:  given.Number,
		status:  "awaiting_shipment",
		shipTo:  given.ShipTo,
		items:   []any{},
		given:   given,
		made:    now,
		changed: now,
	})
	return s.buyLabel(len(s.orders)-1, asked.Test)
}

func (s *Platform) makeLabelOf(c *host.Call) host.Answer {
	var asked struct {
		Test bool `json:"test_label"`
	}
	if !host.ReadJSON(c.Content, &asked) {
		return refuseV2(http.StatusBadRequest, "invalid_field_value", "The body is invalid.")
	}
	s.mu.Lock()
	n := s.findShipment(c.PathValue("id"))
	if n < 0 || s.activeLabel(n) >= 0 {
		s.mu.Unlock()
		return refuseV2(http.StatusBadRequest, "invalid_status", "The shipment was not found, or has a label.")
	}
	return s.buyLabel(n, asked.Test)
}

// buyLabel buys the label of an order. The caller must hold the lock, which buyLabel releases.
func (s *Platform) buyLabel(n int, test bool) host.Answer {
	given, made := s.orders[n].given.(shipmentV2)
	service, _ := given.service()
	if !made { // an order of API V1 has no carrier
		s.mu.Unlock()
		return refuseV2(http.StatusBadRequest, "invalid_field_value", "The shipment has no carrier and no service.")
	}
	number, _ := s.ship(n, labelRequest{
		PackageCode:  "package",
		Confirmation: "none",
		ShipDate:     s.Host.Config.Now().UTC().Format(time.DateOnly),
		Weight:       given.Packages[0].Weight.plain(),
		TestLabel:    test,
	}, service)
	body := s.showLabel(number)
	pdf := base64.StdEncoding.EncodeToString(labelPDF(s.orders[n].number, s.shipments[number].tracking, service.name))
	body["label_download"] = map[string]any{"href": "data:application/pdf;base64," + pdf}
	s.mu.Unlock()
	if !test {
		s.notify(number)
	}
	return host.OK(body)
}

func labelID(n int) string { return "se-" + strconv.Itoa(75001+n) }

// showLabel returns a label as JSON. The caller must hold the lock.
func (s *Platform) showLabel(n int) map[string]any {
	one := s.shipments[n]
	o := s.orders[one.order]
	shown := map[string]any{
		"label_id": labelID(n), "status": "completed", "shipment_id": orderID(one.order), "external_shipment_id": o.key, "external_order_id": o.number,
		"shipment_number": o.number, "ship_date": one.shipDate + "T00:00:00Z", "created_at": host.WithMillis(one.made.UnixMilli()),
		"shipment_cost": dollars(one.cents), "insurance_cost": dollars(0), "tracking_number": one.tracking, "is_return_label": false, "batch_id": one.batch,
		"carrier_id": carrierID(one.carrier), "carrier_code": one.carrier, "service_code": one.service, "package_code": one.pack, "voided": one.voided,
		"voided_at": nil, "label_format": "pdf", "trackable": true, "label_download": map[string]any{"href": "https://api.shipstation.com/v2/downloads/" + labelID(n) + ".pdf"},
	}
	if one.voided {
		shown["status"], shown["voided_at"] = "voided", host.WithMillis(one.voidedAt.UnixMilli())
	}
	return shown
}

func (s *Platform) labelByID(c *host.Call) host.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.findLabel(c.PathValue("id"))
	if n < 0 {
		return refuseV2(http.StatusNotFound, "not_found", "The label was not found.")
	}
	return host.OK(s.showLabel(n))
}

func (s *Platform) labelByKey(c *host.Call) host.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.byKey(c.PathValue("key"))
	for number := len(s.shipments) - 1; n >= 0 && number >= 0; number-- {
		if s.shipments[number].order == n {
			return host.OK(s.showLabel(number))
		}
	}
	return host.Answer{Status: http.StatusNotFound}
}

func (s *Platform) listLabels(c *host.Call) host.Answer {
	q := c.URL.Query()
	from, err := readShipTime(q.Get("created_at_start"))
	size, number := c.Number("page_size", 25), c.Number("page", 1)
	if err != nil || size < 1 || size > 200 || number < 1 {
		return refuseV2(http.StatusBadRequest, "invalid_field_value", "created_at_start, page or page_size is invalid.")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := []any{}
	for n, one := range s.shipments {
		status := map[bool]string{false: "completed", true: "voided"}[one.voided]
		if one.made.Before(from) || q.Get("label_status") != "" && q.Get("label_status") != status || q.Get("batch_id") != "" && q.Get("batch_id") != one.batch ||
			q.Get("shipment_id") != "" && q.Get("shipment_id") != orderID(one.order) || q.Get("tracking_number") != "" && q.Get("tracking_number") != one.tracking {
			continue
		}
		found = append(found, s.showLabel(n))
	}
	pages := (len(found) + size - 1) / size
	at := min((number-1)*size, len(found))
	if c.Fault.Kind == host.Circle {
		pages = number + 1
	}
	return host.OK(map[string]any{"labels": found[at:min(at+size, len(found))], "total": len(found), "page": number, "pages": pages, "links": map[string]any{}})
}

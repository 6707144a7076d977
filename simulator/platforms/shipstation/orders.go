package shipstation

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

var shipStatuses = []string{"awaiting_payment", "awaiting_shipment", "shipped", "on_hold", "cancelled"}

// createOrder creates an order, or changes the one with the same key if it has not shipped.
func (s *Platform) createOrder(c *host.Call) host.Answer {
	var asked map[string]any
	if !host.ReadJSON(c.Content, &asked) {
		return s.Refuse(http.StatusBadRequest, "The request is invalid.")
	}
	text := func(name string) string { value, _ := asked[name].(string); return value }
	if text("orderNumber") == "" || text("orderDate") == "" || text("orderStatus") == "" || asked["billTo"] == nil || asked["shipTo"] == nil {
		return s.Refuse(http.StatusBadRequest, "The request is invalid: orderNumber, orderDate, orderStatus, billTo and shipTo are required.")
	}
	if !slices.Contains(shipStatuses, text("orderStatus")) {
		return s.Refuse(http.StatusBadRequest, "The request is invalid: orderStatus is unknown.")
	}
	now := s.Host.Config.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	key := text("orderKey")
	if key == "" {
		key = host.DeliveryID()
	}
	n := s.byKey(key)
	if n < 0 {
		n = len(s.orders)
		s.orders = append(s.orders, shipOrder{key: key, made: now})
	}
	o := &s.orders[n]
	if o.status != "shipped" {
		o.number, o.email, o.status, o.changed = text("orderNumber"), text("customerEmail"), text("orderStatus"), now
		o.shipTo, o.items, o.given = asked["shipTo"], asked["items"], asked
	}
	return host.OK(s.showOrder(n))
}

func (s *Platform) byKey(key string) int {
	for n, o := range s.orders {
		if o.key == key {
			return n
		}
	}
	return -1
}

func (s *Platform) showOrder(n int) map[string]any {
	o := s.orders[n]
	shown := map[string]any{}
	if given, is := o.given.(map[string]any); is {
		for name, value := range given {
			shown[name] = value
		}
	}
	shown["orderId"], shown["orderKey"], shown["orderNumber"], shown["orderStatus"] = shipNumber(n), o.key, o.number, o.status
	shown["customerEmail"], shown["shipTo"], shown["items"] = o.email, o.shipTo, o.items
	shown["createDate"], shown["modifyDate"] = o.made.In(pacific).Format(shipTime), o.changed.In(pacific).Format(shipTime)
	return shown
}

func (s *Platform) listOrders(c *host.Call) host.Answer {
	q := c.URL.Query()
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []any
	for n, o := range s.orders {
		if q.Get("orderNumber") != "" && !strings.HasPrefix(o.number, q.Get("orderNumber")) || q.Get("orderStatus") != "" && o.status != q.Get("orderStatus") {
			continue
		}
		found = append(found, s.showOrder(n))
	}
	return s.paged(c, "orders", found)
}

type labelRequest struct {
	OrderID                                                   int
	CarrierCode, ServiceCode, PackageCode, Confirmation, Date string
	ShipDate                                                  string
	Weight                                                    weight
	TestLabel                                                 bool
}

// createLabel creates and charges another label each time, because the API has no idempotency.
func (s *Platform) createLabel(c *host.Call) host.Answer {
	var asked labelRequest
	if !host.ReadJSON(c.Content, &asked) || asked.CarrierCode == "" || asked.ServiceCode == "" || asked.ShipDate == "" {
		return s.Refuse(http.StatusBadRequest, "The request is invalid: orderId, carrierCode, serviceCode and shipDate are required.")
	}
	service, known := serviceOf(asked.CarrierCode, asked.ServiceCode)
	s.mu.Lock()
	n := asked.OrderID - shipNumber(0)
	if !known || n < 0 || n >= len(s.orders) || s.orders[n].status == "cancelled" {
		s.mu.Unlock()
		return host.Answer{Status: http.StatusInternalServerError, Body: map[string]any{
			"Message": "An error has occurred.", "ExceptionMessage": "The order was not found, is cancelled, or has no such carrier and service.",
		}}
	}
	number, body := s.ship(n, asked, service)
	s.mu.Unlock()
	if !asked.TestLabel {
		s.notify(number)
	}
	return host.OK(body)
}

// ship creates a shipment. The caller must hold the lock.
func (s *Platform) ship(n int, asked labelRequest, service shipService) (int, map[string]any) {
	made, number := s.Host.Config.Now(), len(s.shipments)
	one := shipment{
		order:    n,
		carrier:  service.carrier,
		service:  service.code,
		pack:     asked.PackageCode,
		confirm:  asked.Confirmation,
		batch:    host.DeliveryID(),
		shipDate: asked.ShipDate,
		cents:    service.cost(asked.Weight),
		weight:   map[string]any{"value": asked.Weight.Value, "units": asked.Weight.Units},
		made:     made,
		tracking: fmt.Sprintf("9400111899%012d", 220_000_000+number),
	}
	if asked.TestLabel {
		one.cents = 0
	}
	s.spent += one.cents
	s.shipments = append(s.shipments, one)
	s.orders[n].status, s.orders[n].changed = "shipped", made
	body := s.showShipment(number)
	body["labelData"] = base64.StdEncoding.EncodeToString(labelPDF(s.orders[n].number, one.tracking, service.name))
	return number, body
}

// showShipment returns a shipment as JSON. The caller must hold the lock.
func (s *Platform) showShipment(n int) map[string]any {
	one := s.shipments[n]
	o := s.orders[one.order]
	shown := map[string]any{
		"shipmentId": 75001 + n, "orderId": shipNumber(one.order), "orderKey": o.key, "orderNumber": o.number, "customerEmail": o.email,
		"createDate": one.made.In(pacific).Format(shipTime), "shipDate": one.shipDate, "shipmentCost": host.ExactNumber(one.cents), "insuranceCost": host.ExactNumber(0),
		"trackingNumber": one.tracking, "isReturnLabel": false, "batchNumber": nil, "carrierCode": one.carrier, "serviceCode": one.service,
		"packageCode": one.pack, "confirmation": one.confirm, "warehouseId": nil, "voided": one.voided, "voidDate": nil, "marketplaceNotified": false,
		"notifyErrorMessage": nil, "shipTo": o.shipTo, "weight": one.weight, "shipmentItems": nil, "labelData": nil, "formData": nil,
	}
	if one.voided {
		shown["voidDate"] = one.voidedAt.In(pacific).Format(shipTime)
	}
	return shown
}

func (s *Platform) listShipments(c *host.Call) host.Answer {
	q := c.URL.Query()
	from, e1 := readShipTime(q.Get("createDateStart"))
	to, e2 := readShipTime(q.Get("createDateEnd"))
	if e1 != nil || e2 != nil {
		return s.Refuse(http.StatusBadRequest, "The request is invalid: a date cannot be read.")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []any
	for n, one := range s.shipments {
		o := s.orders[one.order]
		other := q.Get("orderNumber") != "" && o.number != q.Get("orderNumber") || q.Get("orderId") != "" && q.Get("orderId") != strconv.Itoa(shipNumber(one.order)) ||
			q.Get("batchId") != "" && q.Get("batchId") != one.batch || q.Get("trackingNumber") != "" && q.Get("trackingNumber") != one.tracking
		if other || one.made.Before(from) || !to.IsZero() && one.made.After(to) {
			continue
		}
		found = append(found, s.showShipment(n))
	}
	return s.paged(c, "shipments", found)
}

// readShipTime parses a time as ShipStation does: in Pacific time unless it has an offset.
func readShipTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at, nil
	}
	for _, form := range []string{"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05", time.DateOnly} {
		if at, err := time.ParseInLocation(form, text, pacific); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("platforms: %q is no time", text)
}

func (s *Platform) paged(c *host.Call, name string, found []any) host.Answer {
	size, number := c.Number("pageSize", 100), c.Number("page", 1)
	if size < 1 || size > 500 || number < 1 {
		return s.Refuse(http.StatusBadRequest, "The request is invalid: pageSize must be 1 to 500, and page from 1.")
	}
	pages := (len(found) + size - 1) / size
	from := min((number-1)*size, len(found))
	shown := append([]any{}, found[from:min(from+size, len(found))]...)
	if c.Fault.Kind == host.Circle {
		pages = number + 1
	}
	return host.OK(map[string]any{name: shown, "total": len(found), "page": number, "pages": pages})
}

// labelPDF returns a minimal valid PDF: 4 by 6 inches with three lines of text.
func labelPDF(number, tracking, service string) []byte {
	clean := strings.NewReplacer("(", "", ")", "", "\\", "")
	text := fmt.Sprintf("BT /F1 14 Tf 20 380 Td (%s) Tj 0 -30 Td (Order %s) Tj 0 -30 Td (%s) Tj ET", clean.Replace(service), clean.Replace(number), tracking)
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 288 432] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(text), text),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}
	var out strings.Builder
	out.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(objects))
	for n, object := range objects {
		offsets[n] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", n+1, object)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return []byte(out.String())
}

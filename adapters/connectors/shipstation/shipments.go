package shipstation

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// pageSize is the number of shipments on a page. ShipStation permits up to 500.
const pageSize = 200

// shipment is a shipment in ShipStation: a label that was bought there.
type shipment struct {
	ID             int64       `json:"shipmentId"`
	OrderKey       string      `json:"orderKey"`
	OrderNumber    string      `json:"orderNumber"`
	CreateDate     string      `json:"createDate"`
	ShipDate       string      `json:"shipDate"`
	Carrier        string      `json:"carrierCode"`
	Service        string      `json:"serviceCode"`
	TrackingNumber string      `json:"trackingNumber"`
	ShipmentCost   json.Number `json:"shipmentCost"`
	InsuranceCost  json.Number `json:"insuranceCost"`
	IsReturn       bool        `json:"isReturnLabel"`
	Voided         bool        `json:"voided"`
	VoidDate       string      `json:"voidDate"`
	LabelData      string      `json:"labelData"` // only in the answer to a purchase
}

type shipments struct {
	List  []json.RawMessage `json:"shipments"`
	Total int               `json:"total"`
	Page  int               `json:"page"`
	Pages int               `json:"pages"`
}

// The phases of a read: first the shipments that were created since a time, then those that were voided since it.
const (
	created = "created"
	voided  = "voided"
)

// dstOverlap is the hour that occurs twice when daylight saving time ends.
const dstOverlap = time.Hour

// Read reads shipments as orders.
func (s *Connector) Read(ctx ports.Outbound, c ports.Connection, r ports.PageRequest) (ports.RecordPage, error) {
	phase, number, ok := parseCursor(r.Cursor)
	switch {
	case r.Resource != syncrun.Orders:
		return ports.RecordPage{}, s.platform.Refused("has no " + r.Resource.String())
	case !ok:
		return ports.RecordPage{}, s.platform.Failed("has no such page", nil)
	}
	read := s.phase
	if usesV2(c) {
		read = s.clientV2.phase
	}
	page, err := read(ctx, c, r.Since, phase, number)
	if err != nil || page.Next != "" || phase == voided || r.Since.IsZero() {
		return page, err
	}
	more, err := read(ctx, c, r.Since, voided, 1)
	if err != nil {
		return ports.RecordPage{}, err
	}
	return ports.RecordPage{
		Records: append(page.Records, more.Records...),
		Next:    more.Next,
		Total:   page.Total,
	}, nil
}

func (s *Connector) phase(ctx context.Context, c ports.Connection, since time.Time, phase string, number int) (ports.RecordPage, error) {
	query := url.Values{"sortBy": {"CreateDate"}, "sortDir": {"ASC"}}
	if !since.IsZero() {
		start := map[string]string{created: "createDateStart", voided: "voidDateStart"}[phase]
		query.Set(start, since.Add(-dstOverlap).In(s.pacific).Format(time.DateTime))
	}
	found, err := s.page(ctx, c, query, number)
	if err != nil {
		return ports.RecordPage{}, err
	}
	page := ports.RecordPage{Records: s.records(found.List), Total: total(found.Total, phase, since)}
	if phase == voided { // without the shipments of the first phase
		page.Records = slices.DeleteFunc(page.Records, func(r syncrun.Record) bool { return r.Order != nil && r.Order.Status != "voided" })
	}
	if number < found.Pages && len(found.List) > 0 {
		page.Next = phase + ":" + strconv.Itoa(number+1)
	}
	return page, nil
}

// total returns the count of the first phase ("The total number of resources that match your search criteria",
// https://docs.shipstation.com/apis/shipengine/docs/reference/pagination, read 2026-11-28). It does not include voided shipments.
func total(count int, phase string, since time.Time) syncrun.Total {
	if phase == voided {
		return syncrun.Total{}
	}
	return syncrun.Total{Count: count, AtLeast: !since.IsZero()}
}

func parseCursor(cursor string) (phase string, page int, ok bool) {
	if cursor == "" {
		return created, 1, true
	}
	phase, number, _ := strings.Cut(cursor, ":")
	page, err := strconv.Atoi(number)
	return phase, page, err == nil && page > 0 && (phase == created || phase == voided)
}

func (s *Connector) page(ctx context.Context, c ports.Connection, query url.Values, number int) (shipments, error) {
	query.Set("page", strconv.Itoa(number))
	query.Set("pageSize", strconv.Itoa(pageSize))
	var found shipments
	err := s.ask(ctx, c, request{path: "/shipments", query: query}, &found)
	return found, err
}

func (s *Connector) records(list []json.RawMessage) []syncrun.Record {
	records := make([]syncrun.Record, len(list))
	for i, raw := range list {
		records[i] = s.record(raw)
	}
	return records
}

// record converts a shipment to an order record. A return label is no shipment of the order.
func (s *Connector) record(raw json.RawMessage) syncrun.Record {
	var one shipment
	err := json.Unmarshal(raw, &one)
	r := syncrun.Record{Resource: syncrun.Orders}
	if one.ID > 0 {
		r.Remote = strconv.FormatInt(one.ID, 10)
	}
	at := s.instant(one.CreateDate)
	switch {
	case err != nil || r.Remote == "":
		r.Problem = "The shipment cannot be read."
		return r
	case at.IsZero():
		r.Problem = "The shipment does not say when it was created."
		return r
	}
	o := &syncrun.Order{Number: one.OrderNumber, Status: "shipped"}
	if _, err := id.Parse[id.Order](one.OrderKey); err == nil && !one.IsReturn {
		o.Reference = one.OrderKey
		o.Shipment = &syncrun.Shipment{
			Carrier:   one.Carrier,
			Number:    one.TrackingNumber,
			ShippedAt: later(at, s.instant(one.ShipDate)),
			Voided:    one.Voided,
		}
	}
	r.At, r.Order = at, o
	switch {
	case one.Voided:
		o.Status, r.At = "voided", later(at, s.instant(one.VoidDate))
	case one.IsReturn:
		o.Status = "return"
	}
	return r
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Bought returns the label of an order, or nil if there is none.
func (s *Connector) Bought(ctx ports.Outbound, c ports.Connection, o *order.Order) (*ports.ShippingLabel, error) {
	if usesV2(c) {
		return s.clientV2.find(ctx, c, keyOf(o, false), nil)
	}
	return s.find(ctx, c, keyOf(o, false), nil)
}

// key identifies an order in ShipStation. A search by number may find other orders, too; the key is unique.
type key struct{ number, key string }

// keyOf returns the key of an order. Test labels belong to another order with its own key.
func keyOf(o *order.Order, test bool) key {
	if test {
		return key{"TEST-" + o.Confirmation, "test-" + o.ID.String()}
	}
	return key{o.Confirmation, o.ID.String()}
}

// find returns the last label of an order that is not voided, or nil if there is none.
func (s *Connector) find(ctx context.Context, c ports.Connection, of key, voided []order.VoidedLabel) (*ports.ShippingLabel, error) {
	all, err := s.shipmentsOf(ctx, c, of)
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		if label := one.label(); !one.Voided && !wasVoided(voided, label.Remote, label.TrackingNumber) {
			return &label, nil
		}
	}
	return nil, nil
}

// wasVoided reports whether a label was voided. ShipStation may still list it as not voided.
func wasVoided(voided []order.VoidedLabel, remote, tracking string) bool {
	return slices.ContainsFunc(voided, func(v order.VoidedLabel) bool { return v.Is(remote, tracking) })
}

// shipmentsOf returns the labels of an order without return labels, the last one first.
func (s *Connector) shipmentsOf(ctx context.Context, c ports.Connection, of key) ([]shipment, error) {
	found, err := s.page(ctx, c, url.Values{"orderNumber": {of.number}, "sortBy": {"CreateDate"}, "sortDir": {"DESC"}}, 1)
	if err != nil {
		return nil, err
	}
	var all []shipment
	for _, raw := range found.List {
		var one shipment
		if err := json.Unmarshal(raw, &one); err != nil {
			return nil, s.platform.Failed("sent a shipment that cannot be read", nil) // it may be the order's
		}
		same := one.OrderKey == of.key || one.OrderKey == "" && one.OrderNumber == of.number
		if same && !one.IsReturn {
			all = append(all, one)
		}
	}
	return all, nil
}

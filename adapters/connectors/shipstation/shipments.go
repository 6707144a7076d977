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

// pageSize is how many shipments a page has; ShipStation gives up to 500.
const pageSize = 200

// shipment as ShipStation has it: a label that was bought there.
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
	LabelData      string      `json:"labelData"` // of one that was bought just now
}

type shipments struct {
	List  []json.RawMessage `json:"shipments"`
	Total int               `json:"total"`
	Page  int               `json:"page"`
	Pages int               `json:"pages"`
}

// The phases of a reading: what was created, and then what was voided of it since, which may be older.
const (
	created = "created"
	voided  = "voided"
)

// slack is the hour that comes twice when clocks are put back.
const slack = time.Hour

// Read reads what was shipped, as orders.
func (s *Connector) Read(ctx ports.Outbound, c ports.Connection, r ports.PageRequest) (ports.RecordPage, error) {
	phase, number, ok := place(r.Cursor)
	switch {
	case r.Resource != syncrun.Orders:
		return ports.RecordPage{}, s.platform.Refused("has no " + r.Resource.String())
	case !ok:
		return ports.RecordPage{}, s.platform.Failed("has no such page", nil)
	}
	read := s.phase
	if speaksV2(c) {
		read = s.modern.phase
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
		query.Set(start, since.Add(-slack).In(s.pacific).Format(time.DateTime))
	}
	found, err := s.page(ctx, c, query, number)
	if err != nil {
		return ports.RecordPage{}, err
	}
	page := ports.RecordPage{Records: s.records(found.List), Total: total(found.Total, phase, since)}
	if phase == voided { // and nothing that the first phase had
		page.Records = slices.DeleteFunc(page.Records, func(r syncrun.Record) bool { return r.Order != nil && r.Order.Status != "voided" })
	}
	if number < found.Pages && len(found.List) > 0 {
		page.Next = phase + ":" + strconv.Itoa(number+1)
	}
	return page, nil
}

// total is what the first phase counts ("The total number of resources that match your search criteria",
// https://docs.shipstation.com/apis/shipengine/docs/reference/pagination, read 2026-11-28). What was voided comes on top.
func total(count int, phase string, since time.Time) syncrun.Total {
	if phase == voided {
		return syncrun.Total{}
	}
	return syncrun.Total{Count: count, AtLeast: !since.IsZero()}
}

func place(cursor string) (phase string, page int, ok bool) {
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

// record is a shipment as news of an order. A label to send goods back by is no shipment of ours.
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

// Bought finds the label of an order.
func (s *Connector) Bought(ctx ports.Outbound, c ports.Connection, o *order.Order) (*ports.ShippingLabel, error) {
	if speaksV2(c) {
		return s.modern.find(ctx, c, keyOf(o, false), nil)
	}
	return s.find(ctx, c, keyOf(o, false), nil)
}

// key is what ShipStation calls an order. A number that is searched for may find those of others, a key is
// one order's.
type key struct{ number, key string }

// keyOf names an order as its merchant knows it. A test label is not the order's.
func keyOf(o *order.Order, test bool) key {
	if test {
		return key{"TEST-" + o.Confirmation, "test-" + o.ID.String()}
	}
	return key{o.Confirmation, o.ID.String()}
}

// find finds the label of an order that is not voided, the last one if there are several.
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

// wasVoided reports whether a label is one of those that were voided, though ShipStation may list it as good still.
func wasVoided(voided []order.VoidedLabel, remote, tracking string) bool {
	return slices.ContainsFunc(voided, func(v order.VoidedLabel) bool { return v.Is(remote, tracking) })
}

// shipmentsOf are the labels of an order, the last one first, but for those to send goods back by.
func (s *Connector) shipmentsOf(ctx context.Context, c ports.Connection, of key) ([]shipment, error) {
	found, err := s.page(ctx, c, url.Values{"orderNumber": {of.number}, "sortBy": {"CreateDate"}, "sortDir": {"DESC"}}, 1)
	if err != nil {
		return nil, err
	}
	var all []shipment
	for _, raw := range found.List {
		var one shipment
		if err := json.Unmarshal(raw, &one); err != nil {
			return nil, s.platform.Failed("sent a shipment that cannot be read", nil) // which may be the order's
		}
		same := one.OrderKey == of.key || one.OrderKey == "" && one.OrderNumber == of.number
		if same && !one.IsReturn {
			all = append(all, one)
		}
	}
	return all, nil
}

package shipstation

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/ports"
)

// Voiding a label. Sources, read 2026-11-29: https://shipstation.com/docs/api/shipments/void-label (V1),
// https://docs.shipstation.com/openapi/labels/void_label.md and https://docs.shipstation.com/void-labels.md (V2).
//
// API V1 does not say whether a label that it does not void was voided before, and API V2 says so by a code. An answer may be
// lost, too. So the label itself decides wherever ShipStation does not approve.

// verdict is what ShipStation answers to a wish to void a label.
type verdict struct {
	Approved bool   `json:"approved"`
	Message  string `json:"message"`
	Reason   string `json:"reason_code"` // API V2's, where it does not approve
}

// alreadyVoided is the reason_code of a label that was voided before.
const alreadyVoided = "label_already_voided"

// Void voids a label.
func (s *Connector) Void(ctx ports.Outbound, c ports.Connection, r ports.VoidRequest) error {
	if speaksV2(c) {
		return s.modern.void(ctx, c, r)
	}
	number, err := strconv.ParseInt(r.Remote, 10, 64)
	if err != nil || number <= 0 { // it was bought by API V2, or ShipStation did not say its id
		one, err := s.sold(ctx, c, r)
		switch {
		case err != nil:
			return err
		case one == nil || one.ID <= 0:
			return s.platform.Refused("does not show the label: void it there")
		case one.Voided:
			return nil
		}
		number = one.ID
	}
	var told verdict
	err = s.ask(ctx, c, request{path: "/shipments/voidlabel", body: map[string]any{"shipmentId": number}}, &told)
	if err == nil && told.Approved {
		return nil
	}
	refused := refusedVoid(s.platform, c, told, refusal(err))
	if !isRefusal(refused) {
		return refused
	}
	one, unknown := s.sold(ctx, c, r)
	switch {
	case unknown != nil:
		return unknown
	case one != nil && one.Voided:
		return nil
	}
	return refused
}

// sold finds the label as ShipStation has it now; nil: it does not show it.
func (s *Connector) sold(ctx context.Context, c ports.Connection, r ports.VoidRequest) (*shipment, error) {
	all, err := s.shipmentsOf(ctx, c, keyOf(r.Order, r.Test))
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		if sameLabel(strconv.FormatInt(one.ID, 10), one.TrackingNumber, r) {
			return &one, nil
		}
	}
	return nil, nil
}

// sameLabel compares ids, and tracking numbers where the id is of the other API.
func sameLabel(remote, tracking string, r ports.VoidRequest) bool {
	return remote == r.Remote || r.TrackingNumber != "" && tracking == r.TrackingNumber
}

// refusedVoid is why ShipStation has not voided a label: err, or what it says.
func refusedVoid(p *connectors.Platform, c ports.Connection, told verdict, err error) error {
	if err != nil {
		return err
	}
	why := cmp.Or(connectors.Plain(told.Message, c.Credentials.Key, c.Credentials.Secret), strings.ReplaceAll(told.Reason, "_", " "), "it gave no reason")
	return p.Refused("does not void the label: " + strings.TrimSpace(why))
}

func isRefusal(err error) bool {
	var refusal *ports.PlatformRefusal
	return errors.As(err, &refusal)
}

// idV2 begins the ids of API V2.
const idV2 = "se-"

func (m *modern) void(ctx context.Context, c ports.Connection, r ports.VoidRequest) error {
	name := r.Remote
	if !strings.HasPrefix(name, idV2) { // it was bought by API V1, or ShipStation did not say its id
		one, err := m.sold(ctx, c, r)
		switch {
		case err != nil:
			return err
		case one == nil || one.ID == "":
			return m.platform.Refused("does not show the label: void it there")
		case one.isVoided():
			return nil
		}
		name = one.ID
	}
	var told verdict
	err := m.ask(ctx, c, request{method: http.MethodPut, path: "/v2/labels/" + url.PathEscape(name) + "/void"}, &told)
	if err == nil && (told.Approved || told.Reason == alreadyVoided) {
		return nil
	}
	refused := refusedVoid(m.platform, c, told, err)
	if !isRefusal(refused) {
		return refused
	}
	one, unknown := m.sold(ctx, c, r)
	switch {
	case unknown != nil:
		return unknown
	case one != nil && one.isVoided():
		return nil
	}
	return refused
}

// sold finds the label as ShipStation has it now; nil: it does not show it.
func (m *modern) sold(ctx context.Context, c ports.Connection, r ports.VoidRequest) (*labelV2, error) {
	if strings.HasPrefix(r.Remote, idV2) {
		var one labelV2
		none, err := m.missing(ctx, c, request{path: "/v2/labels/" + url.PathEscape(r.Remote)}, &one)
		if none || err != nil {
			return nil, err
		}
		return &one, nil
	}
	if r.TrackingNumber == "" {
		return nil, nil
	}
	page, err := m.page(ctx, c, url.Values{"tracking_number": {r.TrackingNumber}}, 1)
	if err != nil {
		return nil, err
	}
	of := keyOf(r.Order, r.Test)
	for _, raw := range page.List {
		var one labelV2
		if err := m.platform.Decode(raw, &one); err != nil {
			return nil, err
		}
		if one.TrackingNumber == r.TrackingNumber && (one.Key == "" || one.Key == of.key) {
			return &one, nil
		}
	}
	return nil, nil
}

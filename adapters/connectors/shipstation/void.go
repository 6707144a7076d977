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
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// Voiding a label. Sources, read 2026-11-29: https://shipstation.com/docs/api/shipments/void-label (V1),
// https://docs.shipstation.com/openapi/labels/void_label.md and https://docs.shipstation.com/void-labels.md (V2).
//
// API V1 does not say whether a label that it does not void was voided before, and API V2 says so by a code. So a label that
// ShipStation does not void is looked up. Only if ShipStation shows it as not voided is the void refused. An unknown outcome
// is a ports.PlatformFailure that wraps no error by which a caller would take the label for not voided.

// verdict is ShipStation's answer to a request to void a label.
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
			return notAsked(err)
		case one == nil || one.ID <= 0:
			return notAsked(s.platform.Refused(hidden))
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
	problem := refusedVoid(s.platform, c, told, err)
	if !isRefusal(problem) && !errors.Is(problem, errException) {
		return problem
	}
	one, err := s.sold(ctx, c, r)
	return settle(s.platform, one != nil, one != nil && one.Voided, err, problem)
}

// hidden is said of a label that cannot be looked up.
const hidden = "does not show the label: void it there"

// notAsked is the error of a look-up before ShipStation is asked to void a label. A look-up that is refused does not settle
// what became of an earlier request, so it is a conflict and not a ports.PlatformRefusal.
func notAsked(err error) error {
	var refusal *ports.PlatformRefusal
	if errors.As(err, &refusal) {
		return fault.New(fault.Conflict, "label_not_voided", refusal.Reason)
	}
	return err
}

// settle is the outcome of a void that ShipStation did not approve, because of problem, by the look-up after it: whether
// it shows the label, whether it shows it as voided, and the look-up's error. An answer with a status of 500 or more is
// no refusal, so that a label that is not voided yet may be voided later.
func settle(p *connectors.Platform, shown, voided bool, err, problem error) error {
	switch {
	case err != nil: // only its text is kept: it would tell that nothing was asked
		return p.Failed("did not say whether the label is voided", errors.New(err.Error()))
	case !shown:
		return p.Failed("does not show the label that was to be voided", nil)
	case voided:
		return nil
	}
	return problem
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

// refusedVoid is the error of a void that ShipStation did not approve: err, or the reason that it gave.
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
			return notAsked(err)
		case one == nil || one.ID == "":
			return notAsked(m.platform.Refused(hidden))
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
	problem := refusedVoid(m.platform, c, told, err)
	if !isRefusal(problem) {
		return problem
	}
	one, err := m.sold(ctx, c, r)
	return settle(m.platform, one != nil, one != nil && one.isVoided(), err, problem)
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

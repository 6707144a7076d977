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
// If API V1 does not void a label, it does not say whether the label was voided before; API V2 says so with a code. Therefore
// Void looks up a label that ShipStation does not void, and returns a refusal only if ShipStation shows it as not voided. An
// unknown outcome is a ports.PlatformFailure. It wraps no error from which a caller would conclude that the label is not voided.

// verdict is ShipStation's answer to a request to void a label.
type verdict struct {
	Approved bool   `json:"approved"`
	Message  string `json:"message"`
	Reason   string `json:"reason_code"` // of API V2, if it does not approve
}

// alreadyVoided is the reason_code of a label that was voided before.
const alreadyVoided = "label_already_voided"

// Void voids a label.
func (s *Connector) Void(ctx ports.Outbound, c ports.Connection, r ports.VoidRequest) error {
	if usesV2(c) {
		return s.clientV2.void(ctx, c, r)
	}
	number, err := strconv.ParseInt(r.Remote, 10, 64)
	if err != nil || number <= 0 { // it was bought with API V2, or ShipStation did not return its id
		one, err := s.lookUpLabel(ctx, c, r)
		switch {
		case err != nil:
			return lookUpError(err)
		case one == nil || one.ID <= 0:
			return lookUpError(s.platform.Refused(notShown))
		case one.Voided:
			return nil
		}
		number = one.ID
	}
	var answer verdict
	err = s.ask(ctx, c, request{path: "/shipments/voidlabel", body: map[string]any{"shipmentId": number}}, &answer)
	if err == nil && answer.Approved {
		return nil
	}
	problem := voidError(s.platform, c, answer, err)
	if !isRefusal(problem) && !errors.Is(problem, errException) {
		return problem
	}
	one, err := s.lookUpLabel(ctx, c, r)
	return voidOutcome(s.platform, one != nil, one != nil && one.Voided, err, problem)
}

// notShown is the reason if a label cannot be looked up.
const notShown = "does not show the label: void it there"

// lookUpError is the error of a look-up before the request to void a label. A refused look-up says nothing about the outcome
// of an earlier request, so it becomes a conflict instead of a ports.PlatformRefusal.
func lookUpError(err error) error {
	var refusal *ports.PlatformRefusal
	if errors.As(err, &refusal) {
		return fault.New(fault.Conflict, "label_not_voided", refusal.Reason)
	}
	return err
}

// voidOutcome returns the outcome of a void that ShipStation did not approve, because of problem. shown, voided and err are
// the results of the look-up after it. An answer with a status of 500 or more is no refusal, so that a label that is not
// voided yet may be voided later.
func voidOutcome(p *connectors.Platform, shown, voided bool, err, problem error) error {
	switch {
	case err != nil: // text only: err itself would say that no request was made
		return p.Failed("did not say whether the label is voided", errors.New(err.Error()))
	case !shown:
		return p.Failed("does not show the label that was to be voided", nil)
	case voided:
		return nil
	}
	return problem
}

// lookUpLabel returns the current state of a label, or nil if ShipStation does not show it.
func (s *Connector) lookUpLabel(ctx context.Context, c ports.Connection, r ports.VoidRequest) (*shipment, error) {
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

// sameLabel compares ids, and tracking numbers because the id may be of the other API.
func sameLabel(remote, tracking string, r ports.VoidRequest) bool {
	return remote == r.Remote || r.TrackingNumber != "" && tracking == r.TrackingNumber
}

// voidError is the error of a void that ShipStation did not approve: err, or a refusal with ShipStation's reason.
func voidError(p *connectors.Platform, c ports.Connection, answer verdict, err error) error {
	if err != nil {
		return err
	}
	why := cmp.Or(connectors.Plain(answer.Message, c.Credentials.Key, c.Credentials.Secret), strings.ReplaceAll(answer.Reason, "_", " "), "it gave no reason")
	return p.Refused("does not void the label: " + strings.TrimSpace(why))
}

func isRefusal(err error) bool {
	var refusal *ports.PlatformRefusal
	return errors.As(err, &refusal)
}

// idV2 is the prefix of the ids of API V2.
const idV2 = "se-"

func (m *clientV2) void(ctx context.Context, c ports.Connection, r ports.VoidRequest) error {
	name := r.Remote
	if !strings.HasPrefix(name, idV2) { // it was bought with API V1, or ShipStation did not return its id
		one, err := m.lookUpLabel(ctx, c, r)
		switch {
		case err != nil:
			return lookUpError(err)
		case one == nil || one.ID == "":
			return lookUpError(m.platform.Refused(notShown))
		case one.isVoided():
			return nil
		}
		name = one.ID
	}
	var answer verdict
	err := m.ask(ctx, c, request{method: http.MethodPut, path: "/v2/labels/" + url.PathEscape(name) + "/void"}, &answer)
	if err == nil && (answer.Approved || answer.Reason == alreadyVoided) {
		return nil
	}
	problem := voidError(m.platform, c, answer, err)
	if !isRefusal(problem) {
		return problem
	}
	one, err := m.lookUpLabel(ctx, c, r)
	return voidOutcome(m.platform, one != nil, one != nil && one.isVoided(), err, problem)
}

// lookUpLabel returns the current state of a label, or nil if ShipStation does not show it.
func (m *clientV2) lookUpLabel(ctx context.Context, c ports.Connection, r ports.VoidRequest) (*labelV2, error) {
	if strings.HasPrefix(r.Remote, idV2) {
		var one labelV2
		none, err := m.askOptional(ctx, c, request{path: "/v2/labels/" + url.PathEscape(r.Remote)}, &one)
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

package shipstation

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// Voiding a label, from documentation that was read 2026-11-29:
//
//   - API V1, POST /shipments/voidlabel {"shipmentId"} answers {"approved", "message"}:
//     https://shipstation.com/docs/api/shipments/void-label. It does not say what a second request for the same label answers:
//     here it is not approved.
//   - API V2, PUT /v2/labels/{label_id}/void answers {"approved", "message"}, and a "reason_code" where it is not approved:
//     https://docs.shipstation.com/openapi/labels/void_label.md. "Once a label is voided it cannot be unvoided. However, you can
//     create a new label for that shipment": https://docs.shipstation.com/void-labels.md.
//   - "After the label is successfully voided, if the order was in the Shipped status, ShipStation will move the order back to
//     Awaiting Shipment": https://help.shipstation.com/hc/en-us/articles/360026157751-Void-Labels.

// API V2's reasons for refusing to void a label.
const (
	alreadyVoided = "label_already_voided"
	alreadyUsed   = "label_already_used"
)

func (s *Platform) voidLabel(c *host.Call) host.Answer {
	var asked struct{ ShipmentID int }
	if !host.ReadJSON(c.Content, &asked) {
		return s.Refuse(http.StatusBadRequest, "The request is invalid: shipmentId is required.")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.findLabel(labelID(asked.ShipmentID - 75001))
	if n < 0 {
		return host.OK(map[string]any{"approved": false, "message": "The shipment was not found."})
	}
	_, message := s.void(n)
	return host.OK(map[string]any{"approved": message == "", "message": cmp.Or(message, "Label voided successfully")})
}

func (s *Platform) voidLabelV2(c *host.Call) host.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.findLabel(c.PathValue("id"))
	if n < 0 {
		return refuseV2(http.StatusNotFound, "not_found", "The label was not found.")
	}
	reason, message := s.void(n)
	if reason != "" {
		return host.OK(map[string]any{"approved": false, "message": message, "reason_code": reason})
	}
	return host.OK(map[string]any{"approved": true, "message": "Request for refund submitted."})
}

// findLabel returns the position of a label by its id of API V2, or a negative number. The caller must hold the lock.
func (s *Platform) findLabel(id string) int {
	number, err := strconv.Atoi(strings.TrimPrefix(id, "se-"))
	n := number - 75001
	if err != nil || n < 0 || n >= len(s.shipments) {
		return -1
	}
	return n
}

// void voids a label, or returns why it cannot. The caller must hold the lock.
func (s *Platform) void(n int) (reason, message string) {
	one := &s.shipments[n]
	switch {
	case one.voided:
		return alreadyVoided, "The label has already been voided."
	case one.collected:
		return alreadyUsed, "The carrier has scanned the package. The label cannot be voided."
	}
	now := s.Host.Config.Now()
	one.voided, one.voidedAt = true, now
	s.spent -= one.cents
	if o := &s.orders[one.order]; o.status == "shipped" && s.activeLabel(one.order) < 0 {
		o.status, o.changed = "awaiting_shipment", now
	}
	return "", ""
}

// Collect makes the carrier scan a parcel. Its label can no longer be voided.
func (s *Platform) Collect(tracking string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seed()
	n := slices.IndexFunc(s.shipments, func(one shipment) bool { return one.tracking == tracking })
	if n < 0 {
		return fmt.Errorf("shipstation has no label with the tracking number %q", tracking)
	}
	s.shipments[n].collected = true
	return nil
}

package paypal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	_ ports.DisputeReader    = (*Provider)(nil)
	_ ports.DisputeResponder = (*Provider)(nil)
)

const disputes = "/v1/customer/disputes/"

// notPermitted returns the refusal of an application without the feature "Disputes". This is not ErrCredentialsRefused, because
// payments work without that feature.
func notPermitted(err error) (*refusal, bool) {
	var r *refusal
	return r, errors.As(err, &r) && r.Status == http.StatusForbidden
}

// Dispute reads the current state of a dispute. It returns no news if the application may not read disputes.
func (p *Provider) Dispute(ctx ports.Outbound, a ports.PaymentAccount, of string) (ports.PaymentEvent, error) {
	at := p.estimatedTime()
	found, err := p.readDispute(ctx, a, of)
	if _, refused := notPermitted(err); refused {
		return ports.PaymentEvent{}, nil
	}
	if err != nil {
		return ports.PaymentEvent{}, err
	}
	return found.news(false, at), nil
}

// estimatedTime returns PayPal's time minus two seconds, so that an event of the same moment counts as newer than the state that
// is read.
func (p *Provider) estimatedTime() time.Time {
	return p.remote.ProviderTime().Add(-2 * time.Second).Truncate(time.Second)
}

func (p *Provider) readDispute(ctx context.Context, a ports.PaymentAccount, of string) (found dispute, err error) {
	err = p.do(ctx, a, call{method: http.MethodGet, path: disputes + url.PathEscape(of)}, &found)
	return found, err
}

// SubmitEvidence provides evidence as text only. "In case the [provide-evidence] link is not present in the response, you
// can't provide evidence". Source: developer.paypal.com/api/customer-disputes/v1/disputes-provide-evidence and
// docs.paypal.ai/growth/disputes/reference/dispute-reasons, read November 2026. The endpoint expects a form. In PayPal's
// examples its part "input" has the JSON.
func (p *Provider) SubmitEvidence(ctx ports.Outbound, a ports.PaymentAccount, r ports.DisputeRequest) (ports.DisputeReply, error) {
	evidences := toEvidences(r.Evidence)
	body, kind, err := multipartForm(map[string]any{"evidences": evidences})
	if err != nil {
		return ports.DisputeReply{}, err
	}
	done := func(d dispute) bool { return d.holds(evidences) }
	return p.respond(ctx, a, r, "provide-evidence", done, call{
		method: http.MethodPost,
		path:   disputes + url.PathEscape(r.Dispute) + "/provide-evidence",
		body:   body,
		kind:   kind,
	})
}

// AcceptDispute accepts liability: "the dispute closes in the customer's favor and PayPal automatically refunds money to the
// customer". Source: docs.paypal.ai/reference/api/rest/disputes-actions/accept-claim, read November 2026.
func (p *Provider) AcceptDispute(ctx ports.Outbound, a ports.PaymentAccount, r ports.DisputeRequest) (ports.DisputeReply, error) {
	done := func(d dispute) bool { return d.Status == "RESOLVED" && slices.Contains(lostOutcomes, d.Outcome.Code) }
	return p.respond(ctx, a, r, "accept-claim", done, call{
		method: http.MethodPost,
		path:   disputes + url.PathEscape(r.Dispute) + "/accept-claim",
		body:   map[string]string{"note": "The merchant accepts the claim.", "accept_claim_type": "REFUND"},
	})
}

// respond sends a response if PayPal waits for one and offers its link. It reads the dispute again, because the answer has only links.
func (p *Provider) respond(ctx ports.Outbound, a ports.PaymentAccount, r ports.DisputeRequest, link string, done func(dispute) bool, send call) (ports.DisputeReply, error) {
	found, err := p.readDispute(ctx, a, r.Dispute)
	if err == nil && slices.Contains(needsResponse, found.Status) {
		if !found.offers(link) {
			return ports.DisputeReply{}, &ports.DisputeRefusal{Code: "not offered by PayPal for this dispute: " + link}
		}
		if err = p.do(ctx, a, send, nil); err == nil || issueOf(err) != "" {
			found, err = p.readAgain(ctx, a, r.Dispute, found, err)
		}
	}
	if denied, ok := notPermitted(err); ok {
		return ports.DisputeReply{}, &ports.DisputeRefusal{Code: denied.Name}
	}
	if issue := issueOf(err); issue != "" {
		return ports.DisputeReply{}, &ports.DisputeRefusal{Code: issue}
	}
	if err != nil {
		return ports.DisputeReply{}, err
	}
	news := found.news(false, p.estimatedTime())
	if news.Dispute == nil {
		return ports.DisputeReply{}, errors.New("paypal: the answer is unreadable")
	}
	return ports.DisputeReply{Report: *news.Dispute, Done: done(found)}, nil
}

// readAgain reads a dispute after a response. If PayPal refused the response and still waits for one, it
// returns the refusal. If PayPal does not wait any more, an earlier try was successful.
func (p *Provider) readAgain(ctx context.Context, a ports.PaymentAccount, of string, before dispute, refused error) (dispute, error) {
	found, err := p.readDispute(ctx, a, of)
	switch {
	case err != nil:
		return before, err
	case refused != nil && slices.Contains(needsResponse, found.Status):
		return found, refused
	}
	return found, nil
}

func (d dispute) offers(link string) bool {
	for _, l := range d.Links {
		if l.Rel == link {
			return true
		}
	}
	return false
}

// givenEvidence is evidence in PayPal's API.
type givenEvidence struct {
	Type  string        `json:"evidence_type"`
	Info  *evidenceInfo `json:"evidence_info,omitempty"`
	Notes string        `json:"notes,omitempty"`
}

type evidenceInfo struct {
	Tracking []tracking `json:"tracking_info"`
}

type tracking struct {
	Carrier string `json:"carrier_name"`
	Other   string `json:"carrier_name_other,omitempty"`
	Number  string `json:"tracking_number"`
}

// carriers are PayPal's names of carriers. Others are sent as OTHER with their own name.
var carriers = map[string]string{"ups": "UPS", "usps": "USPS", "fedex": "FEDEX", "dhl": "DHL"}

// toEvidences splits evidence so that no notes are longer than PayPal's limit of 2,000 characters.
func toEvidences(e order.Evidence) []givenEvidence {
	var all []givenEvidence
	if e.TrackingNumber != "" {
		parcel := tracking{Carrier: carriers[strings.ToLower(e.Carrier)], Number: e.TrackingNumber}
		if parcel.Carrier == "" {
			parcel.Carrier, parcel.Other = "OTHER", e.Carrier
		}
		proof := givenEvidence{Type: "PROOF_OF_FULFILLMENT", Info: &evidenceInfo{Tracking: []tracking{parcel}}}
		if e.ShippedOn != "" {
			proof.Notes = "Shipped on " + e.ShippedOn + "."
		}
		all = append(all, proof)
	}
	for _, text := range []string{e.Product, e.Receipt, e.Communication, e.Note} {
		if text != "" {
			all = append(all, givenEvidence{Type: "OTHER", Notes: text})
		}
	}
	return all
}

// holds reports whether PayPal has all notes of evidence, in any order.
func (d dispute) holds(all []givenEvidence) bool {
	var theirs strings.Builder
	for _, e := range d.Evidences {
		theirs.WriteString(e.Notes + "\n")
	}
	for _, e := range all {
		if !strings.Contains(theirs.String(), strings.TrimSpace(e.Notes)) {
			return false
		}
	}
	return len(d.Evidences) > 0
}

// multipartForm encodes a form with one part of JSON.
func multipartForm(input any) (body []byte, kind string, err error) {
	text, err := json.Marshal(input)
	if err != nil {
		return nil, "", err
	}
	var content bytes.Buffer
	w := multipart.NewWriter(&content)
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="input"`},
		"Content-Type":        {"application/json"},
	})
	if err == nil {
		_, err = part.Write(text)
	}
	err = errors.Join(err, w.Close())
	return content.Bytes(), w.FormDataContentType(), err
}

package paypal

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/ports"
)

// A 403 for the report is not ErrCredentialsRefused.
func TestReportError(t *testing.T) {
	p, _, _ := newProvider(t, map[string]string{"GET transactions": `403 {"name":"NOT_AUTHORIZED"}`, "POST orders": `403 {"name":"NOT_AUTHORIZED"}`})
	err := p.Statement(ports.NewOutbound(t.Context()), account, ports.StatementRequest{From: since, To: since.Add(time.Hour)}, nil)
	if err == nil || errors.Is(err, ports.ErrCredentialsRefused) {
		t.Errorf("report: %v", err)
	}
	if _, err := p.Charge(ports.NewOutbound(t.Context()), account, request()); !errors.Is(err, ports.ErrCredentialsRefused) {
		t.Errorf("charge: %v", err)
	}
}

// A payment that is not in a late report yet must not seem to be missing.
func TestStatement_lateReport(t *testing.T) {
	span := ports.StatementRequest{From: since, To: since.Add(time.Hour)}
	for refreshed, late := range map[string]bool{"2026-03-01T12:59:59+0000": true, "2026-03-01T13:00:00+0000": false} {
		p, _, clock := newProvider(t, map[string]string{"GET transactions": `200 {"total_pages":1,"last_refreshed_datetime":"` + refreshed + `"}`})
		clock.at = since.Add(24 * time.Hour)
		if err := p.Statement(ports.NewOutbound(t.Context()), account, span, nil); (err != nil) != late {
			t.Errorf("refreshed at %s: %v", refreshed, err)
		}
		clock.at = span.To // within the documented lag
		if err := p.Statement(ports.NewOutbound(t.Context()), account, span, nil); err != nil {
			t.Errorf("refreshed at %s, asked at once: %v", refreshed, err)
		}
	}
}

// PayPal marks a payment as reversed once it was refunded completely. It still is a movement.
func TestStatement_reversedCharge(t *testing.T) {
	report := `200 {"total_pages":1,"transaction_details":[{"transaction_info":{"transaction_id":"C1","transaction_event_code":"T0006",
		"transaction_status":"V","invoice_id":"` + request().Charge.Key + `","transaction_initiation_date":"2026-03-01T12:00:00+0000",
		"transaction_amount":{"currency_code":"USD","value":"49.90"},"fee_amount":{"currency_code":"USD","value":"-1.75"}}}]}`
	p, _, clock := newProvider(t, map[string]string{"GET transactions": report})
	span := ports.StatementRequest{From: since, To: since.Add(time.Hour)}
	var moved []ports.Movement
	var changes []ports.BalanceChange
	if err := errors.Join(
		p.Statement(ports.NewOutbound(t.Context()), account, span, func(m ports.Movement) error { moved = append(moved, m); return nil }),
		p.BalanceChanges(ports.NewOutbound(t.Context()), account, span, func(c ports.BalanceChange) error { changes = append(changes, c); return nil }),
	); err != nil || len(moved) != 1 || moved[0].Refund || len(changes) != 1 || changes[0].Kind != ports.BalanceFee {
		t.Errorf("%v, moved %+v, changed %+v", err, moved, changes)
	}
	clock.at = since.Add(24 * time.Hour)
	if outcome, err := p.Resolve(ports.NewOutbound(t.Context()), account, request()); outcome != (checkout.NotCharged{}) {
		t.Errorf("an attempt whose money went back: %#v, %v", outcome, err)
	}
}

// A long time is requested in spans of the maximum length, and each page once.
func TestStatement_spansAndPages(t *testing.T) {
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/token") {
			_, _ = io.WriteString(w, `{"access_token":"a","expires_in":3600}`)
			return
		}
		q := r.URL.Query()
		asked = append(asked, q.Get("start_date")+" "+q.Get("end_date")+" "+q.Get("page"))
		fmt.Fprintf(w, `{"total_pages":2,"transaction_details":[
			{"transaction_info":{"transaction_id":"T%d","transaction_event_code":"T1107","transaction_status":"S","invoice_id":"ref_1",
				"transaction_initiation_date":"2026-03-02T00:00:00+0000","transaction_amount":{"currency_code":"JPY","value":"-500"}}},
			{"transaction_info":{"transaction_id":"X","transaction_event_code":"T0400","transaction_status":"S"}},
			{"transaction_info":{"transaction_id":"Y","transaction_event_code":"T0006","transaction_status":"S","transaction_amount":{"currency_code":"BTC","value":"1"}}}]}`, len(asked))
	}))
	t.Cleanup(s.Close)
	p := New(Config{URL: s.URL, Clock: &fakeClock{since}})
	var moved []ports.Movement
	err := p.Statement(ports.NewOutbound(t.Context()), account, ports.StatementRequest{From: since, To: since.Add(40 * 24 * time.Hour)}, func(m ports.Movement) error {
		moved = append(moved, m)
		return nil
	})
	want := []string{
		"2026-03-01T12:00:00Z 2026-04-01T11:59:59Z 1", "2026-03-01T12:00:00Z 2026-04-01T11:59:59Z 2",
		"2026-04-01T12:00:00Z 2026-04-10T11:59:59Z 1", "2026-04-01T12:00:00Z 2026-04-10T11:59:59Z 2",
	}
	if err != nil || fmt.Sprint(asked) != fmt.Sprint(want) || len(moved) != 4 || moved[0].Amount.Minor() != 500 || !moved[0].Refund {
		t.Errorf("%v\nasked %q\n told %+v", err, asked, moved)
	}
}

package boot

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/verify"
)

// providerLedger is a simulated payment provider's response to GET /ledger.
type providerLedger struct {
	Charges []providerCharge `json:"charges"`
	Refunds []providerRefund `json:"refunds"`
}

type providerCharge struct {
	ID       string            `json:"id"`
	Intent   string            `json:"payment_intent"`
	Provider string            `json:"provider"`
	Key      string            `json:"key"`
	Amount   int64             `json:"amount"`
	Currency string            `json:"currency"`
	Metadata map[string]string `json:"metadata"`
	Status   string            `json:"status"`
	Refunded int64             `json:"refunded"`
}

type providerRefund struct {
	ID       string            `json:"id"`
	Charge   string            `json:"charge"`
	Key      string            `json:"key"`
	Amount   int64             `json:"amount"`
	Currency string            `json:"currency"`
	Metadata map[string]string `json:"metadata"`
}

// hasKnownKey reports whether a movement of money has the key of a payment or refund that is under way.
func hasKnownKey(under verify.UnderWay, key string, metadata map[string]string) bool {
	for _, value := range metadata {
		if under[value] {
			return true
		}
	}
	return under[key]
}

func readLedger(ctx context.Context, url string) (l providerLedger, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(url, "/")+"/ledger", nil)
	if err != nil {
		return l, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return l, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return l, fmt.Errorf("%s: %s", request.URL, response.Status)
	}
	return l, json.NewDecoder(response.Body).Decode(&l)
}

// compare checks that our ledger and a provider's agree. A server may be running, so it reads the provider twice: before our
// ledger, to find what we have not recorded, and after it, to find what the provider has not done.
func compare(ctx context.Context, store *sqlstore.Store, url string) (verify.Invariant, error) {
	i := verify.Invariant{Holds: "charges and refunds of the provider at " + url + " match the payments and refunds in the database"}
	before, err := readLedger(ctx, url)
	if err != nil {
		return i, err
	}
	moved, under, err := store.MovedByProviders(ctx)
	if err != nil {
		return i, err
	}
	after, err := readLedger(ctx, url)
	if err != nil {
		return i, err
	}
	c := comparison{
		Invariant: &i,
		ours:      map[movement]int{},
		theirs:    map[movement]bool{},
	}
	for _, m := range moved {
		c.ours[movement{m.Provider, m.Currency, m.Amount, m.Refund}]++
	}
	c.findUnrecorded(before, under)
	c.findUnconfirmed(after)
	return i, nil
}

// movement is a charge or refund, identified by the provider's id.
type movement struct {
	id, currency string
	amount       int64
	refund       bool
}

type comparison struct {
	*verify.Invariant
	ours   map[movement]int
	theirs map[movement]bool
}

func (c *comparison) violation(provider, id, format string, args ...any) {
	c.Broken = append(c.Broken, verify.Violation{
		Project: provider,
		Subject: id,
		Says:    fmt.Sprintf(format, args...),
	})
}

// findUnrecorded finds charges and refunds of the provider that we have not recorded exactly once. A charge that was refunded
// in full needs no order.
func (c *comparison) findUnrecorded(l providerLedger, under verify.UnderWay) {
	returned := map[string]bool{}
	for _, charge := range l.Charges {
		if charge.Status != "succeeded" {
			continue
		}
		c.Checked++
		n := 0
		for _, id := range []string{charge.ID, charge.Intent} {
			n += c.ours[movement{id, charge.Currency, charge.Amount, false}]
		}
		returned[charge.ID] = n == 0 && charge.Refunded == charge.Amount
		if n != 1 && !returned[charge.ID] && !hasKnownKey(under, charge.Key, charge.Metadata) {
			c.violation(charge.Provider, charge.ID, "the provider charged %d %s; the database has %d payments for it, not 1", charge.Amount, charge.Currency, n)
		}
	}
	for _, refund := range l.Refunds {
		c.Checked++
		n := c.ours[movement{refund.ID, refund.Currency, refund.Amount, true}]
		if n != 1 && !returned[refund.Charge] && !hasKnownKey(under, refund.Key, refund.Metadata) {
			c.violation("refund", refund.ID, "the provider refunded %d %s; the database has %d refunds for it, not 1", refund.Amount, refund.Currency, n)
		}
	}
}

// findUnconfirmed finds charges and refunds that we recorded and the provider does not have.
func (c *comparison) findUnconfirmed(l providerLedger) {
	for _, charge := range l.Charges {
		if charge.Status == "succeeded" {
			c.theirs[movement{charge.ID, charge.Currency, charge.Amount, false}] = true
			c.theirs[movement{charge.Intent, charge.Currency, charge.Amount, false}] = true
		}
	}
	for _, refund := range l.Refunds {
		c.theirs[movement{refund.ID, refund.Currency, refund.Amount, true}] = true
	}
	for m := range c.ours {
		if !c.theirs[m] {
			c.violation("ours", m.id, "the database has a charge or refund of %d %s that the provider does not have", m.amount, m.currency)
		}
	}
}

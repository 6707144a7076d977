package provider

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

// heldAtMost is how long shuffled events wait for more events.
const heldAtMost = 2 * time.Second

// Run sends webhooks until ctx ends. The next Run on the same ledger sends the rest.
func (p *Provider) Run(ctx context.Context) error {
	var sending sync.WaitGroup
	defer sending.Wait()
	for {
		if err := p.shuffleHeld(); err != nil {
			return err
		}
		next := p.startSenders(ctx, &sending)
		select {
		case <-ctx.Done():
			return nil
		case <-p.closed:
			return nil
		case <-p.wake:
		case <-time.After(next):
		}
	}
}

// shuffleHeld releases held deliveries in another order: once there are as many as the shuffle needs, or once the first
// has waited too long.
func (p *Provider) shuffleHeld() error {
	_, err := p.change(func(c *change) {
		held := []ledger.Delivery{}
		for _, d := range c.Deliveries {
			if d.State == "held" {
				held = append(held, d)
			}
		}
		slices.SortFunc(held, func(a, b ledger.Delivery) int { return cmp.Compare(a.Place, b.Place) })
		size := max(1, c.Mischief.Shuffle)
		for batch := range slices.Chunk(held, size) {
			late := c.now.UnixMilli()-batch[0].SinceMS >= heldAtMost.Milliseconds()
			if len(batch) == size || late {
				c.releaseHeld(batch)
			}
		}
	})
	return err
}

func (c *change) releaseHeld(batch []ledger.Delivery) {
	order := rand.New(rand.NewPCG(c.Mischief.Seed, uint64(batch[0].Place))).Perm(len(batch))
	for i, d := range batch {
		d.State, d.Place = "pending", batch[order[i]].Place
		c.entry.Deliveries = append(c.entry.Deliveries, d)
	}
}

// startSenders starts a sender for each endpoint with due deliveries and returns when to look again.
func (p *Provider) startSenders(ctx context.Context, sending *sync.WaitGroup) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now().UnixMilli()
	next := time.Minute
	for _, d := range p.state.Deliveries {
		due := d.DueMS
		if d.State == "held" {
			due = d.SinceMS + heldAtMost.Milliseconds()
		}
		switch {
		case p.senders[d.Endpoint] || p.claimed[d.ID]: // the sender wakes Run when it is done
		case due > now || d.State == "held":
			next = min(next, time.Duration(max(1, due-now))*time.Millisecond)
		default:
			p.senders[d.Endpoint] = true
			sending.Go(func() { p.sendAll(ctx, d.Endpoint) })
		}
	}
	return next
}

// sendAll sends the due deliveries of one endpoint, one after the other.
func (p *Provider) sendAll(ctx context.Context, to string) {
	defer p.wakeRun()
	for ctx.Err() == nil {
		d, ok := p.nextDue(to)
		if !ok {
			break
		}
		p.send(ctx, d)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.senders, to)
}

func (p *Provider) nextDue(to string) (next ledger.Delivery, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now().UnixMilli()
	for _, d := range p.state.Deliveries {
		if d.Endpoint != to || d.State != "pending" || d.DueMS > now || p.claimed[d.ID] {
			continue
		}
		if !ok || d.Place < next.Place {
			next, ok = d, true
		}
	}
	if ok {
		p.claimed[next.ID] = true
	}
	return next, ok
}

// sendEarly sends deliveries, which are claimed already, before their request is answered.
func (p *Provider) sendEarly(ids []string) {
	for _, id := range ids {
		p.mu.Lock()
		d := p.state.Deliveries[id]
		p.mu.Unlock()
		p.send(context.Background(), d)
	}
	if len(ids) > 0 {
		p.wakeRun()
	}
}

// send makes one attempt at a claimed delivery and records the result.
func (p *Provider) send(ctx context.Context, d ledger.Delivery) {
	delivered := p.post(ctx, d)
	_, _ = p.change(func(c *change) { // if the ledger is broken, the next request fails
		delete(p.claimed, d.ID)
		if ctx.Err() != nil && !delivered {
			return
		}
		d.Attempts++
		switch {
		case delivered:
			d.State = "delivered"
		case d.Tampered || d.Attempts >= p.config.WebhookAttempts:
			d.State = "failed"
		default:
			d.DueMS = c.now.Add(p.config.WebhookPause << (d.Attempts - 1)).UnixMilli()
		}
		c.entry.Deliveries = append(c.entry.Deliveries, d)
	})
}

// post sends a delivery and reports whether the answer was 2xx.
func (p *Provider) post(ctx context.Context, d ledger.Delivery) bool {
	p.mu.Lock()
	event, _ := p.state.Events.Get(d.Event)
	to, _ := p.state.Endpoints.Get(d.Endpoint)
	p.mu.Unlock()
	now, body := p.now().Unix(), []byte(event.Body)
	if d.Tampered {
		body = tampered(body)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(body))
	if err != nil || to.Deleted {
		return to.Deleted
	}
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	if to.PayPal {
		request.Header.Set("User-Agent", "PayPal/AUHD-214.0-58843279")
		sign(to, request.Header, d.ID, now, event.Body)
	} else {
		request.Header.Set("User-Agent", "Stripe/1.0 (+https://stripe.com/docs/webhooks)")
		request.Header.Set("Stripe-Signature", signed(event.Body, to.Secret, now))
	}
	response, err := p.config.HTTP.Do(request)
	if err != nil {
		return false
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, bodyLimit))
	return response.StatusCode/100 == 2
}

// signed returns the Stripe-Signature header of a body.
func signed(body []byte, secret string, at int64) string {
	sum := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(sum, "%d.%s", at, body)
	return fmt.Sprintf("t=%d,v1=%s", at, hex.EncodeToString(sum.Sum(nil)))
}

// tampered returns the event with another amount.
func tampered(body []byte) []byte {
	var value struct {
		Data struct {
			Object map[string]any `json:"object"`
		} `json:"data"`
	}
	var whole map[string]any
	if json.Unmarshal(body, &whole) != nil || json.Unmarshal(body, &value) != nil || value.Data.Object == nil {
		return append(body, ' ')
	}
	value.Data.Object["amount"] = 1
	whole["data"] = map[string]any{"object": value.Data.Object}
	changed, _ := json.Marshal(whole)
	return changed
}

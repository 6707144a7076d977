package inbox

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// fresh is how long what is known of a webhook is believed, so that it is not read for every call.
	fresh = time.Second
	// doubted is how old what is known of a webhook must be to be read again for a call whose signature is wrong: the secret
	// may have changed since. Younger, it is believed, so that forged calls do not cause a read each.
	doubted = 100 * time.Millisecond
	// remembered is how many webhooks are known at most.
	remembered = 10_000
	// longestName bounds the platform's id of a delivery.
	longestName = 255
)

// errSignature is the answer to what nobody has signed.
var errSignature = fault.New(fault.Unauthenticated, "invalid_signature", "The signature is missing, wrong or too old.")

// Door is what a receiver works with.
type Door struct {
	Webhooks  ports.IntegrationWebhooks
	Inbox     ports.Inbox
	Platforms map[string]ports.CalledConnector // by type
	Vault     ports.Vault
	Clock     ports.Clock
	Entropy   ports.Entropy
	Log       *slog.Logger
	// Wake is told of deliveries that are stored. It never waits.
	Wake func()
}

// Receiver takes calls of webhooks in. It is safe for concurrent use.
type Receiver struct {
	Door
	gatherer gatherer
	flights  singleflight.Group
	mu       sync.Mutex
	known    map[id.Webhook]called
	refused  map[id.Webhook]refusals
}

// called is a webhook with its integration, which are shared: nobody changes them.
type called struct {
	webhook     *integration.Webhook
	integration *integration.Integration
	read        time.Time
}

// NewReceiver puts one together.
func NewReceiver(d Door) *Receiver {
	return &Receiver{
		Door:     d,
		gatherer: newGatherer(d.Inbox.Keep),
		known:    map[id.Webhook]called{},
		refused:  map[id.Webhook]refusals{},
	}
}

// Receive takes a call in. Once it returns nil the call is stored. Nobody signed it: Unauthenticated
// invalid_signature. No such webhook, or its integration is disconnected: NotFound webhook_not_found.
func (r *Receiver) Receive(ctx context.Context, webhook id.Webhook, call ports.Call) error {
	call.Now = r.Clock.Now()
	to, stamp, err := r.verify(ctx, webhook, call)
	if fault.KindOf(err) == fault.Unauthenticated && call.Now.Sub(to.read) >= doubted {
		r.Forget(webhook)
		to, stamp, err = r.verify(ctx, webhook, call)
	}
	if fault.KindOf(err) == fault.Unauthenticated {
		r.reject(ctx, to.webhook, len(call.Payload), call.Now)
	}
	if err != nil {
		return err
	}
	d := to.webhook.Receive(id.New[id.WebhookLog](r.Entropy.IDBits()), name(stamp.Delivery), stamp.At, call.Payload, call.Now)
	if err := r.gatherer.keep(ctx, d); err != nil {
		return err
	}
	r.Wake()
	return failpoint.At(ctx, failpoint.HookKept)
}

// verify finds a webhook, and checks a call of it.
func (r *Receiver) verify(ctx context.Context, webhook id.Webhook, call ports.Call) (to called, stamp ports.CallStamp, err error) {
	if to, err = r.called(ctx, webhook); err != nil {
		return to, stamp, err
	}
	platform, calls := r.Platforms[to.webhook.Type.String()]
	if !calls || to.integration.Status == integration.Disconnected {
		return to, stamp, fault.Missing("webhook")
	}
	signing, err := r.signing(to.webhook)
	if err != nil {
		return to, stamp, err
	}
	stamp, err = platform.Verify(call, signing)
	elsewhere := stamp.Store != "" && to.integration.Config.Store != "" && stamp.Store != to.integration.Config.Store
	if err == nil && (elsewhere || misdirected(to.webhook, stamp.Topic)) {
		err = errSignature
	}
	return to, stamp, err
}

// Forget has a webhook read for its next call.
func (r *Receiver) Forget(webhook id.Webhook) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.known, webhook)
}

// misdirected reports whether a call is of another of the platform's topics than its address.
func misdirected(w *integration.Webhook, topic string) bool {
	return topic != w.Topic && slices.Contains(w.Type.Topics(), topic)
}

// called finds a webhook, which may be as it was a moment ago. Unknown ones are looked for each time.
func (r *Receiver) called(ctx context.Context, webhook id.Webhook) (called, error) {
	now := r.Clock.Now()
	r.mu.Lock()
	to, known := r.known[webhook]
	r.mu.Unlock()
	if known && now.Sub(to.read) < fresh {
		return to, nil
	}
	flight := r.flights.DoChan(webhook.String(), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		w, i, err := r.Webhooks.Called(ctx, webhook)
		found := called{w, i, now}
		if err == nil {
			r.remember(webhook, found)
		}
		return found, err
	})
	select {
	case <-ctx.Done():
		return called{}, ctx.Err()
	case landed := <-flight:
		if landed.Err != nil {
			return called{}, landed.Err
		}
		return landed.Val.(called), nil
	}
}

// Knows reports whether a webhook was called of late.
func (r *Receiver) Knows(webhook id.Webhook) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, known := r.known[webhook]
	return known
}

func (r *Receiver) remember(webhook id.Webhook, found called) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) >= remembered {
		clear(r.known)
	}
	r.known[webhook] = found
}

func (r *Receiver) signing(w *integration.Webhook) (string, error) {
	if w.Signing == nil {
		return "", nil
	}
	plain, err := r.Vault.Open(w.Signing, Purpose(w.ID))
	if err != nil {
		return "", errors.Join(errors.New("inbox: a webhook's signing secret cannot be read"), err)
	}
	return string(plain), nil
}

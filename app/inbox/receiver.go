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
	// cacheLife is how long a cached webhook is used without reading it again.
	cacheLife = time.Second
	// minRereadAge is the age at which a cached webhook is read again for a call with a wrong signature, because the secret may have
	// changed. Younger entries are not read again, so that forged calls do not each cause a read.
	minRereadAge = 100 * time.Millisecond
	// maxCached bounds the cached webhooks.
	maxCached = 10_000
	// maxRemoteID bounds the platform's id of a delivery, in bytes.
	maxRemoteID = 255
)

// errSignature is the error for a call without a valid signature.
var errSignature = fault.New(fault.Unauthenticated, "invalid_signature", "The signature is missing, wrong or too old.")

// ReceiverConfig is the configuration of a Receiver.
type ReceiverConfig struct {
	Webhooks  ports.IntegrationWebhooks
	Inbox     ports.Inbox
	Platforms map[string]ports.CalledConnector // by type
	Vault     ports.Vault
	Clock     ports.Clock
	Entropy   ports.Entropy
	Log       *slog.Logger
	// Wake is called when deliveries are stored. It must not block.
	Wake func()
}

// Receiver receives webhook calls. It is safe for concurrent use.
type Receiver struct {
	ReceiverConfig
	batcher batcher
	flights singleflight.Group
	mu      sync.Mutex
	cache   map[id.Webhook]target
	refused map[id.Webhook]refusals
}

// target is a webhook with its integration. Both are shared and must not be modified.
type target struct {
	webhook     *integration.Webhook
	integration *integration.Integration
	read        time.Time
}

// NewReceiver returns a receiver.
func NewReceiver(d ReceiverConfig) *Receiver {
	return &Receiver{
		ReceiverConfig: d,
		batcher:        newBatcher(d.Inbox.Keep),
		cache:          map[id.Webhook]target{},
		refused:        map[id.Webhook]refusals{},
	}
}

// Receive verifies and stores a call. When it returns nil, the call is stored. If the call is not signed correctly, it returns
// Unauthenticated invalid_signature; if there is no such webhook or its integration is disconnected, NotFound webhook_not_found.
func (r *Receiver) Receive(ctx context.Context, webhook id.Webhook, call ports.Call) error {
	call.Now = r.Clock.Now()
	to, stamp, err := r.verify(ctx, webhook, call)
	if fault.KindOf(err) == fault.Unauthenticated && call.Now.Sub(to.read) >= minRereadAge {
		r.Forget(webhook)
		to, stamp, err = r.verify(ctx, webhook, call)
	}
	if fault.KindOf(err) == fault.Unauthenticated {
		r.reject(ctx, to.webhook, len(call.Payload), call.Now)
	}
	if err != nil {
		return err
	}
	d := to.webhook.Receive(id.New[id.WebhookLog](r.Entropy.IDBits()), remoteID(stamp.Delivery), stamp.At, call.Payload, call.Now)
	if err := r.batcher.add(ctx, d); err != nil {
		return err
	}
	r.Wake()
	return failpoint.At(ctx, failpoint.HookKept)
}

// verify finds the webhook of a call and checks the call's signature, shop and topic.
func (r *Receiver) verify(ctx context.Context, webhook id.Webhook, call ports.Call) (to target, stamp ports.CallStamp, err error) {
	if to, err = r.lookUp(ctx, webhook); err != nil {
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
	if err == nil && (elsewhere || otherTopic(to.webhook, stamp.Topic)) {
		err = errSignature
	}
	return to, stamp, err
}

// Forget removes a webhook from the cache.
func (r *Receiver) Forget(webhook id.Webhook) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.cache, webhook)
}

// otherTopic reports whether a call has another of the platform's topics than its webhook.
func otherTopic(w *integration.Webhook, topic string) bool {
	return topic != w.Topic && slices.Contains(w.Type.Topics(), topic)
}

// lookUp returns a webhook, possibly from the cache. Unknown webhooks are not cached.
func (r *Receiver) lookUp(ctx context.Context, webhook id.Webhook) (target, error) {
	now := r.Clock.Now()
	r.mu.Lock()
	to, known := r.cache[webhook]
	r.mu.Unlock()
	if known && now.Sub(to.read) < cacheLife {
		return to, nil
	}
	flight := r.flights.DoChan(webhook.String(), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), platformTimeout)
		defer cancel()
		w, i, err := r.Webhooks.Called(ctx, webhook)
		found := target{w, i, now}
		if err == nil {
			r.addToCache(webhook, found)
		}
		return found, err
	})
	select {
	case <-ctx.Done():
		return target{}, ctx.Err()
	case result := <-flight:
		if result.Err != nil {
			return target{}, result.Err
		}
		return result.Val.(target), nil
	}
}

// Knows reports whether a webhook is in the cache.
func (r *Receiver) Knows(webhook id.Webhook) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, known := r.cache[webhook]
	return known
}

func (r *Receiver) addToCache(webhook id.Webhook, found target) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.cache) >= maxCached {
		clear(r.cache)
	}
	r.cache[webhook] = found
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

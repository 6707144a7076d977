package integration

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// Action is what a call of a webhook triggers, besides importing its payload.
type Action struct{ name string }

// The actions read the changes of a resource since the last time.
var (
	SyncProducts  = Action{"sync_products"}
	SyncInventory = Action{"sync_inventory"}
	SyncOrders    = Action{"sync_orders"}
	SyncCustomers = Action{"sync_customers"}
)

// Actions are all actions.
var Actions = []Action{SyncProducts, SyncInventory, SyncOrders, SyncCustomers}

func (a Action) String() string { return a.name }

// Resource returns the resource that the action reads.
func (a Action) Resource() syncrun.Resource {
	return syncrun.StoredResource(strings.TrimPrefix(a.name, "sync_"))
}

// StoredAction returns a stored action without validating it.
func StoredAction(name string) Action { return Action{name} }

// WebhookStatus is whether a webhook is registered with its platform.
type WebhookStatus struct{ name string }

var (
	WebhookActive = WebhookStatus{"active"}
	// WebhookFailed is the status of a webhook that the platform may not have: it did not answer, or refused it.
	WebhookFailed = WebhookStatus{"failed"}
)

func (s WebhookStatus) String() string { return s.name }

// WebhookStatuses are all statuses by name.
var WebhookStatuses = map[string]WebhookStatus{"active": WebhookActive, "failed": WebhookFailed}

// MaxWebhooks is the largest number of webhooks of an integration.
const MaxWebhooks = 50

// Webhook is an address to which a platform sends one topic.
type Webhook struct {
	ID          id.Webhook
	Project     id.Project
	Integration id.Integration
	Type        Type
	Topic       string
	Actions     []Action
	Remote      string // the platform's id of it
	Signing     []byte // the encrypted signing secret; nil: signed in the platform's own way
	Status      WebhookStatus
	Problem     string // why the status is failed, in words for the merchant
	CreatedAt   time.Time
	CheckedAt   time.Time // when the platform was last asked whether it has the webhook; zero: never
	RestoredAt  time.Time // when it was last registered again because the platform did not have it; zero: never
	CheckAt     time.Time // when the platform is asked next; during a request, the end of its lease
}

// Webhook returns a new webhook for a topic of the type and actions, each once.
func (i *Integration) Webhook(name id.Webhook, topic string, actions []string, now time.Time) (*Webhook, error) {
	c := fault.NewCheck()
	topics := i.Type.Topics()
	switch {
	case !c.That(topic != "", "topic", "is required"):
	case len(topics) == 0:
		c.That(false, "topic", i.Type.Label()+" has no webhooks that an account can register")
	default:
		c.That(slices.Contains(topics, topic), "topic", "must be one of "+strings.Join(topics, ", "))
	}
	w := &Webhook{
		ID:          name,
		Project:     i.Project,
		Integration: i.ID,
		Type:        i.Type,
		Topic:       topic,
		Status:      WebhookActive,
		CreatedAt:   now,
	}
	w.CheckAt = w.nextCheck(now)
	for n, text := range actions {
		at, field, a := c.In("actions"), strconv.Itoa(n), Action{text}
		switch {
		case !at.That(slices.Contains(Actions, a), field, "must be one of "+names(Actions)):
		case !at.That(slices.Contains(i.Type.Resources(), a.Resource()), field, i.Type.Label()+" has no such data"):
		case at.That(!slices.Contains(w.Actions, a), field, "must not be repeated"):
			w.Actions = append(w.Actions, a)
		}
	}
	return w, c.Err()
}

// LogStatus is the status of a delivery to a webhook.
type LogStatus struct{ name string }

var (
	Received  = LogStatus{"received"}  // stored, to be processed
	Processed = LogStatus{"processed"} // imported, known before, or irrelevant
	Undone    = LogStatus{"failed"}    // all tries to process it failed
	Rejected  = LogStatus{"rejected"}  // the signature was wrong
	Duplicate = LogStatus{"duplicate"} // received before
)

func (s LogStatus) String() string { return s.name }

// LogStatuses are all statuses by name.
var LogStatuses = map[string]LogStatus{
	"received": Received, "processed": Processed, "failed": Undone, "rejected": Rejected, "duplicate": Duplicate,
}

// MaxRetries is how often a delivery is retried, and pauses are the times before each retry.
const MaxRetries = 5

var pauses = [MaxRetries]time.Duration{2 * time.Second, 10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute}

// Delivery is one call of a webhook, as it is logged.
type Delivery struct {
	ID          id.WebhookLog
	Project     id.Project
	Integration id.Integration
	Webhook     id.Webhook
	Topic       string
	Remote      string    // the platform's id of the delivery
	At          time.Time // when the platform says that the event happened; zero: unknown
	Status      LogStatus
	Error       string // in words for the merchant
	Retries     int
	Size        int    // of the payload, in bytes
	Payload     []byte // nil once it is no longer needed
	ReceivedAt  time.Time
	DueAt       time.Time // when to process it; zero: never
}

// Receive returns a delivery to be processed.
func (w *Webhook) Receive(name id.WebhookLog, remote string, at time.Time, payload []byte, now time.Time) *Delivery {
	return &Delivery{
		ID:          name,
		Project:     w.Project,
		Integration: w.Integration,
		Webhook:     w.ID,
		Topic:       w.Topic,
		Remote:      remote,
		At:          at,
		Status:      Received,
		Size:        len(payload),
		Payload:     payload,
		ReceivedAt:  now,
		DueAt:       now,
	}
}

// Reject returns a delivery whose signature is wrong. Its payload is not stored.
func (w *Webhook) Reject(name id.WebhookLog, why string, size int, now time.Time) *Delivery {
	return &Delivery{
		ID:          name,
		Project:     w.Project,
		Integration: w.Integration,
		Webhook:     w.ID,
		Topic:       w.Topic,
		Status:      Rejected,
		Error:       clip(why),
		Size:        size,
		ReceivedAt:  now,
	}
}

// Repeated records that the platform had sent the delivery before: a duplicate delivery is not processed.
func (d *Delivery) Repeated() {
	d.Status, d.Payload, d.DueAt = Duplicate, nil, time.Time{}
}

// Done records that the delivery was processed.
func (d *Delivery) Done() {
	d.Status, d.Error, d.Payload, d.DueAt = Processed, "", nil, time.Time{}
}

// Failed records that processing the delivery failed. It is due again after a pause, or failed after MaxRetries. Its
// payload is kept for a retry.
func (d *Delivery) Failed(why string, now time.Time) {
	d.Error = clip(why)
	if d.Retries >= MaxRetries {
		d.Status, d.DueAt = Undone, time.Time{}
		return
	}
	d.DueAt = now.Add(pauses[d.Retries])
	d.Retries++
}

// GiveUp records that a retry would not help, because the payload cannot be read.
func (d *Delivery) GiveUp(why string) {
	d.Status, d.Error, d.DueAt = Undone, clip(why), time.Time{}
}

// Postpone postpones the delivery because the platform limits requests, which does not count as a failure.
func (d *Delivery) Postpone(until time.Time) { d.DueAt = until }

// ErrNotFailed refuses to retry a delivery that has not failed.
var ErrNotFailed = fault.New(fault.Conflict, "delivery_not_failed", "Only a failed delivery can be retried.")

// Retry makes a failed delivery due again, with as many retries as a new one.
func (d *Delivery) Retry(now time.Time) error {
	if d.Status != Undone {
		return ErrNotFailed
	}
	d.Status, d.Retries, d.DueAt = Received, 0, now
	return nil
}

func clip(text string) string {
	for n := range text {
		if n > 500 {
			return text[:n] + "…"
		}
	}
	if !utf8.ValidString(text) {
		return strings.ToValidUTF8(text, "�")
	}
	return text
}

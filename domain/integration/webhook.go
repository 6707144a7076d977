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

// Action is what is done when a webhook has been called, beside taking in what it tells.
type Action struct{ name string }

// The actions read what has changed of a resource since the last time.
var (
	SyncProducts  = Action{"sync_products"}
	SyncInventory = Action{"sync_inventory"}
	SyncOrders    = Action{"sync_orders"}
	SyncCustomers = Action{"sync_customers"}
)

// Actions are all of them.
var Actions = []Action{SyncProducts, SyncInventory, SyncOrders, SyncCustomers}

func (a Action) String() string { return a.name }

// Resource is what the action reads.
func (a Action) Resource() syncrun.Resource {
	return syncrun.StoredResource(strings.TrimPrefix(a.name, "sync_"))
}

// StoredAction trusts text that this system wrote.
func StoredAction(name string) Action { return Action{name} }

// WebhookStatus is whether a platform calls a webhook.
type WebhookStatus struct{ name string }

var (
	WebhookActive = WebhookStatus{"active"}
	// WebhookFailed is one that the platform may not have: it did not answer, or has refused since.
	WebhookFailed = WebhookStatus{"failed"}
)

func (s WebhookStatus) String() string { return s.name }

// WebhookStatuses are all of them by name.
var WebhookStatuses = map[string]WebhookStatus{"active": WebhookActive, "failed": WebhookFailed}

// MaxWebhooks of an integration.
const MaxWebhooks = 50

// Webhook is an address at which a platform tells us of one topic.
type Webhook struct {
	ID          id.Webhook
	Project     id.Project
	Integration id.Integration
	Type        Type
	Topic       string
	Actions     []Action
	Remote      string // the platform's id of it
	Signing     []byte // what it is signed with, sealed; nil: the platform's own way
	Status      WebhookStatus
	Problem     string // why it failed, in words for the merchant
	CreatedAt   time.Time
	CheckedAt   time.Time // when the platform was last asked whether it has the webhook; zero: never
	RestoredAt  time.Time // when it was last registered again because the platform did not have it; zero: never
	CheckAt     time.Time // when the platform is asked next; while somebody asks, the end of the lease
}

// Draft of a webhook: a topic of the type and actions, each once.
func (i *Integration) Webhook(name id.Webhook, topic string, actions []string, now time.Time) (*Webhook, error) {
	c := fault.NewCheck()
	topics := i.Type.Topics()
	switch {
	case !c.That(topic != "", "topic", "is required"):
	case len(topics) == 0:
		c.That(false, "topic", i.Type.Label()+" has no webhooks that can be registered for an account")
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
		case at.That(!slices.Contains(w.Actions, a), field, "is given twice"):
			w.Actions = append(w.Actions, a)
		}
	}
	return w, c.Err()
}

// LogStatus is what became of a delivery to a webhook.
type LogStatus struct{ name string }

var (
	Received  = LogStatus{"received"}  // it is stored, and will be worked on
	Processed = LogStatus{"processed"} // what it tells was taken in, or was known, or is of no use
	Undone    = LogStatus{"failed"}    // it could not be, however often it was tried
	Rejected  = LogStatus{"rejected"}  // its signature was wrong
	Duplicate = LogStatus{"duplicate"} // it was there already
)

func (s LogStatus) String() string { return s.name }

// LogStatuses are all of them by name.
var LogStatuses = map[string]LogStatus{
	"received": Received, "processed": Processed, "failed": Undone, "rejected": Rejected, "duplicate": Duplicate,
}

// MaxRetries of a delivery (decisions 14), and how long each waits for the next.
const MaxRetries = 5

var pauses = [MaxRetries]time.Duration{2 * time.Second, 10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute}

// Delivery is one call of a webhook, as the log has it (spec 2.6).
type Delivery struct {
	ID          id.WebhookLog
	Project     id.Project
	Integration id.Integration
	Webhook     id.Webhook
	Topic       string
	Remote      string    // the platform's id of the delivery
	At          time.Time // when what it tells happened, as the platform says; zero: it does not
	Status      LogStatus
	Error       string // in words for the merchant
	Retries     int
	Size        int    // of the payload, in bytes
	Payload     []byte // nil once it is of no more use
	ReceivedAt  time.Time
	DueAt       time.Time // when it is to be worked on; zero: it is not
}

// Receive makes a delivery that is to be worked on.
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

// Reject makes a delivery whose signature is wrong. Of what it says nothing is kept.
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

// Repeated notes that the platform had sent it before.
func (d *Delivery) Repeated() {
	d.Status, d.Payload, d.DueAt = Duplicate, nil, time.Time{}
}

// Done notes that it was worked on.
func (d *Delivery) Done() {
	d.Status, d.Error, d.Payload, d.DueAt = Processed, "", nil, time.Time{}
}

// Failed notes that it could not be, and puts it off; too often, and it stays so. Its payload is kept, so that
// it can be tried again.
func (d *Delivery) Failed(why string, now time.Time) {
	d.Error = clip(why)
	if d.Retries >= MaxRetries {
		d.Status, d.DueAt = Undone, time.Time{}
		return
	}
	d.DueAt = now.Add(pauses[d.Retries])
	d.Retries++
}

// GiveUp notes that trying again would not help: what it says cannot be read.
func (d *Delivery) GiveUp(why string) {
	d.Status, d.Error, d.DueAt = Undone, clip(why), time.Time{}
}

// Postpone puts it off because the platform asks for patience, which is no failure of its.
func (d *Delivery) Postpone(until time.Time) { d.DueAt = until }

// ErrNotFailed is the answer to who would try again what did not fail.
var ErrNotFailed = fault.New(fault.Conflict, "delivery_not_failed", "Only a failed delivery can be tried again.")

// Retry makes a failed delivery due once more, as often as a new one.
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

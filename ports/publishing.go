package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/signing"
)

// Subscriptions stores the subscriptions to a project's events.
type Subscriptions interface {
	// Add stores a subscription, active from now on by the store's clock, which stamps events too. A project that has
	// event.MaxSubscriptions, however many are added at once: Conflict too_many_subscriptions.
	Add(ctx context.Context, s *event.Subscription) error
	// List is newest first.
	List(ctx context.Context, project id.Project, page Page) ([]*event.Subscription, int, error)
	ByID(ctx context.Context, project id.Project, subscription id.Subscription) (*event.Subscription, error)
	// Update loads the subscription for exclusive use, runs change on it, stores it if change returns nil, and returns
	// it. One that is enabled is active from now on by the store's clock. If the subscription is then disabled, its
	// pending deliveries are canceled. change does no I/O and may run more than once.
	Update(ctx context.Context, project id.Project, subscription id.Subscription, change func(*event.Subscription) error) (*event.Subscription, error)
	// Remove deletes the subscription and cancels its pending deliveries.
	Remove(ctx context.Context, project id.Project, subscription id.Subscription) error
}

// Announced is an event as the log keeps it. Body is what receivers get, byte for byte.
type Announced struct {
	ID      id.Event
	Project id.Project
	Type    event.Type
	Body    []byte
	At      time.Time    // when it was stored, by the store's clock
	Hook    event.Target // the webhook of the order's agent; zero: it has none
}

// EventLog is every event that a project announced.
type EventLog interface {
	// Events are newest first; all types if t is zero.
	Events(ctx context.Context, project id.Project, t event.Type, page Page) ([]Announced, int, error)
	// Event is fault.NotFound event_not_found if there is none.
	Event(ctx context.Context, project id.Project, wanted id.Event) (Announced, error)
}

// Deliveries stores the deliveries of events to subscriptions and their outcomes.
type Deliveries interface {
	// Announce stores an event that is for one target only, and its delivery, which is due at once.
	Announce(ctx context.Context, e *event.Event, d *event.Delivery) error
	// Deliveries are newest first; of every status if status is zero.
	Deliveries(ctx context.Context, project id.Project, to id.Subscription, status event.DeliveryStatus, page Page) ([]*event.Delivery, int, error)
	// Delivery is fault.NotFound delivery_not_found if it is unknown, or another subscription's.
	Delivery(ctx context.Context, project id.Project, to id.Subscription, wanted id.Delivery) (*event.Delivery, error)
	// Redeliver makes the delivery due at once by the store's clock. A disabled subscription: Conflict subscription_disabled.
	Redeliver(ctx context.Context, project id.Project, to id.Subscription, wanted id.Delivery) (*event.Delivery, error)
	// RedeliverFailed is Redeliver for up to most deliveries that failed, were canceled, or wait for a retry, of
	// events that were announced at or after a time, the oldest first. It returns how many those are, and whether there
	// are more.
	RedeliverFailed(ctx context.Context, project id.Project, to id.Subscription, since time.Time, most int) (n int, more bool, err error)
	// ToHook are the deliveries to the hook of an order, newest first.
	ToHook(ctx context.Context, project id.Project, of id.Order, page Page) ([]*event.Delivery, int, error)
}

// Outbox leases deliveries; a group is a target of a project. If a process dies while it holds deliveries, nothing is
// lost, because they are leased again.
type Outbox interface {
	Queue[Parcel]
	// FanOut locks up to limit due events that no other process has locked, the oldest of each project first, stores
	// the deliveries that route returns for each, and marks the events as done: all of it or nothing. A second delivery
	// of an event to a target is left out. route gets events without their bodies, does no I/O and may run more than
	// once. The events of a project that cannot be read, and an event that route panics on, are set aside. An event
	// that no subscriber wanted when it was stored may be left out.
	FanOut(ctx context.Context, limit int, route func(Announced, Audience) []*event.Delivery) (events int, aside []SetAside, err error)
	// Record stores the outcomes of claimed deliveries: all or nothing. A delivery that its holder has lost since,
	// because its lease ended or it was canceled or requested again, is left as it is.
	Record(ctx context.Context, outcomes []Outcome) error
}

// Audience is the possible recipients of a project's events.
type Audience struct {
	Subscriptions []*event.Subscription // active ones, without secrets
	Settings      project.Settings
	Now           time.Time // by the store's clock
}

// Parcel is a delivery with everything that is needed to send it to its target.
type Parcel struct {
	Delivery *event.Delivery
	Body     []byte
	// Subscription is the target's; nil if it is gone, and for channels.
	Subscription *event.Subscription
	// Shop and Email are the project and its account's address, for channels and hooks.
	Shop  *project.Project
	Email string
	// Order is the order whose hook gets the event, and At the time when the event was stored; zero for other targets.
	Order id.Order
	At    time.Time
}

// Outcome is a claimed delivery that was attempted. With a reason, its subscription is disabled if it is
// still active, and Alert is then announced.
type Outcome struct {
	Held     Held
	Delivery *event.Delivery
	Why      event.Reason
	Alert    *event.Event
	// Unhook is the order whose hook ends permanently; zero: none does.
	Unhook id.Order
}

// Webhook is one request to the URL of a subscription or of an order's hook.
type Webhook struct {
	URL   string
	ID    id.Event
	At    time.Time
	Body  []byte
	Proof Proof
}

// Proof is how a receiver can verify that a request is ours.
type Proof interface{ proof() }

type (
	// SharedSecrets sign by Standard Webhooks: whsec_…; each signs.
	SharedSecrets []string
	// MessageSignature signs the request by RFC 9421 with the project's key, as of a time. Header is sent and signed,
	// too.
	MessageSignature struct {
		Key    signing.Private
		Time   time.Time
		Header map[string]string
	}
)

func (SharedSecrets) proof()    {}
func (MessageSignature) proof() {}

// OrderNews is a notification about an order for the agent that placed it. A retry sends the order as it is then.
type OrderNews struct {
	Event id.Event
	Type  event.Type // order.completed, or order.updated for whatever happened later
	At    time.Time  // of the event
	Case  *order.Case
	Shop  *project.Project
	Now   time.Time
}

// HookProtocol is how a protocol notifies the agent of an order.
type HookProtocol interface {
	// Message returns the body of the request, and additional signed header fields.
	Message(n OrderNews) (body []byte, header map[string]string, err error)
}

// Webhooks sends requests to addresses that merchants and agents give, and to no private ones
// (features/MANAGEMENT.md#events).
type Webhooks interface {
	Post(ctx Outbound, w Webhook) event.Result
}

// Stream is the installation's event bus. An event that is published twice within some minutes is stored once.
type Stream interface {
	Publish(ctx Outbound, e Announced) error
}

// Mail is a message to people.
type Mail struct {
	To      string // empty: the installation's own address
	Subject string
	Text    string
}

// Mailer sends mail.
type Mailer interface {
	Send(ctx Outbound, m Mail) error
}

// Chats sends a line to a chat's webhook.
type Chats interface {
	Say(ctx Outbound, webhook, text string) event.Result
}

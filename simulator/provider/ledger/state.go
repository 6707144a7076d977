package ledger

import (
	"iter"
	"slices"
)

// Table holds records in the order of their creation. Records are values, so a change must be put again.
type Table[T any] struct {
	rows  map[string]T
	order []string
	ID    func(T) string // of a record
}

// NewTable returns an empty table. id returns the id of a record.
func NewTable[T any](id func(T) string) *Table[T] {
	return &Table[T]{rows: map[string]T{}, ID: id}
}

// Put adds records, or replaces those with the same id.
func (t *Table[T]) Put(rows []T) {
	for _, row := range rows {
		id := t.ID(row)
		if _, known := t.rows[id]; !known {
			t.order = append(t.order, id)
		}
		t.rows[id] = row
	}
}

// Get returns the record with an id.
func (t *Table[T]) Get(id string) (T, bool) {
	row, ok := t.rows[id]
	return row, ok
}

// Len returns the number of records.
func (t *Table[T]) Len() int { return len(t.order) }

// Oldest yields the records, oldest first.
func (t *Table[T]) Oldest() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, id := range t.order {
			if !yield(t.rows[id]) {
				return
			}
		}
	}
}

// Newest yields the records, newest first.
func (t *Table[T]) Newest() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, id := range slices.Backward(t.order) {
			if !yield(t.rows[id]) {
				return
			}
		}
	}
}

// Entry is one line of the ledger: the new value of every record that one request changed.
type Entry struct {
	AtMS       int64            `json:"at_ms"`
	Intents    []Intent         `json:"intents,omitempty"`
	Charges    []Charge         `json:"charges,omitempty"`
	Refunds    []Refund         `json:"refunds,omitempty"`
	Orders     []Order          `json:"orders,omitempty"`
	Tokens     []Token          `json:"tokens,omitempty"`
	Keys       []KeptAnswer     `json:"keys,omitempty"`
	Endpoints  []Endpoint       `json:"endpoints,omitempty"`
	Events     []Event          `json:"events,omitempty"`
	Deliveries []Delivery       `json:"deliveries,omitempty"`
	Faults     []ScheduledFault `json:"faults,omitempty"`
	Disputes   []Dispute        `json:"disputes,omitempty"`
	Payouts    []Payout         `json:"payouts,omitempty"`
	Mischief   *WebhookFaults   `json:"mischief,omitempty"`
}

// Empty reports whether the entry changes no record.
func (e *Entry) Empty() bool {
	return e.Mischief == nil && len(e.Intents)+len(e.Charges)+len(e.Refunds)+len(e.Orders)+len(e.Tokens)+len(e.Keys)+
		len(e.Endpoints)+len(e.Events)+len(e.Deliveries)+len(e.Faults)+len(e.Disputes)+len(e.Payouts) == 0
}

// State is the state that the ledger's lines make up.
type State struct {
	Intents    *Table[Intent]
	Charges    *Table[Charge]
	Refunds    *Table[Refund]
	Orders     *Table[Order]
	Tokens     *Table[Token]
	Endpoints  *Table[Endpoint]
	Events     *Table[Event]
	Faults     *Table[ScheduledFault]
	Disputes   *Table[Dispute]
	Payouts    *Table[Payout]
	Keys       map[string]KeptAnswer
	Deliveries map[string]Delivery // held and pending ones only
	Invoices   map[string]bool     // account and invoice_id of completed PayPal captures
	Mischief   WebhookFaults
}

// NewState returns the state of an empty ledger.
func NewState() *State {
	return &State{
		Intents:    NewTable(func(r Intent) string { return r.ID }),
		Charges:    NewTable(func(r Charge) string { return r.ID }),
		Refunds:    NewTable(func(r Refund) string { return r.ID }),
		Orders:     NewTable(func(r Order) string { return r.ID }),
		Tokens:     NewTable(func(r Token) string { return r.ID }),
		Endpoints:  NewTable(func(r Endpoint) string { return r.ID }),
		Events:     NewTable(func(r Event) string { return r.ID }),
		Faults:     NewTable(func(r ScheduledFault) string { return r.ID }),
		Disputes:   NewTable(func(r Dispute) string { return r.ID }),
		Payouts:    NewTable(func(r Payout) string { return r.ID }),
		Keys:       map[string]KeptAnswer{},
		Deliveries: map[string]Delivery{},
		Invoices:   map[string]bool{},
	}
}

// Apply applies one line of the ledger.
func (s *State) Apply(e Entry) {
	s.Intents.Put(e.Intents)
	s.Charges.Put(e.Charges)
	s.Refunds.Put(e.Refunds)
	s.Orders.Put(e.Orders)
	s.Tokens.Put(e.Tokens)
	s.Endpoints.Put(e.Endpoints)
	s.Events.Put(e.Events)
	s.Faults.Put(e.Faults)
	s.Disputes.Put(e.Disputes)
	s.Payouts.Put(e.Payouts)
	for _, key := range e.Keys {
		s.Keys[key.Scope] = key
	}
	for _, c := range e.Charges {
		if c.InvoiceID != "" {
			s.Invoices[InvoiceKey(c.Account, c.InvoiceID)] = true
		}
	}
	for _, d := range e.Deliveries {
		if d.State == "held" || d.State == "pending" {
			s.Deliveries[d.ID] = d
		} else {
			delete(s.Deliveries, d.ID)
		}
	}
	if e.Mischief != nil {
		s.Mischief = *e.Mischief
	}
}

// InvoiceKey returns the key of an account's invoice_id in State.Invoices.
func InvoiceKey(account, invoice string) string { return account + " " + invoice }

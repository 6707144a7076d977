package provider

import (
	"iter"
	"slices"
	"time"
)

// table holds records in the order in which they came to be. Records are values: a change is a new put.
type table[T any] struct {
	rows  map[string]T
	order []string
	id    func(T) string
}

func newTable[T any](id func(T) string) *table[T] {
	return &table[T]{rows: map[string]T{}, id: id}
}

func (t *table[T]) put(rows []T) {
	for _, row := range rows {
		id := t.id(row)
		if _, known := t.rows[id]; !known {
			t.order = append(t.order, id)
		}
		t.rows[id] = row
	}
}

func (t *table[T]) get(id string) (T, bool) {
	row, ok := t.rows[id]
	return row, ok
}

// oldest yields the records that came first first.
func (t *table[T]) oldest() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, id := range t.order {
			if !yield(t.rows[id]) {
				return
			}
		}
	}
}

// newest yields the records that came last first.
func (t *table[T]) newest() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, id := range slices.Backward(t.order) {
			if !yield(t.rows[id]) {
				return
			}
		}
	}
}

// entry is one line of the ledger: the new value of every record that one request changed.
type entry struct {
	AtMS       int64      `json:"at_ms"`
	Intents    []intent   `json:"intents,omitempty"`
	Charges    []charge   `json:"charges,omitempty"`
	Refunds    []refund   `json:"refunds,omitempty"`
	Orders     []order    `json:"orders,omitempty"`
	Tokens     []token    `json:"tokens,omitempty"`
	Keys       []keyed    `json:"keys,omitempty"`
	Endpoints  []endpoint `json:"endpoints,omitempty"`
	Events     []event    `json:"events,omitempty"`
	Deliveries []delivery `json:"deliveries,omitempty"`
	Faults     []ordered  `json:"faults,omitempty"`
	Disputes   []dispute  `json:"disputes,omitempty"`
	Payouts    []payout   `json:"payouts,omitempty"`
	Mischief   *mischief  `json:"mischief,omitempty"`
}

func (e *entry) empty() bool {
	return e.Mischief == nil && len(e.Intents)+len(e.Charges)+len(e.Refunds)+len(e.Orders)+len(e.Tokens)+len(e.Keys)+
		len(e.Endpoints)+len(e.Events)+len(e.Deliveries)+len(e.Faults)+len(e.Disputes)+len(e.Payouts) == 0
}

// state is everything the ledger says, in memory.
type state struct {
	intents    *table[intent]
	charges    *table[charge]
	refunds    *table[refund]
	orders     *table[order]
	tokens     *table[token]
	endpoints  *table[endpoint]
	events     *table[event]
	faults     *table[ordered]
	disputes   *table[dispute]
	payouts    *table[payout]
	keys       map[string]keyed
	deliveries map[string]delivery // held and pending ones only
	invoices   map[string]bool     // account and invoice_id of completed PayPal captures
	mischief   mischief
}

func newState() *state {
	return &state{
		intents:    newTable(func(r intent) string { return r.ID }),
		charges:    newTable(func(r charge) string { return r.ID }),
		refunds:    newTable(func(r refund) string { return r.ID }),
		orders:     newTable(func(r order) string { return r.ID }),
		tokens:     newTable(func(r token) string { return r.ID }),
		endpoints:  newTable(func(r endpoint) string { return r.ID }),
		events:     newTable(func(r event) string { return r.ID }),
		faults:     newTable(func(r ordered) string { return r.ID }),
		disputes:   newTable(func(r dispute) string { return r.ID }),
		payouts:    newTable(func(r payout) string { return r.ID }),
		keys:       map[string]keyed{},
		deliveries: map[string]delivery{},
		invoices:   map[string]bool{},
	}
}

// apply makes one line of the ledger so.
func (s *state) apply(e entry) {
	s.intents.put(e.Intents)
	s.charges.put(e.Charges)
	s.refunds.put(e.Refunds)
	s.orders.put(e.Orders)
	s.tokens.put(e.Tokens)
	s.endpoints.put(e.Endpoints)
	s.events.put(e.Events)
	s.faults.put(e.Faults)
	s.disputes.put(e.Disputes)
	s.payouts.put(e.Payouts)
	for _, key := range e.Keys {
		s.keys[key.Scope] = key
	}
	for _, c := range e.Charges {
		if c.InvoiceID != "" {
			s.invoices[invoiceKey(c.Account, c.InvoiceID)] = true
		}
	}
	for _, d := range e.Deliveries {
		if d.State == "held" || d.State == "pending" {
			s.deliveries[d.ID] = d
		} else {
			delete(s.deliveries, d.ID)
		}
	}
	if e.Mischief != nil {
		s.mischief = *e.Mischief
	}
}

func invoiceKey(account, invoice string) string { return account + " " + invoice }

// change is a request at work: it reads the state as it was before and gathers what shall be.
type change struct {
	*state
	p     *Provider
	now   time.Time
	entry entry
	early []string // deliveries to send before the request is answered
}

func (c *change) seconds() int64 { return c.now.Unix() }

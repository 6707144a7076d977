// Package memstore is an in-memory store for simulations, with only what a purchase, its refunds and its events need.
// It passes the contract suites of package porttest. One lock makes transactions serializable, and a transaction that
// fails leaves no trace.
//
// A transaction works on a copy of the tables that it writes; other readers see the committed state.
package memstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Store is the database.
type Store struct {
	writer    sync.Mutex
	committed atomic.Pointer[state]
	now       func() time.Time
	stopped   atomic.Pointer[time.Time]
	// Committed, if set, is called after each commit, before the next transaction begins.
	Committed func()
}

// New makes an empty store whose clock is now.
func New(now func() time.Time) *Store {
	s := &Store{now: now}
	s.committed.Store(&state{})
	return s
}

// SetClock stops the clock at a time; zero: it goes on.
func (s *Store) SetClock(at time.Time) {
	if at.IsZero() {
		s.stopped.Store(nil)
		return
	}
	s.stopped.Store(&at)
}

// Now is the store's time, in whole milliseconds.
func (s *Store) Now() time.Time {
	if at := s.stopped.Load(); at != nil {
		return *at
	}
	return s.now().UTC().Truncate(time.Millisecond)
}

// state is the tables. It is copied for each transaction; a table is when it is first written.
type state struct {
	projects      table[id.Project, project.Project]
	products      table[key[id.Product], catalog.Product]
	stock         table[place, catalog.Shelf] // without Held, which follows from the checkouts
	sessions      table[key[id.Session], session.Session]
	shown         table[key[id.Session], []id.Product]
	carts         table[key[id.Session], []session.CartItem]
	entries       table[key[id.Session], []entry]
	quotes        table[key[id.Quote], quote]
	checkouts     table[key[id.Checkout], checkout.Snapshot]
	declines      table[decline, time.Time]
	orphans       table[orphanKey, checkout.Orphan]
	orders        table[key[id.Order], orderRow]
	ledger        table[key[id.Transaction], ledger.Transaction]
	events        table[key[id.Event], eventRow]
	subscriptions table[key[id.Subscription], event.Subscription]
	deliveries    table[key[id.Delivery], event.Delivery]
	aside         table[asideKey, int]              // how often in a row work was set aside
	poisoned      table[key[id.Checkout], struct{}] // rows that cannot be read
	broken        table[id.Project, struct{}]       // projects whose settings cannot be read
}

type key[T comparable] struct {
	project id.Project
	id      T
}

type place struct {
	project  id.Project
	variant  id.Variant
	location string
}

type decline struct {
	project  id.Project
	subject  string
	checkout id.Checkout
	attempt  int
}

type asideKey struct {
	queue   string
	project id.Project
	row     string
}

// table is the rows of one kind. Its zero value is empty.
type table[K comparable, V any] struct {
	rows  map[K]V
	owner *state // that may write to rows; another one copies them first
}

func (t *table[K, V]) own(s *state) {
	if t.owner != s {
		rows := make(map[K]V, len(t.rows)+1)
		maps.Copy(rows, t.rows)
		t.rows, t.owner = rows, s
	}
}

func (t *table[K, V]) put(s *state, k K, v V) {
	t.own(s)
	t.rows[k] = v
}

func (t *table[K, V]) drop(s *state, k K) {
	if _, there := t.rows[k]; there {
		t.own(s)
		delete(t.rows, k)
	}
}

// clear drops the rows whose keys will do.
func (t *table[K, V]) clear(s *state, will func(K) bool) {
	for k := range t.rows {
		if will(k) {
			t.drop(s, k)
		}
	}
}

// inTx runs work on a copy of the state, which is committed if work returns nil.
func (s *Store) inTx(ctx context.Context, work func(*state) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.writer.Lock()
	defer s.writer.Unlock()
	next := *s.committed.Load()
	if err := work(&next); err != nil {
		return err
	}
	s.committed.Store(&next)
	if s.Committed != nil {
		s.Committed()
	}
	return nil
}

// read returns the committed state.
func (s *Store) read(ctx context.Context) (*state, error) { return s.committed.Load(), ctx.Err() }

// PoisonCheckout makes a checkout's row unreadable, or readable again.
func (s *Store) PoisonCheckout(p id.Project, c id.Checkout, poisoned bool) {
	_ = s.inTx(context.Background(), func(st *state) error {
		if poisoned {
			st.poisoned.put(st, key[id.Checkout]{p, c}, struct{}{})
		} else {
			st.poisoned.drop(st, key[id.Checkout]{p, c})
		}
		return nil
	})
}

// PoisonProject makes a project's settings unreadable for the fan-out of its events, or readable again.
func (s *Store) PoisonProject(p id.Project, poisoned bool) {
	_ = s.inTx(context.Background(), func(st *state) error {
		if poisoned {
			st.broken.put(st, p, struct{}{})
		} else {
			st.broken.drop(st, p)
		}
		return nil
	})
}

func unreadable(what string) error { return fmt.Errorf("%w: %s", fault.ErrUnreadable, what) }

// due is a row of a queue that is due.
type due[T any] struct {
	project id.Project
	row     string
	group   string
	at      time.Time
	item    T
}

// queue is a ports.Queue over rows of the state.
type queue[T any] struct {
	*Store
	name string
	// list is the rows that are due.
	list func(s *state, now time.Time) []due[T]
	// lease moves a row's due time and returns the row as it is then.
	lease func(s *state, d due[T], until time.Time) (T, error)
	// held reports whether the row's lease is still the one that ends at until.
	held func(s *state, h ports.Held) bool
	// postpone makes a row due again at a time.
	postpone func(s *state, h ports.Held, until time.Time)
}

func (q queue[T]) sorted(s *state) []due[T] {
	list := q.list(s, q.Now())
	slices.SortFunc(list, func(a, b due[T]) int {
		return cmp.Or(a.at.Compare(b.at), strings.Compare(a.project.String(), b.project.String()), strings.Compare(a.row, b.row))
	})
	return list
}

func (q queue[T]) Waiting(ctx context.Context) (groups []string, err error) {
	s, err := q.read(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range q.sorted(s) {
		if !slices.Contains(groups, d.group) {
			groups = append(groups, d.group)
		}
	}
	return groups, nil
}

func (q queue[T]) Claim(ctx context.Context, lease time.Duration, shares []ports.Share) (claimed []ports.Leased[T], err error) {
	err = q.inTx(ctx, func(s *state) error {
		rows, until := q.sorted(s), q.Now().Add(lease)
		for _, share := range shares {
			n := 0
			for _, d := range rows {
				if d.group != share.Group || n == share.Most {
					continue
				}
				n++
				item, err := q.lease(s, d, until)
				held := ports.Held{
					Project:  d.project,
					Key:      d.row,
					Group:    d.group,
					Until:    until,
					Failures: s.aside.rows[asideKey{q.name, d.project, d.row}],
				}
				claimed = append(claimed, ports.Leased[T]{
					Held: held,
					Item: item,
					Err:  err,
				})
			}
		}
		return nil
	})
	return claimed, err
}

func (q queue[T]) SetAside(ctx context.Context, h ports.Held, _ string) error {
	return q.inTx(ctx, func(s *state) error {
		if q.held(s, h) {
			q.postpone(s, h, q.Now().Add(h.Pause()))
			s.aside.put(s, asideKey{q.name, h.Project, h.Key}, h.Failures+1)
		}
		return nil
	})
}

func (q queue[T]) Restore(ctx context.Context, h ports.Held) error {
	return q.inTx(ctx, func(s *state) error {
		s.aside.drop(s, asideKey{q.name, h.Project, h.Key})
		return nil
	})
}

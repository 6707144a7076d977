package haggling

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Negotiations reads negotiations for merchants.
type Negotiations struct {
	Store *db.DB
	// Looked is the maximum number of decisions that a list looks at; 0: threadsLooked.
	Looked int
}

var _ ports.Negotiations = Negotiations{}

const (
	// threadsLooked bounds the time of a list whose filter matches almost nothing: PostgreSQL looks at 50 decisions a
	// millisecond.
	threadsLooked = 5_000
	// sessionLooked bounds that of a session.
	sessionLooked = 20_000
)

// Questions about the other decisions of a session are subqueries with a value, because PostgreSQL would turn EXISTS
// into a join that reads all decisions. The clock is volatile and therefore separate: PostgreSQL would sort before
// evaluating it, and so read all decisions that a list may look at instead of those that it shows.
var (
	selectNamed = `
SELECT session_id
FROM decisions
WHERE negotiation_id = $2
  AND project_id = $1
  AND seq = 1`

	// lookedAt is completed by conditions and the limit.
	lookedAt = `
  SELECT session_id, product_id, variant_id, quantity, at, seq, currency, list_price, floor
  FROM decisions
  WHERE project_id = $1%s
  ORDER BY at DESC, session_id DESC, seq DESC
  LIMIT %s`

	// selectThreadSums takes four texts: the decisions to look at (the last one about an item stands for its thread), the
	// clock, conditions on the sums, and the limit.
	selectThreadSums = `
WITH clock AS MATERIALIZED (SELECT %[2]s AS now)
SELECT t.session_id, t.product_id, t.variant_id, t.quantity, t.at, t.seq, t.currency, t.list_price, t.floor, t.deal, t.protocol,
  t.state,
  ` + ofThread("e.offer", "t", "e.offer IS NOT NULL") + ` AS offer,
  ` + ofThread("e.price", "t", "e.price IS NOT NULL") + ` AS price,
  (SELECT p.name FROM products AS p WHERE p.project_id = $1 AND p.id = t.product_id) AS name,
  (SELECT v.size FROM variants AS v WHERE v.project_id = $1 AND v.id = t.variant_id) AS size,
  (SELECT v.color FROM variants AS v WHERE v.project_id = $1 AND v.id = t.variant_id) AS color
FROM (
  SELECT l.session_id, l.product_id, l.variant_id, l.quantity, l.at, l.seq, l.currency, l.list_price, l.floor, l.deal, l.protocol,
    CASE
      WHEN l.deal IS NOT NULL THEN 'deal'
      WHEN l.until > (SELECT now FROM clock) AND ` + declined + ` THEN 'left'
      WHEN l.until > (SELECT now FROM clock) THEN 'open'
      ELSE 'left'
    END AS state
  FROM (
    SELECT k.session_id, k.product_id, k.variant_id, k.quantity, k.at, k.seq, k.currency, k.list_price, k.floor,
      ` + ofSession("s.protocol") + ` AS protocol,
      ` + ofSession(livesUntil) + ` AS until,
      ` + ofThread("COALESCE(e.price, e.list_price)", "k", "e.response = 'accept'") + ` AS deal
    FROM (` + "%[1]s" + `
    ) AS k
    WHERE k.seq = ` + ofThread("e.seq", "k", "e.seq >= k.seq") + `
  ) AS l
) AS t
WHERE TRUE%[3]s
ORDER BY t.at DESC, t.session_id DESC, t.seq DESC
LIMIT %[4]s`

	// declined reports whether the buyer gave up the last quote of an item.
	declined = `(
        SELECT q.state
        FROM quotes AS q
        WHERE q.project_id = $1
          AND q.session_id = l.session_id
          AND q.product_id = l.product_id
          AND q.variant_id = l.variant_id
          AND q.quantity = l.quantity
        ORDER BY q.seq DESC
        LIMIT 1
      ) = 'declined'`

	// livesUntil is as of session.Session's Status.
	livesUntil = fmt.Sprintf(`CASE
        WHEN s.expires_at + %[1]d > s.created_at + %[2]d AND s.expires_at <= s.created_at + %[2]d THEN s.created_at + %[2]d
        ELSE s.expires_at + %[1]d
      END`, session.Grace.Milliseconds(), session.MaxLifetime.Milliseconds())

	// selectPaths is completed by the sessions.
	selectPaths = `
SELECT x.session_id, x.product_id, x.variant_id, x.quantity, x.currency, x.offer, x.price, x.steps, x.began
FROM (
  SELECT session_id, product_id, variant_id, quantity, currency, offer, price, seq,
    row_number() OVER (PARTITION BY session_id, product_id, variant_id, quantity ORDER BY seq) AS n,
    count(*) OVER (PARTITION BY session_id, product_id, variant_id, quantity) AS steps,
    min(at) OVER (PARTITION BY session_id, product_id, variant_id, quantity) AS began
  FROM decisions
  WHERE project_id = $1
    AND session_id IN %s
) AS x
WHERE x.n = 1
  OR x.n > x.steps - ` + strconv.Itoa(ports.MostPath-1) + `
ORDER BY x.session_id, x.seq`

	selectThreadsAgent = `
SELECT agent_profile, agent_verified, agent_key, protocol
FROM sessions
WHERE project_id = $1
  AND id = $2`

	selectThreadsOrders = `
SELECT id, confirmation
FROM orders
WHERE project_id = $1
  AND session_id = $2
ORDER BY created_at, id
LIMIT ` + strconv.Itoa(ports.MostOrders)
)

// ofSession is a value of a decision's session.
func ofSession(value string) string {
	return "(SELECT " + value + " FROM sessions AS s WHERE s.project_id = $1 AND s.id = k.session_id)"
}

// ofThread is a value of the last decision about the item of a row that meets a condition.
func ofThread(value, row, condition string) string {
	return fmt.Sprintf(`(
    SELECT %[1]s
    FROM decisions AS e
    WHERE e.project_id = $1
      AND e.session_id = %[2]s.session_id
      AND e.product_id = %[2]s.product_id
      AND e.variant_id = %[2]s.variant_id
      AND e.quantity = %[2]s.quantity
      AND %[3]s
    ORDER BY e.seq DESC
    LIMIT 1
  )`, value, row, condition)
}

// threadKey is an item in a session.
type threadKey struct {
	Session  id.Session
	Product  id.Product
	Variant  id.Variant
	Quantity int
}

type threadSumRow struct {
	threadKey
	At        time.Time
	Seq       int
	ListPrice money.Amount
	Floor     money.Amount
	Offer     *money.Amount
	Price     *money.Amount
	Deal      *money.Amount
	State     string
	Protocol  string `db:",null"`
	Name      string `db:",null"`
	Size      string `db:",null"`
	Color     string `db:",null"`
}

type pathRow struct {
	threadKey
	Offer *money.Amount
	Price *money.Amount
	Steps int
	Began time.Time
}

type agentRow struct {
	Profile  string `db:"agent_profile"`
	Verified bool   `db:"agent_verified"`
	Key      string `db:"agent_key"`
	Protocol agentid.Protocol
}

func (v Negotiations) Session(ctx context.Context, project id.Project, of id.Negotiation) (*ports.SessionThreads, error) {
	in, err := db.One[id.Session](ctx, v.Store.Read(project), "negotiation", selectNamed, project, of)
	if err != nil {
		return nil, err
	}
	args := db.Args{project, *in}
	var (
		found     ports.SessionThreads
		decisions []DecidedRow
		sums      []threadSumRow
		paths     []pathRow
		agent     *agentRow
	)
	b := v.Store.Read(project)
	b.Query(&decisions, selectDecisions+"\n  AND session_id = $2\nORDER BY seq\nLIMIT "+strconv.Itoa(ports.MostDecisions), args...)
	b.Query(&found.Total, "SELECT count(*) AS n"+fromDecisions+"\n  AND session_id = $2", args...)
	all := fmt.Sprintf(lookedAt, "\n    AND session_id = $2", strconv.Itoa(sessionLooked))
	b.Query(&sums, fmt.Sprintf(selectThreadSums, all, v.Store.Dialect.Moment(), "", strconv.Itoa(ports.MostThreads)), args...)
	b.Query(&paths, fmt.Sprintf(selectPaths, "($2)"), args...)
	b.Query(&agent, selectThreadsAgent, args...)
	b.Query(&found.Orders, selectThreadsOrders, args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for _, r := range decisions {
		d, err := fromDecidedRow(r)
		if err != nil {
			return nil, err
		}
		found.Decisions = append(found.Decisions, d)
	}
	if len(decisions) == 0 { // they went since the session was found
		return nil, fault.Missing("negotiation")
	}
	if agent != nil {
		found.Agent = new(agentid.Agent(*agent))
	}
	found.Threads = fromThreadRows(sums, paths)
	slices.SortStableFunc(found.Threads, func(a, b ports.Thread) int { return a.Began.Compare(b.Began) })
	return &found, nil
}

func (v Negotiations) Newest(ctx context.Context, project id.Project, f ports.ThreadFilter, after *ports.ThreadPlace, limit int) ([]ports.Thread, *ports.ThreadPlace, error) {
	looked := cmp.Or(v.Looked, threadsLooked)
	w := db.Conditions{Args: db.Args{project}}
	w.During("at", f.From, f.To)
	ofNamed(&w, f.Named)
	if after != nil {
		at := w.Args.Add(db.Millis(after.At))
		w.Text += "\n  AND at <= " + at + "\n  AND (at < " + at + " OR (session_id, seq) < (COALESCE((" +
			namedSession(w.Args.Add(after.Negotiation)) + "), ''), " + w.Args.Add(after.Seq) + "))"
	}
	decisions := fmt.Sprintf(lookedAt, w.Text, strconv.Itoa(looked))
	within := w // the conditions on decisions alone
	within.Args = slices.Clone(w.Args)
	w.Text = ""
	if f.State != (negotiation.ThreadState{}) {
		w.And("t.state = ", f.State.String())
	}
	w.Equal("t.product_id", f.Product)
	if f.Protocol != nil {
		w.And("t.protocol = ", f.Protocol.String())
	}
	query := fmt.Sprintf(selectThreadSums, decisions, v.Store.Dialect.Moment(), w.Text, w.Args.Add(limit+1))
	sums, err := db.All[threadSumRow](ctx, v.Store.Read(project), query, w.Args...)
	if err != nil {
		return nil, nil, err
	}
	var next *ports.ThreadPlace
	if len(sums) > limit {
		sums = sums[:limit]
		next = sums[limit-1].place()
	} else if next, err = v.lookedUntil(ctx, project, within, looked); err != nil {
		return nil, nil, err
	}
	paths, err := v.paths(ctx, project, sums)
	return fromThreadRows(sums, paths), next, err
}

// namedSession is selectNamed with another parameter for the name.
func namedSession(name string) string {
	return "SELECT n.session_id FROM decisions AS n WHERE n.negotiation_id = " + name + " AND n.project_id = $1 AND n.seq = 1"
}

// lookedUntil is the last decision that a list looked at; nil: it looked at all.
func (v Negotiations) lookedUntil(ctx context.Context, project id.Project, within db.Conditions, looked int) (*ports.ThreadPlace, error) {
	const last = `
SELECT session_id, at, seq
FROM decisions
WHERE project_id = $1%s
ORDER BY at DESC, session_id DESC, seq DESC
LIMIT 1 OFFSET %d`
	type place struct {
		Session id.Session
		At      time.Time
		Seq     int
	}
	found, err := db.First[place](ctx, v.Store.Read(project), fmt.Sprintf(last, within.Text, looked-1), within.Args...)
	if err != nil || found == nil {
		return nil, err
	}
	return &ports.ThreadPlace{
		At:          found.At,
		Negotiation: id.NegotiationOf(found.Session),
		Seq:         found.Seq,
	}, nil
}

func (r threadSumRow) place() *ports.ThreadPlace {
	return &ports.ThreadPlace{
		At:          r.At,
		Negotiation: id.NegotiationOf(r.Session),
		Seq:         r.Seq,
	}
}

func (v Negotiations) paths(ctx context.Context, project id.Project, of []threadSumRow) ([]pathRow, error) {
	if len(of) == 0 {
		return nil, nil
	}
	sessions := make([]string, len(of))
	for i, r := range of {
		sessions[i] = r.Session.String()
	}
	args := db.Args{project}
	return db.All[pathRow](ctx, v.Store.Read(project), fmt.Sprintf(selectPaths, args.List(sessions)), args...)
}

func fromThreadRows(sums []threadSumRow, paths []pathRow) []ports.Thread {
	steps := map[threadKey][]pathRow{}
	for _, p := range paths {
		steps[p.threadKey] = append(steps[p.threadKey], p)
	}
	threads := make([]ports.Thread, len(sums))
	for i, r := range sums {
		threads[i] = r.thread(steps[r.threadKey])
	}
	return threads
}

func (r threadSumRow) thread(steps []pathRow) ports.Thread {
	t := ports.Thread{
		Item: negotiation.Item{
			Session:  r.Session,
			Product:  r.Product,
			Variant:  r.Variant,
			Quantity: r.Quantity,
		},
		Product: r.Name,
		Variant: catalog.Variant{Size: r.Size, Color: r.Color}.Label(),
		State:   negotiation.ThreadStates[r.State],
		Offer:   r.Offer,
		Price:   r.ListPrice, // where no answer named one
		Deal:    r.Deal,
		List:    r.ListPrice,
		Floor:   r.Floor,
		Began:   r.At,
		Last:    r.At,
	}
	if r.Price != nil {
		t.Price = *r.Price
	}
	if p, known := agentid.Protocols[r.Protocol]; known {
		t.Protocol = &p
	}
	for _, s := range steps {
		t.Steps, t.Began = s.Steps, s.Began
		t.Path = append(t.Path, ports.ThreadStep{Offer: s.Offer, Price: s.Price})
	}
	return t
}

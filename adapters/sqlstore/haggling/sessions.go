package haggling

import (
	"context"
	"fmt"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/purchase"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Sessions is the store's view of buyers' sessions.
type Sessions struct{ store *db.DB }

var _ ports.Sessions = Sessions{}

// NewSessions returns a view that keeps buyers' sessions.
func NewSessions(s *db.DB) Sessions { return Sessions{s} }

var (
	sessions = db.NewTable[SessionRow]("sessions")
	cart     = db.NewTable[cartRow]("cart_items")

	InsertSession = sessions.Insert()

	updateSession = sessions.Update([]string{"project_id", "id"}, "loyalty_tier", "location", "purchase_history", "urgency",
		"created_at", "last_activity", "expires_at", "member_tier", "member_purchases")

	SelectSession = `
SELECT ` + sessions.Columns() + `
FROM sessions
WHERE project_id = $1
  AND id = $2`

	// selectSessionNow is completed by the database's clock.
	selectSessionNow = `
SELECT ` + sessions.Columns() + `, %s AS now
FROM sessions
WHERE project_id = $1
  AND id = $2`
)

const (
	// What was bought is no longer in the cart. That a token was redeemed says so, and one thing said
	// twice would be one more write of every purchase.
	selectCart = `
SELECT product_id, variant_id, name, quantity, price, currency, quote_id
FROM cart_items AS c
WHERE project_id = $1
  AND session_id = $2
  AND NOT EXISTS (
    SELECT 1
    FROM quotes AS q
    WHERE q.project_id = c.project_id
      AND q.id = c.quote_id
      AND q.redeemed_by <> ''
  )
ORDER BY seq, position`

	selectShown = `
SELECT product_id
FROM shown
WHERE project_id = $1
  AND session_id = $2
ORDER BY position, product_id`

	selectBought = `
SELECT lines
FROM orders
WHERE project_id = $1
  AND session_id = $2`

	insertShown = `
INSERT INTO shown (project_id, session_id, product_id, position)
SELECT $1, $2, $3, count(*)
FROM shown
WHERE project_id = $1
  AND session_id = $2
ON CONFLICT (project_id, session_id, product_id) DO NOTHING`
)

type SessionRow struct {
	ProjectID       string `db:"project_id"`
	ID              string
	LoyaltyTier     string `db:"loyalty_tier"`
	Location        string
	PurchaseHistory int `db:"purchase_history"`
	Urgency         string
	CreatedAt       int64  `db:"created_at"`
	LastActivity    int64  `db:"last_activity"`
	ExpiresAt       int64  `db:"expires_at"`
	MemberTier      string `db:"member_tier"`
	MemberPurchases int    `db:"member_purchases"`
	Now             int64  `db:"now,read"` // of selectSessionNow
}

func FromSessionRow(r SessionRow) *session.Session {
	return &session.Session{
		ID: id.Stored[id.Session](r.ID), Project: id.Stored[id.Project](r.ProjectID),
		Claims: session.Claims{
			LoyaltyTier: r.LoyaltyTier, Location: r.Location, PurchaseHistory: r.PurchaseHistory, Urgency: r.Urgency,
			Member: session.Member{Tier: r.MemberTier, Purchases: r.MemberPurchases},
		},
		CreatedAt: db.Time(r.CreatedAt), LastActivity: db.Time(r.LastActivity), ExpiresAt: db.Time(r.ExpiresAt),
	}
}

func toSessionRow(s *session.Session) SessionRow {
	return SessionRow{
		ProjectID:       s.Project.String(),
		ID:              s.ID.String(),
		LoyaltyTier:     s.Claims.LoyaltyTier,
		Location:        s.Claims.Location,
		PurchaseHistory: s.Claims.PurchaseHistory,
		Urgency:         s.Claims.Urgency,
		CreatedAt:       db.Millis(s.CreatedAt),
		LastActivity:    db.Millis(s.LastActivity),
		ExpiresAt:       db.Millis(s.ExpiresAt),
		MemberTier:      s.Claims.Member.Tier,
		MemberPurchases: s.Claims.Member.Purchases,
	}
}

type cartRow struct {
	ProjectID string `db:"project_id"`
	SessionID string `db:"session_id"`
	VariantID string `db:"variant_id"`
	ProductID string `db:"product_id"`
	Name      string
	Quantity  int
	Price     int64
	Currency  string
	QuoteID   string `db:"quote_id"`
	Seq       int
	Position  int
}

func fromCartRows(rows []cartRow) ([]session.CartItem, error) {
	items := make([]session.CartItem, 0, len(rows))
	for _, r := range rows {
		price, err := db.Amount(r.Price, r.Currency)
		if err != nil {
			return nil, err
		}
		items = append(items, session.CartItem{
			Product: id.Stored[id.Product](r.ProductID), Variant: id.Stored[id.Variant](r.VariantID),
			Name: r.Name, Quantity: r.Quantity, Price: price, Quote: id.Stored[id.Quote](r.QuoteID),
		})
	}
	return items, nil
}

type shownRow struct {
	ProductID string `db:"product_id"`
}

type boughtRow struct{ Lines string }

// fromShownRows tells of each recommendation whether an order of the session has it.
func fromShownRows(rows []shownRow, orders []boughtRow) ([]session.Shown, error) {
	bought := make(map[string]bool)
	for _, o := range orders {
		var lines []purchase.LineJSON
		if err := db.FromJSON(o.Lines, &lines); err != nil {
			return nil, err
		}
		for _, l := range lines {
			bought[l.Product] = true
		}
	}
	shown := make([]session.Shown, len(rows))
	for i, r := range rows {
		shown[i] = session.Shown{Product: id.Stored[id.Product](r.ProductID), Accepted: bought[r.ProductID]}
	}
	return shown, nil
}

func (v Sessions) Create(ctx context.Context, s *session.Session, shown ...id.Product) error {
	b := v.store.Write(s.Project)
	b.Exec(InsertSession, sessions.Args(toSessionRow(s))...)
	show(b, s.Project, s.ID, shown)
	return b.Run(ctx)
}

func (v Sessions) Update(ctx context.Context, project id.Project, of id.Session, change func(*session.Session) error) (*session.Session, error) {
	var changed *session.Session
	err := v.store.InTx(ctx, project, func(t *db.Tx) error {
		var row SessionRow
		found, err := t.Get(ctx, &row, SelectSession+t.Dialect.ForUpdate, project.String(), of.String())
		if err != nil {
			return err
		}
		if !found {
			return fault.Missing("session")
		}
		changed = FromSessionRow(row)
		if err := change(changed); err != nil {
			return err
		}
		_, err = t.Exec(ctx, updateSession.Text, updateSession.Args(toSessionRow(changed))...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// visited are the rows that a visit is made of.
type visited struct {
	sessions []SessionRow
	cart     []cartRow
	history  []EntryRow
	shown    []shownRow
	orders   []boughtRow
}

func (v Sessions) Visit(ctx context.Context, project id.Project, of id.Session) (ports.Visit, error) {
	args := []any{project.String(), of.String()}
	var found visited
	b := v.store.Read(project)
	b.Query(&found.sessions, fmt.Sprintf(selectSessionNow, v.store.Dialect.Clock), args...)
	b.Query(&found.cart, selectCart, args...)
	b.Query(&found.history, selectHistory, args...)
	b.Query(&found.shown, selectShown, args...)
	b.Query(&found.orders, selectBought, args...)
	if err := b.Run(ctx); err != nil {
		return ports.Visit{}, err
	}
	if len(found.sessions) == 0 {
		return ports.Visit{}, fault.Missing("session")
	}
	return found.visit()
}

func (f visited) visit() (visit ports.Visit, err error) {
	visit.Session, visit.Now = FromSessionRow(f.sessions[0]), db.Time(f.sessions[0].Now)
	if visit.Cart, err = fromCartRows(f.cart); err != nil {
		return ports.Visit{}, err
	}
	visit.History = make([]negotiation.Entry, len(f.history))
	for i, r := range f.history {
		if visit.History[i], err = FromEntryRow(r); err != nil {
			return ports.Visit{}, err
		}
	}
	visit.Shown, err = fromShownRows(f.shown, f.orders)
	return visit, err
}

func (v Sessions) Show(ctx context.Context, project id.Project, in id.Session, products []id.Product) error {
	if len(products) == 0 {
		return nil
	}
	b := v.store.Write(project)
	show(b, project, in, products)
	return db.OrMissingSession(b.Run(ctx))
}

func show(b *db.Batch, project id.Project, in id.Session, products []id.Product) {
	for _, product := range products {
		b.Exec(insertShown, project.String(), in.String(), product.String())
	}
}

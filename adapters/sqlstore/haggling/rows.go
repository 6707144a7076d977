package haggling

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// quotes are written without redeemed_by: a purchase says who redeems a quote.
var quotes = db.NewTable[quoteRow]("quotes")

type quoteRow struct {
	ProjectID     string `db:"project_id"`
	ID            string
	SessionID     string `db:"session_id"`
	ProductID     string `db:"product_id"`
	VariantID     string `db:"variant_id"`
	Quantity      int
	State         string
	Currency      string
	ListPrice     int64 `db:"list_price"`
	Opening       int64
	Target        int64
	Floor         int64
	Rounds        int
	Moves         int
	BestOffer     *int64 `db:"best_offer"`
	Counter       *int64
	PolicyVersion int    `db:"policy_version"`
	FinalPrice    *int64 `db:"final_price"`
	Bundle        *string
	WithBundle    bool   `db:"with_bundle"`
	TokenHash     string `db:"token_hash"`
	CreatedAt     int64  `db:"created_at"`
	ValidUntil    int64  `db:"valid_until"`
	RedeemedBy    string `db:"redeemed_by,read"`
}

func toQuoteRow(q *negotiation.Quote) (quoteRow, error) {
	s := q.Snapshot()
	bundle, err := toBundleJSON(s.Bundle)
	return quoteRow{
		ProjectID: s.Project.String(), ID: s.ID.String(), SessionID: s.Item.Session.String(),
		ProductID: s.Item.Product.String(), VariantID: s.Item.Variant.String(), Quantity: s.Item.Quantity,
		State: s.State.String(), Currency: s.Bounds.List().Currency().Code(),
		ListPrice: s.Bounds.List().Minor(), Opening: s.Bounds.Opening().Minor(),
		Target: s.Bounds.Target().Minor(), Floor: s.Bounds.Floor().Minor(),
		Rounds: s.Progress.Rounds, Moves: s.Progress.Moves,
		BestOffer: db.MinorOrNull(s.Progress.BestOffer), Counter: db.MinorOrNull(s.Progress.Counter),
		PolicyVersion: s.PolicyVersion, FinalPrice: db.MinorOrNull(s.FinalPrice),
		Bundle: bundle, WithBundle: s.WithBundle, TokenHash: s.TokenHash,
		CreatedAt: db.Millis(s.CreatedAt), ValidUntil: db.Millis(s.ValidUntil),
	}, err
}

var quoteStates = map[string]negotiation.State{
	negotiation.Open.String():       negotiation.Open,
	negotiation.Agreed.String():     negotiation.Agreed,
	negotiation.Superseded.String(): negotiation.Superseded,
}

func fromQuoteRow(r quoteRow) (*negotiation.Quote, error) {
	c, err := db.Currency(r.Currency)
	if err != nil {
		return nil, err
	}
	bundle, err := fromBundleJSON(r.Bundle, c)
	if err != nil {
		return nil, err
	}
	return negotiation.Rehydrate(negotiation.Snapshot{
		ID: id.Stored[id.Quote](r.ID), Project: id.Stored[id.Project](r.ProjectID),
		Item: ItemOf(r.SessionID, r.ProductID, r.VariantID, r.Quantity), State: quoteStates[r.State],
		Bounds:   boundsOf(r.ListPrice, r.Opening, r.Target, r.Floor, c),
		Progress: negotiation.Progress{Rounds: r.Rounds, Moves: r.Moves, BestOffer: db.AmountOrZero(r.BestOffer, c), Counter: db.AmountOrZero(r.Counter, c)},

		PolicyVersion: r.PolicyVersion, FinalPrice: db.AmountOrZero(r.FinalPrice, c),
		Bundle: bundle, WithBundle: r.WithBundle, TokenHash: r.TokenHash, RedeemedBy: id.Stored[id.Order](r.RedeemedBy),
		CreatedAt: db.Time(r.CreatedAt), ValidUntil: db.Time(r.ValidUntil),
	}), nil
}

// firstQuote is the quote of the one row, or nil.
func firstQuote(rows []quoteRow) (*negotiation.Quote, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	return fromQuoteRow(rows[0])
}

func ItemOf(session, product, variant string, quantity int) negotiation.Item {
	return negotiation.Item{
		Session: id.Stored[id.Session](session), Product: id.Stored[id.Product](product),
		Variant: id.Stored[id.Variant](variant), Quantity: quantity,
	}
}

func boundsOf(list, opening, target, floor int64, c money.Currency) negotiation.Bounds {
	return negotiation.RehydrateBounds(money.Of(list, c), money.Of(opening, c), money.Of(target, c), money.Of(floor, c))
}

// bundleJSON is a suggested bundle, in minor units of the quote's currency.
type bundleJSON struct {
	Product string `json:"product"`
	Variant string `json:"variant"`
	Name    string `json:"name"`
	Regular int64  `json:"regular"`
	Price   int64  `json:"price"`
	Until   int64  `json:"until"`
}

func toBundleJSON(b *negotiation.Bundle) (*string, error) {
	if b == nil {
		return nil, nil
	}
	text, err := db.ToJSON(bundleJSON{b.Product.String(), b.Variant.String(), b.Name, b.Regular.Minor(), b.Price.Minor(), db.Millis(b.ValidUntil)})
	return &text, err
}

func fromBundleJSON(text *string, c money.Currency) (*negotiation.Bundle, error) {
	if text == nil {
		return nil, nil
	}
	var b bundleJSON
	if err := db.FromJSON(*text, &b); err != nil {
		return nil, err
	}
	return &negotiation.Bundle{
		Product: id.Stored[id.Product](b.Product), Variant: id.Stored[id.Variant](b.Variant), Name: b.Name,
		Regular: money.Of(b.Regular, c), Price: money.Of(b.Price, c),
		ValidUntil: db.Time(b.Until),
	}, nil
}

package haggling

import (
	"strconv"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
)

var (
	entries = db.NewTable[EntryRow]("decisions", db.Columns{
		"Item.Session": "-",
		"Outcome":      "response",
		"Bounds":       "-",
		"Before":       "-",
		"Signals":      "-",
	})

	// EntryColumns are those of EntryRow.
	EntryColumns = entries.Columns()

	// insertEntry fails where there is no such session. Decisions outlive sessions, so no reference says so. probe is 1 for
	// the session's first decision about the product within an hour (negotiation.ProbingWindow) by a client that is known.
	insertEntry = `
INSERT INTO decisions (` + EntryColumns + `, probe)
VALUES (` + entries.ValuesBut("session_id", "(SELECT id FROM sessions WHERE project_id = "+entries.Param("project_id")+
		" AND id = "+entries.Param("session_id")+")") + `, CASE
  WHEN ` + entries.Param("client") + ` = '' OR EXISTS (
    SELECT 1
    FROM decisions AS earlier
    WHERE earlier.project_id = ` + entries.Param("project_id") + `
      AND earlier.session_id = ` + entries.Param("session_id") + `
      AND earlier.product_id = ` + entries.Param("product_id") + `
      AND earlier.probe = 1
      AND earlier.at > ` + entries.Param("at") + " - " + strconv.FormatInt(negotiation.ProbingWindow.Milliseconds(), 10) + `
  ) THEN 0 ELSE 1 END)`

	selectHistory = `
SELECT ` + EntryColumns + `
FROM decisions
WHERE project_id = $1
  AND session_id = $2
ORDER BY seq`
)

type EntryRow struct {
	negotiation.Entry
	boundsRow
	Progress progressJSON `db:"before,json"`
	Inputs   signalsJSON  `db:"signals,json"`
}

func toEntryRow(e negotiation.Entry) EntryRow {
	return EntryRow{e, toBounds(e.Bounds), toProgressJSON(e.Before), toSignalsJSON(e.Signals)}
}

func FromEntryRow(r EntryRow) negotiation.Entry {
	c := r.ListPrice.Currency()
	r.Item.Session, r.Bounds = r.Session, r.bounds()
	r.Before, r.Signals = r.Progress.progress(c), r.Inputs.signals(c)
	return r.Entry
}

func fromEntryRows(rows []EntryRow) []negotiation.Entry {
	list := make([]negotiation.Entry, len(rows))
	for i, r := range rows {
		list[i] = FromEntryRow(r)
	}
	return list
}

// progressJSON and signalsJSON are a decision's inputs, in minor units of its currency.
type progressJSON struct {
	Rounds    int    `json:"rounds"`
	Moves     int    `json:"moves"`
	BestOffer *int64 `json:"best_offer,omitempty"`
	Counter   *int64 `json:"counter,omitempty"`
}

type signalsJSON struct {
	List       int64  `json:"list"`
	Cost       *int64 `json:"cost,omitempty"`
	Competitor *int64 `json:"competitor,omitempty"`
	Negotiable bool   `json:"negotiable"`
	Quantity   int    `json:"quantity"`
	CartValue  int64  `json:"cart_value"`
	Stock      int    `json:"stock"`
	Tier       string `json:"tier,omitempty"`
	Purchases  int    `json:"purchases"`
	Urgency    string `json:"urgency,omitempty"`

	MemberTier      string `json:"member_tier,omitempty"`
	MemberPurchases int    `json:"member_purchases,omitempty"`

	Category      string `json:"category,omitempty"`
	ProbedSession int    `json:"probed_session,omitempty"`
	ProbedClient  int    `json:"probed_client,omitempty"`
	ProbedProduct int    `json:"probed_product,omitempty"`
}

func toProgressJSON(p negotiation.Progress) progressJSON {
	return progressJSON{p.Rounds, p.Moves, db.MinorOrNull(p.BestOffer), db.MinorOrNull(p.Counter)}
}

func (p progressJSON) progress(c money.Currency) negotiation.Progress {
	return negotiation.Progress{
		Rounds: p.Rounds, Moves: p.Moves, BestOffer: db.AmountOrZero(p.BestOffer, c), Counter: db.AmountOrZero(p.Counter, c),
	}
}

func toSignalsJSON(s negotiation.Signals) signalsJSON {
	return signalsJSON{
		List: s.List.Minor(), Cost: db.OptionalMinor(s.Cost), Competitor: db.OptionalMinor(s.Competitor),
		Negotiable: s.Negotiable, Quantity: s.Quantity, CartValue: s.CartValue.Minor(), Stock: s.Stock,
		Tier: s.Claims.Tier.String(), Purchases: s.Claims.Purchases, Urgency: s.Claims.Urgency.String(),
		MemberTier: s.Member.Tier.String(), MemberPurchases: s.Member.Purchases,
		Category: s.Category, ProbedSession: s.Probed.Session, ProbedClient: s.Probed.Client, ProbedProduct: s.Probed.Product,
	}
}

func (s signalsJSON) signals(c money.Currency) negotiation.Signals {
	return negotiation.Signals{
		List: money.Of(s.List, c), Cost: db.OptionalAmount(s.Cost, c), Competitor: db.OptionalAmount(s.Competitor, c),
		Negotiable: s.Negotiable, Quantity: s.Quantity, CartValue: money.Of(s.CartValue, c), Stock: s.Stock,
		Claims:   claimsOf(s.Tier, s.Purchases, s.Urgency),
		Member:   negotiation.MemberOf(session.Member{Tier: s.MemberTier, Purchases: s.MemberPurchases}),
		Category: s.Category, Probed: negotiation.Probed{Session: s.ProbedSession, Client: s.ProbedClient, Product: s.ProbedProduct},
	}
}

func claimsOf(tier string, purchases int, urgency string) negotiation.Claims {
	return negotiation.ClaimsOf(session.Claims{LoyaltyTier: tier, PurchaseHistory: purchases, Urgency: urgency})
}

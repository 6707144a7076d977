package haggling

import (
	"strconv"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

var (
	entries = db.NewTable[EntryRow]("decisions", db.Columns{
		"Item.Session": "-",
		"Outcome":      "response",
		"Bounds":       "-",
		"Before":       ",json",
		"Signals":      ",json",
	})

	// EntryColumns are those of EntryRow.
	EntryColumns = entries.Columns()

	// insertEntry fails if there is no such session (there is no foreign key, because decisions outlive sessions), and
	// if the project has another version than the parameter after those of the columns. The parameter after that is the
	// negotiation's name, by which the session's first decision is found. probe is 1 for the session's first decision
	// about the product within an hour (negotiation.ProbingWindow) by a client that is known.
	insertEntry = `
INSERT INTO decisions (` + EntryColumns + `, probe, negotiation_id)
VALUES (` + entries.ValuesBut(map[string]string{
		"id":         db.UnlessChanged(entries.Param("id"), entries.Param("project_id"), entries.After(1)),
		"session_id": "(SELECT id FROM sessions WHERE project_id = " + entries.Param("project_id") + " AND id = " + entries.Param("session_id") + ")",
	}) + `, CASE
  WHEN ` + entries.Param("client") + ` = '' OR EXISTS (
    SELECT 1
    FROM decisions AS earlier
    WHERE earlier.project_id = ` + entries.Param("project_id") + `
      AND earlier.session_id = ` + entries.Param("session_id") + `
      AND earlier.product_id = ` + entries.Param("product_id") + `
      AND earlier.probe = 1
      AND earlier.at > ` + entries.Param("at") + " - " + strconv.FormatInt(negotiation.ProbingWindow.Milliseconds(), 10) + `
  ) THEN 0 ELSE 1 END, CASE WHEN ` + entries.Param("seq") + ` = 1 THEN ` + entries.After(2) + ` END)`

	selectHistory = `
SELECT ` + EntryColumns + `
FROM decisions
WHERE project_id = $1
  AND session_id = $2
ORDER BY seq`
)

// Columns of the inputs of a decision, in its currency.
var (
	_ = stored.JSON[negotiation.Progress](stored.Tags{"Progress.BestOffer": ",omitzero", "Progress.Counter": ",omitzero"})
	_ = stored.JSON[negotiation.Signals](stored.Tags{
		"Signals.Cost":       ",omitempty",
		"Signals.Competitor": ",omitempty",
		"Signals.CartAtList": ",omitzero",
		"Signals.Claims":     ",inline",
		"Claims.Tier":        ",omitempty",
		"Claims.Urgency":     ",omitempty",
		"Signals.Member":     ",inline",
		"Loyalty.Tier":       "member_tier,omitempty",
		"Loyalty.Purchases":  "member_purchases,omitempty",
		"Signals.Category":   ",omitempty",
		"Signals.Probed":     ",inline",
		"Probed.Session":     "probed_session,omitempty",
		"Probed.Client":      "probed_client,omitempty",
		"Probed.Product":     "probed_product,omitempty",
	})
)

type EntryRow struct {
	negotiation.Entry
	boundsRow
}

func toEntryRow(e negotiation.Entry) EntryRow { return EntryRow{e, toBounds(e.Bounds)} }

func FromEntryRow(r EntryRow) negotiation.Entry {
	r.Item.Session, r.Bounds = r.Session, r.bounds()
	return r.Entry
}

func fromEntryRows(rows []EntryRow) []negotiation.Entry {
	list := make([]negotiation.Entry, len(rows))
	for i, r := range rows {
		list[i] = FromEntryRow(r)
	}
	return list
}

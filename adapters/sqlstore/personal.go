package sqlstore

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
)

// personalTable lists the columns of a table that hold personal data of buyers, and how each is erased. Closing a project and
// erasing a buyer both use the list personal. TestEveryColumnIsClassified fails for a column that is neither in it nor in
// notPersonal.
type personalTable struct {
	table string
	key   string // rows are erased in its order when a project is closed
	// of is the column with the id of the session, checkout or order that a row belongs to; by says which.
	of string
	by subject
	// where narrows the rows that can be erased.
	where string
	// erased are columns with what is left of them.
	erased []erasedColumn
	// also sets other columns with them.
	also string
}

type erasedColumn struct{ name, left string }

// subject is the kind of record that a row belongs to.
type subject int

const (
	ofSession  subject = iota
	ofCheckout         // of the session, with the buyer's e-mail or none
	ofOrder            // of the session, with the buyer's e-mail
	ofAny              // any of these: the id alone tells
)

// personalTables lists what refers to others first. Countries and states stay: taxes depend on them.
func personalTables(d db.Dialect) []personalTable {
	address := d.Without("address", "name", "line1", "line2", "city", "postal_code", "phone")
	return []personalTable{
		{
			table: "returns",
			key:   "id",
			of:    "order_id",
			by:    ofOrder,
			erased: []erasedColumn{
				{"comment", "''"},
				{"reason", "''"},
				{"items", d.WithoutEach("items", "reason")},
			},
		},
		{
			table:  "refunds",
			key:    "id",
			of:     "order_id",
			by:     ofOrder,
			erased: []erasedColumn{{"reason", "''"}},
		},
		{
			table: "labels",
			key:   "order_id",
			of:    "order_id",
			by:    ofOrder,
			erased: []erasedColumn{
				{"pdf", "NULL"},
				{"tracking_number", "''"},
			},
		},
		{
			table:  "sessions",
			key:    "id",
			of:     "id",
			by:     ofSession,
			erased: []erasedColumn{{"location", "''"}},
		},
		{
			// The chain's first form of link has the message itself as content: without it nothing verifies. What was erased by
			// its age loses its client's pseudonym.
			table: "decisions",
			key:   "session_id",
			of:    "session_id",
			by:    ofSession,
			where: "(position IS NULL OR personal <> '') AND (erased_at IS NULL OR client <> '')",
			erased: []erasedColumn{
				{"message", "''"},
				{"client", "''"},
				{"salt", "''"},
			},
			also: "erased_at = COALESCE(erased_at, " + d.Clock + ")",
		},
		{
			table: "outbox",
			of:    "subject",
			by:    ofAny,
			erased: []erasedColumn{{"payload", d.Without("payload", "data.buyer_email", "data.notes", "data.reason",
				"data.shipping_address.name", "data.shipping_address.line1", "data.shipping_address.line2", "data.shipping_address.city",
				"data.shipping_address.postal_code", "data.shipping_address.phone", "data.tracking_number", "data.tracking_url")}},
		},
		{
			table:  "idempotency_keys",
			of:     "subject",
			by:     ofAny,
			erased: []erasedColumn{{"body", "NULL"}},
			also:   "erased = TRUE",
			where:  "status IS NOT NULL",
		},
		{
			table: "checkouts",
			key:   "id",
			of:    "id",
			by:    ofCheckout,
			erased: []erasedColumn{
				{"address", address},
				{"payment", d.Without("payment", "email", "notes", "client")},
				{"client", "''"},
			},
		},
		{
			table: "orders",
			key:   "id",
			of:    "id",
			by:    ofOrder,
			erased: []erasedColumn{
				{"address", address},
				{"email", "''"},
				{"notes", "''"},
				{"fulfillment", d.Without("fulfillment", "tracking_number", "tracking_url")},
			},
		},
	}
}

// alsoPersonal are columns whose rows are removed, or lose the column, by statements of their own: see buyers_copies.go.
var alsoPersonal = []string{"copies.email", "copies.content", "webhook_deliveries.payload"}

// set is what erases a row.
func (p personalTable) set() string {
	text := ""
	for _, c := range p.erased {
		if text != "" {
			text += ", "
		}
		text += c.name + " = " + c.left
	}
	if p.also != "" {
		text += ", " + p.also
	}
	return text
}

// erasures are the stages of closing a project that erase personal data. What has no key is emptied by other stages.
func erasures(d db.Dialect) (stages []closingStage) {
	for _, p := range personalTables(d) {
		if p.key != "" {
			stages = append(stages, closingStage{table: p.table, key: p.key, where: p.where, set: p.set()})
		}
	}
	return stages
}

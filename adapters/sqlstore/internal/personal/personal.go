// Package personal lists the columns that hold personal data of buyers, and how each is erased. It runs no statements:
// packages retention and accounts do.
package personal

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
)

// Table lists the columns of a table that hold personal data of buyers, and how each is erased. Closing a project and
// erasing a buyer both use the list personal. TestMigrations_personalColumnsClassified fails for a column that is
// neither in it nor in notPersonal.
type Table struct {
	Table string
	Key   string // rows are erased in its order when a project is closed
	// Of is the column with the id of the session, checkout or order that a row belongs to; by says which.
	Of string
	By Subject
	// Where narrows the rows that can be erased.
	Where string
	// Erased are columns with their values after erasing.
	Erased []Column
	// also sets other columns with them.
	also string
}

type Column struct{ Name, Left string }

// Subject is the kind of record that a row belongs to.
type Subject int

const (
	OfSession  Subject = iota
	OfCheckout         // of the session, with the buyer's e-mail or none
	OfOrder            // of the session, with the buyer's e-mail
	OfAny              // any of these: the id alone tells
)

// Tables lists tables that refer to others first. Countries and states stay, because taxes depend on them.
func Tables(d db.Dialect) []Table {
	address := d.Without("address", "name", "first", "last", "line1", "line2", "city", "postal_code", "phone")
	return []Table{
		{
			Table: "returns",
			Key:   "id",
			Of:    "order_id",
			By:    OfOrder,
			Erased: []Column{
				{"comment", "''"},
				{"reason", "''"},
				{"items", d.WithoutEach("items", "reason")},
			},
		},
		{
			Table:  "refunds",
			Key:    "id",
			Of:     "order_id",
			By:     OfOrder,
			Erased: []Column{{"reason", "''"}},
		},
		{
			Table:  "disputes",
			Key:    "id",
			Of:     "order_id",
			By:     OfOrder,
			Erased: []Column{{"evidence", "'{}'"}},
		},
		{
			Table:  "order_notes",
			Key:    "id",
			Of:     "order_id",
			By:     OfOrder,
			Erased: []Column{{"text", "''"}},
		},
		{
			Table:  "platform_orders",
			Key:    "order_id",
			Of:     "order_id",
			By:     OfOrder,
			Erased: []Column{{"problem", "''"}},
		},
		{
			Table:  "crm_deals",
			Key:    "order_id",
			Of:     "order_id",
			By:     OfOrder,
			Erased: []Column{{"problem", "''"}},
		},
		{
			Table: "labels",
			Key:   "order_id",
			Of:    "order_id",
			By:    OfOrder,
			Erased: []Column{
				{"pdf", "NULL"},
				{"tracking_number", "''"},
				{"former", "'[]'"},
			},
		},
		{
			Table: "sessions",
			Key:   "id",
			Of:    "id",
			By:    OfSession,
			Erased: []Column{
				{"location", "''"},
				{"agent_profile", "''"},
				{"buyer_first", "''"},
				{"buyer_last", "''"},
				{"buyer_email", "''"},
				{"buyer_phone", "''"},
			},
		},
		{
			// The chain's first form of link has the message itself as content: without it the chain does not verify. A
			// decision that was erased because of its age loses its client's pseudonym.
			Table: "decisions",
			Key:   "session_id",
			Of:    "session_id",
			By:    OfSession,
			Where: "(position IS NULL OR personal <> '') AND (erased_at IS NULL OR client <> '')",
			Erased: []Column{
				{"message", "''"},
				{"client", "''"},
				{"salt", "''"},
			},
			also: "erased_at = COALESCE(erased_at, " + d.Clock + ")",
		},
		{
			Table: "outbox",
			Of:    "subject",
			By:    OfAny,
			Erased: []Column{{"payload", d.Without("payload", "data.buyer_email", "data.notes", "data.reason",
				"data.shipping_address.name", "data.shipping_address.first_name", "data.shipping_address.last_name", "data.shipping_address.line1", "data.shipping_address.line2", "data.shipping_address.city",
				"data.shipping_address.postal_code", "data.shipping_address.phone", "data.tracking_number", "data.tracking_url")},
				{"hook", "''"}},
		},
		{
			Table:  "idempotency_keys",
			Of:     "subject",
			By:     OfAny,
			Erased: []Column{{"body", "NULL"}},
			also:   "erased = TRUE",
			Where:  "status IS NOT NULL",
		},
		{
			Table: "checkouts",
			Key:   "id",
			Of:    "id",
			By:    OfCheckout,
			Erased: []Column{
				{"address", address},
				{"buyer", "'{}'"},
				{"payment", d.Without("payment", "email", "notes", "client")},
				{"client", "''"},
				{"agent_profile", "''"},
				{"hook_url", "''"},
			},
		},
		{
			Table: "orders",
			Key:   "id",
			Of:    "id",
			By:    OfOrder,
			Erased: []Column{
				{"address", address},
				{"email", "''"},
				{"notes", "''"},
				{"fulfillment", d.Without("fulfillment", "tracking_number", "tracking_url")},
				{"agent_profile", "''"},
				{"hook_url", "''"},
			},
		},
	}
}

// AlsoPersonal are columns whose rows are removed, or lose the column, by statements of their own: see buyers_copies.go.
var AlsoPersonal = []string{"copies.email", "copies.content", "webhook_deliveries.payload"}

// Set is the assignment that erases a row.
func (p Table) Set() string {
	text := ""
	for _, c := range p.Erased {
		if text != "" {
			text += ", "
		}
		text += c.Name + " = " + c.Left
	}
	if p.also != "" {
		text += ", " + p.also
	}
	return text
}

package haggling

import (
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// Decisions reads and seals the decision record.
type Decisions struct{ Store *db.DB }

var (
	_ ports.Decisions = Decisions{}
	_ ports.Sealer    = Decisions{}
)

var (
	selectDecisions = `
SELECT ` + decidedColumns + fromDecisions

	decidedColumns = EntryColumns + ", position, hash, prior, personal, salt, erased_at"

	fromDecisions = `
FROM decisions
WHERE project_id = $1`

	SelectSealed = selectDecisions + `
  AND position >= $2
ORDER BY position
LIMIT $3`

	SelectChain = `
SELECT position, hash
FROM decision_chains
WHERE project_id = $1`

	selectHead = `
SELECT position, hash, folded, folded_hash, folded_until, seal
FROM decision_chains
WHERE project_id = $1`

	countUnsealed = "SELECT count(*) AS n" + fromDecisions + `
  AND position IS NULL`
)

const newestDecisions = "at DESC, session_id DESC, seq DESC"

type DecidedRow struct {
	Entry    db.Decoded[EntryRow]
	Position int64 `db:",null"`
	Hash     string
	Prior    string
	Personal string
	Salt     string
	ErasedAt time.Time `db:",null"`
}

func fromDecidedRow(r DecidedRow) (negotiation.Link, error) {
	if r.Entry.Err != nil {
		return negotiation.Link{}, r.Entry.Err
	}
	return negotiation.Link{
		Entry:    FromEntryRow(r.Entry.Value),
		Position: r.Position,
		Hash:     r.Hash,
		Prior:    r.Prior,
		Personal: r.Personal,
		Salt:     r.Salt,
		Erased:   !r.ErasedAt.IsZero(),
	}, nil
}

func (v Decisions) Decisions(ctx context.Context, project id.Project, f ports.DecisionFilter, page ports.Page) ([]negotiation.Link, int, error) {
	rows, total, err := db.Page[DecidedRow](ctx, v.Store.Read(project), decidedColumns, fromDecisions, decisionsWhere(project, f), newestDecisions, page)
	list := make([]negotiation.Link, len(rows))
	for i, r := range rows {
		if list[i], err = fromDecidedRow(r); err != nil {
			return nil, 0, err
		}
	}
	return list, total, err
}

// sessionsOfQuote is completed by the quote. A quote that was removed is looked up in the decisions, which are kept
// longer and were sealed before its removal.
const sessionsOfQuote = `
    SELECT session_id FROM quotes WHERE project_id = $1 AND id = %[1]s
    UNION ALL
    SELECT session_id FROM decisions
    WHERE project_id = $1 AND quote_id = %[1]s AND position IS NOT NULL AND NOT EXISTS (SELECT 1 FROM quotes WHERE project_id = $1 AND id = %[1]s)
  `

// decisionsWhere is the filter's conditions. A quote is one session's, by which its decisions are found.
func decisionsWhere(project id.Project, f ports.DecisionFilter) db.Conditions {
	w := db.Conditions{Args: db.Args{project}}
	w.Equal("agent_id", f.Agent)
	w.Equal("session_id", f.Session)
	w.Equal("product_id", f.Product)
	w.Equal("response", f.Outcome)
	w.Equal("rule", f.Rule)
	if !f.Order.IsZero() {
		w.Text += "\n  AND session_id = (SELECT session_id FROM orders WHERE project_id = $1 AND id = " + w.Args.Add(f.Order) + ")"
	}
	if !f.Quote.IsZero() {
		quote := w.Args.Add(f.Quote)
		w.Text += "\n  AND quote_id = " + quote + "\n  AND session_id IN (" + fmt.Sprintf(sessionsOfQuote, quote) + ")"
	}
	w.During("at", f.From, f.To)
	return w
}

type ChainRow struct {
	Position int64
	Hash     string
}

func (v Decisions) Head(ctx context.Context, project id.Project) (ports.ChainHead, error) {
	var chain *struct {
		ChainRow
		CheckpointRow
		Seal string `db:",null"`
	}
	var unsealed int
	b := v.Store.Read(project)
	b.Query(&chain, selectHead, project)
	b.Query(&unsealed, countUnsealed, project)
	if err := b.Run(ctx); err != nil {
		return ports.ChainHead{}, err
	}
	if chain == nil {
		return ports.ChainHead{}, db.MissingProject()
	}
	return ports.ChainHead{
		Position:   chain.Position,
		Hash:       chain.Hash,
		Unsealed:   unsealed,
		Checkpoint: chain.Checkpoint(),
		Seal:       chain.Seal,
	}, nil
}

func (v Decisions) Sealed(ctx context.Context, project id.Project, from int64, limit int) ([]negotiation.Link, error) {
	rows, err := db.All[DecidedRow](ctx, v.Store.Read(project), SelectSealed, project, max(from, 1), limit)
	return SealedOf(rows), err
}

// SealedOf reads links of the chain.
func SealedOf(rows []DecidedRow) []negotiation.Link {
	list := make([]negotiation.Link, len(rows))
	for i, r := range rows {
		// A row that cannot be read was not written by this store: without its entry it shows as broken.
		if d, err := fromDecidedRow(r); err == nil {
			list[i] = d
		} else {
			list[i] = negotiation.Link{
				Position: r.Position,
				Hash:     r.Hash,
				Prior:    r.Prior,
			}
		}
	}
	return list
}

const selectCheckpoints = `
SELECT project_id, folded, folded_hash, folded_until, seal
FROM decision_chains
ORDER BY project_id`

type CheckpointRow struct {
	Folded      int64
	FoldedHash  string
	FoldedUntil int64
}

func (r CheckpointRow) Checkpoint() negotiation.Checkpoint {
	if r == (CheckpointRow{}) {
		return negotiation.Checkpoint{}
	}
	return negotiation.Checkpoint{
		ChainEnd: negotiation.ChainEnd{Position: r.Folded, Hash: r.FoldedHash},
		Until:    db.Time(r.FoldedUntil),
	}
}

// Checkpoints lists the checkpoints of all projects.
func (v Decisions) Checkpoints(ctx context.Context) ([]ports.SealedCheckpoint, error) {
	type row struct {
		Project id.Project
		CheckpointRow
		Seal []byte
	}
	rows, err := db.All[row](ctx, v.Store.Read(db.AnyProject), selectCheckpoints)
	list := make([]ports.SealedCheckpoint, len(rows))
	for i, r := range rows {
		list[i] = ports.SealedCheckpoint{
			Project:    r.Project,
			Checkpoint: r.Checkpoint(),
			Seal:       r.Seal,
		}
	}
	return list, err
}

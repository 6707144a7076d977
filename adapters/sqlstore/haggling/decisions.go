package haggling

import (
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/spelling"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// Decisions is the store's view of the decision record.
type Decisions struct{ store *db.DB }

var (
	_ ports.Decisions = Decisions{}
	_ ports.Sealer    = Decisions{}
)

// NewDecisions returns a view that reads and seals the decision record.
func NewDecisions(s *db.DB) Decisions { return Decisions{s} }

var (
	selectDecisions = `
SELECT ` + EntryColumns + `, position, hash, prior, personal, salt, erased_at
FROM decisions
WHERE project_id = $1`

	newestDecisions = `
ORDER BY at DESC, session_id DESC, seq DESC
LIMIT `

	countDecisions = `
SELECT count(*) AS n
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

	countUnsealed = countDecisions + `
  AND position IS NULL`
)

type DecidedRow struct {
	EntryRow
	Position *int64
	Hash     string
	Prior    string
	Personal string
	Salt     string
	ErasedAt *int64 `db:"erased_at"`
}

func fromDecidedRow(r DecidedRow) (negotiation.Link, error) {
	entry, err := FromEntryRow(r.EntryRow)
	d := negotiation.Link{
		Entry:    entry,
		Hash:     r.Hash,
		Prior:    r.Prior,
		Personal: r.Personal,
		Salt:     r.Salt,
		Erased:   r.ErasedAt != nil,
	}
	if r.Position != nil {
		d.Position = *r.Position
	}
	return d, err
}

func FromDecidedRows(rows []DecidedRow) ([]negotiation.Link, error) {
	list := make([]negotiation.Link, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = fromDecidedRow(r); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (v Decisions) Decisions(ctx context.Context, project id.Project, f ports.DecisionFilter, page ports.Page) ([]negotiation.Link, int, error) {
	args := db.Args{project.String()}
	where := decisionsWhere(f, &args)
	count := args
	newest := newestDecisions + args.Add(page.Limit) + " OFFSET " + args.Add(page.Offset)
	var rows []DecidedRow
	var total []db.CountRow
	b := v.store.Read(project)
	b.Query(&total, countDecisions+where, count...)
	b.Query(&rows, selectDecisions+where+newest, args...)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	list, err := FromDecidedRows(rows)
	return list, total[0].N, err
}

// sessionsOfQuote is completed by the quote. One that is gone is looked for in the decisions, which are kept for longer and
// were sealed before it went.
const sessionsOfQuote = `
    SELECT session_id FROM quotes WHERE project_id = $1 AND id = %[1]s
    UNION ALL
    SELECT session_id FROM decisions
    WHERE project_id = $1 AND quote_id = %[1]s AND position IS NOT NULL AND NOT EXISTS (SELECT 1 FROM quotes WHERE project_id = $1 AND id = %[1]s)
  `

// decisionsWhere is the filter's conditions. A quote is one session's, by which its decisions are found.
func decisionsWhere(f ports.DecisionFilter, args *db.Args) (where string) {
	equal := func(column, value string) {
		if value != "" {
			where += "\n  AND " + column + " = " + args.Add(value)
		}
	}
	equal("agent_id", f.Agent.String())
	equal("session_id", f.Session.String())
	equal("product_id", f.Product.String())
	equal("response", spelling.Outcomes[f.Outcome])
	equal("rule", f.Rule.String())
	if !f.Order.IsZero() {
		where += "\n  AND session_id = (SELECT session_id FROM orders WHERE project_id = $1 AND id = " + args.Add(f.Order.String()) + ")"
	}
	if !f.Quote.IsZero() {
		quote := args.Add(f.Quote.String())
		where += "\n  AND quote_id = " + quote +
			"\n  AND session_id IN (" + fmt.Sprintf(sessionsOfQuote, quote) + ")"
	}
	at := func(condition string, t time.Time) {
		if !t.IsZero() {
			where += "\n  AND at " + condition + " " + args.Add(db.Millis(t))
		}
	}
	at(">=", f.From)
	at("<", f.To)
	return where
}

type ChainRow struct {
	Position int64
	Hash     string
}

func (v Decisions) Head(ctx context.Context, project id.Project) (ports.ChainHead, error) {
	var chains []struct {
		ChainRow
		CheckpointRow
		Seal []byte
	}
	var unsealed []db.CountRow
	b := v.store.Read(project)
	b.Query(&chains, selectHead, project.String())
	b.Query(&unsealed, countUnsealed, project.String())
	if err := b.Run(ctx); err != nil {
		return ports.ChainHead{}, err
	}
	if len(chains) == 0 {
		return ports.ChainHead{}, db.MissingProject()
	}
	return ports.ChainHead{
		Position:   chains[0].Position,
		Hash:       chains[0].Hash,
		Unsealed:   unsealed[0].N,
		Checkpoint: chains[0].Checkpoint(),
		Seal:       string(chains[0].Seal),
	}, nil
}

func (v Decisions) Sealed(ctx context.Context, project id.Project, from int64, limit int) ([]negotiation.Link, error) {
	var rows []DecidedRow
	b := v.store.Read(project)
	b.Query(&rows, SelectSealed, project.String(), max(from, 1), limit)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return SealedOf(rows), nil
}

// SealedOf reads links of the chain.
func SealedOf(rows []DecidedRow) []negotiation.Link {
	list := make([]negotiation.Link, len(rows))
	for i, r := range rows {
		// A row that cannot be read was not written by this store: without its entry it shows as broken.
		if d, err := fromDecidedRow(r); err == nil {
			list[i] = d
		} else if r.Position != nil {
			list[i] = negotiation.Link{Position: *r.Position, Hash: r.Hash, Prior: r.Prior}
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
	FoldedHash  string `db:"folded_hash"`
	FoldedUntil int64  `db:"folded_until"`
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
	var rows []struct {
		ProjectID string `db:"project_id"`
		CheckpointRow
		Seal []byte
	}
	b := v.store.Read(db.AnyProject)
	b.Query(&rows, selectCheckpoints)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	list := make([]ports.SealedCheckpoint, len(rows))
	for i, r := range rows {
		list[i] = ports.SealedCheckpoint{Project: id.Stored[id.Project](r.ProjectID), Checkpoint: r.Checkpoint(), Seal: r.Seal}
	}
	return list, nil
}

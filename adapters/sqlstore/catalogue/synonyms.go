package catalogue

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Synonyms is the store's view of what means the same.
type Synonyms struct{ store *db.DB }

var _ ports.Synonyms = Synonyms{}

// NewSynonyms returns a view that keeps those of projects.
func NewSynonyms(s *db.DB) Synonyms { return Synonyms{s} }

const (
	// writeSynonyms locks the project's row as openCatalogue does, so that nobody else counts or writes
	// synonyms until the transaction ends.
	writeSynonyms = `
UPDATE projects
SET catalog_version = catalog_version + 1, synonyms_version = catalog_version + 1
WHERE id = $1` + db.ActiveOnly + `
RETURNING ` + db.PlanOfProject + ` AS plan`

	selectSynonyms = `
SELECT project_id, id, input, words, created_at, updated_at
FROM synonyms
WHERE project_id = $1`

	asSynonymsWereMade = `
ORDER BY created_at, id`

	countSynonyms = `
SELECT count(*) AS n
FROM synonyms
WHERE project_id = $1`

	insertSynonyms = `
INSERT INTO synonyms (project_id, id, input, words, created_at, updated_at)
VALUES `

	updateSynonym = `
UPDATE synonyms
SET input = $3, words = $4, updated_at = $5
WHERE project_id = $1
  AND id = $2`

	deleteSynonyms = `
DELETE FROM synonyms
WHERE project_id = $1`

	andThisOne = `
  AND id = $2`
)

func missingSynonym() *fault.Error { return fault.Missing("synonym") }

type synonymRow struct {
	ProjectID string `db:"project_id"`
	ID        string
	Input     string
	Words     string
	CreatedAt int64 `db:"created_at"`
	UpdatedAt int64 `db:"updated_at"`
}

func toSynonymValues(of id.Project, s *catalog.Synonym) ([]any, error) {
	words, err := db.ToJSON(s.Words)
	return []any{of.String(), s.ID.String(), s.Input, words, db.Millis(s.CreatedAt), db.Millis(s.UpdatedAt)}, err
}

func fromSynonymRow(r synonymRow) (catalog.Synonym, error) {
	s := catalog.Synonym{
		ID: id.Stored[id.Synonym](r.ID), Project: id.Stored[id.Project](r.ProjectID), Input: r.Input,
		CreatedAt: db.Time(r.CreatedAt), UpdatedAt: db.Time(r.UpdatedAt),
	}
	return s, db.FromJSON(r.Words, &s.Words)
}

func fromSynonymRows(rows []synonymRow) ([]catalog.Synonym, error) {
	list := make([]catalog.Synonym, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = fromSynonymRow(r); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// write runs work, which is given the plan, in a transaction that writes a project's synonyms.
func (v Synonyms) write(ctx context.Context, of id.Project, work func(t *db.Tx, plan string) error) error {
	return v.store.InTx(ctx, of, func(t *db.Tx) error {
		var plan string
		found, err := t.Get(ctx, &plan, writeSynonyms, of.String())
		switch {
		case err != nil:
			return err
		case !found:
			return db.MissingProject()
		}
		return work(t, plan)
	})
}

// admitSynonyms refuses more synonyms than the plan allows.
func admitSynonyms(ctx context.Context, t *db.Tx, of id.Project, name string) error {
	plan, limits, err := t.Dialect.Limits(name)
	if err != nil {
		return err
	}
	var n int
	if _, err := t.Get(ctx, &n, countSynonyms, of.String()); err != nil {
		return err
	}
	if n > limits.Synonyms {
		return plan.Full(limits.Synonyms, "synonyms", "a project")
	}
	return nil
}

func (v Synonyms) Create(ctx context.Context, s *catalog.Synonym) error {
	values, err := toSynonymValues(s.Project, s)
	if err != nil {
		return err
	}
	return v.write(ctx, s.Project, func(t *db.Tx, plan string) error {
		if err := t.Insert(ctx, insertSynonyms, [][]any{values}, ""); err != nil {
			return err
		}
		return admitSynonyms(ctx, t, s.Project, plan)
	})
}

func (v Synonyms) Get(ctx context.Context, of id.Project, wanted id.Synonym) (*catalog.Synonym, error) {
	var rows []synonymRow
	b := v.store.Read(of)
	b.Query(&rows, selectSynonyms+andThisOne, of.String(), wanted.String())
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, missingSynonym()
	}
	s, err := fromSynonymRow(rows[0])
	if err != nil {
		return nil, err
	}
	return &s, nil
}

func (v Synonyms) List(ctx context.Context, of id.Project, page ports.Page) ([]*catalog.Synonym, int, error) {
	var rows []synonymRow
	var total []db.CountRow
	b := v.store.Read(of)
	b.Query(&total, countSynonyms, of.String())
	b.Query(&rows, selectSynonyms+asSynonymsWereMade+"\nLIMIT $2 OFFSET $3", of.String(), page.Limit, page.Offset)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	found, err := fromSynonymRows(rows)
	if err != nil {
		return nil, 0, err
	}
	list := make([]*catalog.Synonym, len(found))
	for i := range found {
		list[i] = &found[i]
	}
	return list, total[0].N, nil
}

func (v Synonyms) Update(ctx context.Context, of id.Project, wanted id.Synonym, change func(*catalog.Synonym) error) (*catalog.Synonym, error) {
	var changed catalog.Synonym
	err := v.write(ctx, of, func(t *db.Tx, _ string) error {
		var r synonymRow
		found, err := t.Get(ctx, &r, selectSynonyms+andThisOne, of.String(), wanted.String())
		if err != nil {
			return err
		}
		if !found {
			return missingSynonym()
		}
		if changed, err = fromSynonymRow(r); err != nil {
			return err
		}
		if err := change(&changed); err != nil {
			return err
		}
		words, err := db.ToJSON(changed.Words)
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, updateSynonym, of.String(), wanted.String(), changed.Input, words, db.Millis(changed.UpdatedAt))
		return err
	})
	if err != nil {
		return nil, err
	}
	return &changed, nil
}

func (v Synonyms) Delete(ctx context.Context, of id.Project, wanted id.Synonym) error {
	return v.write(ctx, of, func(t *db.Tx, _ string) error {
		rows, err := t.Exec(ctx, deleteSynonyms+andThisOne, of.String(), wanted.String())
		if err == nil && rows == 0 {
			return missingSynonym()
		}
		return err
	})
}

func (v Synonyms) Replace(ctx context.Context, of id.Project, all []*catalog.Synonym) error {
	rows := make([][]any, len(all))
	for i, s := range all {
		var err error
		if rows[i], err = toSynonymValues(of, s); err != nil {
			return err
		}
	}
	return v.write(ctx, of, func(t *db.Tx, plan string) error {
		if _, err := t.Exec(ctx, deleteSynonyms, of.String()); err != nil {
			return err
		}
		if err := t.Insert(ctx, insertSynonyms, rows, ""); err != nil {
			return err
		}
		return admitSynonyms(ctx, t, of, plan)
	})
}

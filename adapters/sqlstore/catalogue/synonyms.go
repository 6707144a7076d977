package catalogue

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Synonyms stores the synonyms of projects.
type Synonyms struct{ Store *db.DB }

var _ ports.Synonyms = Synonyms{}

const (
	// writeSynonyms locks the project's row as openCatalogue does, so that no other transaction counts or writes
	// synonyms until this one ends.
	writeSynonyms = `
UPDATE projects
SET catalog_version = catalog_version + 1, synonyms_version = catalog_version + 1
WHERE id = $1` + db.ActiveOnly + `
RETURNING ` + db.PlanOfProject + ` AS plan`

	ofProject = `
FROM synonyms
WHERE project_id = $1`

	asSynonymsWereMade = "created_at, id"

	deleteSynonyms = `
DELETE FROM synonyms
WHERE project_id = $1`

	andThisOne = `
  AND id = $2`
)

var (
	synonyms = db.NewTable[catalog.Synonym]("synonyms", db.Columns{"Words": ",json"})

	insertSynonyms = "INSERT INTO synonyms (" + synonyms.Columns() + ")\nVALUES "
	updateSynonym  = synonyms.Update([]string{"project_id", "id"}, "input", "words", "updated_at")
)

// change runs work, which is given the plan, in a transaction that writes a project's synonyms.
func (v Synonyms) change(ctx context.Context, of id.Project, work func(t *db.Tx, plan string) error) error {
	return v.Store.InTx(ctx, of, func(t *db.Tx) error {
		t.Wrote(of)
		var plan string
		found, err := t.Get(ctx, &plan, writeSynonyms, of)
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
	if _, err := t.Get(ctx, &n, "SELECT count(*)"+ofProject, of); err != nil {
		return err
	}
	if n > limits.Synonyms {
		return plan.Full(limits.Synonyms, "synonyms", "a project")
	}
	return nil
}

func (v Synonyms) Create(ctx context.Context, s *catalog.Synonym) error {
	return v.change(ctx, s.Project, func(t *db.Tx, plan string) error {
		if _, err := t.Exec(ctx, synonyms.Insert(), synonyms.Args(*s)...); err != nil {
			return err
		}
		return admitSynonyms(ctx, t, s.Project, plan)
	})
}

func (v Synonyms) Get(ctx context.Context, of id.Project, wanted id.Synonym) (*catalog.Synonym, error) {
	return oneSynonym(ctx, v.Store.Read(of), of, wanted)
}

func oneSynonym(ctx context.Context, from db.Source, of id.Project, wanted id.Synonym) (*catalog.Synonym, error) {
	return db.One[catalog.Synonym](ctx, from, "synonym", "SELECT "+synonyms.Columns()+ofProject+andThisOne, of, wanted)
}

func (v Synonyms) List(ctx context.Context, of id.Project, page ports.Page) ([]*catalog.Synonym, int, error) {
	w := db.Conditions{Args: db.Args{of}}
	return db.Page[*catalog.Synonym](ctx, v.Store.Read(of), synonyms.Columns(), ofProject, w, asSynonymsWereMade, page)
}

func (v Synonyms) Update(ctx context.Context, of id.Project, wanted id.Synonym, change func(*catalog.Synonym) error) (*catalog.Synonym, error) {
	var changed *catalog.Synonym
	err := v.change(ctx, of, func(t *db.Tx, _ string) (err error) {
		if changed, err = oneSynonym(ctx, t, of, wanted); err != nil {
			return err
		}
		if err := change(changed); err != nil {
			return err
		}
		_, err = t.Exec(ctx, updateSynonym.Text, updateSynonym.Args(*changed)...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

func (v Synonyms) Delete(ctx context.Context, of id.Project, wanted id.Synonym) error {
	return v.change(ctx, of, func(t *db.Tx, _ string) error {
		rows, err := t.Exec(ctx, deleteSynonyms+andThisOne, of, wanted)
		if err == nil && rows == 0 {
			return fault.Missing("synonym")
		}
		return err
	})
}

func (v Synonyms) Replace(ctx context.Context, of id.Project, all []*catalog.Synonym) error {
	rows := make([][]any, len(all))
	for i, s := range all {
		one := *s
		one.Project = of
		rows[i] = synonyms.Args(one)
	}
	return v.change(ctx, of, func(t *db.Tx, plan string) error {
		if _, err := t.Exec(ctx, deleteSynonyms, of); err != nil {
			return err
		}
		if err := t.Insert(ctx, insertSynonyms, rows, ""); err != nil {
			return err
		}
		return admitSynonyms(ctx, t, of, plan)
	})
}

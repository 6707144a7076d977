package accounts

import (
	"context"
	"fmt"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
)

const (
	// slugOfAnother is completed by the database's clock.
	slugOfAnother = `
SELECT EXISTS (
  SELECT 1
  FROM released_slugs
  WHERE slug = $1
    AND account_id <> $2
    AND released_at > %s - $3
)`

	takeSlug = `
DELETE FROM released_slugs
WHERE slug = $1`

	// releaseSlug is completed by the database's clock.
	releaseSlug = `
INSERT INTO released_slugs (slug, account_id, released_at)
VALUES ($1, $2, %s)
ON CONFLICT (slug) DO UPDATE
SET account_id = excluded.account_id, released_at = excluded.released_at`

	dropOldestSlugs = `
DELETE FROM released_slugs
WHERE slug IN (
  SELECT slug
  FROM released_slugs
  WHERE account_id = $1
  ORDER BY released_at DESC, slug
  LIMIT $2 OFFSET $2
)`

	// forgetSlugs is completed by the database's clock.
	forgetSlugs = `
DELETE FROM released_slugs
WHERE slug IN (
  SELECT slug
  FROM released_slugs
  WHERE released_at <= %s - $1
  ORDER BY released_at
  LIMIT $2
)`
)

// claimSlug refuses a slug that another account released recently. It must run after the INSERT or UPDATE of the project: the
// unique index makes that statement wait for a transaction that is releasing the slug.
func claimSlug(ctx context.Context, t *db.Tx, slug string, by id.Account) error {
	var kept bool
	_, err := t.Get(ctx, &kept, fmt.Sprintf(slugOfAnother, t.Dialect.Moment()), slug, by, project.SlugKept.Milliseconds())
	if err != nil {
		return err
	}
	if kept {
		return db.SlugTaken()
	}
	_, err = t.Exec(ctx, takeSlug, slug)
	return err
}

// freeSlug reserves a released slug for the account whose project had it.
func freeSlug(ctx context.Context, t *db.Tx, slug string, by id.Account) error {
	if _, err := t.Exec(ctx, fmt.Sprintf(releaseSlug, t.Dialect.Moment()), slug, by); err != nil {
		return err
	}
	_, err := t.Exec(ctx, dropOldestSlugs, by, project.MostSlugsKept)
	return err
}

// slugsAtOnce is the number of slugs that a statement deletes.
const slugsAtOnce = 500

// ForgetSlugs frees expired released slugs.
func ForgetSlugs(ctx context.Context, s *db.DB) error {
	for {
		var rows int64
		err := s.InTx(ctx, db.NoProject, func(t *db.Tx) (err error) {
			rows, err = t.Exec(ctx, fmt.Sprintf(forgetSlugs, t.Dialect.Moment()), project.SlugKept.Milliseconds(), slugsAtOnce)
			return err
		})
		if err != nil || rows < slugsAtOnce {
			return err
		}
	}
}

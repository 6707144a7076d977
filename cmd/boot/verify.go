package boot

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/vault"
	"github.com/haggle-commerce/haggle/app/checkpoint"
)

// between is the pause between two looks at what is under way.
const between = 200 * time.Millisecond

// longestLook is how long one look over all that a database has may take.
const longestLook = 10 * time.Minute

// Verify checks the invariants over a database, which a server may be using, and against the ledger of
// a provider's look-alike, if its URL is given. While payments are under way it waits, but no longer than
// wait. It changes nothing: the schema is not migrated.
func Verify(ctx context.Context, c Config, provider string, wait time.Duration) (sqlstore.Verification, error) {
	if err := c.Check(); err != nil {
		return sqlstore.Verification{}, err
	}
	if path, ok := strings.CutPrefix(c.DatabaseURL, "sqlite://"); ok {
		if _, err := os.Stat(path); err != nil {
			return sqlstore.Verification{}, err // opening would make it
		}
	}
	store, err := sqlstore.Open(ctx, sqlstore.Config{URL: c.DatabaseURL, Statement: longestLook})
	if err != nil {
		return sqlstore.Verification{}, err
	}
	defer store.Close()
	if err := store.SchemaCurrent(ctx); err != nil {
		return sqlstore.Verification{}, err
	}
	seals, err := vault.New(c.masterKeys()...)
	if err != nil {
		return sqlstore.Verification{}, fmt.Errorf("HAGGLE_MASTER_KEY: %w", err)
	}
	v, err := settled(ctx, store, wait)
	if err != nil {
		return v, err
	}
	sealed, err := checkCheckpoints(ctx, store, seals)
	v.Invariants = append(v.Invariants, sealed)
	if err != nil || provider == "" {
		return v, err
	}
	compared, err := compare(ctx, store, provider)
	v.Invariants = append(v.Invariants, compared)
	return v, err
}

// checkCheckpoints checks the seals of all checkpoints: the other invariants take the decisions before them for removed.
func checkCheckpoints(ctx context.Context, store *sqlstore.Store, seals *vault.Vault) (sqlstore.Invariant, error) {
	found := sqlstore.Invariant{Holds: "checkpoints of decision chains are as they were sealed with HAGGLE_MASTER_KEY"}
	list, err := store.Decisions().Checkpoints(ctx)
	for _, c := range list {
		found.Checked++
		if !(checkpoint.Seals{Vault: seals, Project: c.Project}).Sound(c.Checkpoint, c.Seal) {
			found.Broken = append(found.Broken, sqlstore.Violation{
				Project: c.Project.String(),
				Subject: c.Project.String(),
				Says:    fmt.Sprintf("the checkpoint at %d of its chain is not as it was sealed", c.Checkpoint.Position),
			})
		}
	}
	return found, err
}

// settled looks when nothing is under way, or the wait is over. What begins between the two looks is waited for too.
func settled(ctx context.Context, store *sqlstore.Store, wait time.Duration) (v sqlstore.Verification, err error) {
	for until := time.Now().Add(wait); ; {
		n, err := store.Undecided(ctx)
		if err != nil {
			return v, err
		}
		last := !time.Now().Before(until)
		if n == 0 || last {
			now, err := store.Now(ctx)
			if err != nil {
				return v, err
			}
			if v, err = store.Verify(ctx, now); err != nil || v.Undecided == 0 || last {
				return v, err
			}
		}
		select {
		case <-ctx.Done():
			return v, ctx.Err()
		case <-time.After(between):
		}
	}
}

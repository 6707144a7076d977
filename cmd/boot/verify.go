package boot

import (
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/verify"
	"github.com/haggle-commerce/haggle/adapters/vault"
	"github.com/haggle-commerce/haggle/app/checkpoint"
	"github.com/haggle-commerce/haggle/domain/id"
)

// settlePause is the pause between two checks for payments under way.
const settlePause = 200 * time.Millisecond

// verifyTimeout limits a statement of a verification, which may read all of the database.
const verifyTimeout = 10 * time.Minute

// Verify checks the invariants of a database, which a server may be using, and compares it with the ledger of a simulated
// payment provider if its URL is given. While payments are under way it waits, but no longer than wait. It changes nothing and
// does not migrate the schema. checked, if not nil, is called with the number of checked invariants.
func Verify(ctx context.Context, c Config, provider string, wait time.Duration, checked func(done, of int)) (verify.Verification, error) {
	if err := c.Check(); err != nil {
		return verify.Verification{}, err
	}
	if err := ExistingFile(c.DatabaseURL); err != nil {
		return verify.Verification{}, err
	}
	pooler, err := c.pooler()
	if err != nil {
		return verify.Verification{}, err
	}
	store, err := sqlstore.Open(ctx, sqlstore.Config{
		URL:        c.DatabaseURL,
		Pooler:     pooler,
		Statement:  verifyTimeout,
		AllowNewer: c.AllowNewer,
	})
	if err != nil {
		return verify.Verification{}, c.explain("cannot open the database", err)
	}
	defer store.Close()
	if err := store.SchemaCurrent(ctx); err != nil {
		return verify.Verification{}, err
	}
	if err := store.SchemaKnown(ctx); err != nil {
		return verify.Verification{}, err
	}
	seals, err := vault.New(c.masterKeys()...)
	if err != nil {
		return verify.Verification{}, fmt.Errorf("HAGGLE_MASTER_KEY: %w", err)
	}
	v, err := verifyWhenSettled(ctx, store, wait, checked)
	if err != nil {
		return v, err
	}
	sealed, err := checkSeals(ctx, store, seals)
	v.Invariants = append(v.Invariants, sealed)
	if err != nil || provider == "" {
		return v, err
	}
	compared, err := compare(ctx, store, provider)
	v.Invariants = append(v.Invariants, compared)
	return v, err
}

// checkSeals checks the seals of all checkpoints, and of the times up to which sessions and events were removed. The other
// invariants assume that older records were removed.
func checkSeals(ctx context.Context, store *sqlstore.Store, seals *vault.Vault) (verify.Invariant, error) {
	found := verify.Invariant{Holds: "the records of removed data match their seals (HAGGLE_MASTER_KEY)"}
	check := func(of id.Project, sound bool, says string) {
		found.Checked++
		if !sound {
			found.Broken = append(found.Broken, verify.Violation{
				Project: of.String(),
				Subject: of.String(),
				Says:    says,
			})
		}
	}
	checkpoints, err := store.Decisions().Checkpoints(ctx)
	if err != nil {
		return found, err
	}
	for _, c := range checkpoints {
		sound := checkpoint.Seals{Vault: seals, Project: c.Project}.Sound(c.Checkpoint.Text(), c.Seal)
		check(c.Project, sound, fmt.Sprintf("the checkpoint at decision %d does not match its seal", c.Checkpoint.Position))
	}
	removed, err := store.Retention().Removed(ctx)
	for _, r := range removed {
		sound := checkpoint.Seals{Vault: seals, Project: r.Project}.Sound(r.Removed.Text(), r.Seal)
		check(r.Project, sound, "the time up to which sessions and events were removed does not match its seal")
	}
	return found, err
}

// verifyWhenSettled verifies the store when no payment is under way, or when the wait is over. If a payment began in between,
// it waits and verifies again.
func verifyWhenSettled(ctx context.Context, store *sqlstore.Store, wait time.Duration, checked func(done, of int)) (v verify.Verification, err error) {
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
			if v, err = store.Verify(ctx, now, checked); err != nil || v.Undecided == 0 || last {
				return v, err
			}
		}
		select {
		case <-ctx.Done():
			return v, ctx.Err()
		case <-time.After(settlePause):
		}
	}
}

package accounts

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Authenticators is the store's view of what accounts prove themselves with.
type Authenticators struct{ store *db.DB }

// Tries is the store's view of wrong codes.
type Tries struct{ store *db.DB }

var (
	_ ports.Authenticators           = Authenticators{}
	_ ports.Sealed[id.Authenticator] = Authenticators{}
	_ ports.Tries                    = Tries{}
)

// NewAuthenticators returns a view that keeps authenticators and recovery codes.
func NewAuthenticators(s *db.DB) Authenticators { return Authenticators{s} }

// NewTries returns a view that counts wrong codes, outside of the unit that s may be a view of.
func NewTries(s *db.DB) Tries {
	return Tries{s.OutsideRequest()}
}

const (
	selectAuthenticators = `
SELECT id, account_id, secret, last_step, created_at, activated_at
FROM authenticators
WHERE account_id = $1`

	selectRecoveryCodes = `
SELECT authenticator_id, hash, used
FROM recovery_codes
WHERE authenticator_id IN (SELECT id FROM authenticators WHERE account_id = $1)
ORDER BY hash`

	insertAuthenticator = `
INSERT INTO authenticators (id, account_id, secret, last_step, created_at, activated_at)
VALUES ($1, $2, $3, $4, $5, $6)`

	insertRecoveryCode = `
INSERT INTO recovery_codes (authenticator_id, hash, used)
VALUES ($1, $2, FALSE)`

	activateAuthenticator = `
UPDATE authenticators
SET last_step = $2, activated_at = $3
WHERE id = $1
  AND activated_at IS NULL`

	spendStep = `
UPDATE authenticators
SET last_step = $2
WHERE id = $1
  AND activated_at IS NOT NULL
  AND last_step < $2`

	spendRecoveryCode = `
UPDATE recovery_codes
SET used = TRUE
WHERE authenticator_id = $1
  AND hash = $2
  AND NOT used
  AND EXISTS (SELECT 1 FROM authenticators WHERE id = $1 AND activated_at IS NOT NULL)`
)

type authenticatorRow struct {
	ID          string
	AccountID   string `db:"account_id"`
	Secret      []byte
	LastStep    int64  `db:"last_step"`
	CreatedAt   int64  `db:"created_at"`
	ActivatedAt *int64 `db:"activated_at"`
}

type recoveryRow struct {
	AuthenticatorID string `db:"authenticator_id"`
	Hash            []byte
	Used            bool
}

func fromAuthenticatorRow(r authenticatorRow, codes []recoveryRow) *account.Authenticator {
	a := &account.Authenticator{
		ID: id.Stored[id.Authenticator](r.ID), Account: id.Stored[id.Account](r.AccountID), Secret: r.Secret,
		LastStep: r.LastStep, CreatedAt: db.Time(r.CreatedAt), ActivatedAt: db.OptionalTime(r.ActivatedAt),
	}
	for _, c := range codes {
		if c.AuthenticatorID == r.ID {
			a.Recovery = append(a.Recovery, account.RecoveryCode{Hash: [32]byte(c.Hash), Used: c.Used})
		}
	}
	return a
}

func (v Authenticators) Of(ctx context.Context, owner id.Account) (active, pending *account.Authenticator, err error) {
	var rows []authenticatorRow
	var codes []recoveryRow
	b := v.store.Read(db.NoProject)
	b.Query(&rows, selectAuthenticators, owner.String())
	b.Query(&codes, selectRecoveryCodes, owner.String())
	if err := b.Run(ctx); err != nil {
		return nil, nil, err
	}
	for _, r := range rows {
		if a := fromAuthenticatorRow(r, codes); a.ActivatedAt != nil {
			active = a
		} else {
			pending = a
		}
	}
	return active, pending, nil
}

func (v Authenticators) Enrol(ctx context.Context, a *account.Authenticator) error {
	return v.store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		if _, err := lockAccount(ctx, t, a.Account); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, "DELETE FROM authenticators WHERE account_id = $1 AND activated_at IS NULL", a.Account.String()); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, insertAuthenticator, a.ID.String(), a.Account.String(), a.Secret, a.LastStep,
			db.Millis(a.CreatedAt), db.OptionalMillis(a.ActivatedAt)); err != nil {
			return err
		}
		for _, r := range a.Recovery {
			if _, err := t.Exec(ctx, insertRecoveryCode, a.ID.String(), r.Hash[:]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (v Authenticators) Activate(ctx context.Context, a *account.Authenticator, step int64, at time.Time) error {
	return v.store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		if _, err := lockAccount(ctx, t, a.Account); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, `
DELETE FROM authenticators
WHERE account_id = $1
  AND activated_at IS NOT NULL
  AND EXISTS (SELECT 1 FROM authenticators WHERE id = $2 AND activated_at IS NULL)`, a.Account.String(), a.ID.String()); err != nil {
			return err
		}
		rows, err := t.Exec(ctx, activateAuthenticator, a.ID.String(), step, db.Millis(at))
		if err == nil && rows == 0 {
			return noAuthenticator()
		}
		return err
	})
}

func (v Authenticators) Spend(ctx context.Context, a id.Authenticator, c account.Code) (spent bool, err error) {
	statement, value := spendStep, any(c.Step)
	if c.Recovery != nil {
		statement, value = spendRecoveryCode, c.Recovery[:]
	}
	// What is spent stays spent, whatever becomes of the request's own transaction.
	err = v.store.OutsideRequest().InTx(ctx, db.NoProject, func(t *db.Tx) error {
		rows, err := t.Exec(ctx, statement, a.String(), value)
		spent = rows == 1
		return err
	})
	return spent && err == nil, err
}

func (v Authenticators) Remove(ctx context.Context, owner id.Account) error {
	return v.store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		rows, err := t.Exec(ctx, "DELETE FROM authenticators WHERE account_id = $1", owner.String())
		if err == nil && rows == 0 {
			return noAuthenticator()
		}
		return err
	})
}

func (v Authenticators) Reseal(ctx context.Context, seal func(id.Authenticator, []byte) ([]byte, error)) (n int, err error) {
	const list = "SELECT id, secret\nFROM authenticators\nORDER BY id"
	const update = "UPDATE authenticators\nSET secret = $2\nWHERE id = $1"
	return db.Reseal(ctx, v.store, db.NoProject, list, update, func(r db.SealedRow) ([]any, error) {
		sealed, err := seal(id.Stored[id.Authenticator](r.ID), r.Secret)
		return []any{r.ID, sealed}, err
	})
}

const (
	lockTries = `
INSERT INTO mfa_tries (account_id, wrong)
VALUES ($1, '[]')
ON CONFLICT (account_id) DO UPDATE
SET wrong = mfa_tries.wrong
RETURNING wrong`

	updateTries = `
UPDATE mfa_tries
SET wrong = $2
WHERE account_id = $1`
)

func (v Tries) Try(ctx context.Context, owner id.Account, attempt func(*account.Tries) error) error {
	var answer error
	err := v.store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		var stored string
		if _, err := t.Get(ctx, &stored, lockTries, owner.String()); err != nil {
			return err
		}
		var tries account.Tries
		var times []int64
		if err := db.FromJSON(stored, &times); err != nil {
			return err
		}
		for _, at := range times {
			tries.Wrong = append(tries.Wrong, db.Time(at))
		}
		answer = attempt(&tries)
		return storeTries(ctx, t, owner, tries, stored)
	})
	if err != nil {
		return err
	}
	return answer
}

func storeTries(ctx context.Context, t *db.Tx, owner id.Account, tries account.Tries, before string) error {
	times := make([]int64, len(tries.Wrong))
	for i, at := range tries.Wrong {
		times[i] = db.Millis(at)
	}
	text, err := db.ToJSON(times)
	if err != nil || text == before {
		return err
	}
	_, err = t.Exec(ctx, updateTries, owner.String(), text)
	return err
}

func noAuthenticator() error {
	return fault.New(fault.NotFound, "mfa_not_found", "The account has no such authenticator.")
}

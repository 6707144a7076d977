package accounts

import (
	"cmp"
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// Authenticators stores the second factors of accounts and members.
type Authenticators struct{ Store *db.DB }

// Tries counts wrong codes. Store is outside of any unit, so that counted tries stay counted.
type Tries struct{ Store *db.DB }

var (
	_ ports.Authenticators           = Authenticators{}
	_ ports.Sealed[id.Authenticator] = Authenticators{}
	_ ports.Tries                    = Tries{}
)

var (
	authenticators = db.NewTable[account.Authenticator]("authenticators", db.Columns{"Member": ",null", "Secret": ",empty", "Recovery": "-"})
	recoveryCodes  = db.NewTable[recoveryRow]("recovery_codes")

	selectRecoveryCodes = recoveryCodes.Select() + `
WHERE authenticator_id IN (SELECT id FROM authenticators WHERE account_id = $1 AND coalesce(member_id, '') = $2)
ORDER BY hash`

	wrongTimes = stored.JSON[[]time.Time](nil)
)

type recoveryRow struct {
	Authenticator id.Authenticator
	account.RecoveryCode
}

const (
	ofHolder = `
WHERE account_id = $1
  AND coalesce(member_id, '') = $2`

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

func (v Authenticators) Of(ctx context.Context, of account.Holder) (active, pending *account.Authenticator, err error) {
	var list []*account.Authenticator
	var codes []recoveryRow
	b := v.Store.Read(db.NoProject)
	b.Query(&list, authenticators.Select()+ofHolder, of.Account, of.Member)
	b.Query(&codes, selectRecoveryCodes, of.Account, of.Member)
	if err := b.Run(ctx); err != nil {
		return nil, nil, err
	}
	for _, a := range list {
		for _, c := range codes {
			if c.Authenticator == a.ID {
				a.Recovery = append(a.Recovery, c.RecoveryCode)
			}
		}
		if a.ActivatedAt != nil {
			active = a
		} else {
			pending = a
		}
	}
	return active, pending, nil
}

func (v Authenticators) Enrol(ctx context.Context, a *account.Authenticator) error {
	return v.Store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		if _, err := lockAccount(ctx, t, a.Account); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, "DELETE FROM authenticators"+ofHolder+"\n  AND activated_at IS NULL", a.Account, a.Member); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, authenticators.Insert(), authenticators.Args(*a)...); err != nil {
			return err
		}
		for _, r := range a.Recovery {
			if _, err := t.Exec(ctx, recoveryCodes.Insert(), recoveryCodes.Args(recoveryRow{a.ID, r})...); err != nil {
				return err
			}
		}
		return nil
	})
}

func (v Authenticators) Activate(ctx context.Context, a *account.Authenticator, step int64, at time.Time) error {
	return v.Store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		if _, err := lockAccount(ctx, t, a.Account); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, "DELETE FROM authenticators"+ofHolder+`
  AND activated_at IS NOT NULL
  AND EXISTS (SELECT 1 FROM authenticators WHERE id = $3 AND activated_at IS NULL)`, a.Account, a.Member, a.ID); err != nil {
			return err
		}
		rows, err := t.Exec(ctx, activateAuthenticator, a.ID, step, at)
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
	// A used code stays used, even if the request's own transaction is rolled back.
	err = v.Store.OutsideRequest().InTx(ctx, db.NoProject, func(t *db.Tx) error {
		rows, err := t.Exec(ctx, statement, a, value)
		spent = rows == 1
		return err
	})
	return spent && err == nil, err
}

func (v Authenticators) Remove(ctx context.Context, of account.Holder) error {
	return v.Store.InTx(ctx, db.NoProject, func(t *db.Tx) error {
		rows, err := t.Exec(ctx, "DELETE FROM authenticators"+ofHolder, of.Account, of.Member)
		if err == nil && rows == 0 {
			return noAuthenticator()
		}
		return err
	})
}

func (v Authenticators) Reseal(ctx context.Context, seal func(id.Authenticator, []byte) ([]byte, error)) (n int, err error) {
	const list = "SELECT id, secret\nFROM authenticators\nORDER BY id"
	const update = "UPDATE authenticators\nSET secret = $2\nWHERE id = $1"
	return db.Reseal(ctx, v.Store, db.NoProject, list, update, func(r db.SealedRow) ([]any, error) {
		sealed, err := seal(id.Stored[id.Authenticator](r.ID), r.Secret)
		return []any{r.ID, sealed}, err
	})
}

// triesTable is a table of wrong codes, whose key is the holder.
type triesTable struct{ lock, update string }

func newTriesTable(table, key string) triesTable {
	return triesTable{
		lock: `
INSERT INTO ` + table + ` (` + key + `, wrong)
VALUES ($1, '[]')
ON CONFLICT (` + key + `) DO UPDATE
SET wrong = ` + table + `.wrong
RETURNING wrong`,
		update: `
UPDATE ` + table + `
SET wrong = $2
WHERE ` + key + ` = $1`,
	}
}

var (
	accountTries = newTriesTable("mfa_tries", "account_id")
	memberTries  = newTriesTable("member_tries", "member_id")
)

func (v Tries) Try(ctx context.Context, of account.Holder, attempt func(*account.Tries) error) error {
	table, holder := accountTries, of.Account.String()
	if !of.Member.IsZero() {
		table, holder = memberTries, of.Member.String()
	}
	answer, err := db.InTx(ctx, v.Store, db.NoProject, func(t *db.Tx) (answer, err error) {
		var before string
		if _, err := t.Get(ctx, &before, table.lock, holder); err != nil {
			return nil, err
		}
		var tries account.Tries
		if err := wrongTimes.Read(before, &tries.Wrong, money.Currency{}); err != nil {
			return nil, err
		}
		answer = attempt(&tries)
		after, err := wrongTimes.Text(tries.Wrong)
		if err == nil && after != before {
			_, err = t.Exec(ctx, table.update, holder, after)
		}
		return answer, err
	})
	return cmp.Or(err, answer)
}

func noAuthenticator() error {
	return fault.New(fault.NotFound, "mfa_not_found", "There is no such authenticator.")
}

// Package requests stores the answers to requests by their idempotency keys, and the audit log. It does not decide
// which answers are stored.
package requests

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// Requests stores answers by idempotency key, and the audit log.
type Requests struct{ Store *db.DB }

var (
	_ ports.IdempotencyKeys = Requests{}
	_ ports.Records         = Requests{}
)

const (
	// An expired row, or one whose request was given up, counts as none.
	claimIdempotencyKey = `
INSERT INTO idempotency_keys (id, fingerprint, created_at, lease_until, content_type)
VALUES ($1, $2, $3, $4, '')
ON CONFLICT (id) DO UPDATE
SET fingerprint = excluded.fingerprint,
    created_at = excluded.created_at,
    lease_until = excluded.lease_until,
    status = NULL,
    subject = '',
    erased = FALSE
WHERE idempotency_keys.created_at <= $5
   OR idempotency_keys.status IS NULL AND idempotency_keys.lease_until <= $3`

	keepAnswer = `
INSERT INTO idempotency_keys (id, fingerprint, created_at, lease_until, status, content_type, body, subject)
VALUES ($1, $2, $3, $8, $4, $5, $6, $9)
ON CONFLICT (id) DO UPDATE
SET fingerprint = excluded.fingerprint,
    created_at = excluded.created_at,
    status = excluded.status,
    content_type = excluded.content_type,
    body = excluded.body,
    subject = excluded.subject,
    erased = FALSE
WHERE idempotency_keys.status IS NULL AND idempotency_keys.lease_until = $8
   OR idempotency_keys.created_at <= $7`

	selectAnswer = `
SELECT fingerprint, lease_until, status, content_type, body, erased
FROM idempotency_keys
WHERE id = $1
  AND created_at > $2`

	releaseIdempotencyKey = `
DELETE FROM idempotency_keys
WHERE id = $1
  AND status IS NULL
  AND lease_until = $2`

	amendAnswer = `
UPDATE idempotency_keys
SET status = $1,
    content_type = $2,
    body = $3
WHERE id = $4
  AND fingerprint = $5
  AND created_at = $6
  AND lease_until = $7
  AND status IS NOT NULL
  AND NOT erased`

	purgeIdempotencyKeys = `
DELETE FROM idempotency_keys
WHERE id IN (
    SELECT id
    FROM idempotency_keys
    WHERE created_at <= $1
    ORDER BY created_at
    LIMIT 1000
)`
)

// keyID is the row of a key. Its parts are hashed one by one, so that no two uses share a text.
func keyID(use ports.KeyUsage) []byte {
	all := sha256.New()
	for _, part := range []string{use.Owner, use.Route, use.Key} {
		one := sha256.Sum256([]byte(part))
		all.Write(one[:])
	}
	return all.Sum(nil)
}

// over is the time before which expired answers were created.
func over(now time.Time) int64 { return db.Millis(now.Add(-ports.KeyLife)) }

type answerRow struct {
	ports.Answer
	Fingerprint []byte
	LeaseUntil  time.Time
	Status      int `db:",null"` // 0: there is no answer yet
	Erased      bool
}

func (r Requests) Find(ctx context.Context, use ports.KeyUsage) (*ports.Answer, error) {
	row, err := db.First[answerRow](ctx, r.Store.Read(db.NoProject), selectAnswer, keyID(use), over(use.At))
	if err != nil || row == nil {
		return nil, err
	}
	switch {
	case row.Status == 0 && !row.LeaseUntil.After(use.At):
		return nil, nil
	case subtle.ConstantTimeCompare(row.Fingerprint, use.Fingerprint[:]) != 1:
		return nil, fault.New(fault.Invalid, "idempotency_key_reused",
			"This Idempotency-Key was used for another request body. Use a new one.").With("Idempotency-Key", "was used for another request body")
	case row.Status == 0:
		return nil, ports.ErrKeyTaken
	case row.Erased:
		return nil, ports.ErrAnswerErased
	}
	row.Answer.Status = row.Status
	return &row.Answer, nil
}

func (r Requests) Claim(ctx context.Context, use ports.KeyUsage) error {
	return r.Store.InTx(ctx, db.NoProject, func(t *db.Tx) error { return claimKey(ctx, t, use) })
}

// lease is the time that identifies a claim.
func lease(use ports.KeyUsage) time.Time {
	if use.Until.IsZero() {
		return use.At
	}
	return use.Until
}

// Claiming begins a request's transaction by claiming its key; nil: it has none.
func Claiming(use *ports.KeyUsage) func(context.Context, *db.Tx) error {
	if use == nil {
		return nil
	}
	return func(ctx context.Context, t *db.Tx) error { return claimKey(ctx, t, *use) }
}

// claimKey waits for an uncommitted claim of the key, but not for long.
func claimKey(ctx context.Context, t *db.Tx, use ports.KeyUsage) error {
	claimed, err := t.Exec(ctx, claimIdempotencyKey,
		keyID(use), use.Fingerprint[:], db.Millis(use.At), lease(use), over(use.At))
	if err == nil && claimed == 0 || db.WaitedTooLong(err) {
		return ports.ErrKeyTaken
	}
	return err
}

func (r Requests) Release(ctx context.Context, use ports.KeyUsage) error {
	return r.Store.Exec(ctx, db.NoProject, releaseIdempotencyKey, keyID(use), lease(use))
}

func (r Requests) Amend(ctx context.Context, use ports.KeyUsage, a ports.Answer) error {
	return r.Store.Exec(ctx, db.NoProject, amendAnswer, a.Status, a.ContentType, a.Body, keyID(use), use.Fingerprint[:], db.Millis(use.At), lease(use))
}

func (r Requests) Purge(ctx context.Context, now time.Time) (int, error) {
	return db.InTx(ctx, r.Store, db.NoProject, func(t *db.Tx) (int, error) {
		purged, err := t.Exec(ctx, purgeIdempotencyKeys, over(now))
		return int(purged), err
	})
}

func (r Requests) Record(ctx context.Context, rec ports.Record) error {
	b := r.Store.Write(db.NoProject)
	if use := rec.Use; use != nil {
		b.Exec(keepAnswer, keyID(*use), use.Fingerprint[:], db.Millis(use.At),
			rec.Answer.Status, rec.Answer.ContentType, rec.Answer.Body, over(use.At), lease(*use), rec.Answer.Subject)
	}
	if e := rec.Event; e != nil {
		b.Exec(auditEvents.Insert(), auditEvents.Args(*e)...)
	}
	if rec.Use == nil && rec.Event == nil {
		return nil
	}
	return b.Run(ctx)
}

package retention

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// pseudonymsKept is how long the key of a project's pseudonyms is kept. A client that keeps writing has a new pseudonym
// for each such period.
const pseudonymsKept = 30 * 24 * time.Hour

const (
	messagesOver = ` WHERE project_id = $1 AND message <> '' AND at < $3 AND erased_at IS NULL AND position IS NOT NULL AND personal <> '' ORDER BY at`

	selectClientsOver = `
SELECT client
FROM decisions` + messagesOver + `
LIMIT $2`

	selectPseudonymKey = `
SELECT pseudonym_key, pseudonyms_from
FROM retention
WHERE project_id = $1`

	updatePseudonymKey = `
UPDATE retention
SET pseudonym_key = $2, pseudonyms_from = $3
WHERE project_id = $1`
)

// eraseMessages erases messages and the salt, and replaces the client by a pseudonym: the chain holds a hash of the
// three. If no client is known, each session has a pseudonym of its own. Decisions that earlier releases sealed keep
// their messages, because their chain would not verify without.
func eraseMessages(ctx context.Context, t *db.Tx, project id.Project, now, before time.Time) (more bool, err error) {
	var clients []string
	err = t.Select(ctx, &clients, selectClientsOver, project.String(), removedAtOnce, db.Millis(before))
	if err != nil || len(clients) == 0 {
		return false, err
	}
	key, err := pseudonymKey(ctx, t, project, now)
	if err != nil {
		return false, err
	}
	pseudonyms := map[string]string{}
	for _, c := range clients {
		if c != "" {
			pseudonyms[c] = negotiation.Pseudonym([]byte(key), c)
		}
	}
	list, err := db.ToJSON(pseudonyms)
	if err != nil {
		return false, err
	}
	pseudonym := t.Dialect.JsonOf("$4") + " ->> client"
	_, err = t.Exec(ctx, `
UPDATE decisions
SET message = '', client = CASE WHEN client = '' THEN 'p_' || session_id ELSE `+pseudonym+` END, salt = '', erased_at = `+t.Dialect.Moment()+`
WHERE `+t.Dialect.SomeRows("decisions", messagesOver)+`
  AND (client = '' OR `+pseudonym+` IS NOT NULL)`, project.String(), removedAtOnce, db.Millis(before), list)
	return len(clients) == removedAtOnce, err
}

// pseudonymKey returns the key of a project's pseudonyms, a new one if the last one is too old.
func pseudonymKey(ctx context.Context, t *db.Tx, project id.Project, now time.Time) (string, error) {
	var at struct {
		Key  string `db:"pseudonym_key"`
		From int64  `db:"pseudonyms_from"`
	}
	_, err := t.Get(ctx, &at, selectPseudonymKey+t.Dialect.ForUpdate, project.String())
	if err != nil || at.Key != "" && now.Before(db.Time(at.From).Add(pseudonymsKept)) {
		return at.Key, err
	}
	key := rand.Text()
	_, err = t.Exec(ctx, updatePseudonymKey, project.String(), key, db.Millis(now))
	return key, err
}

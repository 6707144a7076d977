package accounts

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
)

// addressesAtOnce is how many rows are sealed in one transaction.
const addressesAtOnce = 200

const (
	plainSubscriptions = `
SELECT project_id, id, url
FROM event_subscriptions
WHERE url <> ''
  AND url NOT LIKE '` + db.SealedMark + `%'
ORDER BY project_id, id
LIMIT $1`

	storeAddress = `
UPDATE event_subscriptions
SET url = $3
WHERE project_id = $1
  AND id = $2`

	plainChats = `
SELECT id, settings
FROM projects
WHERE settings LIKE '%"chat_webhook":"http%'
  AND id > $1
ORDER BY id
LIMIT $2`

	sealedChats = `
SELECT id, settings
FROM projects
WHERE settings LIKE '%"chat_webhook":"` + db.SealedMark + `%'
  AND id > $1
ORDER BY id
LIMIT $2`

	storeSettings = `
UPDATE projects
SET settings = $2
WHERE id = $1`
)

// SealAddresses seals the URLs that releases before stored in plain text, and returns how many there were. It may be
// repeated, and run beside other replicas.
func SealAddresses(ctx context.Context, s *db.DB) (int, error) {
	return sealAddressesBy(ctx, s, addressesAtOnce)
}

func sealAddressesBy(ctx context.Context, s *db.DB, atOnce int) (all int, err error) {
	if s.Dialect.Vault == nil {
		return 0, nil
	}
	for {
		n, err := sealSubscriptions(ctx, s, atOnce)
		if all += n; err != nil {
			return all, err
		}
		if n < atOnce {
			break
		}
	}
	n, err := eachChat(ctx, s, plainChats, atOnce)
	return all + n, err
}

// ResealAddresses seals the URLs of chat webhooks under the vault's first key, and returns how many there are. Those of
// subscriptions are resealed with their secrets.
func ResealAddresses(ctx context.Context, s *db.DB) (int, error) {
	return eachChat(ctx, s, sealedChats, addressesAtOnce)
}

func sealSubscriptions(ctx context.Context, s *db.DB, atOnce int) (n int, err error) {
	err = s.InTx(ctx, db.AnyProject, func(t *db.Tx) error {
		var rows []struct {
			ProjectID string `db:"project_id"`
			ID        string
			URL       string
		}
		if err := t.Select(ctx, &rows, plainSubscriptions+t.Dialect.ForUpdate, atOnce); err != nil {
			return err
		}
		n = len(rows)
		for _, r := range rows {
			if _, err := t.Exec(ctx, storeAddress, r.ProjectID, r.ID, t.Dialect.SealAddress(r.URL, db.SubscriptionAddress(r.ID))); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// eachChat seals the chat webhooks of the projects that a statement lists.
func eachChat(ctx context.Context, s *db.DB, list string, atOnce int) (all int, err error) {
	for after := ""; ; {
		n, last := 0, after
		err := s.InTx(ctx, db.AnyProject, func(t *db.Tx) error {
			var rows []struct{ ID, Settings string }
			if err := t.Select(ctx, &rows, list+t.Dialect.ForUpdate, after, atOnce); err != nil {
				return err
			}
			n = len(rows)
			for _, r := range rows {
				last = r.ID
				if err := sealChat(ctx, t, r.ID, r.Settings); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || n < atOnce {
			return all + n, err
		}
		all, after = all+n, last
	}
}

func sealChat(ctx context.Context, t *db.Tx, of, text string) error {
	settings, err := ReadSettings(text)
	if err != nil {
		return err
	}
	if settings.ChatWebhook, err = t.Dialect.ResealAddress(settings.ChatWebhook, db.ChatAddress(of)); err != nil {
		return err
	}
	if text, err = settingsFormat.Text(settings); err == nil {
		_, err = t.Exec(ctx, storeSettings, of, text)
	}
	return err
}

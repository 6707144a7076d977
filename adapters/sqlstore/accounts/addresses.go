package accounts

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
)

// addressesAtOnce is the number of rows that one transaction encrypts.
const addressesAtOnce = 200

const (
	plainSubscriptions = `
SELECT project_id, id, url
FROM event_subscriptions
WHERE url <> ''
  AND url NOT LIKE '` + db.SealedMark + `%'
  AND (project_id, id) > ($1, $2)
ORDER BY project_id, id
LIMIT $3`

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

type (
	subscriptionRow struct {
		Project id.Project
		ID      id.Subscription
		URL     string
	}

	settingsRow struct {
		ID       id.Project
		Settings string
	}
)

// SealAddresses encrypts the URLs that earlier releases stored in plain text, and returns how many there were. It may
// be repeated, and run by several replicas at once.
func SealAddresses(ctx context.Context, s *db.DB) (int, error) {
	if s.Dialect.Vault == nil {
		return 0, nil
	}
	n, err := db.ResealParts(ctx, s, db.AnyProject, addressesAtOnce, plainSubscriptions, storeAddress, []any{"", ""},
		func(r subscriptionRow) ([]any, error) {
			return []any{r.Project, r.ID, s.Dialect.SealAddress(r.URL, db.SubscriptionAddress(r.ID.String()))}, nil
		})
	if err != nil {
		return n, err
	}
	chats, err := resealChats(ctx, s, plainChats)
	return n + chats, err
}

// ResealAddresses seals the URLs of chat webhooks under the vault's first key, and returns how many there are. Those of
// subscriptions are resealed with their secrets.
func ResealAddresses(ctx context.Context, s *db.DB) (int, error) {
	return resealChats(ctx, s, sealedChats)
}

func resealChats(ctx context.Context, s *db.DB, list string) (int, error) {
	return db.ResealParts(ctx, s, db.AnyProject, addressesAtOnce, list, storeSettings, []any{""}, func(r settingsRow) ([]any, error) {
		settings, err := ReadSettings(r.Settings)
		if err != nil {
			return nil, err
		}
		if settings.ChatWebhook, err = s.Dialect.ResealAddress(settings.ChatWebhook, db.ChatAddress(r.ID.String())); err != nil {
			return nil, err
		}
		text, err := settingsFormat.Text(settings)
		return []any{r.ID, text}, err
	})
}

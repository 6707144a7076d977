package sqlstore

import (
	"context"
	"encoding/base64"
	"strings"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// The URLs of subscriptions and chat webhooks often carry a token, so they are stored sealed: sealedMark and the sealed
// text in base64. No URL begins like that.
const sealedMark = "sealed:"

// addressesAtOnce is how many rows are sealed in one transaction.
const addressesAtOnce = 200

// sealAddress seals a URL. One that could not be opened is left as it is.
func (d dialect) sealAddress(url, purpose string) string {
	if d.vault == nil || url == "" || strings.HasPrefix(url, sealedMark) {
		return url
	}
	return sealedMark + base64.StdEncoding.EncodeToString(d.vault.Seal([]byte(url), purpose))
}

// openAddress returns the URL. What no key opens stays as it is stored, so that it is not lost if the key comes back:
// nothing can be sent there.
func (d dialect) openAddress(stored, purpose string) string {
	text, sealed := strings.CutPrefix(stored, sealedMark)
	if d.vault == nil || !sealed {
		return stored
	}
	if sealed, err := base64.StdEncoding.DecodeString(text); err == nil {
		if plain, err := d.vault.Open(sealed, purpose); err == nil {
			return string(plain)
		}
	}
	return stored
}

// resealAddress seals a URL under the vault's first key.
func (d dialect) resealAddress(stored, purpose string) (string, error) {
	plain := d.openAddress(stored, purpose)
	if strings.HasPrefix(plain, sealedMark) {
		return "", fault.New(fault.Internal, "internal_error", "sqlstore: an address can't be opened with these master keys")
	}
	return d.sealAddress(plain, purpose), nil
}

func subscriptionAddress(of string) string { return "address of " + of }

func chatAddress(project string) string { return "chat webhook of " + project }

const (
	plainSubscriptions = `
SELECT project_id, id, url
FROM event_subscriptions
WHERE url <> ''
  AND url NOT LIKE '` + sealedMark + `%'
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
WHERE settings LIKE '%"chat_webhook":"` + sealedMark + `%'
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
func (s *Store) SealAddresses(ctx context.Context) (int, error) {
	return s.sealAddresses(ctx, addressesAtOnce)
}

func (s *Store) sealAddresses(ctx context.Context, atOnce int) (all int, err error) {
	if s.dialect.vault == nil {
		return 0, nil
	}
	for {
		n, err := s.sealSubscriptions(ctx, atOnce)
		if all += n; err != nil {
			return all, err
		}
		if n < atOnce {
			break
		}
	}
	n, err := s.eachChat(ctx, plainChats, atOnce)
	return all + n, err
}

// ResealAddresses seals the URLs of chat webhooks under the vault's first key, and returns how many there are. Those of
// subscriptions are resealed with their secrets.
func (s *Store) ResealAddresses(ctx context.Context) (int, error) {
	return s.eachChat(ctx, sealedChats, addressesAtOnce)
}

func (s *Store) sealSubscriptions(ctx context.Context, atOnce int) (n int, err error) {
	err = s.inTx(ctx, anyProject, func(t *tx) error {
		var rows []struct {
			ProjectID string `db:"project_id"`
			ID        string
			URL       string
		}
		if err := t.list(ctx, &rows, plainSubscriptions+t.dialect.forUpdate, atOnce); err != nil {
			return err
		}
		n = len(rows)
		for _, r := range rows {
			if _, err := t.exec(ctx, storeAddress, r.ProjectID, r.ID, t.dialect.sealAddress(r.URL, subscriptionAddress(r.ID))); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// eachChat seals the chat webhooks of the projects that a statement lists.
func (s *Store) eachChat(ctx context.Context, list string, atOnce int) (all int, err error) {
	for after := ""; ; {
		n, last := 0, after
		err := s.inTx(ctx, anyProject, func(t *tx) error {
			var rows []struct{ ID, Settings string }
			if err := t.list(ctx, &rows, list+t.dialect.forUpdate, after, atOnce); err != nil {
				return err
			}
			n = len(rows)
			for _, r := range rows {
				last = r.ID
				if err := t.sealChat(ctx, r.ID, r.Settings); err != nil {
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

func (t *tx) sealChat(ctx context.Context, of, text string) error {
	var settings settingsJSON
	err := fromJSON(text, &settings)
	if err != nil {
		return err
	}
	if settings.ChatWebhook, err = t.dialect.resealAddress(settings.ChatWebhook, chatAddress(of)); err != nil {
		return err
	}
	if text, err = toJSON(settings); err == nil {
		_, err = t.exec(ctx, storeSettings, of, text)
	}
	return err
}

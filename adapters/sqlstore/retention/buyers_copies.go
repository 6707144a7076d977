package retention

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// foldedColumn is a column's text with the letters A to Z in lower case: the same on both engines, and as in the
// indexes.
func foldedColumn(d db.Dialect, column string) string {
	if d.OneTrip {
		return `lower(` + column + ` COLLATE "C")`
	}
	return "lower(" + column + ")"
}

// checkoutEmail is the e-mail address of a checkout as it is indexed, or empty. It accepts invalid JSON, too, so that a
// damaged row can be written and migrated.
func checkoutEmail(d db.Dialect) string {
	if d.OneTrip {
		return `lower(COALESCE(substring(payment FROM '"email": ?"([^"]*)"'), '') COLLATE "C")`
	}
	return "lower(COALESCE(CASE WHEN json_valid(payment) THEN payment ->> 'email' END, ''))"
}

const (
	// selectCopied finds copies of customers and orders by the address in them.
	selectCopied = `
SELECT integration_id, resource, remote, content
FROM copies
WHERE project_id = $1
  AND email <> ''
  AND email = $2
ORDER BY resource, integration_id, remote`

	deleteCopied = `
DELETE FROM copies
WHERE project_id = $1
  AND email <> ''
  AND email = $2`

	// selectHeldPayloads reads the stored payloads of webhooks. They are few, because a processed delivery keeps none.
	selectHeldPayloads = `
SELECT id, integration_id, 'webhooks' AS resource, remote, payload AS content
FROM webhook_deliveries
WHERE project_id = $1
  AND payload IS NOT NULL
  AND id > $2
ORDER BY id
LIMIT 100`

	erasePayload = `
UPDATE webhook_deliveries
SET payload = NULL
WHERE project_id = $1
  AND id = $2
  AND status = 'failed'`

	eraseAnswersAbout = `
UPDATE idempotency_keys
SET body = NULL, erased = TRUE
WHERE subject = $1
  AND status IS NOT NULL`
)

// copiedRow is an external record or, with an id, the payload of a webhook.
type copiedRow struct {
	ID               string
	Integration      id.Integration
	Resource, Remote string
	Content          []byte
}

func (r copiedRow) record() ports.CopiedRecord {
	return ports.CopiedRecord{
		Integration: r.Integration,
		Resource:    r.Resource,
		Remote:      r.Remote,
		Content:     orText(r.Content),
	}
}

// escapes are characters as JSON may write them.
var escapes = regexp.MustCompile(`\\(u00[0-7][0-9a-f]|[bfnrt])`)

// names reports whether a payload has an e-mail address in it, and not only as a part of a longer one.
func names(payload []byte, email string) bool {
	text := escapes.ReplaceAllFunc(bytes.ToLower(payload), func(code []byte) []byte {
		n, err := strconv.ParseUint(strings.TrimPrefix(string(code), `\u`), 16, 8)
		if err != nil {
			return []byte(" ")
		}
		return bytes.ToLower([]byte{byte(n)})
	})
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(email))
		if i < 0 {
			return false
		}
		start := from + i
		rest := bytes.TrimPrefix(text[start+len(email):], []byte("."))
		if (start == 0 || !inAddress(text[start-1], "._+-")) && (len(rest) == 0 || !inAddress(rest[0], "-")) {
			return true
		}
		from = start + 1
	}
}

// inAddress reports whether a character may be part of an e-mail address: a letter, a digit or one of others.
func inAddress(c byte, others string) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf || strings.IndexByte(others, c) >= 0
}

// spellings are an e-mail address as it may be stored, in lower case from A to Z: its other letters as they are given, all
// small or all capital, and as JSON writes it.
func spellings(email string) (list []string) {
	for _, s := range []string{email, strings.ToLower(email), strings.ToUpper(email)} {
		s = strings.Map(func(r rune) rune {
			if r >= 'A' && r <= 'Z' {
				r += 'a' - 'A'
			}
			return r
		}, s)
		list = append(list, s, inJSON(s))
	}
	return sorted(list)
}

// inJSON is a text as JSON has it between quotes: PostgreSQL reads a checkout's address without decoding it.
func inJSON(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return text
	}
	return string(quoted[1 : len(quoted)-1])
}

// eachPayload calls each with the stored payloads that contain the address.
func eachPayload(ctx context.Context, t *db.Tx, project id.Project, email string, each func(copiedRow) error) error {
	for after := ""; ; {
		var rows []copiedRow
		if err := t.Select(ctx, &rows, selectHeldPayloads, project.String(), after); err != nil || len(rows) == 0 {
			return err
		}
		for _, r := range rows {
			if names(r.Content, email) {
				if err := each(r); err != nil {
					return err
				}
			}
		}
		after = rows[len(rows)-1].ID
	}
}

func (v BuyerRecords) Copied(ctx context.Context, project id.Project, email string) (list []ports.CopiedRecord, err error) {
	err = v.Store.InTx(ctx, project, func(t *db.Tx) error {
		list = nil
		rows, err := db.All[copiedRow](ctx, t, selectCopied, project, email)
		for _, r := range rows {
			list = append(list, r.record())
		}
		if err != nil {
			return err
		}
		return eachPayload(ctx, t, project, email, func(r copiedRow) error {
			list = append(list, r.record())
			return nil
		})
	})
	return list, err
}

// orText returns JSON as it is, and anything else as a JSON text.
func orText(content []byte) json.RawMessage {
	if json.Valid(content) {
		return content
	}
	text, _ := json.Marshal(string(content))
	return text
}

func (v BuyerRecords) EraseCopied(ctx context.Context, project id.Project, email, subject string) (erased, waiting int, err error) {
	err = v.Store.InTx(ctx, project, func(t *db.Tx) error {
		erased, waiting = 0, 0
		n, err := t.Exec(ctx, deleteCopied, project.String(), email)
		if err != nil {
			return err
		}
		erased = int(n)
		if _, err := t.Exec(ctx, eraseAnswersAbout, subject); err != nil {
			return err
		}
		return eachPayload(ctx, t, project, email, func(p copiedRow) error {
			n, err := t.Exec(ctx, erasePayload, project.String(), p.ID)
			if erased += int(n); n == 0 {
				waiting++
			}
			return err
		})
	})
	return erased, waiting, err
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

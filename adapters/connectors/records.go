package connectors

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// Records reads the records of a page. The problem of a record without an id names its position.
func Records(page []json.RawMessage, read func(json.RawMessage) syncrun.Record) []syncrun.Record {
	list := make([]syncrun.Record, len(page))
	for i, raw := range page {
		list[i] = read(raw)
		if list[i].Remote == "" {
			list[i].Problem = fmt.Sprintf("Record %d of its page: %s", i+1, list[i].Problem)
		}
	}
	return list
}

// Moment parses an RFC 3339 time and returns it in UTC and whole milliseconds. It returns the zero time if
// text is not one.
func Moment(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return at.UTC().Truncate(time.Millisecond)
}

// KnownAccounts limits the caches that are keyed by account (Connection.Key).
const KnownAccounts = 10_000

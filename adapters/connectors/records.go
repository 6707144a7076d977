package connectors

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// Records reads the records of a page. What has no id is named by its place.
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

// Moment reads a time with its zone, in UTC and whole milliseconds; zero: it is none.
func Moment(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return at.UTC().Truncate(time.Millisecond)
}

// KnownAccounts is of how many accounts, by Connection.Key, something is remembered.
const KnownAccounts = 10_000

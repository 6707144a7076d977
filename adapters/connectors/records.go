package connectors

import (
	"encoding/json"
	"fmt"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

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

// Accounts are what is known of as many accounts as are remembered, by Connection.Key.
type Accounts[T any] struct {
	all *lru.Cache[string, T]
	new func() T
}

// NewAccounts remembers accounts, which are nothing but new at first.
func NewAccounts[T any](new func() T) Accounts[T] {
	all, _ := lru.New[string, T](10_000) // fails without a size only
	return Accounts[T]{all, new}
}

// Of is what is known of an account.
func (a Accounts[T]) Of(key string) T {
	if known, ok := a.all.Get(key); ok {
		return known
	}
	one := a.new()
	if before, ok, _ := a.all.PeekOrAdd(key, one); ok {
		return before
	}
	return one
}

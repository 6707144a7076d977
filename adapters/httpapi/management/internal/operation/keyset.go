package operation

import (
	"context"
	"encoding"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// Keyset is the query of a list of objects with ids of type T that supports keyset pagination as well as offsets: a page by key
// costs the same anywhere in the list, and does not shift when objects are added.
type Keyset[T any] struct {
	Paging
	After      string `query:"after" maxLength:"200" doc:"meta.next of a previous response, to get the next page. Such a page is not counted. Not with offset."`
	Before     string `query:"before" maxLength:"200" doc:"meta.previous of a previous response, to get the page before it. Such a page is not counted. Not with after or offset."`
	TotalLimit int    `query:"total_limit" minimum:"1" maximum:"1000000" doc:"The limit up to which meta.total is counted. Default: none; counting takes longer for longer lists."`
}

// Keyed is an input with a Keyset.
type Keyed interface {
	// Part returns the requested part of the list.
	Part() (ports.Page, error)
	totalLimit() int
}

func (k *Keyset[T]) Part() (ports.Page, error) {
	page := k.Page()
	if k.TotalLimit > 0 {
		page.CountTo = k.TotalLimit + 1
	}
	for _, c := range []struct {
		name, text string
		place      **ports.Place
	}{
		{"after", k.After, &page.After},
		{"before", k.Before, &page.Before},
	} {
		if c.text == "" {
			continue
		}
		place, ok := parsePlace[T](c.text)
		if !ok {
			return page, fault.Field(c.name, "must be meta.next or meta.previous of the same list")
		}
		*c.place = place
	}
	check := fault.NewCheck()
	byKey := page.After != nil || page.Before != nil
	check.That(!byKey || page.Offset == 0, "offset", "must be omitted with after or before")
	check.That(page.After == nil || page.Before == nil, "before", "must be omitted with after")
	return page, check.Err()
}

func (k *Keyset[T]) totalLimit() int { return k.TotalLimit }

func parsePlace[T any](text string) (*ports.Place, bool) {
	at, parts, ok := ParseCursor(text, 1)
	if !ok || any(new(T)).(encoding.TextUnmarshaler).UnmarshalText([]byte(parts[0])) != nil {
		return nil, false
	}
	return &ports.Place{At: at, ID: parts[0]}, true
}

// KeysetList is a page of a list that supports keyset pagination.
type KeysetList[T any] struct {
	Data []T        `json:"data"`
	Meta KeysetMeta `json:"meta"`
}

// KeysetMeta describes which part of a list was sent, with cursors of the adjacent pages.
type KeysetMeta struct {
	Total     int     `json:"total"`
	Precision string  `json:"total_precision" enum:"exact,at_least" doc:"at_least: the list may be longer than total, because there are more than total_limit, or because a page by after or before is not counted."`
	Limit     int     `json:"limit"`
	Offset    int     `json:"offset" doc:"0 with after or before."`
	Next      *string `json:"next" nullable:"true" doc:"Send it as after to get the next page. Null: this is the last one."`
	Previous  *string `json:"previous" nullable:"true" doc:"Send it as before to get the previous page. Null: this is the first one."`
}

// HandleKeyset returns a handler that answers with the views of one page of a list, by key or by offset. find gets the page to
// read, and returns the length of the list if the page is by offset. A filter with a malformed id finds nothing.
func HandleKeyset[I any, P interface {
	*I
	Keyed
}, T, V any](find func(context.Context, Request, P, ports.Page) ([]T, int, error), place func(T) ports.Place, view func(T) V) func(context.Context, Request, *I) (*wire.Output[KeysetList[V]], error) {
	filters := wire.RefsOf[I]("query")
	return func(ctx context.Context, rq Request, in *I) (*wire.Output[KeysetList[V]], error) {
		page, err := P(in).Part()
		if err != nil {
			return nil, err
		}
		var found []T
		var total int
		if filters.Unknown(in) == nil {
			asked := page
			asked.Limit++ // one more than is sent: its presence means that there is another page
			if found, total, err = find(ctx, rq, in, asked); err != nil {
				return nil, err
			}
		}
		limited := P(in).totalLimit()
		shown, meta := partOf(found, page, place)
		switch {
		case page.After != nil || page.Before != nil:
			meta.Total, meta.Precision = len(found), "at_least"
		case limited > 0 && total > limited:
			meta.Total, meta.Precision = limited, "at_least"
		default:
			meta.Total, meta.Precision = total, "exact"
		}
		return &wire.Output[KeysetList[V]]{Body: KeysetList[V]{wire.Each(shown, view), meta}}, nil
	}
}

// partOf removes the extra item that was read, and returns the cursors of the adjacent pages.
func partOf[T any](found []T, page ports.Page, place func(T) ports.Place) ([]T, KeysetMeta) {
	meta, back := KeysetMeta{Limit: page.Limit, Offset: page.Offset}, page.Before != nil
	more := len(found) > page.Limit
	switch {
	case more && back:
		found = found[1:]
	case more:
		found = found[:page.Limit]
	}
	if len(found) == 0 {
		return found, meta
	}
	cursor := func(of T) *string {
		at := place(of)
		return new(FormatCursor(at.At, at.ID))
	}
	if more || back {
		meta.Next = cursor(found[len(found)-1])
	}
	if more && back || page.After != nil || page.Offset > 0 {
		meta.Previous = cursor(found[0])
	}
	return found, meta
}

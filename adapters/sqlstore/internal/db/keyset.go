package db

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/haggle-commerce/haggle/ports"
)

// Newest orders a list by time, the newest first, then by id, and pages it by both. They are columns or expressions.
type Newest struct{ Time, ID string }

// Page narrows a list to a page's rows and ends the statement. The rows before a place are read backwards, and there
// may be more rows than the page has; Turned returns the page.
func (n Newest) Page(w *Conditions, p ports.Page) (end string) {
	comparison, order := " < ", " DESC"
	if p.Oldest != (p.Before != nil) {
		comparison, order = " > ", ""
	}
	for _, place := range []*ports.Place{p.After, p.Before} {
		if place != nil {
			w.Text += "\n  AND (" + n.Time + ", " + n.ID + ")" + comparison + w.Args.Row(Millis(place.At), place.ID)
		}
	}
	end = "\nORDER BY " + n.Time + order + ", " + n.ID + order + "\nLIMIT " + strconv.Itoa(rowsRead(p.Limit))
	if p.Offset > 0 {
		end += " OFFSET " + w.Args.Add(p.Offset)
	}
	return end
}

// rowsRead returns how many rows to read for a page. The number is in the statement's text, because a plan for any
// number of rows would sort them all. It has few values, so that there are few statements.
func rowsRead(limit int) int {
	for _, n := range []int{26, 101} {
		if limit <= n {
			return n
		}
	}
	return limit
}

// rowsCounted returns the maximum number of rows to count, rounded up to few values like those of rowsRead. Keyed cuts
// off the excess.
func rowsCounted(most int) int {
	n := 10
	for n+1 < most {
		n *= 10
	}
	return n + 1
}

// InListOrder returns a page in the order of the list.
func InListOrder[R any](rows []R, p ports.Page) []R {
	rows = rows[:min(len(rows), p.Limit)]
	if p.Before != nil {
		slices.Reverse(rows)
	}
	return rows
}

// Count adds the number of a list's rows to a batch, as far as the page wants it. from is as Page's.
func Count(b *Batch, total *int, from string, where Conditions, p ports.Page) {
	switch {
	case p.After != nil || p.Before != nil:
	case p.CountTo > 0:
		counted := "(SELECT 1 AS one" + from + where.Text + "\nLIMIT " + strconv.Itoa(rowsCounted(p.CountTo)) + ") AS counted"
		b.Query(total, "SELECT count(*) AS n FROM "+counted, where.Args...)
	default:
		b.Query(total, "SELECT count(*) AS n"+from+where.Text, where.Args...)
	}
}

// Listing is a list that is paged by key, or by offset. From begins with FROM and ends in a condition. Counted is
// counted in place of From, if it is not "".
type Listing struct {
	Columns, From, Counted string
	Newest
}

// Statement reads a page. where gets the page's conditions, too.
func (l Listing) Statement(where *Conditions, page ports.Page) string {
	end := l.Page(where, page)
	return "SELECT " + l.Columns + l.From + where.Text + end
}

// Keyed reads a page of a list, and counts the list as far as the page wants it.
func Keyed[R any](ctx context.Context, b *Batch, l Listing, where Conditions, page ports.Page) (rows []R, total int, err error) {
	Count(b, &total, cmp.Or(l.Counted, l.From), where, page)
	b.Query(&rows, l.Statement(&where, page), where.Args...)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	if rows == nil {
		rows = []R{} // an empty page is no missing one
	}
	return InListOrder(rows, page), total, nil
}

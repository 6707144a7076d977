package shopify

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// pagedObjects is the number of objects of a connection that Shopify pages through (https://shopify.dev/docs/api/usage/limits,
// Pagination limits, read 2026-11-28). A changelog of 2025-06-17 says that the Admin API goes further, but has no number.
const pagedObjects = 25_000

// window is the position of a read by pages in a connection that is ordered by id. After as many objects as Shopify pages
// through, the read continues with another search, a new window, for the ids above the last one. Changes of objects do not
// change their ids, so that no object is missed.
type window struct {
	above string // the window has the ids above this one; "": all
	read  int    // objects of the window that were read
	last  string // the id of the last object
	after string // Shopify's cursor; "": the window's first page
}

// parseWindow reads a window from a cursor. A cursor of an earlier release, which had another order, starts again.
func parseWindow(text string) window {
	parts := strings.SplitN(text, ".", 4)
	if len(parts) != 4 {
		return window{}
	}
	read, err := strconv.Atoi(parts[1])
	if err != nil || read < 0 {
		return window{}
	}
	return window{
		above: parts[0],
		read:  read,
		last:  parts[2],
		after: parts[3],
	}
}

func (w window) String() string {
	if w == (window{}) {
		return ""
	}
	return fmt.Sprintf("%s.%d.%s.%s", w.above, w.read, w.last, w.after)
}

// filter returns the variables of the query for the objects of the window that changed since a time. by is the name of the
// ids in the search.
func (w window) filter(since time.Time, by string) map[string]any {
	variables := map[string]any{"after": nil, "query": nil}
	if w.after != "" {
		variables["after"] = w.after
	}
	var terms []string
	if !since.IsZero() {
		terms = append(terms, "updated_at:>='"+since.UTC().Format(time.RFC3339)+"'")
	}
	if w.above != "" {
		terms = append(terms, by+":>"+w.above)
	}
	if len(terms) > 0 {
		variables["query"] = strings.Join(terms, " AND ")
	}
	return variables
}

// next returns the position after a page with the given number of objects and cursor. ids are the readable ids of the page, and
// size is the maximum number of objects of a page. If the ids do not rise, the pages form a circle: next then returns w itself,
// which ends the run.
func (w window) next(ids []string, objects, size int, after string) window {
	if len(ids) > 0 && w.last != "" && compareIDs(ids[0], w.last) <= 0 {
		return w
	}
	w.read, w.after = w.read+objects, after
	if len(ids) > 0 {
		w.last = ids[len(ids)-1]
	}
	if w.read+size > pagedObjects && w.last != "" {
		return window{above: w.last, last: w.last}
	}
	return w
}

// ascending reports whether ids are in ascending order.
func ascending(ids []string) bool {
	for n := 1; n < len(ids); n++ {
		if compareIDs(ids[n-1], ids[n]) > 0 {
			return false
		}
	}
	return true
}

// idsOf returns the ids that the function id finds in nodes.
func idsOf(nodes []json.RawMessage, id func(json.RawMessage) gid) (ids []string) {
	for _, node := range nodes {
		if found := id(node); found != "" {
			ids = append(ids, string(found))
		}
	}
	return ids
}

func idOf(node json.RawMessage) gid {
	var n struct{ ID gid }
	_ = json.Unmarshal(node, &n) // an unreadable node has no id
	return n.ID
}

func itemOf(node json.RawMessage) gid {
	var n struct{ Item struct{ ID gid } }
	_ = json.Unmarshal(node, &n) // an unreadable node has no id
	return n.Item.ID
}

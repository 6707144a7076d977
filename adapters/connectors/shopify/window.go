package shopify

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// pagedObjects of a connection are as many as Shopify pages through (https://shopify.dev/docs/api/usage/limits, Pagination
// limits, read 2026-11-28; that the Admin API goes further, which a changelog of 2025-06-17 says, is not said in numbers).
const pagedObjects = 25_000

// window is where a reading by pages is in a connection that is ordered by id. After as many objects as Shopify pages
// through, the reading goes on with another search, for the ids above the last: a window of its own. What changes meanwhile
// moves no id, so that no object is missed.
type window struct {
	above string // the ids that it has are above this one; "": it has all
	read  int    // objects of it that were read
	last  string // the id of the last one
	after string // Shopify's cursor; "": the window's first page
}

// parseWindow reads a window from a cursor. One of an earlier release, which was in another order, begins anew.
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

// filter are the variables of the query for the page: what changed since a time, in the window. by is the search's name for
// the ids.
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

// next is where the page after one is, whose ids are known as far as they can be read, and whose pages have so many objects
// at most. Pages that lead back, so that their ids do not rise, lead to this one once more, which ends the run.
func (w window) next(ids []string, objects, size int, after string) window {
	if len(ids) > 0 && w.last != "" && byNumber(ids[0], w.last) <= 0 {
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

// ascending reports whether ids rise from one to the next.
func ascending(ids []string) bool {
	for n := 1; n < len(ids); n++ {
		if byNumber(ids[n-1], ids[n]) > 0 {
			return false
		}
	}
	return true
}

// idsOf are the ids of nodes, as far as they have any, and id finds them.
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
	_ = json.Unmarshal(node, &n) // else it has none
	return n.ID
}

func itemOf(node json.RawMessage) gid {
	var n struct{ Item struct{ ID gid } }
	_ = json.Unmarshal(node, &n) // else it has none
	return n.Item.ID
}

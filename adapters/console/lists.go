package console

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// The query of a list's address has its filters and its offset.

// pageSize is the number of rows on a page of a list.
const pageSize = 25

// offset returns the offset of the page.
func (v *memberRequest) offset() int {
	n, _ := strconv.Atoi(v.r.URL.Query().Get("offset"))
	return max(0, n)
}

// pageAt returns the API's query for a page.
func pageAt(offset int) url.Values {
	return url.Values{"limit": {strconv.Itoa(pageSize)}, "offset": {strconv.Itoa(offset)}}
}

// besides returns the addresses of the previous and the next page, or "".
func besides(offset, shown, total int, address func(offset string) string) (newer, older string) {
	if offset > 0 {
		newer = address(strconv.Itoa(max(0, offset-pageSize)))
	}
	if offset+shown < total {
		older = address(strconv.Itoa(offset + pageSize))
	}
	return newer, older
}

// choice is a link among several.
type choice struct {
	Word, Address string
	Current       bool
}

// tab is a list in one state.
type tab struct {
	Name, Word          string // the name in addresses, and the word
	status, fulfillment string // as the API filters
	Address             string
	Current             bool
}

// chooseTab sets the addresses of tabs, and returns the tab with a name. If the name is unknown, it returns the tab at index
// other.
func chooseTab(all []tab, name string, other int, address func(tab) string) (tabs []tab, current tab, known bool) {
	tabs = slices.Clone(all)
	at := slices.IndexFunc(tabs, func(t tab) bool { return t.Name == name })
	if known = at >= 0; !known {
		at = other
	}
	for i := range tabs {
		tabs[i].Address, tabs[i].Current = address(tabs[i]), i == at
	}
	return tabs, tabs[at], known
}

// period is a period of whole days, and the links to others.
type period struct {
	Word    string // "Last 30 days"
	Dates   string // "Oct 24 to Nov 22"
	Choices []choice
	name    string     // in addresses; "": the default
	query   url.Values // as the API takes it
}

// periods lists the possible lengths of periods, in days.
var periods = []int{7, 30, 90}

const usualDays = 30

// period returns the period named in the address.
func (v *memberRequest) period(address func(days string) string) period {
	days := among(v.r.URL.Query().Get("days"), periods, usualDays)
	name := func(n int) string {
		if n == usualDays {
			return ""
		}
		return strconv.Itoa(n)
	}
	word := func(n int) string { return "Last " + strconv.Itoa(n) + " days" }
	first := v.now().AddDate(0, 0, 1-days)
	s := period{
		Word:  word(days),
		Dates: v.shop.words.day(first) + " to " + v.shop.words.day(v.now()),
		name:  name(days),
		query: url.Values{
			"from": {first.Format(time.DateOnly)},
			"to":   {v.now().AddDate(0, 0, 1).Format(time.DateOnly)},
		},
	}
	for _, n := range periods {
		s.Choices = append(s.Choices, choice{word(n), address(name(n)), n == days})
	}
	return s
}

// with returns the API's query for the period, with other values added.
func (s period) with(more url.Values) url.Values {
	q := maps.Clone(s.query)
	maps.Copy(q, more)
	return q
}

// among parses text as one of several numbers, and returns a default for any other text.
func among(text string, numbers []int, other int) int {
	n, err := strconv.Atoi(text)
	if err != nil || !slices.Contains(numbers, n) {
		return other
	}
	return n
}

// given returns the non-empty values.
func given(q url.Values) url.Values {
	for name, values := range q {
		if len(values) == 0 || values[0] == "" || name == "offset" && values[0] == "0" {
			delete(q, name)
		}
	}
	return q
}

// link returns an address with the non-empty values as its query.
func link(path string, q url.Values) string {
	if text := given(q).Encode(); text != "" {
		return path + "?" + text
	}
	return path
}

// unknown returns the names in a query that a page does not know.
func unknown(q url.Values, names ...string) []string {
	rest := slices.Sorted(maps.Keys(q))
	return slices.DeleteFunc(rest, func(name string) bool { return slices.Contains(names, name) })
}

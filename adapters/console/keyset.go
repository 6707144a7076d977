package console

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
)

// Long lists use keyset pagination: after or newer_than in the address is a cursor of the API.

// placeNames are the names of cursors in addresses and in the API. They differ because before means a date in the address of
// returns.
var placeNames = [...]struct{ address, api string }{
	{"after", "after"},
	{"newer_than", "before"},
}

// countedTo is the limit up to which the rows of a list are counted.
const countedTo = 10_000

// keyPage is a page of a list with keyset pagination.
type keyPage[T any] struct {
	Data []T `json:"data"`
	Meta struct {
		Total     int    `json:"total"`
		Precision string `json:"total_precision"`
		Next      string `json:"next"`
		Previous  string `json:"previous"`
	} `json:"meta"`
	placed bool // it is not the first page
}

// fetchPage fetches the page of a list that the address names. It fetches the first page instead if the address names an unknown
// place, which it returns in unknown, if the page is empty, and if all newer rows fit on the first page.
func fetchPage[T any](v *memberRequest, path string, query url.Values) (page keyPage[T], unknown []string, err error) {
	query.Set("limit", strconv.Itoa(pageSize))
	for _, name := range placeNames {
		place := v.r.URL.Query().Get(name.address)
		if place == "" {
			continue
		}
		query.Set(name.api, place)
		page, err = fetch[keyPage[T]](v.api, path, given(query))
		query.Del(name.api)
		var p *problem
		switch {
		case errors.As(err, &p) && p.Status == http.StatusUnprocessableEntity:
			unknown = append(unknown, name.address+"="+place)
		case err != nil:
			return page, nil, err
		case len(page.Data) > 0 && (name.api == "after" || page.Meta.Previous != ""):
			page.placed = true
			return page, unknown, nil
		}
	}
	query.Set("total_limit", strconv.Itoa(countedTo))
	page, err = fetch[keyPage[T]](v.api, path, given(query))
	return page, unknown, err
}

// neighbors returns the addresses of the pages before and after this one, or "" where there is none.
func (p *keyPage[T]) neighbors(address func(name, place string) string) (newer, older string) {
	if p.Meta.Previous != "" {
		newer = address("newer_than", p.Meta.Previous)
	}
	if p.Meta.Next != "" {
		older = address("after", p.Meta.Next)
	}
	return newer, older
}

// total describes the length of the list, as far as it is counted.
func (p *keyPage[T]) total(one, many string) string {
	switch {
	case p.placed:
		return "Older " + many
	case p.Meta.Precision == "at_least":
		return "More than " + count(p.Meta.Total, one, many)
	}
	return count(p.Meta.Total, one, many)
}

package management

import "github.com/haggle-commerce/haggle/ports"

// Paging is the query of every list (decisions 5).
type Paging struct {
	Limit  int `query:"limit" minimum:"1" maximum:"100" default:"20"`
	Offset int `query:"offset" minimum:"0" default:"0" maximum:"1000000000"`
}

func (p Paging) page() ports.Page { return ports.Page{Limit: p.Limit, Offset: p.Offset} }

// list is the answer to every list.
type list[T any] struct {
	Data []T  `json:"data"`
	Meta meta `json:"meta"`
}

type meta struct {
	Total  int `json:"total"`
	Limit  int `json:"limit"`
	Offset int `json:"offset"`
}

type listOutput[T any] struct{ Body list[T] }

// toAPIList converts a part of a list, of which there are total in all.
func toAPIList[T, U any](from []T, convert func(T) U, p Paging, total int) *listOutput[U] {
	return &listOutput[U]{list[U]{each(from, convert), meta{total, p.Limit, p.Offset}}}
}

// toAPIPart is a part of a list that is all there.
func toAPIPart[T any](all []T, p Paging) *listOutput[T] {
	first := min(p.Offset, len(all))
	last := min(first+p.Limit, len(all))
	return &listOutput[T]{list[T]{all[first:last], meta{len(all), p.Limit, p.Offset}}}
}

func each[T, U any](from []T, convert func(T) U) []U {
	to := make([]U, len(from))
	for i, element := range from {
		to[i] = convert(element)
	}
	return to
}

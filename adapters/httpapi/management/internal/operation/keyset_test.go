package operation

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

type keysetInput struct{ Keyset[id.Order] }

var keysetNoon = time.Date(2026, time.March, 4, 12, 0, 0, 0, time.UTC)

func orderNamed(letter string) string { return "ord_" + letter + "0000000000000000000000000" }

// numbers lists the letters c, b, a, in this order, by key or by offset.
func numbers(_ context.Context, _ Request, _ *keysetInput, page ports.Page) ([]string, int, error) {
	all := []string{"c", "b", "a"}
	named := func(p *ports.Place) int {
		return slices.IndexFunc(all, func(l string) bool { return orderNamed(l) == p.ID })
	}
	switch {
	case page.After != nil:
		all = all[named(page.After)+1:]
	case page.Before != nil:
		all = all[:named(page.Before)]
		return all[max(0, len(all)-page.Limit):], 0, nil
	default:
		total := len(all)
		if page.CountTo > 0 {
			total = min(total, page.CountTo)
		}
		all = all[page.Offset:]
		return all[:min(page.Limit, len(all))], total, nil
	}
	return all[:min(page.Limit, len(all))], 0, nil
}

func TestHandleKeyset(t *testing.T) {
	t.Parallel()
	handle := HandleKeyset(numbers,
		func(l string) ports.Place { return ports.Place{At: keysetNoon, ID: orderNamed(l)} },
		func(l string) string { return l })
	cursor := func(l string) string { return FormatCursor(keysetNoon, orderNamed(l)) }
	for name, c := range map[string]struct {
		in             Keyset[id.Order]
		want           []string
		next, previous string
		total          int
		precision      string
	}{
		"all":                    {Keyset[id.Order]{Paging: Paging{Limit: 3}}, []string{"c", "b", "a"}, "", "", 3, "exact"},
		"the first":              {Keyset[id.Order]{Paging: Paging{Limit: 2}}, []string{"c", "b"}, "b", "", 3, "exact"},
		"by offset":              {Keyset[id.Order]{Paging: Paging{Limit: 1, Offset: 1}}, []string{"b"}, "b", "b", 3, "exact"},
		"counted in part":        {Keyset[id.Order]{Paging: Paging{Limit: 1}, TotalLimit: 2}, []string{"c"}, "c", "", 2, "at_least"},
		"counted to the end":     {Keyset[id.Order]{Paging: Paging{Limit: 1}, TotalLimit: 3}, []string{"c"}, "c", "", 3, "exact"},
		"after, with more":       {Keyset[id.Order]{Paging: Paging{Limit: 1}, After: cursor("c")}, []string{"b"}, "b", "b", 2, "at_least"},
		"after, the last":        {Keyset[id.Order]{Paging: Paging{Limit: 2}, After: cursor("c")}, []string{"b", "a"}, "", "b", 2, "at_least"},
		"after the last":         {Keyset[id.Order]{Paging: Paging{Limit: 2}, After: cursor("a")}, nil, "", "", 0, "at_least"},
		"before, with more":      {Keyset[id.Order]{Paging: Paging{Limit: 1}, Before: cursor("a")}, []string{"b"}, "b", "b", 2, "at_least"},
		"before, from the first": {Keyset[id.Order]{Paging: Paging{Limit: 2}, Before: cursor("a")}, []string{"c", "b"}, "b", "", 2, "at_least"},
		"before the first":       {Keyset[id.Order]{Paging: Paging{Limit: 2}, Before: cursor("c")}, nil, "", "", 0, "at_least"},
	} {
		out, err := handle(t.Context(), Request{}, &keysetInput{c.in})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		meta := out.Body.Meta
		at := func(text *string) string {
			for _, l := range []string{"a", "b", "c"} {
				if text != nil && *text == cursor(l) {
					return l
				}
			}
			return ""
		}
		if !slices.Equal(out.Body.Data, c.want) || at(meta.Next) != c.next || at(meta.Previous) != c.previous {
			t.Errorf("%s: %v, next %q, previous %q", name, out.Body.Data, at(meta.Next), at(meta.Previous))
		}
		if meta.Total != c.total || meta.Precision != c.precision || meta.Limit != c.in.Limit || meta.Offset != c.in.Offset {
			t.Errorf("%s: %+v", name, meta)
		}
	}
}

func TestKeyset_refused(t *testing.T) {
	t.Parallel()
	encoded := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	good := FormatCursor(keysetNoon, orderNamed("a"))
	for name, c := range map[string]struct {
		in    Keyset[id.Order]
		field string
	}{
		"no cursor":        {Keyset[id.Order]{After: "x"}, "after"},
		"of another list":  {Keyset[id.Order]{After: FormatCursor(keysetNoon, "ret_"+orderNamed("a")[4:])}, "after"},
		"without an id":    {Keyset[id.Order]{Before: encoded("1")}, "before"},
		"with more":        {Keyset[id.Order]{Before: encoded("1 " + orderNamed("a") + " 1")}, "before"},
		"without a time":   {Keyset[id.Order]{After: encoded("noon " + orderNamed("a"))}, "after"},
		"before all times": {Keyset[id.Order]{After: encoded("-1 " + orderNamed("a"))}, "after"},
		"after all times":  {Keyset[id.Order]{After: encoded("9223372036854775807 " + orderNamed("a"))}, "after"},
		"with an offset":   {Keyset[id.Order]{After: good, Paging: Paging{Offset: 1}}, "offset"},
		"both ways":        {Keyset[id.Order]{After: good, Before: good}, "before"},
	} {
		_, err := c.in.Part()
		var e *fault.Error
		if !errors.As(err, &e) || e.Kind != fault.Invalid || len(e.Details) != 1 || e.Details[0].Field != c.field {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package discovery

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"hash"
	"maps"
	"slices"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// checkSearch checks a request and reads its cursor.
func (s *Service) checkSearch(p *project.Project, r *SearchRequest) error {
	check := fault.NewCheck()
	r.Query.Filter.Check(check.In("filters"))
	if err := check.Err(); err != nil || r.Cursor == "" {
		return err
	}
	sealed, err := base64.RawURLEncoding.DecodeString(r.Cursor)
	if err == nil {
		sealed, err = s.Cursors.Open(sealed, cursorPurpose(p, r.Query))
	}
	if err == nil {
		r.Query.After, err = catalog.ParsePlace(sealed)
	}
	if err != nil {
		return fault.Field("cursor", "must be the next_cursor of a response to the same query, filters and sort in this shop")
	}
	return nil
}

// cursor returns a place in a query's results as a sealed text that is valid for that query only, or "" for a nil place.
func (s *Service) cursor(p *project.Project, q catalog.Query, at *catalog.Place) string {
	if at == nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(s.Cursors.Seal(at.Bytes(), cursorPurpose(p, q)))
}

// cursorPurpose binds a cursor to shop, text, filters and sort. Limit and preferred colours may change between pages.
func cursorPurpose(p *project.Project, q catalog.Query) string {
	d := digest{sha256.New()}
	f := &q.Filter
	d.texts(p.ID.String(), q.Text, q.Sort.String(), f.Size)
	d.texts(f.Categories...)
	d.texts(f.Brands...)
	d.texts(f.Colors...)
	d.amount(f.PriceMin)
	d.amount(f.PriceMax)
	for _, name := range slices.Sorted(maps.Keys(f.Attributes)) {
		d.texts(name)
		d.texts(f.Attributes[name]...)
	}
	d.number(int64(f.RatingMin))
	if f.InStock {
		d.number(1)
	}
	return "search\x00" + string(d.Sum(nil))
}

// digest hashes values with their lengths, so that different lists of values have different hashes.
type digest struct{ hash.Hash }

func (d digest) number(n int64) { _ = binary.Write(d, binary.BigEndian, n) } // writing to a hash does not fail

func (d digest) texts(all ...string) {
	d.number(int64(len(all)))
	for _, text := range all {
		d.number(int64(len(text)))
		_, _ = d.Write([]byte(text))
	}
}

func (d digest) amount(a *money.Amount) {
	if a == nil {
		d.texts()
		return
	}
	d.texts(a.String(), a.Currency().Code())
}

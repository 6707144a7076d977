package woocommerce

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// goodsPage is the number of products on a page. Each product with variations needs another request.
	goodsPage = 50
	// concurrency limits the products whose variations are read at the same time.
	concurrency = 4
	// maxVariationPages limits the variations of a product to 2,100, more than shops have.
	maxVariationPages = 21
)

// The phases of a read of products or stock: all products; or first the changed products without variations, then those
// with variations.
const (
	phaseAll      = "all"
	phaseSimple   = "plain"
	phaseVariable = "variable"
)

// cursor is the position of a read.
type cursor struct {
	phase string
	page  int
}

func (s cursor) String() string { return s.phase + ":" + strconv.Itoa(s.page) }

func (s *Connector) cursor(r ports.PageRequest) (cursor, error) {
	if r.Cursor == "" {
		if isCatalog(r.Resource) && !r.Full && !r.Since.IsZero() {
			return cursor{phaseSimple, 1}, nil
		}
		return cursor{phaseAll, 1}, nil
	}
	phase, number, _ := strings.Cut(r.Cursor, ":")
	page, err := strconv.Atoi(number)
	if err != nil || page < 1 || phase != phaseAll && phase != phaseSimple && phase != phaseVariable {
		return cursor{}, s.platform.Refused("gave no such page: start the sync anew")
	}
	return cursor{phase, page}, nil
}

func isCatalog(r syncrun.Resource) bool { return r == syncrun.Products || r == syncrun.Inventory }

// Read reads one page.
func (s *Connector) Read(ctx ports.Outbound, c ports.Connection, r ports.PageRequest) (ports.RecordPage, error) {
	at, err := s.cursor(r)
	if err != nil {
		return ports.RecordPage{}, err
	}
	read := map[syncrun.Resource]func(context.Context, ports.Connection, ports.PageRequest, cursor) (ports.RecordPage, bool, error){
		syncrun.Products: s.goods, syncrun.Inventory: s.goods, syncrun.Orders: s.orders, syncrun.Customers: s.customers,
	}[r.Resource]
	if read == nil {
		return ports.RecordPage{}, s.platform.Refused("has no " + r.Resource.String())
	}
	found, more, err := read(ctx, c, r, at)
	if err == nil && !more && at.phase == phaseSimple { // continue with the next phase
		before := found.Records
		at = cursor{phaseVariable, 1}
		found, more, err = read(ctx, c, r, at)
		found.Records = append(before, found.Records...)
	}
	if err != nil {
		return ports.RecordPage{}, err
	}
	if more {
		found.Next = cursor{at.phase, at.page + 1}.String()
	}
	return found, nil
}

// setModifiedAfter limits a query to objects that were modified at or after since. It subtracts a second, because
// modified_after is exclusive. Without dates_are_gmt the API would assume the shop's local time.
func setModifiedAfter(query url.Values, since time.Time) {
	query.Set("modified_after", since.Add(-time.Second).UTC().Format("2006-01-02T15:04:05"))
	query.Set("dates_are_gmt", "true")
}

func orderedByID(more ...string) url.Values {
	query := url.Values{"orderby": {"id"}, "order": {"asc"}}
	for i := 0; i < len(more); i += 2 {
		query.Set(more[i], more[i+1])
	}
	return query
}

func (s *Connector) goods(ctx context.Context, c ports.Connection, r ports.PageRequest, at cursor) (ports.RecordPage, bool, error) {
	query := orderedByID("status", "any")
	switch at.phase {
	case phaseSimple:
		setModifiedAfter(query, r.Since)
	case phaseVariable:
		query.Set("type", "variable")
	}
	p, err := s.page(ctx, c, "/products", query, at.page, goodsPage)
	if err != nil {
		return ports.RecordPage{}, false, err
	}
	items := make([]item, 0, len(p.list))
	for _, raw := range p.list {
		one := parseItem(raw)
		if at.phase != phaseSimple || !one.hasVariations() {
			items = append(items, one)
		}
	}
	if err := s.readVariations(ctx, c, items); err != nil {
		return ports.RecordPage{}, false, err
	}
	var records []syncrun.Record
	for _, one := range items {
		for _, record := range one.records(r.Resource) {
			if at.phase != phaseVariable || record.Problem != "" || !record.At.Before(r.Since) {
				records = append(records, record)
			}
		}
	}
	found := ports.RecordPage{Records: addPositions(records)}
	if at.phase == phaseAll && r.Resource == syncrun.Products { // otherwise records and products are not one to one
		found.Total = p.total
	}
	return found, p.more, nil
}

// readVariations reads the variations of the products that have some.
func (s *Connector) readVariations(ctx context.Context, c ports.Connection, items []item) error {
	all, within := errgroup.WithContext(ctx)
	all.SetLimit(concurrency)
	for i := range items {
		if !items[i].hasVariations() {
			continue
		}
		all.Go(func() (err error) {
			items[i].variations, err = s.variations(within, c, items[i].ID.String())
			return err
		})
	}
	err := all.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func (s *Connector) variations(ctx context.Context, c ports.Connection, product string) (list []json.RawMessage, err error) {
	for number := 1; number <= maxVariationPages; number++ {
		p, err := s.page(ctx, c, "/products/"+url.PathEscape(product)+"/variations", orderedByID(), number, maxPageSize)
		if err != nil {
			return nil, err
		}
		list = append(list, p.list...)
		if !p.more {
			return list, nil
		}
	}
	return nil, s.platform.Failed("has no end of a product's variations", nil)
}

func (s *Connector) orders(ctx context.Context, c ports.Connection, r ports.PageRequest, at cursor) (ports.RecordPage, bool, error) {
	query := orderedByID("status", "any")
	if !r.Full && !r.Since.IsZero() {
		setModifiedAfter(query, r.Since)
	}
	p, err := s.page(ctx, c, "/orders", query, at.page, maxPageSize)
	return ports.RecordPage{Records: connectors.Records(p.list, orderRecord), Total: p.total}, p.more, err
}

func (s *Connector) customers(ctx context.Context, c ports.Connection, r ports.PageRequest, at cursor) (ports.RecordPage, bool, error) {
	p, err := s.page(ctx, c, "/customers", orderedByID("role", "all"), at.page, maxPageSize)
	if err != nil {
		return ports.RecordPage{}, false, err
	}
	var records []syncrun.Record
	for _, record := range connectors.Records(p.list, customerRecord) {
		if r.Full || record.Problem != "" || record.At.IsZero() || !record.At.Before(r.Since.Truncate(time.Second)) {
			records = append(records, record)
		}
	}
	found := ports.RecordPage{Records: records}
	if r.Full || r.Since.IsZero() { // otherwise unchanged customers are left out
		found.Total = p.total
	}
	return found, p.more, nil
}

// addPositions adds the position on the page to the problem of a record without an id.
func addPositions(records []syncrun.Record) []syncrun.Record {
	for i, r := range records {
		if r.Remote == "" {
			records[i].Problem = "Record " + strconv.Itoa(i+1) + " of its page: " + r.Problem
		}
	}
	return records
}

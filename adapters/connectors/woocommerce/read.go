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
	// goodsPage is how many products a page has: each with variations is a request more.
	goodsPage = 50
	// atOnce are the products whose variations are read at the same time.
	atOnce = 4
	// mostVariations are 2,100: more than a shop makes, and an end to their pages.
	mostVariations = 21
)

// The phases of a reading of products or stock: all; or what changed, without and with variations.
const (
	everything = "all"
	plainOnes  = "plain"
	variable   = "variable"
)

// spot is how far a reading has come.
type spot struct {
	phase string
	page  int
}

func (s spot) String() string { return s.phase + ":" + strconv.Itoa(s.page) }

func (s *Connector) spot(r ports.PageRequest) (spot, error) {
	if r.Cursor == "" {
		if goods(r.Resource) && !r.Full && !r.Since.IsZero() {
			return spot{plainOnes, 1}, nil
		}
		return spot{everything, 1}, nil
	}
	phase, number, _ := strings.Cut(r.Cursor, ":")
	page, err := strconv.Atoi(number)
	if err != nil || page < 1 || phase != everything && phase != plainOnes && phase != variable {
		return spot{}, s.platform.Refused("gave no such page: start the sync anew")
	}
	return spot{phase, page}, nil
}

func goods(r syncrun.Resource) bool { return r == syncrun.Products || r == syncrun.Inventory }

// Read reads one page.
func (s *Connector) Read(ctx ports.Outbound, c ports.Connection, r ports.PageRequest) (ports.RecordPage, error) {
	at, err := s.spot(r)
	if err != nil {
		return ports.RecordPage{}, err
	}
	read := map[syncrun.Resource]func(context.Context, ports.Connection, ports.PageRequest, spot) (ports.RecordPage, bool, error){
		syncrun.Products: s.goods, syncrun.Inventory: s.goods, syncrun.Orders: s.orders, syncrun.Customers: s.customers,
	}[r.Resource]
	if read == nil {
		return ports.RecordPage{}, s.platform.Refused("has no " + r.Resource.String())
	}
	found, more, err := read(ctx, c, r, at)
	if err == nil && !more && at.phase == plainOnes { // and on with the next phase
		before := found.Records
		at = spot{variable, 1}
		found, more, err = read(ctx, c, r, at)
		found.Records = append(before, found.Records...)
	}
	if err != nil {
		return ports.RecordPage{}, err
	}
	if more {
		found.Next = spot{at.phase, at.page + 1}.String()
	}
	return found, nil
}

// changed asks for what was modified since a time, which modified_after leaves out itself. Without dates_are_gmt it
// would be the shop's local time.
func changed(query url.Values, since time.Time) {
	query.Set("modified_after", since.Add(-time.Second).UTC().Format("2006-01-02T15:04:05"))
	query.Set("dates_are_gmt", "true")
}

func ordered(more ...string) url.Values {
	query := url.Values{"orderby": {"id"}, "order": {"asc"}}
	for i := 0; i < len(more); i += 2 {
		query.Set(more[i], more[i+1])
	}
	return query
}

func (s *Connector) goods(ctx context.Context, c ports.Connection, r ports.PageRequest, at spot) (ports.RecordPage, bool, error) {
	query := ordered("status", "any")
	switch at.phase {
	case plainOnes:
		changed(query, r.Since)
	case variable:
		query.Set("type", "variable")
	}
	p, err := s.page(ctx, c, "/products", query, at.page, goodsPage)
	if err != nil {
		return ports.RecordPage{}, false, err
	}
	items := make([]item, 0, len(p.list))
	for _, raw := range p.list {
		one := parseItem(raw)
		if at.phase != plainOnes || !one.varies() {
			items = append(items, one)
		}
	}
	if err := s.vary(ctx, c, items); err != nil {
		return ports.RecordPage{}, false, err
	}
	var records []syncrun.Record
	for _, one := range items {
		for _, record := range one.records(r.Resource) {
			if at.phase != variable || record.Problem != "" || !record.At.Before(r.Since) {
				records = append(records, record)
			}
		}
	}
	found := ports.RecordPage{Records: named(records)}
	if at.phase == everything && r.Resource == syncrun.Products { // else some of the list are left out, or have several records
		found.Total = p.total
	}
	return found, p.more, nil
}

// vary reads the variations of those products that have some.
func (s *Connector) vary(ctx context.Context, c ports.Connection, items []item) error {
	all, within := errgroup.WithContext(ctx)
	all.SetLimit(atOnce)
	for i := range items {
		if !items[i].varies() {
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
	for number := 1; number <= mostVariations; number++ {
		p, err := s.page(ctx, c, "/products/"+url.PathEscape(product)+"/variations", ordered(), number, most)
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

func (s *Connector) orders(ctx context.Context, c ports.Connection, r ports.PageRequest, at spot) (ports.RecordPage, bool, error) {
	query := ordered("status", "any")
	if !r.Full && !r.Since.IsZero() {
		changed(query, r.Since)
	}
	p, err := s.page(ctx, c, "/orders", query, at.page, most)
	return ports.RecordPage{Records: connectors.Records(p.list, orderRecord), Total: p.total}, p.more, err
}

func (s *Connector) customers(ctx context.Context, c ports.Connection, r ports.PageRequest, at spot) (ports.RecordPage, bool, error) {
	p, err := s.page(ctx, c, "/customers", ordered("role", "all"), at.page, most)
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
	if r.Full || r.Since.IsZero() { // else those that have not changed are left out
		found.Total = p.total
	}
	return found, p.more, nil
}

// named says of a record without an id which one of its page it is.
func named(records []syncrun.Record) []syncrun.Record {
	for i, r := range records {
		if r.Remote == "" {
			records[i].Problem = "Record " + strconv.Itoa(i+1) + " of its page: " + r.Problem
		}
	}
	return records
}

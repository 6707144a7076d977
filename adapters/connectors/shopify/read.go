package shopify

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// listing is how a resource is read by pages: a query with a connection at its top. Shopify charges a query
// for all that it could return, nested connections multiplied, 1,000 points at most: a page that turns out
// to be too large is made smaller.
type listing struct {
	field   string // that has it in the answer
	query   string
	size    int
	records mapping
}

// mapping is how a node becomes records.
type mapping func(node json.RawMessage, with circumstances) ([]syncrun.Record, error)

// circumstances are what records depend on beside what Shopify says in them.
type circumstances struct {
	currency string // of a shop's prices
	location string // of a level
	// rest reads the variants after a cursor, "" being the start, of a product as it was changed last. gone means that the product
	// is no more.
	rest func(p product, after string) (read variantsRead, gone bool)
	// offer is what the merchant offers beside what is for general sale.
	offer integration.Offers
	now   time.Time
	// veiled means that the app may not read when products were published: then they count as published.
	veiled bool
}

// unpublished reports whether a product that was published at a time, or never, is not published now.
func (with circumstances) unpublished(at *string) bool {
	if at == nil {
		return !with.veiled
	}
	when, err := time.Parse(time.RFC3339, *at)
	return err == nil && when.After(with.now)
}

// veils reports whether fields that the app may not read tell when products were published.
func veils(denied []denial) bool {
	return slices.ContainsFunc(denied, func(d denial) bool { return d.field == "publishedAt" })
}

var listings = map[syncrun.Resource]listing{
	syncrun.Products:  {"products", productsQuery, 50, productRecords},
	syncrun.Orders:    {"orders", ordersQuery, 250, orderRecords},
	syncrun.Customers: {"customers", customersQuery, 250, customerRecords},
}

const productsQuery = `query Products($first: Int!, $after: String, $query: String) {
  products(first: $first, after: $after, query: $query, sortKey: ID) {
    pageInfo { hasNextPage endCursor }
    nodes {
      id handle title descriptionHtml vendor productType status tags updatedAt ` + saleFields + `
      variants(first: 100) {
        pageInfo { hasNextPage endCursor }
        nodes { ` + variantFields + ` }
      }
      media(first: 10) { nodes { ... on MediaImage { id image { url altText } } } }
    }
  }
}`

const ordersQuery = `query Orders($first: Int!, $after: String, $query: String) {
  orders(first: $first, after: $after, query: $query, sortKey: ID) {
    pageInfo { hasNextPage endCursor }
    nodes { ` + orderQueryFields + ` }
  }
}`

const orderQueryFields = `id name email displayFinancialStatus displayFulfillmentStatus cancelledAt createdAt updatedAt
      subtotalLineItemsQuantity sourceIdentifier
      fulfillments(first: 10) { status createdAt deliveredAt trackingInfo(first: 1) { company number url } }
      totalPriceSet { shopMoney { amount currencyCode } }
      totalRefundedSet { shopMoney { amount } }`

const customersQuery = `query Customers($first: Int!, $after: String, $query: String) {
  customers(first: $first, after: $after, query: $query, sortKey: ID) {
    pageInfo { hasNextPage endCursor }
    nodes { ` + customerFields + ` }
  }
}`

const customerFields = `id firstName lastName defaultEmailAddress { emailAddress } tags numberOfOrders updatedAt
      metafield(namespace: "loyalty", key: "tier") { value }`

// page is a connection's.
type page[T any] struct {
	PageInfo struct {
		HasNextPage bool
		EndCursor   string
	}
	Nodes []T
}

// Cursors: of a page, of a resource's bulk operation that may still run, and of a place in its file.
const (
	pageCursor = "page:"
	bulkCursor = "bulk:"
	fileCursor = "file:"
)

// Read reads a page. All products, and all stock, are better read by a bulk operation, where the app may run one and
// none is running: pages are dear.
func (c *Connector) Read(ctx ports.Outbound, conn ports.Connection, r ports.PageRequest) (ports.RecordPage, error) {
	found, err := c.readRecords(ctx, conn, r)
	for i, record := range found.Records {
		found.Records[i].WholeSecond = wholeSecond(record.At)
	}
	return found, err
}

func (c *Connector) readRecords(ctx ports.Outbound, conn ports.Connection, r ports.PageRequest) (ports.RecordPage, error) {
	kind, rest, _ := strings.Cut(r.Cursor, ":")
	switch kind += ":"; kind {
	case bulkCursor, fileCursor:
		return c.readBulk(ctx, conn, r.Resource, kind, rest)
	case pageCursor:
		return c.readPages(ctx, conn, r, rest)
	}
	_, there := bulks[r.Resource]
	if there && (r.Full || r.Since.IsZero()) && r.Cursor == "" {
		next, err := c.startBulk(ctx, conn, r.Resource)
		if !refused(err) {
			return ports.RecordPage{Next: next}, err
		}
		found, failed := c.readPages(ctx, conn, r, "")
		found.Notices = append(found.Notices, bulkNotices(r.Resource, err)...)
		return found, failed
	}
	return c.readPages(ctx, conn, r, "")
}

func (c *Connector) readPages(ctx ports.Outbound, conn ports.Connection, r ports.PageRequest, at string) (ports.RecordPage, error) {
	if r.Resource == syncrun.Inventory {
		return c.readLevels(ctx, conn, r, at)
	}
	of, there := listings[r.Resource]
	if !there {
		return ports.RecordPage{}, c.platform.Refused("has no " + r.Resource.String())
	}
	return c.readPage(ctx, conn, of, r, at)
}

// counted is a query that tells how many records it finds on all of its pages, too. The count has no limit, and what it is
// worth (https://shopify.dev/docs/api/admin-graphql/latest/queries/ordersCount, …/productsCount, …/customersCount and
// …/enums/CountPrecision, api_version 2026-10, read 2026-11-28). What a count costs is not documented.
func (l listing) counted() string {
	return strings.Replace(l.query, "{\n", "{\n  total: "+l.field+"Count(query: $query, limit: null) { count precision }\n", 1)
}

// found is the answer to a query of a listing.
type found map[string]*struct {
	page[json.RawMessage]
	Count     int
	Precision string
}

func (f found) page(field string) *page[json.RawMessage] {
	if f[field] == nil {
		return nil
	}
	return &f[field].page
}

// total is what the platform counted; zero: it did not.
func (f found) total() (t syncrun.Total) {
	if counted := f["total"]; counted != nil {
		t.Count, t.AtLeast = counted.Count, counted.Precision != "EXACT"
	}
	return t
}

// list asks for a page, the first one with the count of all. An app that may not count reads all the same.
func (c *Connector) list(ctx context.Context, conn ports.Connection, of listing, first bool, variables map[string]any) (f found, denied []denial, err error) {
	if first {
		denied, err = c.fetchAs(ctx, conn, of.counted(), of.query, of.size, variables, &f)
		var dear tooDear
		if !refused(err) || errors.As(err, &dear) {
			return f, denied, err
		}
		f = nil
	}
	denied, err = c.fetch(ctx, conn, of.query, of.size, variables, &f)
	return f, denied, err
}

func (c *Connector) circumstances(ctx ports.Outbound, conn ports.Connection, of syncrun.Resource) (with circumstances, err error) {
	if of == syncrun.Products {
		with.offer, with.now = conn.Offer, c.Clock.Now()
		with.currency, err = c.currency(ctx, conn)
	}
	return with, err
}

func (c *Connector) readPage(
	ctx ports.Outbound, conn ports.Connection, of listing, r ports.PageRequest, cursor string,
) (ports.RecordPage, error) {
	with, err := c.circumstances(ctx, conn, r.Resource)
	if err != nil {
		return ports.RecordPage{}, err
	}
	at := parseWindow(cursor)
	failed := c.readsRest(ctx, conn, &with)
	answer, denied, err := c.list(ctx, conn, of, at == (window{}), at.filter(r.Since, "id"))
	if err != nil {
		return ports.RecordPage{}, err
	}
	list := answer.page(of.field)
	after, err := c.next(list)
	if err != nil {
		return ports.RecordPage{}, err
	}
	with.veiled = veils(denied)
	p := ports.RecordPage{Notices: notices(r.Resource, denied), Total: answer.total()}
	for _, node := range list.Nodes {
		p.Records = append(p.Records, read(r.Resource, node, with, of.records)...)
		if *failed != nil {
			return ports.RecordPage{}, *failed
		}
	}
	if after != "" {
		p.Next = pageCursor + at.next(idsOf(list.Nodes, idOf), len(list.Nodes), of.size, after).String()
	}
	c.accounts.Of(conn.Key).forgetVariants()
	return p, nil
}

// next is Shopify's cursor after a page. A page that is not there is not an empty one, after which all that was
// not seen would count as gone.
func (c *Connector) next(p *page[json.RawMessage]) (string, error) {
	switch {
	case p == nil || p.Nodes == nil:
		return "", c.platform.Failed("sent no page", nil)
	case p.PageInfo.HasNextPage && p.PageInfo.EndCursor == "":
		return "", c.platform.Failed("has more pages, but does not say where", nil)
	case p.PageInfo.HasNextPage:
		return p.PageInfo.EndCursor, nil
	}
	return "", nil
}

// fetch asks for a page of a size, and for a smaller one if that is too much for Shopify.
func (c *Connector) fetch(
	ctx context.Context, conn ports.Connection, query string, size int, variables map[string]any, into any,
) (denied []denial, err error) {
	return c.fetchAs(ctx, conn, query, query, size, variables, into)
}

// fetchAs is fetch for a query whose pages are as large as another's.
func (c *Connector) fetchAs(
	ctx context.Context, conn ports.Connection, query, sized string, size int, variables map[string]any, into any,
) (denied []denial, err error) {
	a := c.accounts.Of(conn.Key)
	for {
		first := a.size(sized, size)
		variables["first"] = first
		denied, err = c.askPartly(ctx, conn, query, variables, into)
		var dear tooDear
		if !errors.As(err, &dear) || !a.shrink(sized, first, dear) {
			return denied, err
		}
	}
}

// read maps a node. What cannot be read is a record that says so.
func read(resource syncrun.Resource, node json.RawMessage, with circumstances, records mapping) []syncrun.Record {
	list, err := records(node, with)
	if err == nil {
		return list
	}
	var named struct {
		ID   gid
		Item struct{ ID gid } // of a level
	}
	_ = json.Unmarshal(node, &named) // where even that fails, it has no name
	name := string(named.ID)
	if resource == syncrun.Inventory {
		name = levelName(string(named.Item.ID), with.location)
	}
	return []syncrun.Record{{
		Resource: resource,
		Remote:   name,
		Problem:  "Shopify's data of it cannot be read.",
	}}
}

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

// listing describes how to read a resource by pages: a query with a connection at its top. Shopify charges a query
// for everything it could return, with nested connections multiplied, and at most 1,000 points. fetch reduces the
// size of pages that cost more.
type listing struct {
	field   string // name of the connection in the answer
	query   string
	size    int
	records mapping
}

// mapping converts a node to records.
type mapping func(node json.RawMessage, with recordContext) ([]syncrun.Record, error)

// recordContext has what a mapping needs in addition to the node.
type recordContext struct {
	currency string // of a shop's prices
	location string // of a level
	// rest reads the variants of a product after a cursor; "" is the start. gone means that the product does not exist any more.
	rest func(p product, after string) (read variantsRead, gone bool)
	// offer says which goods the merchant offers in addition to those for general sale.
	offer integration.Offers
	now   time.Time
	// publicationHidden means that the app may not read when products were published. They count as published then.
	publicationHidden bool
}

// unpublished reports whether a product is not published now. at is the time of its publication; nil: never.
func (with recordContext) unpublished(at *string) bool {
	if at == nil {
		return !with.publicationHidden
	}
	when, err := time.Parse(time.RFC3339, *at)
	return err == nil && when.After(with.now)
}

// hidesPublication reports whether denied contains the field with the time of publication.
func hidesPublication(denied []denial) bool {
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

// page is a page of a connection.
type page[T any] struct {
	PageInfo struct {
		HasNextPage bool
		EndCursor   string
	}
	Nodes []T
}

// The prefixes of cursors: of a page, of a bulk operation that may still run, and of a position in its file.
const (
	pageCursor = "page:"
	bulkCursor = "bulk:"
	fileCursor = "file:"
)

// Read reads a page. It reads all products and all stock with a bulk operation, if the app may run one and none is running,
// because pages are expensive.
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

// withCount returns the query with the total number of records of all pages and its precision. The count has no
// limit (https://shopify.dev/docs/api/admin-graphql/latest/queries/ordersCount, …/productsCount, …/customersCount
// and …/enums/CountPrecision, api_version 2026-10, read 2026-11-28). The cost of a count is not documented.
func (l listing) withCount() string {
	return strings.Replace(l.query, "{\n", "{\n  total: "+l.field+"Count(query: $query, limit: null) { count precision }\n", 1)
}

// listAnswer is the answer to a query of a listing.
type listAnswer map[string]*struct {
	page[json.RawMessage]
	Count     int
	Precision string
}

func (f listAnswer) page(field string) *page[json.RawMessage] {
	if f[field] == nil {
		return nil
	}
	return &f[field].page
}

// total returns the count in the answer, or zero if there is none.
func (f listAnswer) total() (t syncrun.Total) {
	if counted := f["total"]; counted != nil {
		t.Count, t.AtLeast = counted.Count, counted.Precision != "EXACT"
	}
	return t
}

// list reads a page, the first one with the total. If the app may not count, it reads the page without.
func (c *Connector) list(ctx context.Context, conn ports.Connection, of listing, first bool, variables map[string]any) (f listAnswer, denied []denial, err error) {
	if first {
		denied, err = c.fetchAs(ctx, conn, of.withCount(), of.query, of.size, variables, &f)
		var expensive tooExpensive
		if !refused(err) || errors.As(err, &expensive) {
			return f, denied, err
		}
		f = nil
	}
	denied, err = c.fetch(ctx, conn, of.query, of.size, variables, &f)
	return f, denied, err
}

func (c *Connector) newContext(ctx ports.Outbound, conn ports.Connection, of syncrun.Resource) (with recordContext, err error) {
	if of == syncrun.Products {
		with.offer, with.now = conn.Offer, c.Clock.Now()
		with.currency, err = c.currency(ctx, conn)
	}
	return with, err
}

func (c *Connector) readPage(
	ctx ports.Outbound, conn ports.Connection, of listing, r ports.PageRequest, cursor string,
) (ports.RecordPage, error) {
	with, err := c.newContext(ctx, conn, r.Resource)
	if err != nil {
		return ports.RecordPage{}, err
	}
	at := parseWindow(cursor)
	failed := c.setRest(ctx, conn, &with)
	answer, denied, err := c.list(ctx, conn, of, at == (window{}), at.filter(r.Since, "id"))
	if err != nil {
		return ports.RecordPage{}, err
	}
	list := answer.page(of.field)
	after, err := c.next(list)
	if err != nil {
		return ports.RecordPage{}, err
	}
	with.publicationHidden = hidesPublication(denied)
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

// next returns Shopify's cursor after a page. A missing page is an error: if it counted as an empty one, the sync would
// delete all records that were not seen.
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

// fetch reads a page of a size, or a smaller one if that costs too much.
func (c *Connector) fetch(
	ctx context.Context, conn ports.Connection, query string, size int, variables map[string]any, into any,
) (denied []denial, err error) {
	return c.fetchAs(ctx, conn, query, query, size, variables, into)
}

// fetchAs is like fetch, with the page size that is stored for the query sized.
func (c *Connector) fetchAs(
	ctx context.Context, conn ports.Connection, query, sized string, size int, variables map[string]any, into any,
) (denied []denial, err error) {
	a := c.accounts.Of(conn.Key)
	for {
		first := a.size(sized, size)
		variables["first"] = first
		denied, err = c.askPartial(ctx, conn, query, variables, into)
		var expensive tooExpensive
		if !errors.As(err, &expensive) || !a.shrink(sized, first, expensive) {
			return denied, err
		}
	}
}

// read converts a node. An unreadable node becomes a record with a problem.
func read(resource syncrun.Resource, node json.RawMessage, with recordContext, records mapping) []syncrun.Record {
	list, err := records(node, with)
	if err == nil {
		return list
	}
	var named struct {
		ID   gid
		Item struct{ ID gid } // of a level
	}
	_ = json.Unmarshal(node, &named) // if this fails, the record has no id
	name := string(named.ID)
	if resource == syncrun.Inventory {
		name = levelID(string(named.Item.ID), with.location)
	}
	return []syncrun.Record{{
		Resource: resource,
		Remote:   name,
		Problem:  "Shopify's data of it cannot be read.",
	}}
}

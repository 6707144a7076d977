package shopify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// bulk is how all of a resource is read by a bulk operation, which writes it to a file of JSON lines.
type bulk struct {
	query   string
	grouped bool  // what is below another line follows it there, which makes the operation slower
	chunk   int64 // bytes of the file that are read at once
	records reading
	below   bool // the records are what is below the objects at the root
}

// total is how many records a file has.
func (b bulk) total(objects, roots int) syncrun.Total {
	if b.below {
		return syncrun.Total{Count: objects - roots}
	}
	return syncrun.Total{Count: roots}
}

// reading reads whole records, bulkPage at most, off the start of a part of a file, and tells how many bytes
// they take.
type reading func(part []byte, last bool, with circumstances) (records []syncrun.Record, used int)

var bulks = map[syncrun.Resource]bulk{
	syncrun.Products: {
		query:   productsBulk,
		grouped: true,
		chunk:   2 << 20,
		records: productsOf,
	},
	syncrun.Inventory: {
		query:   levelsBulk,
		chunk:   128 << 10,
		records: levelsOf,
		below:   true,
	},
}

// A product's variants and images are below it.
const productsBulk = `{
  products {
    edges { node {
      id handle title descriptionHtml vendor productType status tags updatedAt ` + saleFields + `
      variants { edges { node { ` + variantFields + ` } } }
      media { edges { node { ... on MediaImage { id image { url altText } } } } }
    } }
  }
}`

const bulkStart = `mutation BulkRun($query: String!, $grouped: Boolean!) {
  bulkOperationRunQuery(query: $query, groupObjects: $grouped) {
    bulkOperation { id status }
    userErrors { field message }
  }
}`

// The counts are a running total of all objects and of those at the root
// (https://shopify.dev/docs/api/admin-graphql/2026-07/objects/BulkOperation, read 2026-11-28).
const bulkStateQuery = `query Bulk($id: ID!) {
  node(id: $id) { ... on BulkOperation { id status errorCode url objectCount rootObjectCount } }
}`

const (
	firstPause = 250 * time.Millisecond // until an operation is asked for again; it doubles with each time
	bulkPause  = 2 * time.Second        // the longest pause
	bulkPage   = 250                    // records
)

// bulkPause is how long to wait for an operation that is not done. How often to ask is not documented; the query costs a point.
func (a *account) bulkPause(operation string) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.awaited != operation {
		a.awaited, a.pause = operation, firstPause
		return firstPause
	}
	a.pause = min(2*a.pause, bulkPause)
	return a.pause
}

// startBulk starts the operation. A PlatformRefusal means that there is no such way: another one is running,
// or the app may not.
func (c *Connector) startBulk(ctx context.Context, conn ports.Connection, of syncrun.Resource) (next string, err error) {
	var started struct {
		BulkOperationRunQuery struct {
			BulkOperation *struct{ ID gid }
			UserErrors    []userError
		}
	}
	if err := c.ask(ctx, conn, bulkStart, map[string]any{"query": bulks[of].query, "grouped": bulks[of].grouped}, &started); err != nil {
		return "", err
	}
	run := started.BulkOperationRunQuery
	switch err := c.userRefused(conn, run.UserErrors); {
	case err != nil:
		return "", err
	case run.BulkOperation == nil || run.BulkOperation.ID == "":
		return "", c.platform.Refused("started no bulk operation")
	}
	return bulkCursor + of.String() + ":" + string(run.BulkOperation.ID), nil
}

// fromPages is the way of those whose bulk operation came to nothing: from the start, page by page. What was
// taken of its file already is taken once more.
var fromPages = ports.RecordPage{Next: pageCursor, Restarted: true}

// readBulk goes on with a bulk operation of the resource. Another's cursor says nothing of it.
func (c *Connector) readBulk(ctx ports.Outbound, conn ports.Connection, of syncrun.Resource, kind, cursor string) (ports.RecordPage, error) {
	name, at, _ := strings.Cut(cursor, ":")
	if _, there := bulks[of]; !there || name != of.String() {
		return fromPages, nil
	}
	if kind == bulkCursor {
		return c.awaitBulk(ctx, conn, place{of: of, operation: at})
	}
	return c.readFile(ctx, conn, of, at)
}

// awaitBulk is Throttled while the operation runs: to wait is no failure.
func (c *Connector) awaitBulk(ctx ports.Outbound, conn ports.Connection, at place) (ports.RecordPage, error) {
	state, err := c.bulkState(ctx, conn, at.operation)
	var no *noAccess
	switch {
	case errors.As(err, &no):
		p := fromPages
		p.Notices = bulkNotices(at.of, err)
		return p, nil
	case err != nil:
		return ports.RecordPage{}, err
	case state.running:
		return ports.RecordPage{}, ports.Throttled{After: c.accounts.Of(conn.Key).bulkPause(at.operation), Preparing: true}
	case state.address == "":
		return fromPages, nil
	}
	at.address = state.address
	p, err := c.readPlace(ctx, conn, at)
	p.Total = bulks[at.of].total(state.objects, state.roots)
	return p, err
}

// bulkState is how a bulk operation is. Without an address it has no file. That is so too where nothing was found, but pages
// are the better witness of that.
type bulkState struct {
	running bool
	address string
	objects int // in the file
	roots   int // those of them that are below no other
}

// bulkState asks for an operation. noAccess: it was denied access.
func (c *Connector) bulkState(ctx context.Context, conn ports.Connection, id string) (state bulkState, err error) {
	var found struct {
		Node *struct{ Status, ErrorCode, URL, ObjectCount, RootObjectCount string }
	}
	if err := c.ask(ctx, conn, bulkStateQuery, map[string]any{"id": "gid://shopify/BulkOperation/" + id}, &found); err != nil {
		return state, err
	}
	if found.Node == nil {
		return state, nil
	}
	switch found.Node.Status {
	case "CREATED", "RUNNING", "CANCELING":
		state.running = true
	case "COMPLETED":
		state.address = found.Node.URL
		state.objects, _ = strconv.Atoi(found.Node.ObjectCount) // else it is not known how many there are
		state.roots, _ = strconv.Atoi(found.Node.RootObjectCount)
	case "FAILED":
		if found.Node.ErrorCode == accessDenied {
			return state, &noAccess{c.platform.Refused("does not permit the bulk operation")}
		}
	}
	return state, nil
}

// place is a place in the file of an operation.
type place struct {
	of        syncrun.Resource
	operation string
	offset    int64
	address   string
}

// String is the place as a cursor has it.
func (p place) String() string {
	return fmt.Sprintf("%s%s:%s:%d:%s", fileCursor, p.of, p.operation, p.offset, url.QueryEscape(p.address))
}

func (c *Connector) readFile(ctx ports.Outbound, conn ports.Connection, of syncrun.Resource, cursor string) (ports.RecordPage, error) {
	parts := strings.Split(cursor, ":")
	if len(parts) != 3 {
		return fromPages, nil
	}
	offset, err := strconv.ParseInt(parts[1], 10, 64)
	address, errAddress := url.QueryUnescape(parts[2])
	if err != nil || errAddress != nil || offset < 0 {
		return fromPages, nil
	}
	return c.readPlace(ctx, conn, place{
		of:        of,
		operation: parts[0],
		offset:    offset,
		address:   address,
	})
}

// readPlace reads a page of the file. Its address expires: then the operation tells another, or it is gone.
func (c *Connector) readPlace(ctx ports.Outbound, conn ports.Connection, at place) (ports.RecordPage, error) {
	with, err := c.circumstances(ctx, conn, at.of)
	if err != nil {
		return ports.RecordPage{}, err
	}
	of := bulks[at.of]
	part, last, err := c.chunk(ctx, at, of.chunk)
	if refused(err) {
		fresh, errFresh := c.bulkState(ctx, conn, at.operation)
		if errFresh != nil || fresh.running || fresh.address == "" || fresh.address == at.address {
			return fromPages, errFresh
		}
		at.address = fresh.address
		part, last, err = c.chunk(ctx, at, of.chunk)
	}
	if err != nil {
		return ports.RecordPage{}, err
	}
	records, used := of.records(part, last, with)
	if used == 0 && !last { // a record that is longer than that
		if part, last, err = c.chunk(ctx, at, connectors.Longest); err != nil {
			return ports.RecordPage{}, err
		}
		records, used = of.records(part, last, with)
	}
	switch at.offset += int64(used); {
	case last && used == len(part):
		return ports.RecordPage{Records: records}, nil
	case used == 0:
		return ports.RecordPage{}, c.platform.Failed("sent a file with a record that is too long", nil)
	}
	return ports.RecordPage{Records: records, Next: at.String()}, nil
}

// chunk reads a part of the file, and reports whether it is the last. No secret goes there.
func (c *Connector) chunk(ctx context.Context, at place, size int64) (part []byte, last bool, err error) {
	if !c.trusted(at.address) {
		return nil, false, c.platform.Failed("sent a file's address that is none of its own", nil)
	}
	answer, err := c.platform.Send(ctx, connectors.Request{
		URL: at.address, Header: map[string]string{"Range": fmt.Sprintf("bytes=%d-%d", at.offset, at.offset+size-1)},
	})
	if err != nil {
		return nil, false, err
	}
	switch answer.Status {
	case http.StatusRequestedRangeNotSatisfiable:
		return nil, true, nil
	case http.StatusUnauthorized, http.StatusForbidden: // the address has expired
		return nil, false, c.platform.Refused("does not give out the file")
	case http.StatusOK: // all of it
		return answer.Body[min(at.offset, int64(len(answer.Body))):], true, nil
	}
	if err := c.platform.Judge(answer); err != nil {
		return nil, false, err
	}
	end := at.offset + int64(len(answer.Body))
	_, whole, _ := strings.Cut(answer.Header.Get("Content-Range"), "/")
	total, err := strconv.ParseInt(whole, 10, 64)
	return answer.Body, err == nil && end >= total || err != nil && int64(len(answer.Body)) < size, nil
}

func (c *Connector) trusted(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	own, err := url.Parse(c.URL)
	return u.Scheme == "https" || err == nil && u.Scheme == own.Scheme && u.Host == own.Host
}

// group is a product's line with those below it.
type group struct {
	product product
	broken  bool
}

// lineLength is that of the line at the start of a part, with its end; 0: its end is not in the part.
func lineLength(part []byte, last bool) int {
	if length := bytes.IndexByte(part, '\n') + 1; length > 0 || !last {
		return length
	}
	return len(part)
}

// productsOf is the reading of products. That one is whole is known when the next begins, or the file ends.
func productsOf(part []byte, last bool, with circumstances) (records []syncrun.Record, used int) {
	var current *group
	take := func(upTo int) {
		if current != nil {
			records = append(records, current.record(with))
		}
		current, used = nil, upTo
	}
	at := 0
	for at < len(part) {
		length := lineLength(part[at:], last)
		if length == 0 {
			return records, used
		}
		text := bytes.TrimSpace(part[at : at+length])
		parent := parentOf(text)
		if len(text) > 0 && parent == "" {
			take(at)
			if len(records) == bulkPage {
				return records, used
			}
			current = open(text, with)
		} else if current != nil && parent == current.product.id {
			current.add(text)
		}
		at += length
	}
	if last {
		take(len(part))
	}
	return records, used
}

func parentOf(text []byte) string {
	var child struct {
		Parent gid `json:"__parentId"`
	}
	_ = json.Unmarshal(text, &child) // a line that cannot be read counts as a product, which is broken
	return string(child.Parent)
}

func open(text []byte, with circumstances) *group {
	var n productNode
	err := named(json.Unmarshal(text, &n), &n.ID)
	return &group{product: n.product(with), broken: err != nil}
}

// add takes a line below the product's: only images have an image.
func (g *group) add(text []byte) {
	var kind struct{ Image, Price json.RawMessage }
	if json.Unmarshal(text, &kind) != nil {
		g.broken = true
		return
	}
	if kind.Price == nil {
		var image imageNode
		if json.Unmarshal(text, &image) == nil {
			g.product.addImage(image)
		}
		return
	}
	var v variantNode
	if named(json.Unmarshal(text, &v), &v.ID) != nil {
		g.broken = true
	}
	g.product.addVariant(v)
}

func (g *group) record(with circumstances) syncrun.Record {
	if g.broken {
		return syncrun.Record{
			Resource: syncrun.Products,
			Remote:   g.product.id,
			Problem:  "Shopify's data of it cannot be read.",
		}
	}
	return g.product.record(with)
}

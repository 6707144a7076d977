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

// bulk describes the bulk operation for a resource, which writes all objects to a file of JSON lines.
type bulk struct {
	query   string
	grouped bool  // nested objects follow their parent in the file, which makes the operation slower
	chunk   int64 // bytes of the file that are read with one request
	records fileParser
	nested  bool // the records are the nested objects, not those at the root
}

// total returns the number of records in a file.
func (b bulk) total(objects, roots int) syncrun.Total {
	if b.nested {
		return syncrun.Total{Count: objects - roots}
	}
	return syncrun.Total{Count: roots}
}

// fileParser reads complete records, at most bulkPage, from the start of a part of a file, and returns their size
// in bytes.
type fileParser func(part []byte, last bool, with recordContext) (records []syncrun.Record, used int)

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
		nested:  true,
	},
}

// productsBulk nests the variants and images of a product.
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

// bulkStateQuery reads the counts of all objects so far and of those at the root
// (https://shopify.dev/docs/api/admin-graphql/2026-07/objects/BulkOperation, read 2026-11-28).
const bulkStateQuery = `query Bulk($id: ID!) {
  node(id: $id) { ... on BulkOperation { id status errorCode url objectCount rootObjectCount } }
}`

const (
	firstPause = 250 * time.Millisecond // before the second request for an operation's state; it doubles with each request
	bulkPause  = 2 * time.Second        // the longest pause
	bulkPage   = 250                    // records
)

// bulkPause returns how long to wait for a running operation. The recommended interval is not documented; the query costs a point.
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

// startBulk starts the operation. A PlatformRefusal means that none can be started: another one is running, or the
// app has no permission.
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

// restartByPages restarts a read page by page after a failed bulk operation. Records that were already read from its
// file are read again.
var restartByPages = ports.RecordPage{Next: pageCursor, Restarted: true}

// readBulk continues with a bulk operation of the resource. It restarts by pages if the cursor is of another resource.
func (c *Connector) readBulk(ctx ports.Outbound, conn ports.Connection, of syncrun.Resource, kind, cursor string) (ports.RecordPage, error) {
	name, at, _ := strings.Cut(cursor, ":")
	if _, there := bulks[of]; !there || name != of.String() {
		return restartByPages, nil
	}
	if kind == bulkCursor {
		return c.awaitBulk(ctx, conn, filePosition{of: of, operation: at})
	}
	return c.readFile(ctx, conn, of, at)
}

// awaitBulk returns Throttled while the operation runs, because waiting is no failure.
func (c *Connector) awaitBulk(ctx ports.Outbound, conn ports.Connection, at filePosition) (ports.RecordPage, error) {
	state, err := c.bulkState(ctx, conn, at.operation)
	var no *noAccess
	switch {
	case errors.As(err, &no):
		p := restartByPages
		p.Notices = bulkNotices(at.of, err)
		return p, nil
	case err != nil:
		return ports.RecordPage{}, err
	case state.running:
		return ports.RecordPage{}, ports.Throttled{After: c.accounts.Of(conn.Key).bulkPause(at.operation), Preparing: true}
	case state.address == "":
		return restartByPages, nil
	}
	at.address = state.address
	p, err := c.readFilePage(ctx, conn, at)
	p.Total = bulks[at.of].total(state.objects, state.roots)
	return p, err
}

// bulkState is the state of a bulk operation. Without an address it has no file. Shopify writes no file for an empty result
// either, but reading pages confirms that.
type bulkState struct {
	running bool
	address string
	objects int // in the file
	roots   int // those at the root
}

// bulkState reads the state of an operation. The error is noAccess if the app was denied access to it.
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
		state.objects, _ = strconv.Atoi(found.Node.ObjectCount) // 0: the number is unknown
		state.roots, _ = strconv.Atoi(found.Node.RootObjectCount)
	case "FAILED":
		if found.Node.ErrorCode == accessDenied {
			return state, &noAccess{c.platform.Refused("does not permit the bulk operation")}
		}
	}
	return state, nil
}

// filePosition is a position in the file of an operation.
type filePosition struct {
	of        syncrun.Resource
	operation string
	offset    int64
	address   string
}

// String returns the position as a cursor.
func (p filePosition) String() string {
	return fmt.Sprintf("%s%s:%s:%d:%s", fileCursor, p.of, p.operation, p.offset, url.QueryEscape(p.address))
}

func (c *Connector) readFile(ctx ports.Outbound, conn ports.Connection, of syncrun.Resource, cursor string) (ports.RecordPage, error) {
	parts := strings.Split(cursor, ":")
	if len(parts) != 3 {
		return restartByPages, nil
	}
	offset, err := strconv.ParseInt(parts[1], 10, 64)
	address, errAddress := url.QueryUnescape(parts[2])
	if err != nil || errAddress != nil || offset < 0 {
		return restartByPages, nil
	}
	return c.readFilePage(ctx, conn, filePosition{
		of:        of,
		operation: parts[0],
		offset:    offset,
		address:   address,
	})
}

// readFilePage reads a page of the file. If its address has expired, it reads a new one from the operation.
func (c *Connector) readFilePage(ctx ports.Outbound, conn ports.Connection, at filePosition) (ports.RecordPage, error) {
	with, err := c.newContext(ctx, conn, at.of)
	if err != nil {
		return ports.RecordPage{}, err
	}
	of := bulks[at.of]
	part, last, err := c.chunk(ctx, at, of.chunk)
	if refused(err) {
		fresh, errFresh := c.bulkState(ctx, conn, at.operation)
		if errFresh != nil || fresh.running || fresh.address == "" || fresh.address == at.address {
			return restartByPages, errFresh
		}
		at.address = fresh.address
		part, last, err = c.chunk(ctx, at, of.chunk)
	}
	if err != nil {
		return ports.RecordPage{}, err
	}
	records, used := of.records(part, last, with)
	if used == 0 && !last { // the record is longer than the part
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

// chunk reads a part of the file, and reports whether it is the last one. The request contains no secret.
func (c *Connector) chunk(ctx context.Context, at filePosition, size int64) (part []byte, last bool, err error) {
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
	case http.StatusOK: // the whole file
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

// productGroup is a product's line with its nested lines.
type productGroup struct {
	product product
	broken  bool
}

// lineLength returns the length of the first line of a part, including the newline, or 0 if the part does not contain
// its end.
func lineLength(part []byte, last bool) int {
	if length := bytes.IndexByte(part, '\n') + 1; length > 0 || !last {
		return length
	}
	return len(part)
}

// productsOf parses products. A product is complete when the next one begins or the file ends.
func productsOf(part []byte, last bool, with recordContext) (records []syncrun.Record, used int) {
	var current *productGroup
	flush := func(upTo int) {
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
			flush(at)
			if len(records) == bulkPage {
				return records, used
			}
			current = newProductGroup(text, with)
		} else if current != nil && parent == current.product.id {
			current.add(text)
		}
		at += length
	}
	if last {
		flush(len(part))
	}
	return records, used
}

func parentOf(text []byte) string {
	var child struct {
		Parent gid `json:"__parentId"`
	}
	_ = json.Unmarshal(text, &child) // an unreadable line counts as a broken product
	return string(child.Parent)
}

func newProductGroup(text []byte, with recordContext) *productGroup {
	var n productNode
	err := requireID(json.Unmarshal(text, &n), &n.ID)
	return &productGroup{product: n.product(with), broken: err != nil}
}

// add adds a nested line to the product. Only images have the field image.
func (g *productGroup) add(text []byte) {
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
	if requireID(json.Unmarshal(text, &v), &v.ID) != nil {
		g.broken = true
	}
	g.product.addVariant(v)
}

func (g *productGroup) record(with recordContext) syncrun.Record {
	if g.broken {
		return syncrun.Record{
			Resource: syncrun.Products,
			Remote:   g.product.id,
			Problem:  "Shopify's data of it cannot be read.",
		}
	}
	return g.product.record(with)
}

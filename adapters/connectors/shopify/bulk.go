package shopify

import (
	"bytes"
	"context"
	"encoding/json"
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

// A bulk operation writes all products to a file of JSON lines, a product's variants and images below it.
const bulkQuery = `{
  products {
    edges { node {
      id handle title descriptionHtml vendor productType status tags updatedAt
      variants { edges { node { id sku price selectedOptions { name value } inventoryItem { id } } } }
      media { edges { node { ... on MediaImage { id image { url altText } } } } }
    } }
  }
}`

const bulkStart = `mutation BulkProducts($query: String!) {
  bulkOperationRunQuery(query: $query, groupObjects: true) {
    bulkOperation { id status }
    userErrors { field message }
  }
}`

const bulkState = `query Bulk($id: ID!) {
  node(id: $id) { ... on BulkOperation { id status errorCode url } }
}`

const (
	bulkPause = 2 * time.Second // until it is asked for again
	bulkChunk = 2 << 20         // bytes of the file that are read at once
	bulkPage  = 250             // products
)

// startBulk starts the operation. A PlatformRefusal means that there is no such way: another one is running,
// or the app may not.
func (c *Connector) startBulk(ctx context.Context, conn ports.Connection) (next string, err error) {
	var started struct {
		BulkOperationRunQuery struct {
			BulkOperation *struct{ ID gid }
			UserErrors    []userError
		}
	}
	if err := c.ask(ctx, conn, bulkStart, map[string]any{"query": bulkQuery}, &started); err != nil {
		return "", err
	}
	run := started.BulkOperationRunQuery
	switch err := c.userRefused(conn, run.UserErrors); {
	case err != nil:
		return "", err
	case run.BulkOperation == nil || run.BulkOperation.ID == "":
		return "", c.platform.Refused("started no bulk operation")
	}
	return bulkCursor + string(run.BulkOperation.ID), nil
}

// fromPages is the way of those whose bulk operation came to nothing: from the start, page by page. What was
// taken of its file already is taken once more.
var fromPages = ports.RecordPage{Next: pageCursor}

// awaitBulk is Throttled while the operation runs: to wait is no failure.
func (c *Connector) awaitBulk(ctx context.Context, conn ports.Connection, id string) (ports.RecordPage, error) {
	place, running, err := c.bulkFile(ctx, conn, id)
	switch {
	case err != nil:
		return ports.RecordPage{}, err
	case running:
		return ports.RecordPage{}, connectors.Wait(bulkPause)
	case place == nil:
		return fromPages, nil
	}
	return c.readPlace(ctx, conn, *place)
}

// bulkFile is the start of an operation's file; nil: it has none. That is so too where no product was found,
// but pages are the better witness of that.
func (c *Connector) bulkFile(ctx context.Context, conn ports.Connection, id string) (*place, bool, error) {
	var found struct {
		Node *struct{ Status, URL string }
	}
	if err := c.ask(ctx, conn, bulkState, map[string]any{"id": "gid://shopify/BulkOperation/" + id}, &found); err != nil {
		return nil, false, err
	}
	if found.Node == nil {
		return nil, false, nil
	}
	switch status := found.Node.Status; {
	case status == "CREATED" || status == "RUNNING" || status == "CANCELING":
		return nil, true, nil
	case status == "COMPLETED" && found.Node.URL != "":
		return &place{operation: id, address: found.Node.URL}, false, nil
	}
	return nil, false, nil
}

// place is a place in the file of an operation.
type place struct {
	operation string
	offset    int64
	address   string
}

// String is the place as a cursor has it.
func (p place) String() string {
	return fmt.Sprintf("%s%s:%d:%s", fileCursor, p.operation, p.offset, url.QueryEscape(p.address))
}

func (c *Connector) readFile(ctx context.Context, conn ports.Connection, cursor string) (ports.RecordPage, error) {
	parts := strings.Split(cursor, ":")
	if len(parts) != 3 {
		return fromPages, nil
	}
	offset, err := strconv.ParseInt(parts[1], 10, 64)
	address, errAddress := url.QueryUnescape(parts[2])
	if err != nil || errAddress != nil || offset < 0 {
		return fromPages, nil
	}
	return c.readPlace(ctx, conn, place{operation: parts[0], offset: offset, address: address})
}

// readPlace reads a page of the file. Its address expires: then the operation tells another, or it is gone.
func (c *Connector) readPlace(ctx context.Context, conn ports.Connection, at place) (ports.RecordPage, error) {
	currency, err := c.currency(ctx, conn)
	if err != nil {
		return ports.RecordPage{}, err
	}
	part, last, err := c.chunk(ctx, at, bulkChunk)
	if refused(err) {
		fresh, running, errFresh := c.bulkFile(ctx, conn, at.operation)
		if errFresh != nil || running || fresh == nil || fresh.address == at.address {
			return fromPages, errFresh
		}
		at.address = fresh.address
		part, last, err = c.chunk(ctx, at, bulkChunk)
	}
	if err != nil {
		return ports.RecordPage{}, err
	}
	records, used := productsOf(part, last, currency)
	if used == 0 && !last { // a product that is longer than that
		if part, last, err = c.chunk(ctx, at, connectors.Longest); err != nil {
			return ports.RecordPage{}, err
		}
		records, used = productsOf(part, last, currency)
	}
	switch at.offset += int64(used); {
	case last && used == len(part):
		return ports.RecordPage{Records: records}, nil
	case used == 0:
		return ports.RecordPage{}, c.platform.Failed("sent a file with a product that is too long", nil)
	}
	return ports.RecordPage{Records: records, Next: at.String()}, nil
}

// chunk reads a part of the file, and tells whether it is the last. No secret goes there.
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

// productsOf reads whole products off the start of a part of the file, and tells how many bytes they take.
// That a product is whole is known when the next begins, or the file ends.
func productsOf(part []byte, last bool, currency string) (records []syncrun.Record, used int) {
	var current *group
	take := func(upTo int) {
		if current != nil {
			records = append(records, current.record(currency))
		}
		current, used = nil, upTo
	}
	at := 0
	for at < len(part) {
		length := bytes.IndexByte(part[at:], '\n') + 1
		if length == 0 && !last {
			return records, used
		}
		if length == 0 {
			length = len(part) - at
		}
		text := bytes.TrimSpace(part[at : at+length])
		parent := parentOf(text)
		if len(text) > 0 && parent == "" {
			take(at)
			if len(records) == bulkPage {
				return records, used
			}
			current = open(text)
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

func open(text []byte) *group {
	var n productNode
	err := named(json.Unmarshal(text, &n), &n.ID)
	return &group{product: n.product(), broken: err != nil}
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

func (g *group) record(currency string) syncrun.Record {
	if g.broken {
		return syncrun.Record{Resource: syncrun.Products, Remote: g.product.id, Problem: "Shopify's data of it cannot be read."}
	}
	return g.product.record(currency)
}

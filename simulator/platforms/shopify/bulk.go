package shopify

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// bulkOperations are the bulk operations. One runs at a time; results are kept.
type bulkOperations struct {
	shopify *Platform
	mu      sync.Mutex
	all     []*bulkOperation
}

type bulkOperation struct {
	number         int
	query, status  string
	file, url      string
	result         []byte
	objects, roots int
	made, done     time.Time
}

const bulkBase = 720_000_001

func (b *bulkOperations) show(o *bulkOperation) object {
	values := map[string]any{
		"id": gid("BulkOperation", bulkBase+o.number), "status": o.status, "errorCode": nil, "createdAt": host.WholeSeconds(o.made.UnixMilli()), "completedAt": nil,
		"objectCount": strconv.Itoa(o.objects), "rootObjectCount": strconv.Itoa(o.roots), "fileSize": nil, "url": nil, "partialDataUrl": nil,
		"query": o.query, "type": "QUERY",
	}
	if o.status == "COMPLETED" {
		values["completedAt"], values["fileSize"] = host.WholeSeconds(o.done.UnixMilli()), strconv.Itoa(len(o.result))
		if o.objects > 0 {
			values["url"] = o.url
		}
	}
	return facts{"BulkOperation", values}
}

func (b *bulkOperations) find(id string) any {
	b.mu.Lock()
	defer b.mu.Unlock()
	number, is := numberOf(id, "BulkOperation")
	if n := number - bulkBase; is && n >= 0 && n < len(b.all) {
		return b.show(b.all[n])
	}
	return nil
}

func (b *bulkOperations) current() any {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.all) == 0 {
		return nil
	}
	return b.show(b.all[len(b.all)-1])
}

func (b *bulkOperations) busy() *bulkOperation {
	if n := len(b.all); n > 0 && (b.all[n-1].status == "CREATED" || b.all[n-1].status == "RUNNING") {
		return b.all[n-1]
	}
	return nil
}

func bulkRefusal(code, text string) object {
	refused := facts{"BulkOperationUserError", map[string]any{"field": []string{"query"}, "message": text, "code": code}}
	return facts{"BulkOperationRunQueryPayload", map[string]any{"bulkOperation": nil, "userErrors": []object{refused}}}
}

func (b *bulkOperations) run(query, base string) any {
	operation, vars, errs := load(query, "", nil)
	if len(errs) > 0 {
		return bulkRefusal("INVALID", "Invalid bulk query: "+errs[0].Message)
	}
	root := bulkRoot(operation)
	if root == nil {
		return bulkRefusal("INVALID", "Bulk queries must contain at least one connection, at the top level.")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if o := b.busy(); o != nil {
		return bulkRefusal("OPERATION_IN_PROGRESS", "A bulk query operation for this app and shop is already in progress: "+gid("BulkOperation", bulkBase+o.number)+".")
	}
	o := &bulkOperation{
		number: len(b.all),
		query:  query,
		status: "CREATED",
		made:   b.shopify.Host.Config.Now(),
		file:   host.RandomText(24) + ".jsonl",
	}
	o.url = base + "/bulk/" + o.file
	b.all = append(b.all, o)
	shown := b.show(o)
	b.shopify.Host.Calls.Go(func() { b.work(o, root, vars) })
	return facts{"BulkOperationRunQueryPayload", map[string]any{"bulkOperation": shown, "userErrors": []object{}}}
}

// bulkRoot returns the operation's only field, if it is a connection.
func bulkRoot(operation *ast.OperationDefinition) *ast.Field {
	list := fields(operation.SelectionSet, "QueryRoot")
	if operation.Operation != ast.Query || len(list) != 1 || !strings.HasSuffix(list[0].Definition.Type.Name(), "Connection") {
		return nil
	}
	return list[0]
}

func (b *bulkOperations) work(o *bulkOperation, root *ast.Field, vars map[string]any) {
	b.change(o, func() { o.status = "RUNNING" })
	select {
	case <-time.After(b.shopify.Host.Config.BulkTime):
	case <-b.shopify.Host.Stop.Done():
		return
	}
	w := &bulkWriter{}
	e := &execution{vars: vars, bulk: w}
	b.shopify.Read(func(*host.World) {
		e.object(ast.SelectionSet{root}, rootObject{b.shopify, nil, "QueryRoot"})
		w.flush(e, "")
	})
	b.change(o, func() {
		o.result, o.objects, o.roots, o.done = w.out.Bytes(), w.objects, w.roots, b.shopify.Host.Config.Now()
		o.status = "COMPLETED"
		if len(e.errors) > 0 {
			o.status = "FAILED"
		}
	})
}

// change runs change unless the operation was canceled.
func (b *bulkOperations) change(o *bulkOperation, change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o.status != "CANCELED" {
		change()
	}
}

func (b *bulkOperations) cancel(id string) any {
	b.mu.Lock()
	defer b.mu.Unlock()
	payload := map[string]any{"bulkOperation": nil, "userErrors": []object{}}
	if o := b.busy(); o != nil && id == gid("BulkOperation", bulkBase+o.number) {
		o.status = "CANCELED"
		payload["bulkOperation"] = b.show(o)
	} else {
		payload["userErrors"] = []object{facts{"UserError", map[string]any{"field": []string{"id"}, "message": "Bulk operation does not exist or has ended"}}}
	}
	return facts{"BulkOperationCancelPayload", payload}
}

// bulkWriter writes a line for each node. Nodes of nested connections follow their parent's line and have its id.
type bulkWriter struct {
	out            bytes.Buffer
	objects, roots int
	pending        []bulkPending
}

type bulkPending struct {
	field *ast.Field
	page  *connection
}

func (w *bulkWriter) defers(f *ast.Field, c *connection) {
	w.pending = append(w.pending, bulkPending{f, c})
}

// flush writes the delayed nodes of a parent.
func (w *bulkWriter) flush(e *execution, parent string) {
	pending := w.pending
	w.pending = nil
	for _, p := range pending {
		set := nodeSelection(p.field, p.page.of)
		for _, node := range p.page.nodes {
			shown := e.object(set, node)
			if parent != "" {
				shown["__parentId"] = parent
			} else {
				w.roots++
			}
			w.objects++
			line, _ := json.Marshal(shown)
			w.out.Write(append(line, '\n'))
			id, _ := node.field("id", nil).(string)
			w.flush(e, id)
		}
	}
}

// nodeSelection returns the selection of a connection's nodes, from edges or from nodes.
func nodeSelection(f *ast.Field, of string) (set ast.SelectionSet) {
	for _, one := range fields(f.SelectionSet, of+"Connection") {
		switch one.Name {
		case "nodes":
			set = append(set, one.SelectionSet...)
		case "edges":
			for _, inner := range fields(one.SelectionSet, of+"Edge") {
				if inner.Name == "node" {
					set = append(set, inner.SelectionSet...)
				}
			}
		}
	}
	return set
}

// download serves a result. The secret URL needs no token. With the fault "lost" it ends half-way, so that clients must
// use Range.
func (b *bulkOperations) download(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	var found *bulkOperation
	for _, o := range b.all {
		if o.file == r.PathValue("file") && o.status == "COMPLETED" {
			found = o
		}
	}
	b.mu.Unlock()
	if found == nil {
		http.NotFound(w, r)
		return
	}
	c := &host.Call{Request: r}
	a := b.shopify.Meet(c, "bulk", func() host.Answer { return host.Answer{} })
	switch {
	case a.Status != 0:
		a.Write(w)
	case a.Lost || a.Half:
		w.Header().Set("Content-Length", strconv.Itoa(len(found.result)))
		w.Header().Set("Content-Type", "application/jsonl")
		_, _ = w.Write(found.result[:len(found.result)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	default:
		w.Header().Set("Content-Type", "application/jsonl")
		w.Header().Set("ETag", `"`+found.file+`"`)
		http.ServeContent(w, r, "", found.done, bytes.NewReader(found.result))
	}
}

package boot

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// The toy protocol is a second buyers' protocol: types, converters and a route table. Its errors are problems (RFC 9457). Its
// idempotency keys are required, longer than ACP's, and compare raw bytes.

type problem struct {
	status int
	Title  string `json:"title"`
	Type   string `json:"type"`
}

func (p *problem) Error() string  { return p.Type }
func (p *problem) GetStatus() int { return p.status }

var toyStyle = &wire.Style{
	ErrorType: reflect.TypeFor[problem](),
	Error: func(status int, e *fault.Error, _ string) huma.StatusError {
		return &problem{status, e.Message, "urn:toy:" + e.Code}
	},
	MaxBody: 1 << 10,
	Lenient: true,
	Public:  true,
}

var toyRules = wire.KeyRules[commerce.Buyer]{
	Owner:       func(e wire.Entry[commerce.Buyer], _ []byte) string { return "toy " + e.Caller.Client },
	Fingerprint: func(body []byte) ([sha256.Size]byte, bool) { return sha256.Sum256(body), true },
	Check: func(_ *huma.Operation, key string) error {
		if len(key) < 22 {
			return fault.New(fault.Malformed, "key_required", "Send an Idempotency-Key of 22 characters.")
		}
		return nil
	},
	Reused: fault.New(fault.Conflict, "key_conflict", "The key is another request's."),
}

type toyShelves struct {
	Body struct {
		Paths []string `json:"paths"`
	}
}

type toyBid struct {
	Item string `path:"item"`
	Body struct {
		Cents int64 `json:"cents"`
	}
}

type toyAnswer struct {
	Body struct {
		Quote    string `json:"quote"`
		Accepted bool   `json:"accepted"`
	}
}

func registerToy(api huma.API, s *commerce.Services) {
	m := s.Mount(api, toyStyle, toyRules)
	wire.AddReadOnly(m, wire.Operation{Lane: s.Lane, Operation: huma.Operation{
		OperationID: "toy-shelves",
		Method:      "GET",
		Path:        "/toy/{slug}/shelves",
	}},
		func(ctx context.Context, rq commerce.Request, _ *struct{}) (*toyShelves, error) {
			found, err := s.Discovery.In(rq.Stores).TopCategories(ctx, rq.Caller.Shop)
			out := &toyShelves{}
			for _, c := range found {
				out.Body.Paths = append(out.Body.Paths, c.Path)
			}
			return out, err
		})
	wire.AddPrepared(m, wire.Operation{Lane: s.Lane, Operation: huma.Operation{
		OperationID: "toy-bid",
		Method:      "POST",
		Path:        "/toy/{slug}/items/{item}/bids",
	}},
		func(ctx ports.Outbound, rq commerce.Request, in *toyBid) (plan wire.Plan[*ports.Stores, toyAnswer], err error) {
			wanted, err := wire.ID[id.Product](in.Item, "item")
			if err != nil {
				return plan, err
			}
			offer := money.Of(in.Body.Cents, rq.Caller.Shop.Settings.Currency)
			prepared, err := s.Haggling.In(rq.Stores).PrepareQuote(ctx, rq.Caller.Shop, haggling.Request{
				Ask:   ports.HaggleAsk{Product: wanted, Client: rq.Caller.Client},
				Offer: &offer,
				Again: rq.Attempt > 1,
			})
			if err != nil {
				return plan, err
			}
			plan.Commit = func(ctx context.Context, st *ports.Stores) (*toyAnswer, error) {
				out := &toyAnswer{}
				out.Body.Quote, out.Body.Accepted = prepared.Answer.Quote.ID.String(), prepared.Answer.Token != ""
				return out, prepared.Commit(ctx, st)
			}
			return plan, nil
		})
}

// A second protocol uses the whole request pipeline: shop lookup, rate limits, idempotency keys, lane and transaction.
func TestBuyerServices_secondProtocol(t *testing.T) {
	t.Parallel()
	a, err := New(t.Context(), Config{
		Addr:         "127.0.0.1:0",
		OpsAddr:      "127.0.0.1:0",
		DatabaseURL:  "sqlite://" + filepath.Join(t.TempDir(), "haggle.db"),
		Env:          account.Sandbox.String(),
		BootstrapKey: benchKey,
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	mux := http.NewServeMux()
	mux.Handle("/", a.handler())
	toys := http.NewServeMux()
	registerToy(wire.NewAPI(toys, wire.Config{Title: "Toy", Version: "1"}), a.buyerServices())
	mux.Handle("/toy/", wire.Handler(toys, wire.Watch{Log: slog.New(slog.DiscardHandler)}))
	send := func(method, path, body, key string, headers ...string) string {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+benchKey)
		if key != "" {
			r.Header.Set(wire.KeyHeader, key)
		}
		if len(headers) > 0 {
			r.Header.Set("X-Project-ID", headers[0])
		}
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		return fmt.Sprint(w.Code, " ", w.Body)
	}
	project := regexp.MustCompile(`proj_\w+`).FindString(send("POST", "/v1/projects", `{"name":"Toys","slug":"toys"}`, ""))
	made := send("POST", "/v1/catalog/products", `{"name":"Train","sku":"T1","price":80,"category":"rail","quantity":5}`, "", project)
	item := regexp.MustCompile(`prod_\w+`).FindString(made)
	if got := send("GET", "/toy/toys/shelves", "", ""); got != `200 {"paths":["rail"]}` {
		t.Errorf("%s (made %s)", got, made)
	}
	bid, key := "/toy/toys/items/"+item+"/bids", strings.Repeat("k", 22)
	first := send("POST", bid, `{"cents":8000}`, key)
	if !strings.Contains(first, `"accepted":true`) || send("POST", bid, `{"cents":8000}`, key) != first {
		t.Errorf("%s, again %s", first, send("POST", bid, `{"cents":8000}`, key))
	}
	for want, got := range map[string]string{
		`409 {"title":"The key is another request's.","type":"urn:toy:key_conflict"}`:             send("POST", bid, `{"cents": 8000}`, key),
		`400 {"title":"Send an Idempotency-Key of 22 characters.","type":"urn:toy:key_required"}`: send("POST", bid, `{"cents":8000}`, "short"),
		`404 {"title":"No such project.","type":"urn:toy:project_not_found"}`:                     send("GET", "/toy/none/shelves", "", ""),
	} {
		if strings.TrimSpace(got) != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

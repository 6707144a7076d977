package wire_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

type line struct {
	Product  string `json:"product_id"`
	Quantity int    `json:"quantity" minimum:"1" maximum:"1000"`
}

type group struct {
	Discount wire.Optional[wire.Decimal] `json:"max_discount_percent,omitzero"`
	Minutes  wire.Optional[int]          `json:"minutes,omitzero"`
}

type offer struct {
	Price wire.Decimal         `json:"offer_price"`
	Note  string               `json:"note,omitempty" maxLength:"10"`
	Lines []line               `json:"items,omitempty" maxItems:"50"`
	Group wire.Optional[group] `json:"commerce,omitzero"`
	Count int                  `json:"count,omitempty"`
}

type offerInput struct {
	Limit int `query:"limit" minimum:"1" maximum:"100" default:"20"`
	Body  offer
}

type answer struct {
	Price    wire.Money    `json:"price"`
	Nothing  *wire.Money   `json:"nothing" nullable:"true"`
	Discount wire.Decimal  `json:"discount"`
	State    string        `json:"state"`
	Tags     []string      `json:"tags"`
	Minutes  *int          `json:"minutes,omitempty"`
	Left     *wire.Decimal `json:"left,omitempty"`
}

type answerOutput struct{ Body answer }

// echo answers with the input that it read, or fails as its note says.
func echo(_ context.Context, in *offerInput) (*answerOutput, error) {
	switch in.Body.Note {
	case "panic":
		panic("the secret cause")
	case "plain":
		return nil, io.ErrUnexpectedEOF
	case "busy":
		return nil, fault.New(fault.Unavailable, "payment_unresolved", "Try again.").After(1500e6)
	case "who":
		return nil, fault.New(fault.Unauthenticated, "unauthenticated", "Who are you?")
	}
	check := fault.NewCheck()
	price := in.Body.Price.Amount(money.USD, "offer_price", check)
	out := answer{Price: wire.ToMoney(price), Discount: wire.ToPercent(125)}
	if g, ok := in.Body.Group.Value(); ok {
		out.State = "group"
		if n, ok := g.Minutes.Value(); ok {
			out.Minutes = &n
		}
	}
	if in.Body.Group.Null() {
		out.State = "null"
	}
	return &answerOutput{out}, check.Err()
}

func echoed(ctx context.Context, _ wire.Request[nobody, nobody], in *offerInput) (*answerOutput, error) {
	return echo(ctx, in)
}

func newServer(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(newHandler(slog.New(slog.DiscardHandler)))
	t.Cleanup(server.Close)
	return server
}

// nobody is the caller, or the stores, of tests without any.
type nobody struct{}

// buyers is a style with another form of errors.
var buyers = &wire.Style{
	ErrorType: reflect.TypeFor[ACPError](),
	Error: func(status int, e *fault.Error, requestID string) huma.StatusError {
		return &ACPError{status, "error", e.Code, wire.ToDetails(e.Details), wire.Seconds(e.RetryAfter), requestID}
	},
	Prefix:        "ACP",
	RetryInternal: time.Minute,
	MaxBody:       wire.ACPBody,
	Lenient:       true,
	Public:        true,
}

type ACPError struct {
	status     int
	Status     string        `json:"status"`
	Code       string        `json:"error"`
	Details    []wire.Detail `json:"details,omitempty"`
	RetryAfter int           `json:"retry_after,omitzero"`
	RequestID  string        `json:"request_id"`
}

func (e *ACPError) Error() string  { return e.Code }
func (e *ACPError) GetStatus() int { return e.status }

// mountOf returns an API without callers, stores and keys.
func mountOf(api huma.API, style *wire.Style) *wire.Mount[nobody, nobody] {
	return &wire.Mount[nobody, nobody]{
		API:   api,
		Style: style,
		Steps: []wire.Step[nobody]{wire.Check[nobody]},
	}
}

func postTo(id, path string) wire.Operation {
	return wire.Operation{Operation: huma.Operation{
		OperationID: id,
		Method:      "POST",
		Path:        path,
	}}
}

func newHandler(log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	api := wire.NewAPI(mux, wire.Config{Title: "Test", Version: "1"})
	mux.Handle("/p/", wire.Unrouted(mux, buyers))
	wire.AddPhased(mountOf(api, wire.Plain), postTo("manage", "/v1/offers"),
		func(ctx ports.Outbound, _ wire.Request[nobody, nobody], in *offerInput) (*answerOutput, error) {
			return echo(ctx, in)
		})
	wire.AddPhased(mountOf(api, buyers), postTo("buy", "/p/{slug}/offers"),
		func(ctx ports.Outbound, _ wire.Request[nobody, nobody], in *struct {
			Slug string `path:"slug"`
			Body buyerOffer
		}) (*answerOutput, error) {
			return echo(ctx, &offerInput{Body: offer{Price: in.Body.Price, Note: in.Body.Note}})
		})
	return wire.Handler(mux, wire.Watch{Log: log})
}

// buyerOffer shares no type with offer, because unknown fields are accepted per type.
type buyerOffer struct {
	Price wire.Decimal              `json:"offer_price"`
	Note  string                    `json:"note,omitempty" maxLength:"10"`
	Lines []buyerLine               `json:"items,omitempty"`
	Group wire.Optional[buyerGroup] `json:"commerce,omitzero"`
	Count int                       `json:"count,omitempty"`
}

type buyerLine struct {
	Product  string `json:"product_id"`
	Quantity int    `json:"quantity" minimum:"1" maximum:"1000"`
}

type buyerGroup struct {
	Discount wire.Decimal `json:"max_discount_percent,omitempty"`
}

// reply is a response with the fields of both error forms.
type reply struct {
	status  int
	header  http.Header
	text    string
	Code    string
	Details []wire.Detail
}

func post(t *testing.T, url, contentType, body string) reply {
	t.Helper()
	response, err := http.Post(url, contentType, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return read(t, response)
}

func read(t *testing.T, response *http.Response) reply {
	t.Helper()
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	r := reply{
		status: response.StatusCode,
		header: response.Header,
		text:   string(text),
	}
	var management struct {
		Error struct {
			Code    string
			Details []wire.Detail
		}
	}
	var acp struct {
		Error   string
		Details []wire.Detail
	}
	if json.Unmarshal(text, &management) == nil {
		r.Code, r.Details = management.Error.Code, management.Error.Details
	} else if json.Unmarshal(text, &acp) == nil {
		r.Code, r.Details = acp.Error, acp.Details
	}
	return r
}

func (r reply) is(t *testing.T, status int, code string, fields ...string) {
	t.Helper()
	var got []string
	for _, d := range r.Details {
		got = append(got, d.Field)
	}
	if r.status != status || r.Code != code || strings.Join(got, " ") != strings.Join(fields, " ") {
		t.Errorf("%d %s %v, want %d %s %v\n%s", r.status, r.Code, got, status, code, fields, r.text)
	}
}

package wire_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
)

type article struct {
	SKU   wire.Optional[string]            `json:"sku,omitzero" maxLength:"5"`
	Price wire.Optional[wire.Decimal]      `json:"price,omitzero"`
	Count wire.Optional[int]               `json:"count,omitzero"`
	Tags  wire.Optional[[]string]          `json:"tags,omitzero"`
	Notes wire.Optional[map[string]string] `json:"notes,omitzero"`
	Lines wire.Optional[[]articleLine]     `json:"lines,omitzero"`
}

type articleLine struct {
	Size  string        `json:"size"`
	Price *wire.Decimal `json:"price,omitempty"`
}

type articlesInput struct {
	Body struct {
		Articles []wire.Item[article] `json:"articles" minItems:"1" maxItems:"3"`
	}
}

type articlesOutput struct{ Body []string }

// newArticles serves an operation that answers with the sku, count and size of each article, as far as they could be read, and
// with the fields at fault.
func newArticles(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	api := wire.NewAPI(mux, wire.Config{Title: "Test", Version: "1"})
	wire.AddReadOnly(mountOf(api, wire.Plain), postTo("batch", "/v1/articles"),
		func(_ context.Context, _ wire.Request[nobody, nobody], in *articlesInput) (*articlesOutput, error) {
			out := &articlesOutput{}
			for _, item := range in.Body.Articles {
				check := fault.NewCheck()
				a := item.Read(api.OpenAPI().Components.Schemas, check)
				out.Body = append(out.Body, describe(a, check))
			}
			return out, nil
		})
	server := httptest.NewServer(wire.Handler(mux, wire.Watch{Log: slog.New(slog.DiscardHandler)}))
	t.Cleanup(server.Close)
	return server.URL
}

func describe(a article, check fault.Check) string {
	sku, _ := a.SKU.Value()
	count, _ := a.Count.Value()
	lines, _ := a.Lines.Value()
	text := fmt.Sprintf("%s %d %d", sku, count, len(lines))
	if err, ok := check.Err().(*fault.Error); ok {
		for _, d := range err.Details {
			text += "; " + d.Field + " " + d.Message
		}
	}
	return text
}

func TestItem_Read(t *testing.T) {
	t.Parallel()
	url := newArticles(t) + "/v1/articles"
	for _, c := range []struct{ name, item, want string }{
		{"whole", `{"sku":"A","price":1.5,"count":2.0,"tags":["x"],"notes":{"a":"b"},"lines":[{"size":"S","price":2}]}`, "A 2 1"},
		{"empty", `{}`, " 0 0"},
		{"nulls", `{"sku":null,"lines":null,"count":3}`, " 3 0"},
		{"unknown field", `{"sku":"A","colour":"red","count":2}`, "A 2 0; colour is not a known field"},
		{"unknown field with a dot", `{"sku":"A","count.x":1,"count":2}`, "A 2 0; count.x is not a known field"},
		{"unknown field like a body", `{"body.sku":1}`, " 0 0; body.sku is not a known field"},
		{"another case", `{"sku":"A","Count":2}`, "A 0 0; Count is not a known field"},
		{"wrong type", `{"sku":"A","price":"abc","count":2}`, "A 2 0; price must be a number"},
		{"wrong type of the sku", `{"sku":5,"count":2}`, " 2 0; sku must be a string"},
		{"too long", `{"sku":"ABCDEF","count":2}`, "ABCDEF 2 0; sku must have at most 5 characters"},
		{"out of range", `{"sku":"A","count":1e30}`, "A 0 0; count has a value of the wrong type"},
		{"deep", `{"sku":"A","count":2,"lines":[{"size":"S","price":"x"},{"siz":1}]}`,
			"A 2 2; lines.0.price must be a number; lines.1.siz is not a known field; lines.1.size is required"},
		{"null in a list", `{"sku":"A","tags":[null]}`, "A 0 0; tags.0 must be a string"},
		{"wrong type in a map", `{"sku":"A","notes":{"x.y":5}}`, "A 0 0; notes.x.y must be a string"},
		{"all at once", `{"sku":"A","colour":1,"price":[],"count":"2","tags":"x","notes":[],"lines":{}}`,
			"A 0 0; colour is not a known field; count must be a whole number; lines must be a list; " +
				"notes must be an object; price must be a number; tags must be a list"},
		{"a number", `7`, " 0 0;  must be an object"},
		{"a list", `[{"sku":"A"}]`, " 0 0;  must be an object"},
		{"null", `null`, " 0 0;  must be an object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := post(t, url, "application/json", `{"articles":[{"sku":"B"}, `+c.item+`, {"sku":"C"}]}`)
			var got []string
			if err := json.Unmarshal([]byte(r.text), &got); err != nil || r.status != 200 {
				t.Fatalf("%d %s", r.status, r.text)
			}
			if len(got) != 3 || got[0] != "B 0 0" || got[1] != c.want || got[2] != "C 0 0" {
				t.Errorf("%q\nwant %q between others", got, c.want)
			}
		})
	}
}

func TestItem_UnmarshalJSONFrom(t *testing.T) {
	t.Parallel()
	url := newArticles(t) + "/v1/articles"
	for body, want := range map[string]string{
		`{}`:                                   "422 validation_error articles",
		`{"articles":[]}`:                      "422 validation_error articles",
		`{"articles":null}`:                    "422 validation_error articles",
		`{"articles":{}}`:                      "422 validation_error articles",
		`{"articles":[{},{},{},{}]}`:           "422 validation_error articles",
		`{"articles":[{}],"more":1}`:           "422 validation_error more",
		`{"articles":[{"sku":"A"}]`:            "400 invalid_request",
		`{"articles":[{"sku":"A","sku":"B"}]}`: "400 invalid_request",
		`{"articles":[` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `]}`: "400 invalid_request",
		`{"articles":[{"sku":"A\u0000"}]}`:                                         "422 validation_error articles.0.sku",
	} {
		if got := summary(post(t, url, "application/json", body)); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

func TestItem_Read_manyProblems(t *testing.T) {
	t.Parallel()
	body := `{"articles":[{"tags":[` + strings.Repeat(`0,`, 20000) + `0],"` + strings.Repeat("k", 5000) + `":1}]}`
	r := post(t, newArticles(t)+"/v1/articles", "application/json", body)
	if n := strings.Count(r.text, ";"); r.status != 200 || n > 101 || len(r.text) > 50000 {
		t.Errorf("%d with %d problems in %d bytes", r.status, n, len(r.text))
	}
}

// An item is documented with the schema of its type.
func TestItem_Schema(t *testing.T) {
	t.Parallel()
	response, err := http.Get(newArticles(t) + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"items":{"$ref":"#/components/schemas/Article"}`, `"Article":{`} {
		if !strings.Contains(strings.Join(strings.Fields(string(text)), ""), part) {
			t.Errorf("the document has no %s", part)
		}
	}
}

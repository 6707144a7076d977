package wire_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/id"
)

type onThing struct {
	Order wire.Ref[id.Order] `path:"order_id"`
	Item  wire.Ref[id.Order] `path:"item" thing:"order_item"`
}

func TestRef_path(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mount := keyedMount(wire.NewAPI(mux, wire.Config{Title: "Test", Version: "1"}), &fakeKeyStore{})
	op := wire.Operation{Operation: huma.Operation{
		OperationID: "get",
		Method:      "GET",
		Path:        "/v1/{order_id}/{item}",
	}}
	wire.AddReadOnly(mount, op, func(_ context.Context, _ stagedRequest, in *onThing) (*said, error) {
		out := &said{}
		out.Body.Text = in.Order.ID.String() + " " + in.Item.ID.String()
		return out, nil
	})
	handler := wire.Handler(mux, wire.Watch{Log: slog.New(slog.DiscardHandler)})
	known := id.New[id.Order]([16]byte{1}).String()
	for path, want := range map[string]string{
		known + "/" + known: `"` + known + ` ` + known + `"`,
		"ord_1/" + known:    `"order_not_found"`,
		known + "/" + "x":   `"order_item_not_found"`,
		"x/x":               `"order_not_found"`,
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/"+path, nil))
		if !strings.Contains(w.Body.String(), want) || (w.Code == http.StatusNotFound) != strings.Contains(want, "not_found") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

func TestRefsOf_query(t *testing.T) {
	t.Parallel()
	type filter struct {
		Text  string
		Order wire.Ref[id.Order] `query:"order_id"`
	}
	refs := wire.RefsOf[filter]("query")
	var in filter
	if err := refs.Unknown(&in); err != nil || in.Order.Unknown() {
		t.Errorf("without an id: %v", err)
	}
	_ = in.Order.UnmarshalText([]byte("prod_1"))
	if err := refs.Unknown(&in); err == nil || !in.Order.Unknown() || !in.Order.ID.IsZero() {
		t.Errorf("another kind's: %v, %v", err, in.Order)
	}
}

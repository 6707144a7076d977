package operation

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

// serveTable serves a table at /v1/table.csv.
func serveTable(t *testing.T, lane *wire.Lane, rows func(context.Context, func(...string) error) error) string {
	t.Helper()
	mux := http.NewServeMux()
	api := wire.NewAPI(mux, wire.Config{Title: "Test", Version: "1"})
	huma.Register(api, huma.Operation{
		OperationID: "table",
		Method:      "GET",
		Path:        "/v1/table.csv",
		Responses:   csvAnswer(),
	},
		func(context.Context, *struct{}) (*huma.StreamResponse, error) {
			return Download(lane, "shop", Table{
				Name:    "table.csv",
				Columns: []string{"name", "amount"},
				Rows:    rows,
			}), nil
		})
	server := httptest.NewServer(wire.Handler(mux, wire.Watch{Log: slog.New(slog.DiscardHandler)}))
	t.Cleanup(server.Close)
	return server.URL + "/v1/table.csv"
}

func fetch(t *testing.T, url string) (*http.Response, string, error) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	return r, string(body), err
}

func TestDownload_text(t *testing.T) {
	t.Parallel()
	odd := []string{`a "quoted" name`, "a, b", "two\r\nlines", " spaced ", "é"}
	url := serveTable(t, wire.NewLane(1, 1, nil), func(_ context.Context, write func(...string) error) error {
		for _, text := range odd {
			if err := write(text, "-1.50"); err != nil {
				return err
			}
		}
		return nil
	})
	r, body, err := fetch(t, url)
	if err != nil || r.StatusCode != 200 || r.Header.Get("Content-Type") != "text/csv; charset=utf-8; header=present" {
		t.Fatalf("%d %v %v", r.StatusCode, r.Header, err)
	}
	if !strings.HasPrefix(body, "name,amount\r\n\"a \"\"quoted\"\" name\",-1.50\r\n") {
		t.Errorf("it begins %q", body)
	}
	lines, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil || len(lines) != len(odd)+1 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for i, text := range odd { // the reader makes \r\n one \n (RFC 4180 leaves it alone)
		if want := strings.ReplaceAll(text, "\r\n", "\n"); lines[i+1][0] != want {
			t.Errorf("%q came as %q", text, lines[i+1][0])
		}
	}
}

// A failure before the first byte is an error like any other. A later one must not look like a whole table.
func TestDownload_failure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rows, status int }{{0, 500}, {10, 500}, {100_000, 200}} {
		t.Run(fmt.Sprint(c.rows, " rows"), func(t *testing.T) {
			t.Parallel()
			url := serveTable(t, wire.NewLane(1, 1, nil), func(_ context.Context, write func(...string) error) error {
				for range c.rows {
					if err := write("name", "1.00"); err != nil {
						return err
					}
				}
				return errors.New("the database has gone")
			})
			r, body, err := fetch(t, url)
			if r.StatusCode != c.status || (err != nil) != (c.status == 200) {
				t.Errorf("%d, %v", r.StatusCode, err)
			}
			if c.status == 500 && (!strings.Contains(body, `"internal_error"`) || r.Header.Get("Content-Disposition") != "") {
				t.Errorf("%v %s", r.Header, body)
			}
			if strings.Contains(body, "database") {
				t.Errorf("it tells why: %s", body)
			}
		})
	}
}

func TestDownload_lane(t *testing.T) {
	t.Parallel()
	lane := wire.NewLane(1, 1, nil)
	_, leave, err := lane.Enter(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	url := serveTable(t, lane, func(context.Context, func(...string) error) error { return nil })
	if r, body, _ := fetch(t, url); r.StatusCode != 503 || r.Header.Get("Retry-After") == "" {
		t.Errorf("%d %v %s", r.StatusCode, r.Header, body)
	}
	leave()
	for range 2 { // and they leave it
		if r, body, err := fetch(t, url); r.StatusCode != 200 || body != "name,amount\r\n" || err != nil {
			t.Errorf("%d %q %v", r.StatusCode, body, err)
		}
	}
}

// Text that a spreadsheet would run as a formula is quoted.
func TestCSVText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1", "\n=1": "'\n=1",
		"Visa ending in 4242": "Visa ending in 4242", "": "", "a=1": "a=1",
	} {
		if got := CSVText(text); got != want {
			t.Errorf("%q is written %q", text, got)
		}
	}
}

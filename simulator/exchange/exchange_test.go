package exchange_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/openapi"
)

const document = `{"openapi": "3.1.0", "paths": {"/echo": {"post": {"responses": {
  "200": {"description": "", "content": {"application/json": {"schema": {"type": "object"}}}}}}}}}`

// echo answers with the request's body, and with the request's id unless requestID is set.
func echo(t *testing.T, requestID string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/openapi.json" {
			fmt.Fprint(w, document)
			return
		}
		w.Header().Set("X-Request-Id", r.Header.Get("X-Request-Id"))
		if requestID != "" {
			w.Header().Set("X-Request-Id", requestID)
		}
		w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
		w.Header().Set("X-Seen", r.Header.Get("X-Project-ID"))
		_, _ = io.Copy(w, r.Body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestClient_Do_validAnswer(t *testing.T) {
	t.Parallel()
	validator := openapi.NewValidator()
	client := exchange.NewClient(exchange.Config{
		URL:        echo(t, ""),
		Validator:  validator,
		Header:     http.Header{"X-Project-ID": {"proj_1"}},
		RequestIDs: "r",
	})
	got, err := client.Do(context.Background(), exchange.Request{
		Method: "POST",
		Path:   "/echo?a=b",
		Body:   []byte(`{"a": 1.50}`),
	})
	if err != nil || !got.OK() || fmt.Sprint(got.Value) != "map[a:1.50]" {
		t.Fatalf("%+v, %v", got, err)
	}
	if got.RequestID != "r-1" || got.Header.Get("X-Seen") != "proj_1" || got.Elapsed <= 0 {
		t.Errorf("%+v", got)
	}
	if validator.Checked() != 1 || validator.Count() != 0 {
		t.Errorf("violations %v", validator.Violations())
	}
}

func TestClient_Do_violations(t *testing.T) {
	t.Parallel()
	validator := openapi.NewValidator()
	client := exchange.NewClient(exchange.Config{URL: echo(t, "another"), Validator: validator})
	if _, err := client.Do(context.Background(), exchange.Request{
		Method: "POST",
		Path:   "/echo",
		Body:   []byte(`[]`),
	}); err != nil {
		t.Fatal(err)
	}
	found := fmt.Sprint(validator.Violations())
	if validator.Count() != 2 || !strings.Contains(found, "got array, want object") || !strings.Contains(found, "X-Request-Id") {
		t.Error(found)
	}
}

// A request's headers replace those of the client, and an empty value removes one.
func TestClient_Do_headers(t *testing.T) {
	t.Parallel()
	client := exchange.NewClient(exchange.Config{URL: echo(t, ""), Header: http.Header{"X-Project-ID": {"proj_1"}}})
	for value, want := range map[string]string{"proj_2": "proj_2", "": ""} {
		got, err := client.Do(context.Background(), exchange.Request{
			Method: "POST",
			Path:   "/echo",
			Header: http.Header{"x-project-id": {value}},
			Body:   []byte("{"),
		})
		if err != nil || got.Header.Get("X-Seen") != want || got.Value != nil {
			t.Errorf("%q: %+v, %v", value, got, err)
		}
	}
}

func TestTranscript_boundedAndRedacted(t *testing.T) {
	t.Parallel()
	transcript := exchange.NewTranscript(3)
	client := exchange.NewClient(exchange.Config{URL: echo(t, ""), Transcript: transcript})
	secrets := []string{
		`{"payment": {"method": "psp_spt", "token": "secret-before\"secret-after"}}`, `{"api_key": "sk_123", "api_secret": "secret-s3"}`,
		`{"TOKEN" : "secret-cut"`, `spt_sandbox_ok_1`, `"hk_test_ABCDEF"`, `{"checkout_token": "keep-me"}`,
	}
	for _, body := range secrets[:3] {
		if _, err := client.Do(context.Background(), exchange.Request{
			Method: "POST",
			Path:   "/echo",
			Body:   []byte(body),
		}); err != nil {
			t.Fatal(err)
		}
	}
	text := transcript.String()
	for _, body := range secrets[3:] {
		if _, err := client.Do(context.Background(), exchange.Request{
			Method: "POST",
			Path:   "/echo",
			Body:   []byte(body),
		}); err != nil {
			t.Fatal(err)
		}
	}
	text += transcript.String()
	for _, secret := range []string{"secret-", "sk_123", "spt_", "hk_test"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is in the transcript:\n%s", secret, text)
		}
	}
	if !strings.Contains(text, "keep-me") || !strings.Contains(text, "(3 earlier exchanges left out)") {
		t.Errorf("transcript:\n%s", text)
	}
	if len(transcript.Entries()) != 3 || len(transcript.Last(2)) != 2 {
		t.Error("the transcript is not bounded")
	}
}

func TestClient_Do_noAnswer(t *testing.T) {
	t.Parallel()
	client := exchange.NewClient(exchange.Config{URL: "http://127.0.0.1:1"})
	if _, err := client.Do(context.Background(), exchange.Request{Method: "GET", Path: "/x"}); err == nil {
		t.Fatal("no error")
	}
	if text := client.Transcript().String(); !strings.Contains(text, "no answer") {
		t.Error(text)
	}
}

package httpsig_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpsig"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/ports"
)

// A webhook's signature covers its method, target, body and every header that tells what it is about.
func TestSignWebhook(t *testing.T) {
	t.Parallel()
	key, body := private(t, 1), []byte(`{"id":"order_1"}`)
	request, err := http.NewRequest(http.MethodPost, "https://agent.example/hooks?shop=1", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{
		"Content-Type":      {"application/json"},
		"Webhook-Id":        {"evt_1"},
		"Webhook-Timestamp": {"1"},
	}
	proof := ports.MessageSignature{
		Key:    key,
		Time:   noon,
		Header: map[string]string{"Webhook-Id": "order_1", "UCP-Agent": `profile="https://shop.example"`},
	}
	if err := httpsig.SignWebhook(request, body, proof); err != nil {
		t.Fatal(err)
	}
	for changed, change := range map[string]func(*ports.SignedRequest){
		"":                  func(*ports.SignedRequest) {},
		"method":            func(r *ports.SignedRequest) { r.Method = "PUT" },
		"host":              func(r *ports.SignedRequest) { r.Authority = "other.example" },
		"path":              func(r *ports.SignedRequest) { r.Path = "/" },
		"query":             func(r *ports.SignedRequest) { r.Query = "shop=2" },
		"body":              func(r *ports.SignedRequest) { r.Body = []byte(`{}`) },
		"Content-Type":      func(r *ports.SignedRequest) { r.Header["Content-Type"] = []string{"text/plain"} },
		"Webhook-Id":        func(r *ports.SignedRequest) { r.Header["Webhook-Id"] = []string{"order_2"} },
		"Webhook-Timestamp": func(r *ports.SignedRequest) { r.Header["Webhook-Timestamp"] = []string{"2"} },
		"UCP-Agent":         func(r *ports.SignedRequest) { r.Header["Ucp-Agent"] = []string{`profile="https://other.example"`} },
	} {
		r := ports.SignedRequest{
			Method:    request.Method,
			Authority: request.URL.Host,
			Path:      request.URL.Path,
			Query:     request.URL.RawQuery,
			Header:    request.Header.Clone(),
			Body:      body,
		}
		change(&r)
		_, err := verified(r, agentid.Key{
			ID:     key.Public().Thumbprint(),
			Public: key.Public(),
			Signs:  true,
		})
		if (err == nil) != (changed == "") {
			t.Errorf("with another %q: %v", changed, err)
		}
	}
}

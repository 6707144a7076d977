package embedding_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/llm/embedding"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// A vector has at most 4,096 numbers, and an index.
func TestClient_Embed_nonsense(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ body, says string }{
		{`{"data": [{"embedding": [` + strings.Repeat("1,", 4096) + `1], "index": 0}]}`, "a vector of 4097 numbers"},
		{`{"data": [{"embedding": [1, 2]}]}`, "index"},
		{`{"data": [{"embedding": [1, 2], "index": 1}]}`, "index"},
		{`{"data": [{"embedding": [1, 2], "index": -1}]}`, "index"},
		{`{"data": [{"embedding": "AAAA", "index": 0}]}`, "a vector of 0 numbers"},
		{`{}`, "0 vectors for 1 texts"},
		{`null`, ""},
		{`[]`, ""},
		{``, ""},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(test.body))
		}))
		vectors, err := embedding.New(embedding.Config{URL: s.URL, Model: "m"}).Embed(ports.NewOutbound(t.Context()), []string{"a"})
		s.Close()
		if !fault.Is(err, "embeddings_unavailable") || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%.60s: %v, %v", test.body, vectors, err)
		}
	}
}

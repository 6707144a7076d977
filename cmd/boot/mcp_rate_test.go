package boot_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// MCP messages that call no tool count toward the sender's rate limit too.
func TestServeTools_rateLimit(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, boottest.Engines[0].URL(t), func(c *boot.Config) { c.ACPRate = "1/1" })
	if _, err := app.Demo(t.Context()); err != nil {
		t.Fatal(err)
	}
	send := func(slug string) (*http.Response, string) {
		message := strings.NewReader(`{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}`)
		response, err := http.Post(app.URL()+"/p/"+slug+"/mcp", "application/json", message)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response, string(body)
	}
	for n := range 100 { // an upper bound: another request is allowed every six seconds
		slug, want := "demo", http.StatusOK
		if n%2 == 1 {
			slug, want = "nowhere", http.StatusNotFound
		}
		response, body := send(slug)
		if n >= 10 && response.StatusCode == http.StatusTooManyRequests {
			if response.Header.Get("Retry-After") == "" || !strings.Contains(body, `"retry_after":`) {
				t.Errorf("refused: %v %s", response.Header, body)
			}
			return
		}
		if response.StatusCode != want {
			t.Fatalf("message %d to %s: %s %s", n, slug, response.Status, body)
		}
	}
	t.Error("100 messages at once were served")
}

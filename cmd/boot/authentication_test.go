package boot_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpsig"
	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/domain/signing"
)

// In a shop that requires signatures, an agent reads orders only with a valid signature.
func TestApp_unsignedOrderRead(t *testing.T) {
	t.Parallel()
	const known = "https://agent.example/profile.json"
	key, profile := agentKey(t, 1)
	stranger, _ := agentKey(t, 2)
	order := `"capabilities":{"dev.ucp.shopping.order":[{"version":"2026-08-25","spec":"https://ucp.dev/","schema":"https://ucp.dev/"}],`
	profile = strings.Replace(profile, `"capabilities":{`, order, 1)
	file := filepath.Join(t.TempDir(), "platforms.json")
	if err := os.WriteFile(file, []byte(`{"`+known+`":`+profile+`}`), 0o600); err != nil {
		t.Fatal(err)
	}
	app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.UCPPlatforms = file })
	manage := func(method, path, body string) httpAnswer {
		r := request(t, method, app.URL()+path, body)
		r.Header.Set("Authorization", "Bearer "+boottest.Key)
		return send(t, r)
	}
	var shop struct{ ID string }
	opened := manage("POST", "/v1/projects", `{"name": "Shop", "slug": "lamps"}`).expect(t, http.StatusCreated)
	if err := json.Unmarshal([]byte(opened.body), &shop); err != nil {
		t.Fatal(err)
	}
	const path = "/p/lamps/ucp/orders/ord_unknown"
	read := func(by ...signing.Private) httpAnswer {
		r := request(t, "GET", app.URL()+path, "")
		r.Header.Set("UCP-Agent", `profile="`+known+`"`)
		for _, key := range by {
			m := httpsig.Message{
				Method:    "GET",
				Authority: r.URL.Host,
				Path:      path,
				Header:    r.Header,
			}
			if err := httpsig.Sign(m, "sig1", []string{"@method", "@authority", "@path", "ucp-agent"}, time.Now(), key); err != nil {
				t.Fatal(err)
			}
		}
		return send(t, r)
	}
	read().expect(t, http.StatusOK)
	manage("PATCH", "/v1/projects/"+shop.ID+"/settings", `{"agents": {"authentication": "signed"}}`).expect(t, http.StatusOK)
	if got := read().expect(t, http.StatusUnauthorized); !strings.Contains(got.body, "signature_missing") {
		t.Errorf("unsigned: %s", got.body)
	}
	if got := read(key).expect(t, http.StatusOK); !strings.Contains(got.body, "not_found") {
		t.Errorf("signed: %s", got.body)
	}
	read(stranger).expect(t, http.StatusUnauthorized)
}

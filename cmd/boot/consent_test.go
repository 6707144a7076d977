package boot_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	shopkeeper "github.com/haggle-commerce/haggle/simulator/merchant"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// An OAuth state is valid for ten minutes: a merchant who consents after 545 s is connected, and after 601 s the state has
// expired. The test moves the state's creation time back in the database.
func TestApp_consentStateExpires(t *testing.T) {
	t.Parallel()
	crm, err := platforms.Start("127.0.0.1:0", platforms.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = crm.Close() })
	cluster := boottest.StartCluster(t, false)
	if err := cluster.CreateDatabase("consents", ""); err != nil {
		t.Fatal(err)
	}
	app := boottest.Start(t, cluster.URL("consents"), func(c *boot.Config) { c.HubSpotURL = crm.URL + "/hubspot" })
	owner := shopkeeper.New(exchange.NewClient(exchange.Config{URL: app.URL()}), boottest.Key, "")
	shop, err := owner.CreateProject(t.Context(), shopkeeper.NewProject{Name: "Shop", Slug: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	owner = owner.In(shop.ID)
	for _, c := range []struct {
		after  time.Duration
		status int
		code   string
	}{{601 * time.Second, 409, "state_expired"}, {545 * time.Second, 201, "connected"}} {
		begun := postConnect(t, owner, "", `{"type": "hubspot", "redirect_uri": "http://127.0.0.1:3000/back"}`)
		var asked struct {
			URL string `json:"authorization_url"`
		}
		if err := json.Unmarshal(begun.Body, &asked); err != nil {
			t.Fatal(err)
		}
		back := approveConsent(t, asked.URL)
		if _, err := cluster.PSQL("consents", fmt.Sprintf("UPDATE authorizations SET created_at = created_at - %d", c.after.Milliseconds())); err != nil {
			t.Fatal(err)
		}
		answer := postConnect(t, owner, "/complete", fmt.Sprintf(`{"type": "hubspot", "callback_query": %q}`, back.RawQuery))
		if answer.Status != c.status || !strings.Contains(string(answer.Body), c.code) {
			t.Errorf("after %s: %d %s", c.after, answer.Status, answer.Body)
		}
	}
}

func postConnect(t *testing.T, owner *shopkeeper.Client, path, body string) exchange.Response {
	t.Helper()
	answer, err := owner.Do(t.Context(), "POST", "/v1/integrations/connect"+path, nil, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// approveConsent consents on a platform's page and returns the address that the platform redirects to.
func approveConsent(t *testing.T, page string) *url.URL {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.PostForm(page, url.Values{"approve": {"1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	back, err := answer.Location()
	if err != nil {
		t.Fatal(err)
	}
	return back
}

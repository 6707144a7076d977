package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// paidOnce matches the check of the demo's hundreds of orders and the one bought here.
var paidOnce = regexp.MustCompile(`exactly one payment, of its total \(\d{3} checked\)`)

// foundRows matches the number of rows of each kind in the demo. On a slow machine progress lines precede it.
var foundRows = regexp.MustCompile(`(?m)^Found shops 1, products \d{3}, orders \d{3}, decisions \d{4}, ledger transactions \d{3}$`)

// verify succeeds after simulated buyers have paid, while the server runs, and detects a provider that charged more.
func TestVerifyCmd_Run(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			database := engine.URL(t)
			s := serve(t, database, "--demo")
			if out, err := simulate(t, "--demo", "--url", s.url).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			out, err := command(t, database, "verify", "--wait=20s").CombinedOutput()
			text := string(out)
			if err != nil || strings.Contains("\n"+text, "\nfail") || !foundRows.MatchString(text) || !paidOnce.MatchString(text) ||
				!strings.Contains(text, "0 payments and refunds are in progress.") {
				t.Errorf("%v\n%s", err, text)
			}
			provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte(`{"charges": [{"id": "ch_1", "provider": "stripe", "amount": 500, "currency": "USD", "status": "succeeded"},
					{"id": "ch_2", "provider": "stripe", "amount": 500, "currency": "USD", "status": "failed"}], "refunds": []}`))
			}))
			t.Cleanup(provider.Close)
			out, err = command(t, database, "verify", "--provider="+provider.URL).CombinedOutput()
			if text := string(out); err == nil || !strings.Contains(text, "stripe ch_1: the provider charged 500 USD; the database has 0 payments for it, not 1") || strings.Contains(text, "ch_2") {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

func TestVerifyCmd_Run_noDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "none.db")
	if out, err := command(t, "sqlite://"+path, "verify").CombinedOutput(); err == nil {
		t.Errorf("a database that there is not was verified:\n%s", out)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it was made")
	}
}

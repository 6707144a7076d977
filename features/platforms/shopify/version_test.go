package shopify

import (
	"context"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// haggle doctor reports it if Shopify responds with another API version than the requested one.
func TestVersion_doctor(t *testing.T) {
	for versions, want := range map[string]boot.Verdict{"2026-07 2026-10 2027-01": boot.OK, "2027-01 2027-04": boot.Warn} {
		t.Run(versions, func(t *testing.T) {
			each(t, func(t *testing.T, database string) {
				there := lookalike(t, platforms.Config{ShopifyVersions: strings.Fields(versions), Products: 3})
				s := open(t, database, there, "")
				if run := s.sync(s.connect(), `{}`); run["status"] != "completed" {
					t.Fatalf("%v", run)
				}
				var found []boot.Finding
				for _, f := range boot.Diagnose(context.Background(), boot.Config{
					Addr:           "127.0.0.1:0",
					OpsAddr:        "127.0.0.1:0",
					DatabaseURL:    database,
					Env:            "sandbox",
					BootstrapKey:   boottest.Key,
					ACPRate:        "off",
					EnterpriseRate: "1/1",
					ShopifyURL:     there.URL + "/shopify",
				}) {
					if f.About == "Shopify" && strings.Contains(f.Says, "int_") {
						found = append(found, f)
					}
				}
				if len(found) != 1 || found[0].Verdict != want || want == boot.Warn && !strings.Contains(found[0].Says, "2027-01") {
					t.Errorf("%s: %+v", versions, found)
				}
			})
		})
	}
}

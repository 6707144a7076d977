package hubspot_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/connectors/hubspot"
	"github.com/haggle-commerce/haggle/ports"
)

// Inspect reads the scopes of the token. Consent requests the optional scopes only if the app has them.
func TestScopes(t *testing.T) {
	t.Parallel()
	for scopes, want := range map[string]bool{
		"oauth crm.objects.deals.read":                                                                            false,
		"oauth crm.objects.deals.read crm.objects.deals.write":                                                    false,
		"oauth crm.objects.deals.read crm.objects.deals.write crm.schemas.deals.write":                            true,
		"oauth crm.objects.deals.read crm.objects.deals.write crm.schemas.deals.write crm.objects.contacts.write": true,
	} {
		h, _, s, c := connect(t)
		h.scopes = strings.Fields(scopes)
		if got, err := s.Inspect(ports.NewOutbound(t.Context()), c); err != nil || got.MayWriteDeals != want || got.MayWriteOrders {
			t.Errorf("%s: %+v, %v", scopes, got, err)
		}
	}
	for asks, want := range map[bool]string{false: "", true: "optional_scope=crm.objects.contacts.write+crm.objects.deals.write+crm.schemas.deals.write"} {
		s := hubspot.New(hubspot.Config{
			ClientID: clientID,
			Clock:    clock{},
			Deals:    asks,
		})
		address, err := s.Consent(ports.Consent{State: "s", RedirectURI: "https://m.example/back"})
		if err != nil || !strings.Contains(address, "scope=oauth+crm.objects.contacts.read+crm.objects.deals.read&") || strings.Contains(address, "optional_scope") != asks || !strings.Contains(address, want) {
			t.Errorf("%s, %v", address, err)
		}
	}
}

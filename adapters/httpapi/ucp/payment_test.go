package ucp

import (
	"fmt"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/project"
)

// A platform is offered the instrument types that it accepts, for the handlers that it declares.
func TestPaymentHandlers(t *testing.T) {
	t.Parallel()
	sandbox, _ := capability.ParseName("com.haggle.sandbox")
	other, _ := capability.ParseName("com.example.pay")
	h := &handlers{
		Services: &commerce.Services{Sandbox: true},
		config:   Config{Authority: "com.haggle"},
		version:  August,
	}
	shop := &project.Project{}
	for name, c := range map[string]struct {
		platform []capability.Handler
		want     string
	}{
		"none declared":     {nil, "map[com.haggle.sandbox:[{psp_spt 2026-08-25 [{card} {token}]} {wallet_ba 2026-08-25 [{card} {token}]}]]"},
		"another's":         {[]capability.Handler{{Name: other, Instruments: []string{"card"}}}, "map[com.haggle.sandbox:[{psp_spt 2026-08-25 [{card} {token}]} {wallet_ba 2026-08-25 [{card} {token}]}]]"},
		"every type":        {[]capability.Handler{{Name: sandbox}}, "map[com.haggle.sandbox:[{psp_spt 2026-08-25 [{card} {token}]} {wallet_ba 2026-08-25 [{card} {token}]}]]"},
		"one type":          {[]capability.Handler{{Name: sandbox, Instruments: []string{"token", "wallet"}}}, "map[com.haggle.sandbox:[{psp_spt 2026-08-25 [{token}]} {wallet_ba 2026-08-25 [{token}]}]]"},
		"none in common":    {[]capability.Handler{{Name: sandbox, Instruments: []string{"wallet"}}}, "map[]"},
		"declared in parts": {[]capability.Handler{{Name: sandbox, Instruments: []string{"card"}}, {Name: sandbox, Instruments: []string{"token"}}}, "map[com.haggle.sandbox:[{psp_spt 2026-08-25 [{card} {token}]} {wallet_ba 2026-08-25 [{card} {token}]}]]"},
	} {
		if got := fmt.Sprint(h.paymentHandlers(shop, c.platform)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

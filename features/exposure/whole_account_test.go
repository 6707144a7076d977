package exposure

import (
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// A key that is bound to projects cannot act for the whole account, whatever its scopes: its holder could lock the owner out.
func TestBoundKeysDoNotActForTheWholeAccount(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		admin := call(t, boottest.Start(t, engine.URL(t)).URL())
		shop := openShop(admin, "shop")
		bound := admin.key(admin.send("POST", "/v1/api-keys", `{"name":"Bound","scopes":["*"],"project_ids":["`+shop+`"]}`).
			is(t, 201, "").field("key"))
		for _, c := range [][3]string{
			{"POST", "/v1/projects", `{"name":"Other","slug":"other"}`},
			{"PATCH", "/v1/account", `{"name":"Mine"}`},
			{"POST", "/v1/account/mfa", ``},
			{"POST", "/v1/account/mfa/confirm", `{"code":"123456"}`},
			{"DELETE", "/v1/account/mfa", ``},
			{"POST", "/v1/members/mem_00000000000000000000000000/password-link", ``},
			{"POST", "/v1/members/mem_00000000000000000000000000/reset-mfa", ``},
			{"GET", "/v1/console-sessions", ``},
			{"DELETE", "/v1/console-sessions?member_id=mem_00000000000000000000000000", ``},
		} {
			bound.send(c[0], c[1], c[2]).is(t, 403, "insufficient_scope")
		}
		bound.send("GET", "/v1/account", "").is(t, 200, "")
		if enabled := admin.send("GET", "/v1/account", "").field("mfa.enabled"); enabled != "false" {
			t.Error("the account has an authenticator")
		}
	})
}

package exposure

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// A field that is repeated or in other letter case cannot smuggle another tenant's id past a check.
func TestBodiesAreReadOneWay(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		i := intrude(t, engine)
		for _, projects := range []string{
			`"project_ids":["{}"],"project_ids":["{victim}"]`, `"project_ids":["{victim}"],"project_ids":["{}"]`,
			`"project_ids":["{}"],"PROJECT_IDS":["{victim}"]`, `"project_ids":["{}"],"project\u005fids":["{victim}"]`,
			`"project_ids":["{}","{victim}"]`, `"project_ids":["{victim}"]`, `"project_ids":["*"]`, `"project_ids":[""]`,
			`"project_ids":["{}"],"account_id":"acct_x"`, `"project_ids":["{}"],"projects":["{victim}"]`,
		} {
			body := i.fill(`{"name":"Key","scopes":["*"],` + projects + `}`)
			if r := i.send("POST", "/v1/api-keys", body); r.status != 400 && r.status != 422 {
				t.Errorf("%s: %d %s", body, r.status, r.body)
			}
		}
		if left := i.send("GET", "/v1/api-keys", "").field("meta.total"); left != "2" {
			t.Errorf("%s keys, want the intruder's first two", left)
		}
	})
}

// A stored response to an Idempotency-Key is returned only to a caller who may send the request, because it can contain a
// secret.
func TestKeptAnswersAreBehindTheWalls(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		i := intrude(t, engine)
		const body = `{"name":"Key","scopes":["keys:read"]}`
		first := i.victim.with(keyHeader, "k").send("POST", "/v1/api-keys", body).is(t, 201, "")
		second := i.with(keyHeader, "k").send("POST", "/v1/api-keys", body).is(t, 201, "")
		if second.header.Get(replayedHeader) != "" || second.field("key") == first.field("key") {
			t.Errorf("another account gets the answer that was kept: %s", second.body)
		}
		reader, _ := i.victim.newKey(`["keys:read"]`)
		i.victim.key(reader).with(keyHeader, "k").send("POST", "/v1/api-keys", body).is(t, 403, "insufficient_scope")
		for _, authorization := range []string{"", "Bearer " + strings.Repeat("0", 40)} {
			i.victim.with("Authorization", authorization, keyHeader, "k").send("POST", "/v1/api-keys", body).is(t, 401, "unauthenticated")
		}
	})
}

// Another key of the same account that could not have sent the request does not get the stored response either: neither the
// secret of a key with more scopes, nor that a project out of its reach was deleted.
func TestKeptAnswersBelongToTheirKey(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		v := intrude(t, engine).victim
		const body = `{"name":"Admin","scopes":["*"]}`
		first := v.with(keyHeader, "k").send("POST", "/v1/api-keys", body).is(t, 201, "")
		bound, _ := v.newKey(`["*"]`, v.ids["project_id"])
		lesser, _ := v.newKey(`["keys:write"]`)
		for what, secret := range map[string]string{"a bound key": bound, "a key of fewer scopes": lesser} {
			again := v.key(secret).with(keyHeader, "k").send("POST", "/v1/api-keys", body)
			if again.status != 422 || again.field("key") == first.field("key") {
				t.Errorf("%s asks for more than it has: %d %s", what, again.status, again.body)
			}
		}
		gone := v.sibling()
		if err := gone.complete(); err != nil {
			t.Fatal(err)
		}
		path := "/v1/projects/" + gone.ids["project_id"]
		deletes := v.with(keyHeader, "d", "X-Confirm-Delete", gone.ids["project_id"])
		deletes.send("DELETE", path, "").is(t, 204, "")
		if r := deletes.key(bound).send("DELETE", path, ""); r.status != 404 || r.code() != "project_not_found" {
			t.Errorf("a key bound to another project learns of the deletion: %d %s", r.status, r.body)
		}
	})
}

package exposure

import (
	"fmt"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// twoReplicas starts two servers on one PostgreSQL database.
func twoReplicas(t *testing.T) (one, two caller) {
	t.Helper()
	database := boottest.Engines[1].URL(t)
	return call(t, boottest.Start(t, database).URL()), call(t, boottest.Start(t, database).URL())
}

// A new key works on every replica immediately, and a revoked one on none after a second, even if it is in constant use.
func TestKeysComeAndGoOnEveryReplica(t *testing.T) {
	t.Parallel()
	here, there := twoReplicas(t)
	const path, body = "/v1/api-keys", `{"name":"short","scopes":["projects:read"]}`
	var worst time.Duration
	for range 20 {
		made := here.send("POST", path, body).is(t, 201, "")
		holder := there.key(made.field("key"))
		holder.send("GET", "/v1/account", "").is(t, 200, "") // immediately, and cached there
		here.key(made.field("key")).send("GET", "/v1/account", "").is(t, 200, "")
		here.send("DELETE", path+"/"+made.field("id"), "").is(t, 204, "")
		revoked := time.Now()
		here.key(made.field("key")).send("GET", "/v1/account", "").is(t, 401, "unauthenticated")
		for {
			asked := time.Since(revoked)
			if holder.send("GET", "/v1/account", "").status == 401 {
				break
			}
			if worst = max(worst, asked); asked > time.Second {
				t.Fatalf("a revoked key works on the other replica after %v", asked)
			}
		}
		for range 3 { // permanently
			holder.send("GET", "/v1/account", "").is(t, 401, "unauthenticated")
		}
	}
	t.Logf("a revoked key worked elsewhere for %v at most", worst)
}

// Unknown keys are not cached: a key works as soon as it is created.
func TestKeysMadeElsewhereWorkAfterARefusal(t *testing.T) {
	t.Parallel()
	here, there := twoReplicas(t)
	for i := range 10 {
		key := fmt.Sprintf("hk_test_%040d", i)
		there.key(key).send("GET", "/v1/account", "").is(t, 401, "unauthenticated")
		made := here.send("POST", "/v1/api-keys", `{"name":"n","scopes":["*"]}`).is(t, 201, "").field("key")
		there.key(made).send("GET", "/v1/account", "").is(t, 200, "")
	}
}

// Concurrent requests with one idempotency key at two replicas create one row and get one response, repeatedly.
func TestReplicasRaceForAKey(t *testing.T) {
	t.Parallel()
	here, there := twoReplicas(t)
	const rounds, racers = 20, 8
	for round := range rounds {
		key, body := fmt.Sprintf("race-%d", round), fmt.Sprintf(`{"name":"Raced","slug":"raced-%d"}`, round)
		first, late := "", 0
		for _, r := range atOnce(t, racers, func(i int) (reply, error) {
			return []caller{here, there}[i%2].with(keyHeader, key).try("POST", "/v1/projects", body)
		}) {
			switch {
			case r.code() == "idempotency_in_progress" && r.header.Get("Retry-After") == "1":
				late++
			case r.status != 201 || first != "" && r.body != first:
				t.Errorf("%d %s, the first was %s", r.status, r.body, first)
			default:
				first = r.body
			}
		}
		if late == racers {
			t.Error("nobody won")
		}
		for _, c := range []caller{here, there} {
			if r := c.with(keyHeader, key).send("POST", "/v1/projects", body); r.body != first || r.header.Get(replayedHeader) != "true" {
				t.Errorf("afterwards: %d %s, want %s", r.status, r.body, first)
			}
		}
	}
	if total := here.send("GET", "/v1/projects", "").field("meta.total"); total != fmt.Sprint(rounds) {
		t.Errorf("%s projects after %d races", total, rounds)
	}
}

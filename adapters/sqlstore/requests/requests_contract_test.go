package requests_test

import (
	"crypto/sha256"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func keyUse(key, body string) ports.KeyUsage {
	return ports.KeyUsage{
		Until:       porttest.Noon.Add(time.Minute),
		Owner:       "acct",
		Route:       "POST /v1/things",
		Key:         key,
		Fingerprint: sha256.Sum256([]byte(body)),
		At:          porttest.Noon,
	}
}

// IdempotencyKeys is the contract of ports.IdempotencyKeys, with the part of ports.Records that is
// about them.
func IdempotencyKeys(t *testing.T, open porttest.Open) {
	t.Run("an answer is found by its key, as it was", func(t *testing.T) {
		s := open(t)
		use := keyUse("k", "{}")
		found, err := s.Keys.Find(t.Context(), use)
		if err != nil || found != nil {
			t.Fatalf("a new key has the answer %v, %v", found, err)
		}
		answer := ports.Answer{
			Status:      201,
			ContentType: "application/json",
			Body:        []byte("{\"a\":1}\x00\xff"),
		}
		keep(t, s, use, answer)
		for name, other := range map[string]ports.KeyUsage{
			"key": keyUse("K", "{}"), "owner": {Owner: "other", Route: use.Route, Key: use.Key, At: porttest.Noon},
			"route": {Owner: use.Owner, Route: "POST /v1/thing", Key: "sk", At: porttest.Noon},
		} {
			if found, err := s.Keys.Find(t.Context(), other); found != nil || err != nil {
				t.Errorf("another %s finds %v, %v", name, found, err)
			}
		}
		if found, err := s.Keys.Find(t.Context(), use); err != nil || found == nil || found.Status != 201 ||
			found.ContentType != answer.ContentType || string(found.Body) != string(answer.Body) {
			t.Errorf("found %+v, %v", found, err)
		}
	})
	t.Run("another body under the same key is refused", func(t *testing.T) {
		s := open(t)
		keep(t, s, keyUse("k", "{}"), ports.Answer{Status: 204})
		_, err := s.Keys.Find(t.Context(), keyUse("k", "{1}"))
		porttest.WantFault(t, err, fault.Invalid, "idempotency_key_reused")
	})
	t.Run("the first answer stays", func(t *testing.T) {
		s := open(t)
		use := keyUse("k", "{}")
		keep(t, s, use, ports.Answer{Status: 201, Body: []byte("first")})
		keep(t, s, use, ports.Answer{Status: 201, Body: []byte("second")})
		if found, err := s.Keys.Find(t.Context(), use); err != nil || string(found.Body) != "first" {
			t.Errorf("found %+v, %v", found, err)
		}
		porttest.WantFault(t, s.Keys.Claim(t.Context(), use), fault.Conflict, "idempotency_in_progress")
	})
	t.Run("only the use itself amends its answer", func(t *testing.T) {
		s := open(t)
		use, first := keyUse("k", "{}"), ports.Answer{
			Status:      201,
			ContentType: "application/json",
			Body:        []byte("first"),
		}
		second := ports.Answer{
			Status:      202,
			ContentType: "text/plain",
			Body:        []byte("second"),
		}
		noError(t, s.Keys.Amend(t.Context(), use, second))
		if found, err := s.Keys.Find(t.Context(), use); found != nil || err != nil {
			t.Fatalf("amended nothing to %v, %v", found, err)
		}
		noError(t, s.Keys.Claim(t.Context(), use))
		noError(t, s.Keys.Amend(t.Context(), use, second))
		_, err := s.Keys.Find(t.Context(), use)
		porttest.WantFault(t, err, fault.Conflict, "idempotency_in_progress")
		keep(t, s, use, first)
		later, other := use, keyUse("k", "{1}")
		later.At = porttest.Noon.Add(time.Second)
		for _, stranger := range []ports.KeyUsage{later, other, keyUse("K", "{}")} {
			noError(t, s.Keys.Amend(t.Context(), stranger, second))
		}
		if found, err := s.Keys.Find(t.Context(), use); err != nil || string(found.Body) != "first" {
			t.Fatalf("found %+v, %v", found, err)
		}
		noError(t, s.Keys.Amend(t.Context(), use, second))
		if found, err := s.Keys.Find(t.Context(), use); err != nil || found.Status != 202 ||
			found.ContentType != "text/plain" || string(found.Body) != "second" {
			t.Errorf("found %+v, %v", found, err)
		}
	})
	t.Run("a claim holds until it is answered, released, or over", func(t *testing.T) {
		s := open(t)
		use := keyUse("k", "{}")
		noError(t, s.Keys.Claim(t.Context(), use))
		porttest.WantFault(t, s.Keys.Claim(t.Context(), use), fault.Conflict, "idempotency_in_progress")
		_, err := s.Keys.Find(t.Context(), use)
		porttest.WantFault(t, err, fault.Conflict, "idempotency_in_progress")
		noError(t, s.Keys.Release(t.Context(), use))
		noError(t, s.Keys.Claim(t.Context(), use))
		later := use
		later.At, later.Until = porttest.Noon.Add(time.Minute), porttest.Noon.Add(2*time.Minute)
		if found, err := s.Keys.Find(t.Context(), later); found != nil || err != nil {
			t.Errorf("a lost request's key has the answer %v, %v", found, err)
		}
		noError(t, s.Keys.Claim(t.Context(), later))
		// The first request goes on after all, but no longer holds the key.
		noError(t, s.Keys.Release(t.Context(), use))
		keep(t, s, use, ports.Answer{Status: 200, Body: []byte("late")})
		_, err = s.Keys.Find(t.Context(), later)
		porttest.WantFault(t, err, fault.Conflict, "idempotency_in_progress")
		keep(t, s, later, ports.Answer{Status: 200, Body: []byte("done")})
		noError(t, s.Keys.Release(t.Context(), later))
		if found, err := s.Keys.Find(t.Context(), later); err != nil || found == nil || string(found.Body) != "done" {
			t.Errorf("found %+v, %v", found, err)
		}
	})
	t.Run("a day later the key is new", func(t *testing.T) {
		s := open(t)
		use := keyUse("k", "{}")
		keep(t, s, use, ports.Answer{Status: 200, Body: []byte("old")})
		tomorrow := keyUse("k", "{2}")
		tomorrow.At, tomorrow.Until = porttest.Noon.Add(ports.KeyLife), porttest.Noon.Add(ports.KeyLife+time.Minute)
		if found, err := s.Keys.Find(t.Context(), tomorrow); found != nil || err != nil {
			t.Fatalf("an old answer is found: %v, %v", found, err)
		}
		noError(t, s.Keys.Claim(t.Context(), tomorrow))
		keep(t, s, tomorrow, ports.Answer{Status: 200, Body: []byte("new")})
		if found, err := s.Keys.Find(t.Context(), tomorrow); err != nil || string(found.Body) != "new" {
			t.Errorf("found %+v, %v", found, err)
		}
	})
	t.Run("what is over is purged", func(t *testing.T) {
		s := open(t)
		keep(t, s, keyUse("old", "{}"), ports.Answer{Status: 200})
		young := keyUse("young", "{}")
		young.At = porttest.Noon.Add(time.Hour)
		keep(t, s, young, ports.Answer{Status: 200})
		if n, err := s.Keys.Purge(t.Context(), porttest.Noon.Add(ports.KeyLife)); n != 1 || err != nil {
			t.Errorf("purged %d, %v", n, err)
		}
		if found, err := s.Keys.Find(t.Context(), young); found == nil || err != nil {
			t.Errorf("the young one is gone: %v", err)
		}
	})
	t.Run("sixteen claims and one winner", func(t *testing.T) {
		s := open(t)
		won := 0
		for _, err := range porttest.Together(16, func(int) error { return s.Keys.Claim(t.Context(), keyUse("k", "{}")) }) {
			switch {
			case err == nil:
				won++
			case !errors.Is(err, ports.ErrKeyTaken):
				t.Errorf("a loser met %v", err)
			}
		}
		if won != 1 {
			t.Errorf("%d won", won)
		}
	})
}

func keep(t *testing.T, s porttest.Stores, use ports.KeyUsage, a ports.Answer) {
	t.Helper()
	noError(t, s.Records.Record(t.Context(), ports.Record{Use: &use, Answer: a}))
}

// AuditLog is the contract of ports.AuditLog, with the part of ports.Records that is about it.
func AuditLog(t *testing.T, open porttest.Open) {
	t.Run("events are paged by key", func(t *testing.T) {
		s := open(t)
		owner, next := porttest.OpenAccount(t, s, porttest.Noon), 0
		log := func() {
			next++
			noError(t, s.Records.Record(t.Context(), ports.Record{Event: &audit.Event{
				ID:      porttest.Random[id.AuditEvent](),
				Account: owner.ID,
				Action:  "do",
				At:      porttest.Noon.Add(time.Duration(next*7%5) * time.Second),
			}}))
		}
		for range 9 {
			log()
		}
		porttest.Keyset[audit.Event]{
			List: func(page ports.Page) ([]audit.Event, int, error) {
				return s.Audit.Events(t.Context(), owner.ID, ports.AuditFilter{Action: "do"}, page)
			},
			Place: func(e audit.Event) ports.Place { return ports.Place{At: e.At, ID: e.ID.String()} },
			Add:   log,
		}.Test(t)
	})
	t.Run("events are listed newest first, by what is asked for", func(t *testing.T) {
		s := open(t)
		owner, other := porttest.OpenAccount(t, s, porttest.Noon), porttest.OpenAccount(t, s, porttest.Noon)
		one, two := porttest.Random[id.Project](), porttest.Random[id.Project]()
		key := porttest.Random[id.APIKey]()
		log := func(n int, account id.Account, project id.Project, key id.APIKey) audit.Event {
			e := audit.Event{
				ID:        porttest.Random[id.AuditEvent](),
				Account:   account,
				Project:   project,
				Key:       key,
				Action:    "do-" + strconv.Itoa(n),
				Target:    "t",
				Address:   "192.0.2.1",
				RequestID: "r",
				At:        porttest.Noon.Add(time.Duration(n) * time.Second),
				Before:    `{"a":1}`,
				After:     `{"a":2}`,
			}
			noError(t, s.Records.Record(t.Context(), ports.Record{Event: &e}))
			return e
		}
		first := log(1, owner.ID, one, key)
		log(2, owner.ID, two, porttest.Random[id.APIKey]())
		log(3, owner.ID, id.Project{}, key)
		log(4, other.ID, one, key)
		for _, c := range []struct {
			name   string
			filter ports.AuditFilter
			page   ports.Page
			total  int
			want   []string
		}{
			{"all", ports.AuditFilter{}, ports.Page{Limit: 9}, 3, []string{"do-3", "do-2", "do-1"}},
			{"a page", ports.AuditFilter{}, ports.Page{Limit: 1, Offset: 1}, 3, []string{"do-2"}},
			{"a project", ports.AuditFilter{Projects: []id.Project{one}}, ports.Page{Limit: 9}, 1, []string{"do-1"}},
			{"projects", ports.AuditFilter{Projects: []id.Project{one, two}}, ports.Page{Limit: 9}, 2, []string{"do-2", "do-1"}},
			{"a key", ports.AuditFilter{Key: key}, ports.Page{Limit: 9}, 2, []string{"do-3", "do-1"}},
			{"an action", ports.AuditFilter{Action: "do-2"}, ports.Page{Limit: 9}, 1, []string{"do-2"}},
			{"a time", ports.AuditFilter{From: porttest.Noon.Add(2 * time.Second), To: porttest.Noon.Add(3 * time.Second)}, ports.Page{Limit: 9}, 1, []string{"do-2"}},
		} {
			events, total, err := s.Audit.Events(t.Context(), owner.ID, c.filter, c.page)
			if err != nil || total != c.total || len(events) != len(c.want) {
				t.Fatalf("%s: %d of %d events, %v", c.name, len(events), total, err)
			}
			for i, e := range events {
				if e.Action != c.want[i] {
					t.Errorf("%s: event %d is %s, want %s", c.name, i, e.Action, c.want[i])
				}
				if e.Action == "do-1" && e != first {
					t.Errorf("read %+v, wrote %+v", e, first)
				}
			}
		}
	})
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

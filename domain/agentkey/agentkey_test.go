package agentkey_test

import (
	"crypto/sha256"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/agentkey"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

const profile = "https://agent.example/profile.json"

func TestDraft_Check(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		draft agentkey.Draft
		loops bool
		wrong []string
	}{
		"a key":               {agentkey.Draft{Name: "Laptop", Profile: profile}, false, nil},
		"1 character":         {agentkey.Draft{Name: "é", Profile: profile}, false, nil},
		"200 characters":      {agentkey.Draft{Name: strings.Repeat("é", 200), Profile: profile}, false, nil},
		"201 characters":      {agentkey.Draft{Name: strings.Repeat("é", 201), Profile: profile}, false, []string{"name"}},
		"blank":               {agentkey.Draft{Name: " \t", Profile: profile}, false, []string{"name"}},
		"two lines":           {agentkey.Draft{Name: "a\nb", Profile: profile}, false, []string{"name"}},
		"nothing":             {agentkey.Draft{}, false, []string{"name", "profile"}},
		"not https":           {agentkey.Draft{Name: "x", Profile: "http://agent.example/p"}, false, []string{"profile"}},
		"with a password":     {agentkey.Draft{Name: "x", Profile: "https://a:b@agent.example/p"}, false, []string{"profile"}},
		"too long":            {agentkey.Draft{Name: "x", Profile: "https://a.example/" + strings.Repeat("x", 2_031)}, false, []string{"profile"}},
		"on this machine":     {agentkey.Draft{Name: "x", Profile: "http://127.0.0.1/p"}, false, []string{"profile"}},
		"there, in a sandbox": {agentkey.Draft{Name: "x", Profile: "http://127.0.0.1/p"}, true, nil},
	} {
		c := fault.NewCheck()
		test.draft.Check(c, agentid.Rules{AllowLoopback: test.loops})
		var wrong []string
		if e, ok := c.Err().(*fault.Error); ok {
			for _, d := range e.Details {
				wrong = append(wrong, d.Field)
			}
		}
		if !slices.Equal(wrong, test.wrong) {
			t.Errorf("%s: %q is wrong, want %q", name, wrong, test.wrong)
		}
	}
}

// A key is found by the hash of its secret. Only the secret's beginning is stored as text.
func TestNew(t *testing.T) {
	t.Parallel()
	now, random := time.Unix(1_700_000_000, 0), "abcd"+strings.Repeat("e", 28)
	for _, environment := range []account.Environment{account.Sandbox, account.Production} {
		secret := environment.AgentKeyMark() + random
		k := agentkey.New(id.New[id.AgentKey]([16]byte{1}), id.New[id.Project]([16]byte{2}), agentkey.Draft{Name: "Laptop", Profile: profile}, secret, now)
		want := agentkey.Key{
			ID:        id.New[id.AgentKey]([16]byte{1}),
			Project:   id.New[id.Project]([16]byte{2}),
			Name:      "Laptop",
			Profile:   profile,
			Hash:      sha256.Sum256([]byte(secret)),
			Prefix:    environment.AgentKeyMark() + "abcd",
			CreatedAt: now,
		}
		if *k != want {
			t.Errorf("%s: %+v", environment, *k)
		}
		if hash, ok := agentkey.Hash(secret); !ok || hash != k.Hash {
			t.Errorf("%s: the key is not found by its secret", environment)
		}
		if works := k.Works(); !works {
			t.Errorf("%s: a new key does not work", environment)
		}
		if k.RevokedAt = &now; k.Works() {
			t.Errorf("%s: a key that is revoked works", environment)
		}
	}
}

// A text that cannot be a secret is refused before any lookup.
func TestHash(t *testing.T) {
	t.Parallel()
	secret := "hak_test_" + strings.Repeat("a", 32)
	for _, text := range []string{"", "hak_", secret[1:], secret + "a", secret[:40], "hk_test__" + secret[9:]} {
		if _, ok := agentkey.Hash(text); ok {
			t.Errorf("%q is taken for a secret", text)
		}
	}
}

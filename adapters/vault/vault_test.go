package vault_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/vault"
	"github.com/haggle-commerce/haggle/ports"
)

func open(t *testing.T, masterKeys ...string) *vault.Vault {
	t.Helper()
	v, err := vault.New(masterKeys...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func opens(v ports.Vault, sealed []byte, purpose, want string) bool {
	plain, err := v.Open(sealed, purpose)
	return err == nil && string(plain) == want
}

func refuses(v *vault.Vault, sealed []byte, purpose string) bool {
	plain, err := v.Open(sealed, purpose)
	return errors.Is(err, vault.ErrUnreadable) && plain == nil
}

func TestVault_Seal(t *testing.T) {
	t.Parallel()
	v := open(t, "master")
	for _, plain := range []string{"", "s", "a secret of some length that can be seen"} {
		one, two := v.Seal([]byte(plain), "mfa"), v.Seal([]byte(plain), "mfa")
		if !opens(v, one, "mfa", plain) || !opens(open(t, "master"), two, "mfa", plain) {
			t.Errorf("%q does not open", plain)
		}
		if bytes.Equal(one, two) || len(plain) > 1 && bytes.Contains(one, []byte(plain)) {
			t.Errorf("%q is sealed as %q and %q", plain, one, two)
		}
	}
}

func TestVault_Open_refuses(t *testing.T) {
	t.Parallel()
	v := open(t, "master")
	sealed := v.Seal([]byte("secret"), "mfa:1")
	if !refuses(v, sealed, "mfa:2") || !refuses(v, sealed, "") {
		t.Error("it opens for another purpose")
	}
	if !refuses(open(t, "other"), sealed, "mfa:1") || !refuses(open(t), sealed, "mfa:1") {
		t.Error("it opens with another key")
	}
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		if !refuses(v, changed, "mfa:1") {
			t.Errorf("it opens with byte %d changed", i)
		}
		if !refuses(v, sealed[:i], "mfa:1") {
			t.Errorf("it opens when cut to %d bytes", i)
		}
	}
	if !refuses(v, append(bytes.Clone(sealed), 0), "mfa:1") {
		t.Error("it opens with a byte added")
	}
}

// A new master key seals, and secrets sealed with the old one can be opened until that key is dropped.
func TestVault_Open_keyRotation(t *testing.T) {
	t.Parallel()
	old, both, next := open(t, "old"), open(t, "new", "old"), open(t, "new")
	before, after := old.Seal([]byte("before"), "p"), both.Seal([]byte("after"), "p")
	if !opens(both, before, "p", "before") || !opens(both, after, "p", "after") || !opens(next, after, "p", "after") {
		t.Error("a secret is lost")
	}
	if !refuses(next, before, "p") || !refuses(old, after, "p") {
		t.Error("a dropped key still opens")
	}
}

func TestNew_emptyKey(t *testing.T) {
	t.Parallel()
	if _, err := vault.New("good", ""); err == nil {
		t.Error("an empty master key was taken")
	}
	if !opens(open(t, vault.SandboxKey), open(t).Seal([]byte("s"), "p"), "p", "s") {
		t.Error("no key is not the sandbox's")
	}
}

func TestVault_Pseudonym(t *testing.T) {
	t.Parallel()
	v := open(t, "key", "older")
	name := v.Pseudonym("ada@example.com", "buyer of p")
	if len(name) != 32 || name != open(t, "key").Pseudonym("ada@example.com", "buyer of p") {
		t.Errorf("%q is not always the same", name)
	}
	for who, other := range map[string]string{
		"another text":    v.Pseudonym("bob@example.com", "buyer of p"),
		"another purpose": v.Pseudonym("ada@example.com", "buyer of q"),
		"another key":     open(t, "older").Pseudonym("ada@example.com", "buyer of p"),
	} {
		if other == name {
			t.Errorf("%s has the same name", who)
		}
	}
}

func TestVault_Derive(t *testing.T) {
	t.Parallel()
	made := open(t, "key", "older").Derive("ord_1", "order token")
	if len(made) != 2 || len(made[0]) != 32 || made[0] != open(t, "key").Derive("ord_1", "order token")[0] ||
		made[1] != open(t, "older").Derive("ord_1", "order token")[0] {
		t.Errorf("%q are not those of the two keys, the newest first", made)
	}
	for which, other := range map[string]string{
		"another text":    open(t, "key").Derive("ord_2", "order token")[0],
		"another purpose": open(t, "key").Derive("ord_1", "receipt")[0],
		"another key":     made[1],
	} {
		if other == made[0] {
			t.Errorf("%s has the same secret", which)
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	v := open(t, "new", "old")
	tokens := v.Tokens()
	sealed := open(t, "old").Tokens().Seal([]byte("ada@example.com"), "p")
	for name, opened := range map[string]bool{
		"an older key":      opens(tokens, sealed, "p", "ada@example.com"),
		"the first key":     opens(open(t, "new").Tokens(), tokens.Seal([]byte("s"), "p"), "p", "s"),
		"not a foreign key": !opens(open(t, "other").Tokens(), sealed, "p", "ada@example.com"),
		"not for another":   !opens(tokens, sealed, "q", "ada@example.com"),
		"not cut":           !opens(tokens, sealed[:len(sealed)-1], "p", "ada@example.com") && !opens(tokens, nil, "p", ""),
		"not by the vault":  !opens(v, sealed, "p", "ada@example.com"),
		"not of the vault":  !opens(tokens, v.Seal([]byte("s"), "p"), "p", "s"),
		"a cursor":          opens(v.Cursors(), open(t, "old").Cursors().Seal([]byte("s"), "p"), "p", "s"),
		"not as a cursor":   !opens(v.Cursors(), sealed, "p", "ada@example.com"),
		"not a cursor":      !opens(tokens, v.Cursors().Seal([]byte("s"), "p"), "p", "s"),
	} {
		if !opened {
			t.Errorf("not so: %s", name)
		}
	}
}

// Unlike the vault's secrets, two tokens of one master key have no common bytes, such as a key id, by which a guess at the
// key could be checked cheaply.
func TestTokens_noKeyID(t *testing.T) {
	t.Parallel()
	v := open(t, "key")
	one, two := v.Tokens().Seal([]byte("ada@example.com"), "p"), v.Tokens().Seal([]byte("ada@example.com"), "p")
	kept := v.Seal(nil, "p")[:5]
	if bytes.Equal(one[:5], two[:5]) || bytes.Contains(one, kept[1:]) {
		t.Errorf("%x and %x begin alike, or with %x", one[:5], two[:5], kept)
	}
}

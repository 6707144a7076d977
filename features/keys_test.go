package features

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// office is what a scenario knows of keys, and of who stands behind them.
type office struct {
	keys          map[string]merchant.APIKey // by name
	key           merchant.APIKey            // the latest
	authenticator authenticator
	askedAlready  asked
}

const keysPath = "/v1/api-keys"

// ownsAccount makes a new account the merchant's. Nobody else is in it.
func (w *world) ownsAccount() error {
	made, err := w.app.IssueKey(w.ctx, boot.KeyRequest{
		Name:       "Owner",
		Scopes:     []string{"*"},
		NewAccount: w.name,
	})
	w.tape.tick()
	w.merchant = merchant.New(w.connection, made.Secret, "")
	return err
}

func (w *world) createKey(body string) error {
	return w.attempt(func() error {
		if err := w.send("POST", keysPath, w.expand(body), nil); err != nil {
			return err
		}
		return w.noteKey()
	})
}

// noteKey remembers the key that was just shown.
func (w *world) noteKey() error {
	var key merchant.APIKey
	if err := json.Unmarshal(w.tape.last().body, &key); err != nil {
		return err
	}
	if w.keys == nil {
		w.keys = map[string]merchant.APIKey{}
	}
	w.keys[key.Name], w.key = key, key
	return nil
}

func (w *world) createKeyWith(field, value string) error {
	body, err := withField(map[string]any{"name": "Test Key", "scopes": []string{"catalog:read"}}, field, w.expand(value))
	if err != nil {
		return err
	}
	return w.createKey(body)
}

func (w *world) hasKey(name, fields string) error {
	if err := w.createKey(named(name, fields)); err != nil {
		return err
	}
	return w.unjudged()
}

// named is a JSON object with a name added.
func named(name, fields string) string { return fmt.Sprintf(`{"name": %q, %s`, name, fields[1:]) }

func (w *world) hasBriefKey(name string, seconds int) error {
	end := time.Now().Add(time.Duration(seconds) * time.Second).UTC().Format(time.RFC3339Nano)
	return w.hasKey(name, `{"scopes": ["projects:read"], "expires_at": "`+end+`"}`)
}

// mostKeys is how many keys an account may have, one of which is its owner's.
const mostKeys = 100

func (w *world) hasManyKeys() error {
	for range mostKeys - 2 {
		if err := w.hasKey("Many", `{"scopes": ["catalog:read"]}`); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) createKeysAtOnce(n int) {
	w.atOnce(n, func(int) error {
		_, err := w.merchant.CreateKey(w.ctx, merchant.NewKey{Name: "Racer", Scopes: []string{"catalog:read"}})
		return err
	})
}

func (w *world) held(name string) (merchant.APIKey, error) {
	key, known := w.keys[name]
	if name == "" {
		key, known = w.key, w.key.Secret != ""
	}
	if !known {
		return key, fmt.Errorf("nobody holds %q", name)
	}
	return key, nil
}

func (w *world) holderCreatesKey(holder, fields string) error {
	key, err := w.held(holder)
	if err != nil {
		return err
	}
	return w.attempt(func() error {
		client := w.merchant.As(key.Secret).In("")
		if err := w.sendBy(client, "POST", keysPath, w.expand(named("Offspring", fields)), nil); err != nil {
			return err
		}
		return w.noteKey()
	})
}

func (w *world) revokeKey(name string) error {
	key, err := w.held(name)
	if err != nil {
		return err
	}
	return w.merchantSends("DELETE", keysPath+"/"+key.ID, "")
}

// look uses a key for what needs the fewest rights.
func (w *world) look(key merchant.APIKey) error {
	_, err := w.merchant.As(key.Secret).Projects(w.ctx, merchant.Page{})
	if r := refusalOf(err); r != nil && r.code == "insufficient_scope" {
		return nil // whose key it is is known
	}
	return err
}

func (w *world) keyWorks(name string) error {
	key, err := w.held(name)
	if err != nil {
		return err
	}
	return w.look(key)
}

func (w *world) keyHasPrefix() error {
	if w.key.Prefix == "" || w.key.Prefix == w.key.Secret || !strings.HasPrefix(w.key.Secret, w.key.Prefix) {
		return fmt.Errorf("the prefix is %q", w.key.Prefix)
	}
	return nil
}

func (w *world) shownOnce(name string) error {
	key, err := w.held(name)
	if err != nil {
		return err
	}
	shown := 0
	for _, a := range w.tape.all() {
		shown += strings.Count(string(a.body), key.Secret)
	}
	if shown != 1 {
		return fmt.Errorf("it was shown %d times", shown)
	}
	return nil
}

func (w *world) stopsWorking(seconds int, name string) error {
	key, err := w.held(name)
	if err != nil {
		return err
	}
	return within(seconds, func() error { return wantRefusal(w.look(key), http.StatusUnauthorized, "unauthenticated") })
}

// nameKeys adds what steps may call by $name.
func (w *world) nameKeys(known map[string]string) {
	known["scenario"] = w.name
	for name, key := range w.keys {
		known["key_"+name] = key.ID
	}
	for i, other := range w.others {
		known["other"] = other.ID
		known[fmt.Sprintf("other%d", i+1)] = other.ID
	}
	if at, ok := at(w.tape.last().value(), "data.0.created_at"); ok {
		known["latest_time"] = fmt.Sprint(at)
	}
}

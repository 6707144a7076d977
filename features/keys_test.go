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

// keyState holds a scenario's API keys, the merchant's authenticator, and the result of a rate limit probe.
type keyState struct {
	keys          map[string]merchant.APIKey // by name
	key           merchant.APIKey            // the latest
	authenticator authenticator
	probe         rateProbe
}

const keysPath = "/v1/api-keys"

// createsAccount creates an account for the merchant, without other members.
func (w *world) createsAccount() error {
	made, err := w.app.IssueKey(w.ctx, boot.KeyRequest{
		Name:       "Owner",
		Scopes:     []string{"*"},
		NewAccount: w.name,
	})
	w.recorder.markAnswered()
	w.merchant = merchant.New(w.connection, made.Secret, "")
	return err
}

func (w *world) createKey(body string) error {
	return w.attempt(func() error {
		if err := w.send("POST", keysPath, w.expand(body), nil); err != nil {
			return err
		}
		return w.recordKey()
	})
}

// recordKey records the key in the latest answer.
func (w *world) recordKey() error {
	var key merchant.APIKey
	if err := json.Unmarshal(w.recorder.last().body, &key); err != nil {
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
	if err := w.createKey(withName(name, fields)); err != nil {
		return err
	}
	return w.unexpectedRefusal()
}

// withName adds a name to the fields of a JSON object.
func withName(name, fields string) string { return fmt.Sprintf(`{"name": %q, %s`, name, fields[1:]) }

func (w *world) hasExpiringKey(name string, seconds int) error {
	end := time.Now().Add(time.Duration(seconds) * time.Second).UTC().Format(time.RFC3339Nano)
	return w.hasKey(name, `{"scopes": ["projects:read"], "expires_at": "`+end+`"}`)
}

// maxKeys is the limit of keys per account, including the owner's key.
const maxKeys = 100

func (w *world) hasManyKeys() error {
	for range maxKeys - 2 {
		if err := w.hasKey("Many", `{"scopes": ["catalog:read"]}`); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) createKeysConcurrently(n int) {
	w.runConcurrently(n, func(int) error {
		_, err := w.merchant.CreateKey(w.ctx, merchant.NewKey{Name: "Racer", Scopes: []string{"catalog:read"}})
		return err
	})
}

func (w *world) keyNamed(name string) (merchant.APIKey, error) {
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
	key, err := w.keyNamed(holder)
	if err != nil {
		return err
	}
	return w.attempt(func() error {
		client := w.merchant.As(key.Secret).In("")
		if err := w.sendBy(client, "POST", keysPath, w.expand(withName("Offspring", fields)), nil); err != nil {
			return err
		}
		return w.recordKey()
	})
}

func (w *world) revokeKey(name string) error {
	key, err := w.keyNamed(name)
	if err != nil {
		return err
	}
	return w.merchantSends("DELETE", keysPath+"/"+key.ID, "")
}

// useKey authenticates with a key. It returns nil even if the key's scopes do not suffice.
func (w *world) useKey(key merchant.APIKey) error {
	_, err := w.merchant.As(key.Secret).Projects(w.ctx, merchant.Page{})
	if r := refusalOf(err); r != nil && r.code == "insufficient_scope" {
		return nil // the key was authenticated
	}
	return err
}

func (w *world) keyWorks(name string) error {
	key, err := w.keyNamed(name)
	if err != nil {
		return err
	}
	return w.useKey(key)
}

func (w *world) keyHasPrefix() error {
	if w.key.Prefix == "" || w.key.Prefix == w.key.Secret || !strings.HasPrefix(w.key.Secret, w.key.Prefix) {
		return fmt.Errorf("the prefix is %q", w.key.Prefix)
	}
	return nil
}

func (w *world) keyShownOnce(name string) error {
	key, err := w.keyNamed(name)
	if err != nil {
		return err
	}
	shown := 0
	for _, a := range w.recorder.all() {
		shown += strings.Count(string(a.body), key.Secret)
	}
	if shown != 1 {
		return fmt.Errorf("it was shown %d times", shown)
	}
	return nil
}

func (w *world) keyStopsWorking(seconds int, name string) error {
	key, err := w.keyNamed(name)
	if err != nil {
		return err
	}
	return within(seconds, func() error { return wantRefusal(w.useKey(key), http.StatusUnauthorized, "unauthenticated") })
}

// addKeyVars adds the variables of keys and of other shops, $scenario and $latest_time.
func (w *world) addKeyVars(vars map[string]string) {
	vars["scenario"] = w.name
	for name, key := range w.keys {
		vars["key_"+name] = key.ID
	}
	for i, other := range w.otherShops {
		vars["other"] = other.ID
		vars[fmt.Sprintf("other%d", i+1)] = other.ID
	}
	if at, ok := valueAt(w.recorder.last().value(), "data.0.created_at"); ok {
		vars["latest_time"] = fmt.Sprint(at)
	}
}

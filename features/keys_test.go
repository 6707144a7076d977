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

// keysContext creates, rotates and uses API keys of merchants and agents.
type keysContext struct {
	*scenario

	keys          map[string]merchant.APIKey // by name
	key           merchant.APIKey            // the latest
	authenticator authenticator
	agentKeys     agentKeys
	probe         rateProbe
}

const keysPath = "/v1/api-keys"

// createsAccount creates an account for the merchant, without other members.
func (c *keysContext) createsAccount() error {
	made, err := c.app.IssueKey(c.ctx, boot.KeyRequest{
		Name:       "Owner",
		Scopes:     []string{"*"},
		NewAccount: c.name,
	})
	c.recorder.markAnswered()
	c.merchant = merchant.New(c.connection, made.Secret, "")
	return err
}

func (c *keysContext) createKey(body string) error {
	return c.attempt(func() error {
		if err := c.send("POST", keysPath, c.expand(body), nil); err != nil {
			return err
		}
		return c.recordKey()
	})
}

// recordKey records the key in the latest answer.
func (c *keysContext) recordKey() error {
	var key merchant.APIKey
	if err := json.Unmarshal(c.recorder.last().body, &key); err != nil {
		return err
	}
	if c.keys == nil {
		c.keys = map[string]merchant.APIKey{}
	}
	c.keys[key.Name], c.key = key, key
	return nil
}

func (c *keysContext) createKeyWith(field, value string) error {
	body, err := withField(map[string]any{"name": "Test Key", "scopes": []string{"catalog:read"}}, field, c.expand(value))
	if err != nil {
		return err
	}
	return c.createKey(body)
}

func (c *keysContext) hasKey(name, fields string) error {
	if err := c.createKey(withName(name, fields)); err != nil {
		return err
	}
	return c.unexpectedRefusal()
}

// withName adds a name to the fields of a JSON object.
func withName(name, fields string) string { return fmt.Sprintf(`{"name": %q, %s`, name, fields[1:]) }

func (c *keysContext) hasExpiringKey(name string, seconds int) error {
	end := time.Now().Add(time.Duration(seconds) * time.Second).UTC().Format(time.RFC3339Nano)
	return c.hasKey(name, `{"scopes": ["projects:read"], "expires_at": "`+end+`"}`)
}

// maxKeys is the limit of keys per account, including the owner's key.
const maxKeys = 100

func (c *keysContext) hasManyKeys() error {
	for range maxKeys - 2 {
		if err := c.hasKey("Many", `{"scopes": ["catalog:read"]}`); err != nil {
			return err
		}
	}
	return nil
}

func (c *keysContext) createKeysConcurrently(n int) {
	c.runConcurrently(n, func(int) error {
		_, err := c.merchant.CreateKey(c.ctx, merchant.NewKey{Name: "Racer", Scopes: []string{"catalog:read"}})
		return err
	})
}

func (c *keysContext) keyNamed(name string) (merchant.APIKey, error) {
	key, known := c.keys[name]
	if name == "" {
		key, known = c.key, c.key.Secret != ""
	}
	if !known {
		return key, fmt.Errorf("nobody holds %q", name)
	}
	return key, nil
}

func (c *keysContext) holderCreatesKey(holder, fields string) error {
	key, err := c.keyNamed(holder)
	if err != nil {
		return err
	}
	return c.attempt(func() error {
		client := c.merchant.As(key.Secret).In("")
		if err := c.sendBy(client, "POST", keysPath, c.expand(withName("Offspring", fields)), nil); err != nil {
			return err
		}
		return c.recordKey()
	})
}

func (c *keysContext) revokeKey(name string) error {
	key, err := c.keyNamed(name)
	if err != nil {
		return err
	}
	return c.merchantSends("DELETE", keysPath+"/"+key.ID, "")
}

// useKey authenticates with a key. It returns nil even if the key's scopes do not suffice.
func (c *keysContext) useKey(key merchant.APIKey) error {
	_, err := c.merchant.As(key.Secret).Projects(c.ctx, merchant.Page{})
	if r := refusalOf(err); r != nil && r.code == "insufficient_scope" {
		return nil // the key was authenticated
	}
	return err
}

func (c *keysContext) keyWorks(name string) error {
	key, err := c.keyNamed(name)
	if err != nil {
		return err
	}
	return c.useKey(key)
}

func (c *keysContext) keyHasPrefix() error {
	if c.key.Prefix == "" || c.key.Prefix == c.key.Secret || !strings.HasPrefix(c.key.Secret, c.key.Prefix) {
		return fmt.Errorf("the prefix is %q", c.key.Prefix)
	}
	return nil
}

func (c *keysContext) keyShownOnce(name string) error {
	key, err := c.keyNamed(name)
	if err != nil {
		return err
	}
	shown := 0
	for _, a := range c.recorder.all() {
		shown += strings.Count(string(a.body), key.Secret)
	}
	if shown != 1 {
		return fmt.Errorf("it was shown %d times", shown)
	}
	return nil
}

func (c *keysContext) keyStopsWorking(seconds int, name string) error {
	key, err := c.keyNamed(name)
	if err != nil {
		return err
	}
	return within(seconds, func() error { return wantRefusal(c.useKey(key), http.StatusUnauthorized, "unauthenticated") })
}

// addKeyVars adds the variables of keys and of other shops, $scenario and $latest_time.
func (c *keysContext) addKeyVars(vars map[string]string) {
	vars["scenario"] = c.name
	for name, key := range c.keys {
		vars["key_"+name] = key.ID
	}
	for i, other := range c.otherShops {
		vars["other"] = other.ID
		vars[fmt.Sprintf("other%d", i+1)] = other.ID
	}
	if at, ok := valueAt(c.recorder.last().value(), "data.0.created_at"); ok {
		vars["latest_time"] = fmt.Sprint(at)
	}
}

package connectorcheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"strings"
)

// judge returns an error if a record breaks the contract.
func judge(resource string, r record) error {
	id, ok := idOf(r["id"])
	if !ok {
		return errors.New("a record has no id")
	}
	if raw := r["updated_at"]; present(raw) {
		if _, ok := changedAt(r); !ok {
			return fmt.Errorf("%s: updated_at is %s, and no time with an offset", id, raw)
		}
	}
	var gone bool
	if _ = json.Unmarshal(r["deleted"], &gone); gone {
		return nil
	}
	var err error
	switch resource {
	case "products":
		err = product(r)
	case "inventory":
		err = level(r)
	case "orders":
		err = flag(r, "canceled")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	return nil
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

func text(r record, name string) error {
	var value string
	if json.Unmarshal(r[name], &value) != nil || strings.TrimSpace(value) == "" {
		return fmt.Errorf("%s is required, and text", name)
	}
	return nil
}

func flag(r record, name string) error {
	var value bool
	if present(r[name]) && json.Unmarshal(r[name], &value) != nil {
		return fmt.Errorf("%s is %s, and must be true or false", name, r[name])
	}
	return nil
}

func number(raw json.RawMessage) bool {
	digits := strings.Trim(string(raw), `"`)
	_, ok := new(big.Rat).SetString(digits)
	return ok && !strings.Contains(digits, "/")
}

func product(r record) error {
	if err := errors.Join(text(r, "sku"), text(r, "name")); err != nil {
		return err
	}
	if !number(r["price"]) {
		return errors.New("price is required, and a number or digits")
	}
	if err := flag(r, "requires_shipping"); err != nil {
		return err
	}
	var variants []record
	if present(r["variants"]) && json.Unmarshal(r["variants"], &variants) != nil {
		return errors.New("variants is no list")
	}
	for _, v := range variants {
		if err := errors.Join(text(v, "sku"), flag(v, "requires_shipping")); err != nil {
			return fmt.Errorf("a variant's %w", err)
		}
	}
	return nil
}

func level(r record) error {
	if !number(r["quantity"]) {
		return errors.New("quantity is required, and a whole number")
	}
	if _, ok := idOf(r["item_id"]); !ok && text(r, "sku") != nil {
		return errors.New("sku or item_id is required")
	}
	return nil
}

// secret signs the registered webhook. It protects nothing, because no webhook is expected.
const secret = "whsec_Y29ubmVjdG9yLWNoZWNrLW5vdC1hLXNlY3JldA=="

// webhooks registers the same webhook twice and removes it twice.
func (k *checker) webhooks() {
	var id string
	register := func() (string, error) {
		a, err := k.ask(http.MethodPost, "/webhooks", k.Key, map[string]string{"topic": "products/update", "url": k.Hook, "secret": secret})
		var made map[string]json.RawMessage
		switch {
		case err != nil:
			return "", err
		case a.status/100 != 2:
			return "", fmt.Errorf("POST /webhooks answers %d", a.status)
		case json.Unmarshal(a.body, &made) != nil:
			return "", errors.New("POST /webhooks answers with what cannot be read")
		}
		name, ok := idOf(made["id"])
		if !ok {
			return "", errors.New("POST /webhooks answers without an id")
		}
		return name, nil
	}
	remove := func(id string) (int, error) {
		a, err := k.ask(http.MethodDelete, "/webhooks/"+url.PathEscape(id), k.Key, nil)
		return a.status, err
	}
	if !k.check("webhooks registration", `answer POST /webhooks with 2xx and {"id": …}`, func() (err error) {
		id, err = register()
		return err
	}) {
		return
	}
	k.check("webhooks repetition", "keep the webhook that has the topic and the url, and answer with its id", func() error {
		again, err := register()
		if err == nil && again != id {
			_, _ = remove(again) // clean up
			err = fmt.Errorf("it is registered as %s, and then as %s", id, again)
		}
		return err
	})
	k.check("webhooks removal", "answer DELETE /webhooks/{id} with 2xx, and with 404 or 410 once it is gone", func() error {
		status, err := remove(id)
		if err == nil && status/100 != 2 {
			err = fmt.Errorf("DELETE /webhooks/%s answers %d", id, status)
		}
		if err != nil {
			return err
		}
		status, err = remove(id)
		if err == nil && status/100 != 2 && status != http.StatusNotFound && status != http.StatusGone {
			err = fmt.Errorf("DELETE of a webhook that is gone answers %d", status)
		}
		return err
	})
}

package features

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

const refundsPath = "/v1/finance/refunds"

// nameUnresolved adds the refund that nobody knows the outcome of, and what the provider's own books call the account's
// latest charge and refund. They are asked for beside the scenario's own conversation, and only where a text names them.
func (w *world) nameUnresolved(known map[string]string, text string) {
	if strings.Contains(text, "$unresolved") {
		aside := merchant.New(exchange.NewClient(exchange.Config{URL: w.app.URL()}), w.merchant.Secret(), w.shop.ID)
		answer, err := aside.Do(w.ctx, "GET", refundsPath+"?status=unresolved", nil, nil)
		var list struct{ Data []struct{ ID string } }
		if err == nil && json.Unmarshal(answer.Body, &list) == nil && len(list.Data) > 0 {
			known["unresolved"] = list.Data[0].ID
		}
	}
	if !strings.Contains(text, "$charge") && !strings.Contains(text, "$given_back") {
		return
	}
	response, err := http.Get(w.server.providers + "/ledger")
	if err != nil {
		return
	}
	defer response.Body.Close()
	var books struct {
		Charges []struct {
			ID, Account string
			Intent      string `json:"payment_intent"`
		}
		Refunds []struct{ ID, Charge string }
	}
	if json.NewDecoder(response.Body).Decode(&books) != nil {
		return
	}
	for _, c := range books.Charges {
		if c.Account != w.integration.Config.AccountID {
			continue
		}
		known["charge"] = c.Intent
		for _, r := range books.Refunds {
			if r.Charge == c.ID {
				known["given_back"] = r.ID
			}
		}
	}
}

var errStillAsked = errors.New("its provider is being asked, or was not asked yet")

// ages makes the unresolved payment or refund as much older.
func (w *world) ages(what, by string) error {
	age, err := time.ParseDuration(by)
	if err != nil {
		return err
	}
	subject := map[string]string{"payment": "$checkout", "refund": "$unresolved"}[what]
	return within(30, func() error {
		done, err := boottest.Age(w.server.database, w.expand(subject), age)
		if err == nil && !done {
			err = errStillAsked
		}
		return err
	})
}

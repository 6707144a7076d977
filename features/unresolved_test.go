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

// addUnresolvedVars adds $unresolved, the refund without a known outcome, and the provider's ids of the account's latest charge
// and refund. It reads them only if text names them, with clients that are not recorded.
func (c *financeContext) addUnresolvedVars(vars map[string]string, text string) {
	if strings.Contains(text, "$unresolved") {
		client := merchant.New(exchange.NewClient(exchange.Config{URL: c.app.URL()}), c.merchant.Secret(), c.shop.ID)
		answer, err := client.Do(c.ctx, "GET", refundsPath+"?status=unresolved", nil, nil)
		var list struct{ Data []struct{ ID string } }
		if err == nil && json.Unmarshal(answer.Body, &list) == nil && len(list.Data) > 0 {
			vars["unresolved"] = list.Data[0].ID
		}
	}
	if !strings.Contains(text, "$charge") && !strings.Contains(text, "$given_back") {
		return
	}
	response, err := http.Get(c.server.providersURL + "/ledger")
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
	for _, found := range books.Charges {
		if found.Account != c.integrations.integration.Config.AccountID {
			continue
		}
		vars["charge"] = found.Intent
		for _, r := range books.Refunds {
			if r.Charge == found.ID {
				vars["given_back"] = r.ID
			}
		}
	}
}

var errReconciling = errors.New("its provider is being asked, or was not asked yet")

// agesUnresolved makes the unresolved payment or refund older by a duration.
func (c *financeContext) agesUnresolved(what, by string) error {
	age, err := time.ParseDuration(by)
	if err != nil {
		return err
	}
	subject := map[string]string{"payment": "$checkout", "refund": "$unresolved"}[what]
	return within(30, func() error {
		done, err := boottest.Age(c.server.database, c.expand(subject), age)
		if err == nil && !done {
			err = errReconciling
		}
		return err
	})
}

package features

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/provider"
)

func reversalSteps(sc stepRegistry, s *scenario) {
	sc.Step(`^the buyer pays by wallet_ba, which PayPal (leaves pending|takes)$`, s.finance.paysByPayPal)
	sc.When(`^PayPal (captures|denies) the payment$`, s.finance.settlesPayPal)
	sc.When(`^the provider takes the refund back$`, s.finance.failsRefund)
	sc.When(`^the buyer disputes the payment$`, s.finance.opensDispute)
	sc.When(`^the merchant (wins|loses) the dispute$`, s.finance.closesDispute)
	sc.Then(`^the estimates sum to the goods and the tax of the order$`, s.finance.estimatesSum)
	sc.Step(`^the buyer checks out the agreed (\d+) and (\d+) more of the "([^"]*)"$`, s.finance.checksOutAtTwoPrices)
}

// postToProvider calls the control API of the fake payment providers.
func (c *financeContext) postToProvider(path string, body map[string]any, answer any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	response, err := http.Post(c.server.providersURL+"/lookalike/"+path, "application/json", bytes.NewReader(content))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("the look-alike answers %s to %s", response.Status, path)
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

// providerAccount returns the name of the merchant's account in the fake provider's ledger.
func (c *financeContext) providerAccount() string {
	if c.integrations.integration.Type == "paypal" {
		return provider.PayPalMerchant(c.integrations.integration.Config.AccountID)
	}
	return c.integrations.integration.Config.AccountID
}

func (c *financeContext) paysByPayPal(how string) error {
	var agreement struct{ ID string }
	script := map[string]string{"leaves pending": "pending", "takes": "ok"}[how]
	wanted := map[string]any{"seller": c.providerAccount(), "script": script}
	if err := c.postToProvider("agreements", wanted, &agreement); err != nil {
		return err
	}
	return c.checkouts.pays("wallet_ba", agreement.ID)
}

// accountCharge returns the ids of the account's only charge and of its latest refund.
func (c *financeContext) accountCharge() (charge, refund string, err error) {
	response, err := http.Get(c.server.providersURL + "/ledger")
	if err != nil {
		return "", "", err
	}
	defer response.Body.Close()
	var books struct {
		Charges []struct{ ID, Account string }
		Refunds []struct{ ID, Charge string }
	}
	if err := json.NewDecoder(response.Body).Decode(&books); err != nil {
		return "", "", err
	}
	for _, booked := range books.Charges {
		if booked.Account == c.providerAccount() {
			charge = booked.ID
		}
	}
	for _, r := range books.Refunds {
		if r.Charge == charge {
			refund = r.ID
		}
	}
	if charge == "" {
		err = fmt.Errorf("account %s has no charge", c.providerAccount())
	}
	return charge, refund, err
}

func (c *financeContext) settlesPayPal(how string) error {
	charge, _, err := c.accountCharge()
	if err != nil {
		return err
	}
	return c.postToProvider("captures/settle", map[string]any{"capture": charge, "denied": how == "denies"}, &struct{}{})
}

func (c *financeContext) failsRefund() error {
	_, refund, err := c.accountCharge()
	if err != nil {
		return err
	}
	return c.postToProvider("refunds/fail", map[string]any{"refund": refund}, &struct{}{})
}

func (c *financeContext) opensDispute() error {
	charge, _, err := c.accountCharge()
	if err != nil {
		return err
	}
	var opened struct{ ID string }
	if err := c.postToProvider("disputes", map[string]any{"charge": charge}, &opened); err != nil {
		return err
	}
	c.integrations.dispute = opened.ID
	return nil
}

func (c *financeContext) closesDispute(how string) error {
	outcome := map[string]string{"wins": "won", "loses": "lost"}[how]
	return c.postToProvider("disputes/close", map[string]any{"dispute": c.integrations.dispute, "outcome": outcome}, &struct{}{})
}

func (c *financeContext) checksOutAtTwoPrices(agreed, more int, name string) error {
	item := func(quantity int, token string) acp.CheckoutItem {
		return acp.CheckoutItem{
			ProductID:     c.products[name].ID,
			Quantity:      quantity,
			CheckoutToken: token,
		}
	}
	return c.act(func(b *shopper) {
		items := []acp.CheckoutItem{item(agreed, b.token()), item(more, "")}
		b.InitCheckoutWith(acp.InitRequest{Items: items, ShippingAddress: b.address})
	})
}

// estimatesSum checks that the refund estimates of the listed returns sum to the order's goods and tax. Shipping is not refunded.
func (c *financeContext) estimatesSum() error {
	if c.refusal != nil {
		return c.refusal
	}
	var returns struct {
		Data []struct {
			Estimate decimal.Decimal `json:"refund_estimate"`
		}
	}
	if err := json.Unmarshal(c.recorder.last().body, &returns); err != nil {
		return err
	}
	sum := decimal.FromInt(0)
	for _, r := range returns.Data {
		sum = sum.Plus(r.Estimate)
	}
	bought := c.shopper.Checkout.Summary
	if want := bought.Subtotal.Plus(bought.Tax); sum != want {
		return fmt.Errorf("they sum to %s, want %s: %s", sum, want, c.recorder.last().body)
	}
	return nil
}

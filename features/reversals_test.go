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

func reversalSteps(sc stepRegistry, w *world) {
	sc.Step(`^the buyer pays by wallet_ba, which PayPal (leaves pending|takes)$`, w.paysByPayPal)
	sc.When(`^PayPal (captures|denies) the payment$`, w.settlesPayPal)
	sc.When(`^the provider takes the refund back$`, w.failsRefund)
	sc.When(`^the buyer disputes the payment$`, w.opensDispute)
	sc.When(`^the merchant (wins|loses) the dispute$`, w.closesDispute)
	sc.Then(`^the estimates sum to the goods and the tax of the order$`, w.estimatesSum)
	sc.Step(`^the buyer checks out the agreed (\d+) and (\d+) more of the "([^"]*)"$`, w.checksOutAtTwoPrices)
}

// postToProvider calls the control API of the fake payment providers.
func (w *world) postToProvider(path string, body map[string]any, answer any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	response, err := http.Post(w.server.providersURL+"/lookalike/"+path, "application/json", bytes.NewReader(content))
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
func (w *world) providerAccount() string {
	if w.integration.Type == "paypal" {
		return provider.PayPalMerchant(w.integration.Config.AccountID)
	}
	return w.integration.Config.AccountID
}

func (w *world) paysByPayPal(how string) error {
	var agreement struct{ ID string }
	script := map[string]string{"leaves pending": "pending", "takes": "ok"}[how]
	wanted := map[string]any{"seller": w.providerAccount(), "script": script}
	if err := w.postToProvider("agreements", wanted, &agreement); err != nil {
		return err
	}
	return w.pays("wallet_ba", agreement.ID)
}

// accountCharge returns the ids of the account's only charge and of its latest refund.
func (w *world) accountCharge() (charge, refund string, err error) {
	response, err := http.Get(w.server.providersURL + "/ledger")
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
	for _, c := range books.Charges {
		if c.Account == w.providerAccount() {
			charge = c.ID
		}
	}
	for _, r := range books.Refunds {
		if r.Charge == charge {
			refund = r.ID
		}
	}
	if charge == "" {
		err = fmt.Errorf("account %s has no charge", w.providerAccount())
	}
	return charge, refund, err
}

func (w *world) settlesPayPal(how string) error {
	charge, _, err := w.accountCharge()
	if err != nil {
		return err
	}
	return w.postToProvider("captures/settle", map[string]any{"capture": charge, "denied": how == "denies"}, &struct{}{})
}

func (w *world) failsRefund() error {
	_, refund, err := w.accountCharge()
	if err != nil {
		return err
	}
	return w.postToProvider("refunds/fail", map[string]any{"refund": refund}, &struct{}{})
}

func (w *world) opensDispute() error {
	charge, _, err := w.accountCharge()
	if err != nil {
		return err
	}
	var opened struct{ ID string }
	if err := w.postToProvider("disputes", map[string]any{"charge": charge}, &opened); err != nil {
		return err
	}
	w.dispute = opened.ID
	return nil
}

func (w *world) closesDispute(how string) error {
	outcome := map[string]string{"wins": "won", "loses": "lost"}[how]
	return w.postToProvider("disputes/close", map[string]any{"dispute": w.dispute, "outcome": outcome}, &struct{}{})
}

func (w *world) checksOutAtTwoPrices(agreed, more int, name string) error {
	item := func(quantity int, token string) acp.CheckoutItem {
		return acp.CheckoutItem{
			ProductID:     w.products[name].ID,
			Quantity:      quantity,
			CheckoutToken: token,
		}
	}
	return w.act(func(b *shopper) {
		items := []acp.CheckoutItem{item(agreed, b.token()), item(more, "")}
		b.InitCheckoutWith(acp.InitRequest{Items: items, ShippingAddress: b.address})
	})
}

// estimatesSum checks that the refund estimates of the listed returns sum to the order's goods and tax. Shipping is not refunded.
func (w *world) estimatesSum() error {
	if w.refusal != nil {
		return w.refusal
	}
	var returns struct {
		Data []struct {
			Estimate decimal.Decimal `json:"refund_estimate"`
		}
	}
	if err := json.Unmarshal(w.recorder.last().body, &returns); err != nil {
		return err
	}
	sum := decimal.FromInt(0)
	for _, r := range returns.Data {
		sum = sum.Plus(r.Estimate)
	}
	bought := w.shopper.Checkout.Summary
	if want := bought.Subtotal.Plus(bought.Tax); sum != want {
		return fmt.Errorf("they sum to %s, want %s: %s", sum, want, w.recorder.last().body)
	}
	return nil
}

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

func reversalSteps(sc book, w *world) {
	sc.Step(`^the buyer pays by wallet_ba, which PayPal (leaves pending|takes)$`, w.paysByPayPal)
	sc.When(`^PayPal (captures|denies) the payment$`, w.paypalDecides)
	sc.When(`^the provider takes the refund back$`, w.takesRefundBack)
	sc.When(`^the buyer disputes the payment$`, w.disputes)
	sc.When(`^the merchant (wins|loses) the dispute$`, w.closesDispute)
	sc.Then(`^the estimates sum to the goods and the tax of the order$`, w.estimatesSum)
	sc.Step(`^the buyer checks out the agreed (\d+) and (\d+) more of the "([^"]*)"$`, w.checksOutAtTwoPrices)
}

// asksProvider asks the look-alike of the payment providers for something of its own.
func (w *world) asksProvider(path string, body map[string]any, answer any) error {
	asked, err := json.Marshal(body)
	if err != nil {
		return err
	}
	response, err := http.Post(w.server.providers+"/lookalike/"+path, "application/json", bytes.NewReader(asked))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("the look-alike answers %s to %s", response.Status, path)
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

// account is the merchant's by the name that the look-alike's books have for it.
func (w *world) account() string {
	if w.integration.Type == "paypal" {
		return provider.PayPalMerchant(w.integration.Config.AccountID)
	}
	return w.integration.Config.AccountID
}

func (w *world) paysByPayPal(how string) error {
	var agreement struct{ ID string }
	script := map[string]string{"leaves pending": "pending", "takes": "ok"}[how]
	wanted := map[string]any{"seller": w.account(), "script": script}
	if err := w.asksProvider("agreements", wanted, &agreement); err != nil {
		return err
	}
	return w.pays("wallet_ba", agreement.ID)
}

// ownCharge is the one charge of the merchant's account, and its newest refund.
func (w *world) ownCharge() (charge, refund string, err error) {
	response, err := http.Get(w.server.providers + "/ledger")
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
		if c.Account == w.account() {
			charge = c.ID
		}
	}
	for _, r := range books.Refunds {
		if r.Charge == charge {
			refund = r.ID
		}
	}
	if charge == "" {
		err = fmt.Errorf("account %s has no charge", w.account())
	}
	return charge, refund, err
}

func (w *world) paypalDecides(how string) error {
	charge, _, err := w.ownCharge()
	if err != nil {
		return err
	}
	return w.asksProvider("captures/settle", map[string]any{"capture": charge, "denied": how == "denies"}, &struct{}{})
}

func (w *world) takesRefundBack() error {
	_, refund, err := w.ownCharge()
	if err != nil {
		return err
	}
	return w.asksProvider("refunds/fail", map[string]any{"refund": refund}, &struct{}{})
}

func (w *world) disputes() error {
	charge, _, err := w.ownCharge()
	if err != nil {
		return err
	}
	var opened struct{ ID string }
	if err := w.asksProvider("disputes", map[string]any{"charge": charge}, &opened); err != nil {
		return err
	}
	w.dispute = opened.ID
	return nil
}

func (w *world) closesDispute(how string) error {
	outcome := map[string]string{"wins": "won", "loses": "lost"}[how]
	return w.asksProvider("disputes/close", map[string]any{"dispute": w.dispute, "outcome": outcome}, &struct{}{})
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

// estimatesSum compares the returns that the answer lists with the order, whose shipping is not given back.
func (w *world) estimatesSum() error {
	if w.refusal != nil {
		return w.refusal
	}
	var returns struct {
		Data []struct {
			Estimate decimal.Decimal `json:"refund_estimate"`
		}
	}
	if err := json.Unmarshal(w.tape.last().body, &returns); err != nil {
		return err
	}
	sum := decimal.FromInt(0)
	for _, r := range returns.Data {
		sum = sum.Plus(r.Estimate)
	}
	bought := w.shopper.Checkout.Summary
	if want := bought.Subtotal.Plus(bought.Tax); sum != want {
		return fmt.Errorf("they sum to %s, want %s: %s", sum, want, w.tape.last().body)
	}
	return nil
}

package features

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/provider"
)

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
	script := map[string]string{"leaves the payment pending": "pending", "captures the payment": "ok"}[how]
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

// estimatesSum checks that the refund estimates of the order's returns sum to its goods and tax. Shipping is not refunded.
func (c *financeContext) estimatesSum(count int) error {
	if err := c.orders.resourceShows(returnsPath+"?order_id=$order", "data.#", strconv.Itoa(count)); err != nil {
		return err
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

const disputesPath = "/v1/disputes"

// stockShows checks the stock of a product: all of it, and the parts that are held, available and oversold. It waits for
// some seconds unless that is "".
func (c *financeContext) stockShows(seconds, name string, quantity, held, available, oversold int) error {
	return within(number(seconds), func() error {
		err := c.orders.resourceShows(inventoryPath+"?sku="+c.products[name].SKU, stockFields(quantity, held, available, oversold)...)
		if err != nil {
			return err
		}
		return c.orders.resourceShows(productsPath, "data.*.quantity", fmt.Sprintf("[%d]", quantity))
	})
}

func stockFields(quantity, held, available, oversold int) []string {
	return []string{
		"data.0.quantity", strconv.Itoa(quantity),
		"data.0.held", strconv.Itoa(held),
		"data.0.available", strconv.Itoa(available),
		"data.0.oversold", strconv.Itoa(oversold),
	}
}

// countsStock sets the stock of a product. The answer is the same as a later reading.
func (c *financeContext) countsStock(quantity int, name string) error {
	sku := c.products[name].SKU
	err := c.orders.succeeds("PUT", inventoryPath, fmt.Sprintf(`{"levels": [{"sku": %q, "quantity": %d}]}`, sku, quantity))
	if err != nil {
		return err
	}
	counted, _ := valueAt(c.recorder.last().value(), "data.0")
	if err := c.orders.resourceShows(inventoryPath + "?sku=" + sku); err != nil {
		return err
	}
	for _, field := range []string{"quantity", "held", "available", "oversold"} {
		answered, _ := valueAt(counted, field)
		if read, found := valueAt(c.recorder.last().value(), "data.0."+field); !found || !equalJSON(answered, read) {
			return fmt.Errorf("%s was answered as %s and reads %s", field, encode(answered), encode(read))
		}
	}
	return nil
}

func (c *financeContext) refundIsReversed(amount string) error {
	return c.orders.resourceShows(refundsPath+"?status=failed",
		"data.*.amount", "["+amount+"]",
		"data.0.status", `"failed"`,
		"data.0.failure_code", `"expired_or_canceled_card"`,
		"data.0.reversed_at", "matches Z$",
	)
}

// paymentIsDisputed waits until the payment has one dispute, which the merchant has lost.
func (c *financeContext) paymentIsDisputed(seconds int, amount, fee string) error {
	return within(seconds, func() error {
		return c.orders.resourceShows(paymentsPath+"/$payment",
			"disputed_amount", amount,
			"disputes.*.status", `["lost"]`,
			"disputes.0.amount", amount,
			"disputes.0.withdrawn_amount", amount,
			"disputes.0.fee_amount", fee,
		)
	})
}

// hasDispute waits for a dispute that the merchant has to answer, and names it $dispute.
func (c *financeContext) hasDispute(seconds int, amount, provider string) error {
	err := within(seconds, func() error {
		return c.orders.resourceShows(disputesPath+"?response=needed",
			"data.*.status", `["open"]`,
			"data.0.amount", amount,
			"data.0.provider", `"`+strings.ToLower(provider)+`"`,
			"data.0.due_by", "matches T",
			"data.0.evidence", "absent",
			"meta.next", "null",
		)
	})
	return errors.Join(err, c.platforms.namesAnswerField("data.0.id", "dispute"))
}

func (c *financeContext) orderIsEvidence(goods, total string) error {
	return c.orders.resourceShows(disputesPath+"/$dispute",
		"order_evidence.product", "matches ^"+goods,
		"order_evidence.receipt", "matches "+total,
	)
}

// submitsNote submits evidence with more fields than the note.
func (c *financeContext) submitsNote(note, more string) error {
	return c.merchantSends("POST", disputesPath+"/$dispute/evidence", `{"note": "`+note+`"`+more+`}`)
}

// evidenceIsUnderReview checks the latest answer, to evidence without a receipt.
func (c *financeContext) evidenceIsUnderReview(goods string) error {
	return errors.Join(c.statusIs(http.StatusOK), c.answerShows(
		"status", `"open"`,
		"response", `"under_review"`,
		"evidence.note", `"It was handed over."`,
		"evidence.product", "matches ^"+goods,
		"evidence.receipt", `""`,
		"answered_at", "matches Z$",
	))
}

// disputeIsClosed waits until a dispute is won, or lost.
func (c *financeContext) disputeIsClosed(seconds int, status string) error {
	return within(seconds, func() error {
		return c.orders.resourceShows(disputesPath+"/$dispute", "status", `"`+status+`"`, "response", `"closed"`)
	})
}

// opensSandboxDispute disputes the payment as the sandbox's buyer, and names the dispute $dispute. The reason may be "".
func (c *financeContext) opensSandboxDispute(reason string) error {
	body := `{"payment_id": "$payment"}`
	if reason != "" {
		body = `{"payment_id": "$payment", "reason": "` + reason + `"}`
	}
	err := c.orders.succeeds("POST", "/v1/sandbox/disputes", body)
	return errors.Join(err, c.statusIs(http.StatusCreated), c.platforms.namesAnswerField("id", "dispute"))
}

// acceptsDispute accepts the dispute, which is then lost.
func (c *financeContext) acceptsDispute() error {
	return errors.Join(c.orders.succeeds("POST", disputesPath+"/$dispute/accept", ""), c.disputeIsLost())
}

// disputeIsLost checks the latest answer, to the acceptance of a dispute.
func (c *financeContext) disputeIsLost() error {
	return errors.Join(c.statusIs(http.StatusOK), c.answerShows("status", `"lost"`))
}

func (c *financeContext) attentionHasDispute(amount string) error {
	return c.orders.resourceShows("/v1/attention",
		"data.0.kind", `"dispute_open"`,
		"data.0.amount", amount,
		"data.0.due_at", "matches T",
	)
}

package features

import (
	"errors"
	"fmt"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// issuesTokenForTier issues a buyer token for a CRM customer of a loyalty tier, or of none ("").
func (w *world) issuesTokenForTier(platform, tier string) error {
	customers, err := platformRecords[struct {
		Email string
		Tier  string `json:"loyalty_tier"`
	}](w, platform, "customers")
	if err != nil {
		return err
	}
	for _, c := range customers {
		if c.Tier == tier {
			return w.issuesBuyerToken(c.Email)
		}
	}
	return fmt.Errorf("no customer is %q", tier)
}

func (w *world) issuesBuyerToken(email string) error {
	return w.attempt(func() error {
		if err := w.send("POST", "/v1/buyer-tokens", fmt.Sprintf(`{"email": %q}`, email), nil); err != nil {
			return err
		}
		return w.namesAnswerField("buyer_token", "buyer_token")
	})
}

// arrivesClaiming starts a buyer whose agent sends buyer_context claims, such as a buyer token.
func (w *world) arrivesClaiming(claims, name string) error {
	parsed, err := parseClaims(w.expand(claims))
	if err != nil {
		return err
	}
	if err := w.startBuyer(); err != nil {
		return err
	}
	w.product = w.products[name]
	return w.act(func(b *shopper) {
		b.Claims = parsed
		b.Search(name).View(w.product.ID)
	})
}

// namesOpeningPrice stores the quoted opening price under a name.
func (w *world) namesOpeningPrice(name string) error {
	if err := w.mustAct(func(b *shopper) { b.AskPrice() }); err != nil {
		return err
	}
	w.nameValue(name, w.shopper.Quote.OfferedPrice.String())
	return nil
}

func (w *world) priceIsBelow(a, how, b string) error {
	x, errX := decimal.Parse(w.namedValues[a])
	y, errY := decimal.Parse(w.namedValues[b])
	if err := errors.Join(errX, errY); err != nil {
		return err
	}
	if order := x.Cmp(y); order > 0 || order == 0 && how == "below" {
		return fmt.Errorf("%s is not %s %s", x, how, y)
	}
	return nil
}

// buyerTokenNotShown checks that no answer to a buyer contains the token. It authenticates the buyer, so only the merchant
// may receive it.
func (w *world) buyerTokenNotShown() error {
	for _, a := range w.recorder.all() {
		if a.toBuyer && strings.Contains(string(a.body), w.namedValues["buyer_token"]) {
			return fmt.Errorf("%s tells it: %s", a.path, a.body)
		}
	}
	return nil
}

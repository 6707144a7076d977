package features

import (
	"errors"
	"fmt"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// vouchesFor vouches for a customer of the CRM who is of a tier, or of none.
func (w *world) vouchesFor(platform, tier string) error {
	customers, err := remote[struct {
		Email string
		Tier  string `json:"loyalty_tier"`
	}](w, platform, "customers")
	if err != nil {
		return err
	}
	for _, c := range customers {
		if c.Tier == tier {
			return w.vouches(c.Email)
		}
	}
	return fmt.Errorf("no customer is %q", tier)
}

func (w *world) vouches(email string) error {
	return w.attempt(func() error {
		if err := w.send("POST", "/v1/buyer-tokens", fmt.Sprintf(`{"email": %q}`, email), nil); err != nil {
			return err
		}
		return w.callsIt("buyer_token", "buyer_token")
	})
}

// comesClaiming brings a buyer whose agent shows the token, or says something else of itself.
func (w *world) comesClaiming(claims, name string) error {
	said, err := claimsIn(w.expand(claims))
	if err != nil {
		return err
	}
	if err := w.arrive(); err != nil {
		return err
	}
	w.product = w.products[name]
	return w.act(func(b *shopper) {
		b.Claims = said
		b.Search(name).View(w.product.ID)
	})
}

// remembersOpening notes the price that the buyer is asked for, under a name.
func (w *world) remembersOpening(name string) error {
	if err := w.must(func(b *shopper) { b.AskPrice() }); err != nil {
		return err
	}
	w.call(name, w.shopper.Quote.OfferedPrice.String())
	return nil
}

func (w *world) isBelow(a, how, b string) error {
	x, errX := decimal.Parse(w.called[a])
	y, errY := decimal.Parse(w.called[b])
	if err := errors.Join(errX, errY); err != nil {
		return err
	}
	if order := x.Cmp(y); order > 0 || order == 0 && how == "below" {
		return fmt.Errorf("%s is not %s %s", x, how, y)
	}
	return nil
}

// tokenIsNowhere: whoever has it counts as the buyer, so that it is told to the merchant alone.
func (w *world) tokenIsNowhere() error {
	for _, a := range w.tape.all() {
		if a.toBuyer && strings.Contains(string(a.body), w.called["buyer_token"]) {
			return fmt.Errorf("%s tells it: %s", a.path, a.body)
		}
	}
	return nil
}

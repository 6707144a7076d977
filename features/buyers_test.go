package features

import (
	"errors"
	"fmt"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// issuesTokenForTier issues a buyer token for a CRM customer of a loyalty tier, or of none ("").
func (c *buyersContext) issuesTokenForTier(platform, tier string) error {
	customers, err := platformRecords[struct {
		Email string
		Tier  string `json:"loyalty_tier"`
	}](c.scenario, platform, "customers")
	if err != nil {
		return err
	}
	for _, customer := range customers {
		if customer.Tier == tier {
			return c.issuesBuyerToken(customer.Email)
		}
	}
	return fmt.Errorf("no customer is %q", tier)
}

func (c *buyersContext) issuesBuyerToken(email string) error {
	return c.attempt(func() error {
		if err := c.send("POST", "/v1/buyer-tokens", fmt.Sprintf(`{"email": %q}`, email), nil); err != nil {
			return err
		}
		return c.platforms.namesAnswerField("buyer_token", "buyer_token")
	})
}

// arrivesClaiming starts a buyer whose agent sends buyer_context claims, such as a buyer token.
func (c *buyersContext) arrivesClaiming(claims, name string) error {
	parsed, err := parseClaims(c.expand(claims))
	if err != nil {
		return err
	}
	if err := c.startBuyer(); err != nil {
		return err
	}
	c.product = c.products[name]
	return c.act(func(b *shopper) {
		b.Claims = parsed
		b.Search(name).View(c.product.ID)
	})
}

// namesOpeningPrice stores the quoted opening price under a name.
func (c *buyersContext) namesOpeningPrice(name string) error {
	if err := c.mustAct(func(b *shopper) { b.AskPrice() }); err != nil {
		return err
	}
	c.platforms.nameValue(name, c.shopper.Quote.OfferedPrice.String())
	return nil
}

func (c *buyersContext) priceIsBelow(a, how, b string) error {
	x, errX := decimal.Parse(c.platforms.namedValues[a])
	y, errY := decimal.Parse(c.platforms.namedValues[b])
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
func (c *buyersContext) buyerTokenNotShown() error {
	for _, a := range c.recorder.all() {
		if a.toBuyer && strings.Contains(string(a.body), c.platforms.namedValues["buyer_token"]) {
			return fmt.Errorf("%s tells it: %s", a.path, a.body)
		}
	}
	return nil
}

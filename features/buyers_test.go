package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

func buyerSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a merchant whose CRM has (\d+) customers with (\d+) orders$`, s.buyers.hasCRM)
	sc.Given(`^the customers of the CRM are synced$`, func() error { return s.platforms.hasSynced(`{"resources": ["customers"]}`) })
	sc.Step(`^the merchant vouches for "([^"]*)"$`, s.buyers.issuesBuyerToken)
	sc.Step(`^the merchant vouches for a (\w*) ?customer of (hubspot|custom)$`, func(tier, platform string) error { return s.buyers.issuesTokenForTier(platform, tier) })
	sc.Step(`^a buyer who (claims [a-z0-9 ,]+|shows the token|shows the token and claims [a-z0-9 ,]+) looks at the "([^"]*)"$`, s.buyers.arrivesClaimingInWords)
	sc.Step(`^the opening price is called "(\w+)"$`, s.buyers.namesOpeningPrice)
	sc.When(`^a buyer who shows the token searches for "([^"]*)"$`, s.buyers.searchesWithToken)
	sc.Then(`^the token is for a (\w+) customer with at least (\d+) purchases$`, s.buyers.tokenIsForCustomer)
	sc.Then(`^the token is for a stranger$`, s.buyers.tokenIsForStranger)
	sc.Then(`^the token is refused$`, s.buyers.tokenIsRefused)
	sc.Then(`^the price "(\w+)" is (below|at most) "(\w+)"$`, s.buyers.priceIsBelow)
	sc.Then(`^no answer to a buyer has the token$`, s.buyers.buyerTokenNotShown)
}

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

// hasCRM starts fake platforms with customers and orders.
func (c *buyersContext) hasCRM(customers, orders int) error {
	return c.platforms.hasPlatforms(fmt.Sprintf(`{"customers": %d, "orders": %d}`, customers, orders))
}

// arrivesClaimingInWords starts a buyer whose agent sends claims about it: "claims platinum loyalty and 100 purchases", "shows the
// token".
func (c *buyersContext) arrivesClaimingInWords(words, name string) error {
	claims := map[string]any{}
	if rest, shows := strings.CutPrefix(words, "shows the token"); shows {
		claims["buyer_token"], words = c.platforms.namedValues["buyer_token"], strings.TrimPrefix(rest, " and ")
	}
	if err := addClaims(claims, strings.TrimPrefix(words, "claims ")); err != nil {
		return err
	}
	text, err := json.Marshal(claims)
	if err != nil {
		return err
	}
	return c.arrivesClaiming(string(text), name)
}

var (
	loyaltyClaim  = regexp.MustCompile(`^(\w+) loyalty$`)
	purchaseClaim = regexp.MustCompile(`^(\d+) purchases$`)
	urgencyClaim  = regexp.MustCompile(`^(\w+) urgency$`)
)

// addClaims adds a buyer's claims, given in words, to a buyer_context: "platinum loyalty, 1000 purchases and flexible urgency".
func addClaims(claims map[string]any, words string) error {
	for claim := range strings.SplitSeq(strings.ReplaceAll(words, " and ", ", "), ", ") {
		if parts := loyaltyClaim.FindStringSubmatch(claim); parts != nil {
			claims["loyalty_tier"] = parts[1]
		} else if parts := purchaseClaim.FindStringSubmatch(claim); parts != nil {
			claims["purchase_history"] = json.Number(parts[1])
		} else if parts := urgencyClaim.FindStringSubmatch(claim); parts != nil {
			claims["urgency"] = parts[1]
		} else if claim != "nothing" && claim != "" {
			return fmt.Errorf("no claim is %q", claim)
		}
	}
	return nil
}

// arrivesClaiming starts a buyer whose agent sends buyer_context claims, such as a buyer token.
func (c *buyersContext) arrivesClaiming(claims, name string) error {
	parsed, err := parseClaims(claims)
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

func (c *buyersContext) tokenIsForCustomer(tier string, purchases int) error {
	return c.answerShows(
		"buyer_token", "matches ^bt_",
		"loyalty_tier", strconv.Quote(tier),
		"purchase_history", fmt.Sprintf("at least %d", purchases),
	)
}

// tokenIsForStranger checks that the platforms have no record of the token's buyer.
func (c *buyersContext) tokenIsForStranger() error {
	return c.answerShows("buyer_token", "matches ^bt_", "loyalty_tier", "null", "purchase_history", "0")
}

func (c *buyersContext) searchesWithToken(query string) error {
	return c.buyerSends("POST", "/acp/search", fmt.Sprintf(`{"query": %q, "buyer_context": {"buyer_token": "$buyer_token"}}`, query))
}

func (c *buyersContext) tokenIsRefused() error {
	if err := c.isRefused(http.StatusUnprocessableEntity, "validation_error"); err != nil {
		return err
	}
	return c.refusalNames("buyer_context.buyer_token")
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

package features

import (
	"errors"
	"strconv"
)

// changesPolicy changes the policy of the shop's active agent.
func (c *hagglingContext) changesPolicy(policy string) error {
	if err := c.agents.remembersActiveAgent(); err != nil {
		return err
	}
	return c.merchantSends("PATCH", agentsPath+"/$active", `{"policy": `+policy+`}`)
}

// concedesPatiently sets a curve that is easy to compute by hand.
func (c *hagglingContext) concedesPatiently() error {
	return c.changesPolicy(`{
		"curve": {
			"reach_percent": 111,
			"markup_percent": 111,
			"give_percent": [31, 67, 79, 87, 94, 100],
			"take_percent": [37.5, 50, 62.5, 75, 87.5, 100]
		},
		"leanings": {"high_margin_from_percent": 0}
	}`)
}

// sellsAtListPrice adds a product that is not negotiable.
func (c *hagglingContext) sellsAtListPrice(name, price string) error {
	return c.attempt(func() error {
		body := `{"name": ` + strconv.Quote(name) + `, "sku": "` + skuOf(name) + `", "price": ` + price + `, "negotiable": false, "quantity": 10}`
		return c.catalog.rememberCreated(c.send("POST", productsPath, body, nil))
	})
}

// probedProduct checks the latest decision by the probing limit: how many sessions about the product it counted.
func (c *hagglingContext) probedProduct(sessions string) error {
	if err := c.agents.remembersActiveAgent(); err != nil {
		return err
	}
	if err := c.merchantSends("GET", agentsPath+"/$active/decisions?rule=probing_limit", ""); err != nil {
		return err
	}
	return c.answerShows("data.0.inputs.probed.product", sessions)
}

func (c *hagglingContext) bundleCosts(price, regular string) error {
	bundle := c.shopper.Quote.BundleSuggestion
	if bundle == nil {
		return errors.New("no bundle is suggested")
	}
	return errors.Join(isPrice(bundle.BundlePrice, price), isPrice(bundle.RegularPrice, regular))
}

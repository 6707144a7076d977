package features

import (
	"errors"
	"fmt"
)

// onSale are the data and the setting for a kind of product that Shopify does not sell to everybody.
var onSale = map[string]struct{ hidden, setting string }{
	"unpublished":               {"ShopifyUnpublished", "offer_unpublished"},
	"a gift card":               {"ShopifyGiftCards", "offer_gift_cards"},
	"sold by subscription only": {"ShopifySubscribed", "offer_subscription_only"},
}

func onSaleSteps(sc stepRegistry, s *scenario) {
	const kinds = `(unpublished|a gift card|sold by subscription only)`
	c := s.catalog
	sc.Given(`^the merchant syncs a Shopify shop with 2 products, one of them `+kinds+`$`, func(kind string) error {
		return c.syncsShopifyHolding(fmt.Sprintf(`{"products": 2, "seed": 2, %q: ["DP-00001"]}`, onSale[kind].hidden))
	})
	sc.Given(`^the merchant syncs a Shopify shop with 1 product, which is digital$`, func() error {
		return c.syncsShopifyHolding(`{"products": 1, "seed": 2, "Digital": ["DP-00001"]}`)
	})
	sc.When(`^the merchant chooses (not )?to offer what is `+kinds+`(, and syncs)?$`, c.choosesToOffer)
	sc.Then(`^the shop sells only the other one$`, func() error { return c.productsOfStatusShow("active", "data.*.sku", `["BP-00002"]`) })
	sc.Then(`^the shop sells both$`, func() error { return c.productsOfStatusShow("active", "data.#", `2`) })
	sc.Then(`^the one product is archived$`, func() error { return c.productsOfStatusShow("archived", "data.*.sku", `["DP-00001"]`) })
	sc.Then(`^the shop sells it without shipping$`, func() error {
		return c.productsOfStatusShow("active", "data.*.variants.*.requires_shipping", `[[false]]`)
	})
}

func (c *catalogContext) syncsShopifyHolding(data string) error {
	if err := c.platforms.opensPlatforms(data); err != nil {
		return err
	}
	if err := errors.Join(c.connections.connectsPlatform("shopify"), c.unexpectedRefusal()); err != nil {
		return err
	}
	return c.platforms.hasSynced(`{"full_sync": true}`)
}

// choosesToOffer changes the integration's setting for a kind of product.
func (c *catalogContext) choosesToOffer(not, kind, andSyncs string) error {
	setting, on := onSale[kind].setting, fmt.Sprint(not == "")
	if err := c.merchantSends("PATCH", "/v1/integrations/$integration", fmt.Sprintf(`{"config": {%q: %s}}`, setting, on)); err != nil || andSyncs == "" {
		return err
	}
	if err := c.answerShows("config."+setting, on); err != nil {
		return err
	}
	return c.platforms.hasSynced(`{"full_sync": true}`)
}

func (c *catalogContext) productsOfStatusShow(status string, fields ...string) error {
	if err := c.merchantSends("GET", productsPath+"?status="+status, ""); err != nil {
		return err
	}
	return c.answerShows(fields...)
}

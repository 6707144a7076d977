package features

import "fmt"

// storefrontSteps change and read what buyers see of a shop.
func storefrontSteps(sc stepRegistry, s *scenario) {
	const path = "/v1/projects/$shop/storefront"
	sc.When(`^the merchant opens a shop in the locale (\S+)$`, func(locale string) error {
		return s.shops.openShopWith("locale", `"`+locale+`"`)
	})
	sc.When(`^the merchant ships free from (\d+), and takes back "([^"]*)" goods within (\d+) days$`, func(price, conditions, days string) error {
		return s.merchantSends("PATCH", path,
			fmt.Sprintf(`{"free_shipping_threshold": %s, "return_window_days": %s, "return_conditions": %q}`, price, days, conditions))
	})
	sc.Then(`^the shop ships only to (\S+)$`, func(country string) error {
		if err := s.merchantSends("GET", path, ""); err != nil {
			return err
		}
		return s.answerShows("shipping_regions", `["`+country+`"]`)
	})
	sc.Then(`^the shop ships for ([\d., ]+)$`, func(prices string) error {
		if err := s.merchantSends("GET", path, ""); err != nil {
			return err
		}
		return s.answerShows("shipping_rates.*.price", "["+prices+"]")
	})
	sc.Then(`^the "([^"]*)" has free shipping from (\d+), and may be returned "([^"]*)" within (\d+) days$`, func(name, price, conditions, days string) error {
		if err := s.buyers.arrivesLookingAt(name); err != nil {
			return err
		}
		return s.answerShows(
			"shipping.free_shipping", `true`,
			"shipping.free_shipping_threshold", price,
			"shipping.estimated_delivery", `matches 3-5`,
			"returns.allowed", `true`,
			"returns.window_days", days,
			"returns.conditions", fmt.Sprintf("%q", conditions),
		)
	})
}

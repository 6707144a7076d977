package features

func webhookSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a webhook for "([^"]*)"$`, func(topic string) error { return s.platforms.hasWebhook(topic, "") })
	sc.Given(`^a webhook for "([^"]*)" that syncs inventory$`, func(topic string) error {
		return s.platforms.hasWebhook(topic, `["sync_inventory"]`)
	})
	sc.Step(`^the merchant removes the webhook$`, s.platforms.removesWebhook)

	sc.Step(`^(shopify|custom|shipstation) reports (\d+) changes?$`, func(platform string, n int) error {
		return s.platforms.platformSendsWebhooks(platform, n, "")
	})
	sc.When(`^(shopify|custom) reports (\d+) changes twice, late and out of order, and somebody forges each call$`, func(platform string, n int) error {
		return s.platforms.platformSendsWebhooks(platform, n, `{"late": 0.3, "duplicate": 1, "reorder": 0.5, "tamper": 1}`)
	})
	sc.When(`^shopify reports that (\d+) of it are left at the (first|second) location$`, s.platforms.reportsStockLeft)
	sc.When(`^shopify reports a stock of (\d+) as of (\d\d:\d\d), in the call "(\w+)"$`, s.platforms.reportsShopifyStock)
	sc.When(`^shopify calls about a product$`, func() error { return s.platforms.callsShopifyWebhook("late", appSecret, `{"id": 1}`) })
	sc.When(`^somebody calls in shopify's name$`, func() error {
		return s.platforms.callsShopifyWebhook("forged", "guessed", `{"id": 1, "title": "Free tent", "variants": [{"id": 2, "price": "0.01"}]}`)
	})

	sc.Then(`^all (\d+) calls are accepted$`, func(n int) error { return s.platforms.webhookCallsAnswered("genuine", n, 200) })
	sc.Then(`^all (\d+) forged calls are rejected$`, func(n int) error { return s.platforms.webhookCallsAnswered("forged", n, 401) })
	sc.Then(`^within (\d+) seconds ((?:at least )?\d+) calls? (?:is|are) (processed|duplicate|rejected|waiting)$`, s.platforms.callsBecome)
	sc.Then(`^a sync of inventory alone has completed$`, s.platforms.inventorySyncCompletes)
	sc.Then(`^a stock of (\d+) is known, and none of (\d+)$`, s.platforms.stockIsKnown)
	sc.Step(`^(shopify|custom|shipstation) knows (\d+) webhooks?$`, s.platforms.platformWebhooksAre)
}

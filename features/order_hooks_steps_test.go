package features

// orderHookSteps are about order webhooks to agents and about the keys that sign them.
func orderHookSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^an agent that receives webhooks$`, s.orderHooks.agentReceivesWebhooks)
	sc.Given(`^the agent answers (\d+)( once)?$`, s.orderHooks.agentAnswers)
	sc.Step(`^the agent's buyer orders (\d+) of the "([^"]*)"$`, s.orderHooks.ordersWithWebhook)
	sc.When(`^the merchant erases the agent's buyer$`, func() error {
		return s.orders.succeeds("POST", "/v1/buyers/erase", `{"email": "buyer@example.com"}`)
	})

	sc.Step(`^the agent has received (\d+) webhooks?, the latest of "([^"]*)"$`, s.orderHooks.agentReceives)
	sc.Then(`^the agent and the merchant's system receive one webhook each$`, s.orderHooks.agentAndMerchantReceive)
	sc.Then(`^the agent receives no more webhooks$`, s.orderHooks.agentReceivesNoMore)
	sc.Then(`^the webhooks are signed with keys that the shop publishes$`, s.orderHooks.webhooksAreSigned)
	sc.Then(`^the webhooks are signed with (\d+) different keys?$`, s.orderHooks.signedWithKeys)
	sc.Then(`^the webhook shows the new order$`, s.orderHooks.webhookShowsNewOrder)
	sc.Then(`^webhook (\d+) of the order shows it as (shipped|delivered)$`, func(sequence, state string) error {
		return s.orderHooks.latestWebhookShows("sequence", sequence, "order.fulfillment.status", `"`+state+`"`)
	})
	sc.Then(`^the webhook has the tracking link$`, func() error {
		return s.orderHooks.latestWebhookShows("order.tracking.url", `"`+trackingLink+`"`)
	})
	sc.Then(`^the webhook shows the order as canceled and refunded$`, func() error {
		return s.orderHooks.latestWebhookShows("order.order.status", `"canceled"`, "order.payment.status", `"refunded"`)
	})
	sc.Then(`^the webhook has the order as anybody who knows its id reads it$`, s.orderHooks.webhookMatchesOrder)
	sc.Then(`^no webhook names the buyer$`, s.orderHooks.webhooksHaveNoPersonalData)
	sc.Then(`^the order has no webhook$`, func() error { return s.orders.resourceShows(ordersPath+"/$order", "order_webhook", "absent") })
	sc.Then(`^within (\d+) seconds the merchant sees 1 webhook, delivered in (\d+) attempts$`, s.orderHooks.deliveryIsListed)
	sc.Then(`^within (\d+) seconds the order's webhook has ended$`, s.orderHooks.webhookHasEnded)

	sc.Given(`^the shop has signing keys$`, func() error { return s.orders.succeeds("GET", "/v1/signing-keys", "") })
	sc.Step(`^the signing keys were published (\S+) ago$`, s.orderHooks.agesSigningKeys)
	sc.When(`^the merchant rotates the signing keys$`, func() error { return s.orders.succeeds("POST", "/v1/signing-keys/rotate", "") })
	sc.When(`^the merchant tries to rotate the signing keys$`, func() error { return s.merchantSends("POST", "/v1/signing-keys/rotate", "") })
	sc.When(`^the merchant revokes the current signing key$`, func() error {
		return s.orders.succeeds("POST", "/v1/signing-keys/$current_kid/revoke", "")
	})
	sc.Then(`^the refusal says when the keys may be rotated$`, func() error { return s.answerHeadersShow("Retry-After", "present") })
	sc.Then(`^the current and next key are published$`, func() error { return s.orderHooks.publishesKeys("current", "next") })
	sc.Then(`^the current, next and retired key are published$`, func() error { return s.orderHooks.publishesKeys("current", "next", "retired") })
}

package shopify

// repeated is the result of a mutation that was asked for with an idempotency key.
type repeated struct{}

// job is work that a mutation left to be done.
type job struct{}

func (s *Platform) settle() {}

func (s *Platform) job(string) any { return nil }

func (o orderObject) refund(*refund) object { return nil }

func (o orderObject) fulfillmentOrders(map[string]any) any { return nil }

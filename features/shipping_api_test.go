package features

import "testing"

// opensShippingShop opens a shop with platforms, a warehouse and an order of one Trail Tent.
func (a *apiTest) opensShippingShop() {
	a.Helper()
	a.must(a.platforms.hasPlatforms(`{"orders": -1}`))
	a.opensTentShop()
	a.must(a.shipping.hasWarehouse(`, "country": "US", "postal_code": "97201"`))
	a.must(a.checkouts.hasOrdered(1, "Trail Tent"))
}

func TestGetShippingRates_answer(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShippingShop()
		a.must(a.connections.connectsPlatform("shipstation"))
		a.asMerchant("POST /v1/orders/$order/rates", `{"weight_grams": 2000}`)
		a.answers(200)
		a.shows(
			"data.#", `7`,
			"data.0.carrier_code", "present",
			"data.0.service_code", "present",
			"data.0.name", "present",
			"data.0.price", "above 0",
			"data.*.currency", `contains "USD"`,
			"data.*.carrier_code", `contains "fedex"`,
		)
		a.must(a.shipping.ratesRise())

		a.asMerchant("POST /v1/orders/$order/rates", `{"integration_id": "$integration", "weight_grams": 2000, "carrier_code": "fedex"}`)
		a.shows("data.*.carrier_code", `["fedex", "fedex"]`, "data.*.service_code", `["fedex_home_delivery", "fedex_2day"]`)
	})
}

func TestGetShippingRates_shipStationV2(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShippingShop()
		a.must(a.connections.connectsPlatform("shipstation-v2"))
		a.asMerchant("POST /v1/orders/$order/rates", `{"weight_grams": 2000}`)
		a.answers(200)
		a.shows("data.#", `7`, "data.*.currency", `contains "USD"`, "data.*.carrier_code", `contains "fedex"`)
		a.must(a.shipping.ratesRise())
	})
}

func TestGetShippingRates_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShippingShop()
	a.asMerchant("POST /v1/orders/$order/rates", `{"weight_grams": 500}`)
	a.refused("409 no_shipping_integration")
	a.must(a.connections.connectsPlatform("hubspot"))
	a.asMerchant("POST /v1/orders/$order/rates", `{"weight_grams": 500, "integration_id": "$integration"}`)
	a.refused("422 validation_error", "integration_id")

	a.must(a.connections.connectsPlatform("shipstation"))
	a.merchantIsRefused([]rejection{
		{`POST /v1/orders/$order/rates {}`, "422 validation_error", ""},
		{`POST /v1/orders/$order/rates {"weight_grams": 0}`, "422 validation_error", ""},
		{`POST /v1/orders/$order/rates {"weight_grams": 100001}`, "422 validation_error", ""},
		{`POST /v1/orders/$order/rates {"weight_grams": 500, "carrier_code": "pigeon post"}`, "422 validation_error", ""},
		{`POST /v1/orders/$order/rates {"weight_grams": 500, "carrier_code": "pigeon"}`, "422 shipping_refused", ""},
		{`POST /v1/orders/$order/rates {"weight_grams": 500, "integration_id": "int_0000000000000000000000000a"}`, "404 integration_not_found", ""},
		{`POST /v1/orders/ord_0000000000000000000000000a/rates {"weight_grams": 500}`, "404 order_not_found", ""},
	})

	a.must(a.orders.succeeds("DELETE", "/v1/integrations/$integration", ""))
	a.asMerchant("POST /v1/orders/$order/rates", `{"weight_grams": 500, "integration_id": "$integration"}`)
	a.refused("409 integration_disconnected")
}

func TestGetShippingRates_originMissing(t *testing.T) {
	a := newAPITest(t)
	a.opensShippingShop()
	a.must(a.connections.connectsPlatform("shipstation"))
	a.must(a.shipping.hasWarehouse(""))
	a.asMerchant("POST /v1/orders/$order/rates", `{"weight_grams": 500}`)
	a.refused("422 origin_missing", "warehouses.0.postal_code")
	a.asMerchant("POST /v1/orders/$order/labels", labelBody)
	a.refused("422 origin_missing")
}

func TestGetShippingRates_platformFaults(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, fault, with string }{
		{"error", `{"kind": "error", "resource": "rates", "times": -1, "status": 503}`, "503 provider_unavailable"},
		{"throttle", `{"kind": "throttle", "resource": "rates", "times": -1}`, "503 provider_unavailable"},
		{"garbage", `{"kind": "garbage", "resource": "rates", "times": -1}`, "503 provider_unavailable"},
		{"refuse", `{"kind": "refuse", "times": -1}`, "409 credentials_refused"},
	} {
		t.Run(row.name, func(t *testing.T) {
			onEngines(t, func(a *apiTest) {
				a.opensShippingShop()
				a.must(a.connections.connectsPlatform("shipstation"))
				a.must(a.platforms.setsPlatformFault("shipstation", row.fault))
				a.asMerchant("POST /v1/orders/$order/rates", `{"weight_grams": 500}`)
				a.refused(row.with)
				a.platforms.clearsPlatformFaults()
				a.asMerchant("POST /v1/orders/$order/rates", `{"weight_grams": 500}`)
				a.answers(200)
			})
		})
	}
}

func TestCreateShippingLabel_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShippingShop()
	a.must(a.connections.connectsPlatform("shipstation"))
	a.merchantIsRefused([]rejection{
		{`POST /v1/orders/$order/labels {"weight_grams": 500, "service_code": "fedex_2day"}`, "422 validation_error", ""},
		{`POST /v1/orders/$order/labels {"weight_grams": 500, "carrier_code": "fedex"}`, "422 validation_error", ""},
		{`POST /v1/orders/$order/labels {"carrier_code": "fedex", "service_code": "fedex_2day"}`, "422 validation_error", ""},
		{`POST /v1/orders/$order/labels {"weight_grams": 500, "carrier_code": "fedex", "service_code": "pigeon"}`, "422 shipping_refused", ""},
	})
	a.must(a.orders.orderIs("not shipped yet"))
}

func TestVoidShippingLabel_unknownIDs(t *testing.T) {
	a := newAPITest(t)
	a.opensShippingShop()
	a.must(a.connections.connectsPlatform("shipstation"))
	a.merchantIsRefused([]rejection{
		{"POST /v1/orders/$order/labels/lbl_0000000000000000000000000a/void", "404 label_not_found", ""},
		{"POST /v1/orders/ord_0000000000000000000000000a/labels/lbl_0000000000000000000000000a/void", "404 order_not_found", ""},
	})
	a.asMerchant("GET /v1/orders/$order/labels")
	a.shows("data.#", `0`)
}

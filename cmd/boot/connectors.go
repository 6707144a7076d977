package boot

import (
	"net/http"

	"github.com/haggle-commerce/haggle/adapters/connectors/custom"
	"github.com/haggle-commerce/haggle/adapters/connectors/hubspot"
	"github.com/haggle-commerce/haggle/adapters/connectors/shipstation"
	"github.com/haggle-commerce/haggle/adapters/connectors/shopify"
	"github.com/haggle-commerce/haggle/adapters/connectors/woocommerce"
	"github.com/haggle-commerce/haggle/adapters/delivery"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// connectorTypes are the platforms whose data is synchronised: the one list of them. What else is known of a type is in
// domain/integration.
var connectorTypes = []struct {
	of   integration.Type
	open func(c Config, app oauthApp, clock ports.Clock) ports.Connector
}{
	{integration.Shopify, func(_ Config, app oauthApp, clock ports.Clock) ports.Connector {
		return shopify.New(shopify.Config{URL: app.url, ClientID: app.id, ClientSecret: app.secret, Client: clientOf(app.url), Clock: clock})
	}},
	{integration.HubSpot, func(_ Config, app oauthApp, clock ports.Clock) ports.Connector {
		return hubspot.New(hubspot.Config{URL: app.url, ClientID: app.id, ClientSecret: app.secret, Clock: clock})
	}},
	{integration.ShipStation, func(c Config, _ oauthApp, clock ports.Clock) ports.Connector {
		return shipstation.New(shipstation.Config{URL: c.ShipStationURL, Client: clientOf(c.ShipStationURL), Clock: clock})
	}},
	{integration.WooCommerce, func(c Config, _ oauthApp, clock ports.Clock) ports.Connector {
		return woocommerce.New(woocommerce.Config{Client: delivery.SafeClient(c.AllowLoopback), Clock: clock})
	}},
	{integration.Custom, func(c Config, _ oauthApp, clock ports.Clock) ports.Connector {
		return custom.New(custom.Config{Client: delivery.SafeClient(c.AllowLoopback), Clock: clock})
	}},
}

// connectors are a connector for each of them.
func (c Config) connectors(clock ports.Clock) map[integration.Type]ports.Connector {
	apps, all := c.oauthApps(), map[integration.Type]ports.Connector{}
	for _, one := range connectorTypes {
		all[one.of] = one.open(c, apps[one.of], clock)
	}
	return all
}

// clientOf is for a platform's own addresses, which its answers name too: none of them is ours. A configured
// address may be.
func clientOf(configured string) *http.Client {
	if configured != "" {
		return nil
	}
	return delivery.SafeClient(false)
}

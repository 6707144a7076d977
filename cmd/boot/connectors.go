package boot

import (
	"log/slog"
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

// connectorTypes lists the platforms whose data is synchronised, with their constructors. Other properties of a type are in
// domain/integration.
var connectorTypes = []struct {
	of   integration.Type
	open func(c Config, app oauthApp, clock ports.Clock, log *slog.Logger) ports.Connector
}{
	{integration.Shopify, func(c Config, app oauthApp, clock ports.Clock, log *slog.Logger) ports.Connector {
		return shopify.New(shopify.Config{
			Custom:         c.ShopifyApp == "custom",
			URL:            app.url,
			ClientID:       app.id,
			ClientSecret:   app.secret,
			PreviousSecret: c.ShopifyOld,
			Client:         platformClient(app.url),
			Clock:          clock,
			Log:            log,
		})
	}},
	{integration.HubSpot, func(_ Config, app oauthApp, clock ports.Clock, _ *slog.Logger) ports.Connector {
		return hubspot.New(hubspot.Config{
			URL:          app.url,
			ClientID:     app.id,
			ClientSecret: app.secret,
			Deals:        app.deals,
			Clock:        clock,
		})
	}},
	{integration.ShipStation, func(c Config, _ oauthApp, clock ports.Clock, _ *slog.Logger) ports.Connector {
		return shipstation.New(shipstation.Config{
			URL:    c.ShipStationURL,
			Client: platformClient(c.ShipStationURL),
			Clock:  clock,
		})
	}},
	{integration.WooCommerce, func(c Config, _ oauthApp, clock ports.Clock, _ *slog.Logger) ports.Connector {
		return woocommerce.New(woocommerce.Config{
			Client:      delivery.SafeClient(c.AllowLoopback),
			Clock:       clock,
			RepeatAfter: c.RepeatAfter,
		})
	}},
	{integration.Custom, func(c Config, _ oauthApp, clock ports.Clock, _ *slog.Logger) ports.Connector {
		return custom.New(custom.Config{Client: delivery.SafeClient(c.AllowLoopback), Clock: clock})
	}},
}

// connectors creates a connector for each of them.
func (c Config) connectors(clock ports.Clock, log *slog.Logger) map[integration.Type]ports.Connector {
	apps, all := c.oauthApps(), map[integration.Type]ports.Connector{}
	for _, one := range connectorTypes {
		all[one.of] = one.open(c, apps[one.of], clock, log)
	}
	return all
}

// platformClient returns a client for a platform's public addresses, which must not be private ones, even if a response of
// the platform names them. It is nil, for the default client, if an address is configured, which may be private.
func platformClient(configured string) *http.Client {
	if configured != "" {
		return nil
	}
	return delivery.SafeClient(false)
}

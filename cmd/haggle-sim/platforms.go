package main

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

type platformsCmd struct {
	Addr      string `default:"127.0.0.1:8095" help:"Listen address, host:port."`
	Products  int    `default:"200" help:"Number of products in Shopify and in the custom system."`
	Customers int    `default:"100" help:"Number of customers in each platform."`
	Orders    int    `default:"150" help:"Number of orders in each platform."`
	Seed      uint64 `default:"1" help:"Seed of the random numbers. The same seed produces the same data."`
}

func (c platformsCmd) Run(ctx context.Context) error {
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
	}
	url := "http://" + listener.Addr().String()
	p := platforms.Open(platforms.Config{
		PublicURL: url,
		Seed:      c.Seed,
		Products:  none(c.Products),
		Customers: none(c.Customers),
		Orders:    none(c.Orders),
	})
	c.greet(url)
	return serveUntil(ctx, listener, p, 2*time.Second, p.Close)
}

// none maps 0 to -1, which platforms.Config reads as none rather than the default.
func none(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

func (c platformsCmd) greet(url string) {
	fmt.Printf(`Simulated platforms: Shopify, HubSpot, ShipStation and a custom system

  Shopify       %[1]s/shopify       %[2]d products, %[3]d customers, %[4]d orders
  HubSpot       %[1]s/hubspot       %[3]d contacts, %[4]d deals
  ShipStation   %[1]s/shipstation   %[4]d orders
  Custom        %[1]s/custom        %[2]d products, %[3]d customers, %[4]d orders

1. In another terminal, start a server that uses them:

   HAGGLE_ALLOW_LOOPBACK=1 HAGGLE_SHOPIFY_URL=%[1]s/shopify HAGGLE_HUBSPOT_URL=%[1]s/hubspot HAGGLE_SHIPSTATION_URL=%[1]s/shipstation %[5]s serve --demo

2. In a third terminal, create a project:

   key=$(%[5]s keys create 2>/dev/null); v1=http://127.0.0.1:8080/v1
   manage() { curl -s -H "Authorization: Bearer $key" -H "X-Project-ID: $project" "$@"; echo; }
   project=$(manage --json '{"name": "Connected", "slug": "connected-'$RANDOM'"}' $v1/projects | grep -o 'proj_[0-9a-z]*')

3. Connect the custom system with its API key, sync it and register a webhook:

   custom=$(manage --json '{"type": "custom", "credentials": {"api_key": "custom-key"}, "config": {"base_url": "%[1]s/custom"}}' $v1/integrations/connect/api-key | grep -o 'int_[0-9a-z]*')
   manage --json '{}' $v1/integrations/$custom/sync
   manage --json '{"topic": "inventory_levels/update"}' $v1/integrations/$custom/webhooks
   manage $v1/integrations/$custom/sync/history

Or connect Shopify or HubSpot with OAuth (you can also open $consent in a browser):

   consent=$(manage --json '{"type": "shopify", "redirect_uri": "http://127.0.0.1:3000/back"}' $v1/integrations/connect | cut -d'"' -f4)
   back=$(curl -s -o /dev/null -w '%%{redirect_url}' -d approve=1 "$consent")
   manage --json "{\"type\": \"shopify\", \"callback_query\": \"${back#*\?}\"}" $v1/integrations/connect/complete

Or connect ShipStation with its API key and secret:

   manage --json '{"type": "shipstation", "credentials": {"api_key": "shipstation-key", "api_secret": "shipstation-secret"}}' $v1/integrations/connect/api-key

4. Change data, send webhooks or inject faults. The results are at $v1/integrations/$custom/webhooks/logs:

   curl -s %[1]s/control/state
   curl -s %[1]s/control/change   -d '{"platform":"custom","n":25,"seed":7}'
   curl -s %[1]s/control/webhooks -d '{"platform":"custom","count":20,"duplicate":0.2,"reorder":0.2,"late":0.1,"tamper":0.1}'
   curl -s %[1]s/control/faults   -d '{"platform":"custom","kind":"throttle","times":3}'
   curl -s -X DELETE %[1]s/control/faults     # remove all faults

Stop with Ctrl-C.
`, url, c.Products, c.Customers, c.Orders, merchantProgram())
}

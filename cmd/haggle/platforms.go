package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

type platformsCmd struct {
	Addr      string `default:"127.0.0.1:8095" help:"Address to listen on."`
	Products  int    `default:"200" help:"How many products Shopify and the custom system have each."`
	Customers int    `default:"100" help:"How many customers each platform has."`
	Orders    int    `default:"150" help:"How many orders each platform has."`
	Seed      uint64 `default:"1" help:"The same seed makes the same data."`
}

func (c platformsCmd) Run(ctx context.Context) error {
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
	}
	url := "http://" + listener.Addr().String()
	p := platforms.Open(platforms.Config{PublicURL: url, Seed: c.Seed, Products: none(c.Products), Customers: none(c.Customers), Orders: none(c.Orders)})
	c.greet(url)
	server := &http.Server{Handler: p, ReadHeaderTimeout: 5 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	p.Close()
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if server.Shutdown(bounded) != nil {
		err = errors.Join(err, server.Close())
	}
	return err
}

// none is how the look-alikes are asked for nothing at all.
func none(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

func (c platformsCmd) greet(url string) {
	fmt.Printf(`Look-alikes of the platforms a merchant connects: Shopify, HubSpot, ShipStation and a custom system

  Shopify       %[1]s/shopify       %[2]d products, %[3]d customers, %[4]d orders
  HubSpot       %[1]s/hubspot       %[3]d contacts, %[4]d deals
  ShipStation   %[1]s/shipstation   %[4]d orders
  Custom        %[1]s/custom        %[2]d products, %[3]d customers, %[4]d orders

Let the server use them:

   HAGGLE_SHOPIFY_URL=%[1]s/shopify HAGGLE_HUBSPOT_URL=%[1]s/hubspot HAGGLE_SHIPSTATION_URL=%[1]s/shipstation %[5]s serve --demo

Connect in the sandbox (H is the server's address; send the management key and X-Project-ID that serve --demo prints):

   Shopify       POST H/v1/integrations/connect {"type":"shopify","redirect_uri":"http://127.0.0.1:9999/callback","store_domain":"trailhead-outfitters.myshopify.com"}
                 Open the authorization URL of the answer in a browser and approve, or:
                 curl -s -o /dev/null -w '%%{redirect_url}' -d approve=1 "$URL"
                 POST H/v1/integrations/connect/complete {"type":"shopify","code":…,"state":…,"callback_query":…} of the address
                 that you are sent to
   HubSpot       the same with "type":"hubspot" and no store_domain
                 The OAuth app of both is haggle-sandbox, with the secret haggle-sandbox-secret
   ShipStation   POST H/v1/integrations/connect/api-key
                 {"type":"shipstation","credentials":{"api_key":"shipstation-key","api_secret":"shipstation-secret"}}
   Custom        POST H/v1/integrations/connect/api-key
                 {"type":"custom","credentials":{"api_key":"custom-key"},"config":{"base_url":"%[1]s/custom"}}

Make something happen:

   curl -s %[1]s/control/state
   curl -s %[1]s/control/change   -d '{"platform":"custom","n":25,"seed":7}'
   curl -s %[1]s/control/webhooks -d '{"platform":"custom","count":20,"duplicate":0.2,"reorder":0.2,"late":0.1,"tamper":0.1}'
   curl -s %[1]s/control/faults   -d '{"platform":"custom","kind":"throttle","times":3}'

Stop with Ctrl-C.
`, url, c.Products, c.Customers, c.Orders, program())
}

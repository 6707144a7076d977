package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/haggle-commerce/haggle/simulator/provider"
)

type providerCmd struct {
	Addr   string `default:"127.0.0.1:8090" help:"Listen address, host:port."`
	Ledger string `default:".data/provider.ledger" help:"File that stores the charges and refunds."`
}

func (c providerCmd) Run(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(c.Ledger), 0o755); err != nil {
		return err
	}
	p, err := provider.Open(provider.Config{Ledger: c.Ledger})
	if err != nil {
		return fmt.Errorf("cannot open the ledger: %w", err)
	}
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return errors.Join(fmt.Errorf("cannot listen: %w", err), p.Close())
	}
	c.greet("http://" + listener.Addr().String())
	return errors.Join(serveProvider(ctx, p, listener), p.Close())
}

// greet prints how to point a server at this provider instead of the real ones.
func (c providerCmd) greet(url string) {
	fmt.Printf("Simulated payment provider with the APIs of Stripe and PayPal. It moves no money.\n\n")
	fmt.Printf("  Address   %s   (ledger: %s/ledger, stored in %s)\n\n", url, url, c.Ledger)
	fmt.Printf("Start a server that uses it:\n\n   HAGGLE_STRIPE_URL=%s HAGGLE_PAYPAL_URL=%s %s serve --demo\n\nStop with Ctrl-C.\n", url, url, merchantProgram())
}

// serveProvider serves until ctx ends, and sends webhooks meanwhile.
func serveProvider(ctx context.Context, p *provider.Provider, listener net.Listener) error {
	sending, stop := context.WithCancel(ctx)
	sent := make(chan error, 1)
	go func() { sent <- p.Run(sending) }()
	err := serveUntil(ctx, listener, p.Handler(), 2*time.Second, stop) // a scripted request may hang
	if e := <-sent; e != nil && !errors.Is(e, context.Canceled) {
		err = errors.Join(err, e)
	}
	return err
}

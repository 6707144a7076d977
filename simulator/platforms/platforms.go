package platforms

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms/custom"
	"github.com/haggle-commerce/haggle/simulator/platforms/hubspot"
	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
	"github.com/haggle-commerce/haggle/simulator/platforms/shipstation"
	"github.com/haggle-commerce/haggle/simulator/platforms/shopify"
	"github.com/haggle-commerce/haggle/simulator/platforms/woocommerce"
)

// The names of the platforms: the first segment of every path, and the platform in requests to the control endpoints.
const (
	Shopify     = host.Shopify
	HubSpot     = host.HubSpot
	ShipStation = host.ShipStation
	Custom      = host.Custom
	WooCommerce = woocommerce.Name
)

// The kinds of Shopify apps.
const (
	PublicApp = host.PublicApp
	CustomApp = host.CustomApp
)

// Config, and the types of [Platforms]' methods.
type (
	Config   = host.Config
	Change   = host.Change
	Changed  = host.Changed
	NewOrder = host.NewOrder
	Fault    = host.Fault
	Webhooks = host.Webhooks
	Sent     = host.Sent
	Lose     = host.Lose
	Hook     = host.Hook
)

// Platforms are the look-alikes. They are safe for concurrent use.
type Platforms struct {
	*host.Host
	shopify     *shopify.Platform
	hubspot     *hubspot.Platform
	shipstation *shipstation.Platform
	custom      *custom.Platform
	woocommerce *woocommerce.Platform
}

// Open returns platforms. A platform's data is generated at its first use.
func Open(config Config) *Platforms {
	p := &Platforms{Host: host.New(config)}
	p.shopify = shopify.Open(p.Host)
	p.hubspot = hubspot.Open(p.Host)
	p.shipstation = shipstation.Open(p.Host)
	p.custom = custom.Open(p.Host)
	p.woocommerce = woocommerce.Open(p.Host)
	p.routeControl()
	return p
}

// Server is the look-alikes on an address of their own.
type Server struct {
	*Platforms
	URL    string // http://127.0.0.1:port
	server *http.Server
}

// Start listens on addr; "127.0.0.1:0" picks a free port. The caller must close the server.
func Start(addr string, config Config) (*Server, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("platforms: %w", err)
	}
	url := "http://" + listener.Addr().String()
	config.PublicURL = cmp.Or(config.PublicURL, url)
	s := &Server{Platforms: Open(config), URL: url}
	s.server = &http.Server{Handler: s.Platforms, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = s.server.Serve(listener) }()
	return s, nil
}

// Close stops the server at once.
func (s *Server) Close() error {
	err := s.server.Close()
	s.Platforms.Close()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

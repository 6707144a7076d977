package platforms

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// The names of the platforms: the first part of every path, and what the control endpoints take.
const (
	Shopify     = "shopify"
	HubSpot     = "hubspot"
	ShipStation = "shipstation"
	Custom      = "custom"
)

// Config says what the platforms hold and how strict they are. Its zero value is ready to use.
type Config struct {
	PublicURL string // scheme://host:port of the look-alike, for links; default as each request was addressed
	Seed      uint64
	Products  int // of Shopify and of the custom system each; default 200, negative for none
	Customers int // of each; HubSpot's contacts; default 100
	Orders    int // of each; HubSpot's deals; default 150

	ClientID, ClientSecret string // the OAuth app; default haggle-sandbox and haggle-sandbox-secret
	Shop                   string // Shopify's domain; default trailhead-outfitters.myshopify.com
	ShipStationKey         string // default shipstation-key
	ShipStationSecret      string // default shipstation-secret
	CustomKey              string // default custom-key

	ShopifyBucket   float64       // points; default 2000
	ShopifyRestore  float64       // points per second; default 100
	ShopifyMaxCost  int           // of one query; default 1000
	BulkTime        time.Duration // how long a bulk operation takes at least
	HubSpotLife     time.Duration // of an access token; default 30 min
	HubSpotPer10s   int           // requests in ten seconds; default 110
	ShipStationRate int           // requests per minute; default 40
	LongPage        int64         // bytes of a long page; default 50 MB

	Now  func() time.Time // default time.Now
	HTTP *http.Client     // calls webhooks; default one with a time limit of 10 s
}

func (c Config) withDefaults() Config {
	c.Seed = cmp.Or(c.Seed, 1)
	c.Products = max(0, cmp.Or(c.Products, 200))
	c.Customers = max(0, cmp.Or(c.Customers, 100))
	c.Orders = max(0, cmp.Or(c.Orders, 150))
	c.ClientID = cmp.Or(c.ClientID, "haggle-sandbox")
	c.ClientSecret = cmp.Or(c.ClientSecret, "haggle-sandbox-secret")
	c.Shop = cmp.Or(c.Shop, "trailhead-outfitters.myshopify.com")
	c.ShipStationKey = cmp.Or(c.ShipStationKey, "shipstation-key")
	c.ShipStationSecret = cmp.Or(c.ShipStationSecret, "shipstation-secret")
	c.CustomKey = cmp.Or(c.CustomKey, "custom-key")
	c.ShopifyBucket = cmp.Or(c.ShopifyBucket, 2000)
	c.ShopifyRestore = cmp.Or(c.ShopifyRestore, 100)
	c.ShopifyMaxCost = cmp.Or(c.ShopifyMaxCost, 1000)
	c.HubSpotLife = cmp.Or(c.HubSpotLife, 30*time.Minute)
	c.HubSpotPer10s = cmp.Or(c.HubSpotPer10s, 110)
	c.ShipStationRate = cmp.Or(c.ShipStationRate, 40)
	c.LongPage = cmp.Or(c.LongPage, 50<<20)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.HTTP == nil {
		c.HTTP = &http.Client{
			Timeout:       10 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	return c
}

// Platforms are the look-alikes. They are safe for concurrent use.
type Platforms struct {
	config      Config
	mux         *http.ServeMux
	sides       map[string]*side
	shopify     *shopify
	hubspot     *hubspot
	shipstation *shipstation
	custom      *custom
	calls       sync.WaitGroup // webhooks under way
	stop        context.Context
	stopCalls   context.CancelFunc

	mu       sync.Mutex
	requests map[string]int
}

// Open is ready to serve. The data of a platform is made when it is first asked for.
func Open(config Config) *Platforms {
	p := &Platforms{config: config.withDefaults(), mux: http.NewServeMux(), sides: map[string]*side{}, requests: map[string]int{}}
	p.stop, p.stopCalls = context.WithCancel(context.Background())
	p.shopify = openShopify(p)
	p.hubspot = openHubSpot(p)
	p.shipstation = openShipStation(p)
	p.custom = openCustom(p)
	p.routeControl()
	return p
}

// ServeHTTP serves all platforms and the control endpoints.
func (p *Platforms) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/control") {
		p.count(r.Method + " " + r.URL.Path)
	}
	p.mux.ServeHTTP(w, r)
}

// Close ends the webhooks under way.
func (p *Platforms) Close() {
	p.stopCalls()
	p.calls.Wait()
}

func (p *Platforms) count(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests[what]++
}

// Requests is how many requests were served: by "GET /custom/products", and by "custom:products" for what they were
// about, which tells Shopify's queries apart.
func (p *Platforms) Requests(what string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests[what]
}

// URL is where a platform is reached, given how the request at hand was addressed.
func (p *Platforms) url(platform string, r *http.Request) string {
	base := strings.TrimSuffix(p.config.PublicURL, "/")
	if base == "" && r != nil {
		base = "http://" + r.Host
	}
	return base + "/" + platform
}

// Server is the look-alikes listening on an address of their own.
type Server struct {
	*Platforms
	URL    string // http://127.0.0.1:port
	server *http.Server
}

// Start serves on the address; "127.0.0.1:0" finds a free port. Close the server in the end.
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

// Close stops serving at once.
func (s *Server) Close() error {
	err := s.server.Close()
	s.Platforms.Close()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

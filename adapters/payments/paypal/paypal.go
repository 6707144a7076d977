// Package paypal charges and refunds payments with billing agreements, through a merchant's own PayPal account. It
// stores nothing except access tokens: PayPal is the source of truth.
//
// # One charge per key
//
// A charge consists of two requests: one creates an order under the attempt's key, and one captures it. PayPal
// remembers the PayPal-Request-Id of the first for six hours, and creates no second order under it. An order is
// captured at most once, whatever the request id, and so is an invoice, whose id is also the key.
//
// # Resolving an unknown charge
//
// Resolve creates the order again, which returns the existing one, or the one that a later charge would
// get. A completed order was paid. Otherwise Resolve changes its intent to AUTHORIZE, after
// which PayPal refuses to capture it (ACTION_DOES_NOT_MATCH_INTENT); if PayPal answers that it is too late
// for that, the order was completed meanwhile. PayPal accepts that change of "an order with the CREATED or APPROVED status"
// (docs.paypal.ai/reference/api/rest/orders/update-order, read November 2026); in any other status, the outcome is unknown. Charge and
// Resolve recognize an abandoned order by its intent.
//
// Five hours after the attempt's time PayPal may have forgotten the key. From then on nothing is charged: Charge only
// resolves, and Resolve creates no order. It reads the order that it found while PayPal knew the key, if there was
// one, which needs no additional permission. Otherwise it searches the merchant's transactions for the key's invoice.
// Transactions take up to three hours to appear. Without one the outcome is therefore unknown until the ninth hour
// and until PayPal's report was refreshed; then nothing was charged.
//
// # Why no client library
//
// github.com/plutov/paypal has no PATCH of an order's intent, keeps one access token per client by its
// own clock, does not request another one when PayPal refuses it, and puts complete answers into errors.
package paypal

import (
	"cmp"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/adapters/payments/remoteclock"
	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	realURL    = "https://api-m.paypal.com"
	sandboxURL = "https://api-m.sandbox.paypal.com"
)

// Config says which PayPal environment to use. Only Clock is required.
type Config struct {
	URL   string // default: PayPal's own, according to Live
	Live  bool   // real money; else PayPal's own sandbox
	HTTP  *http.Client
	Clock ports.Clock
}

// Provider implements ports.PaymentProvider with PayPal. The Key of an account is its client id.
type Provider struct {
	url   string
	live  bool
	http  *http.Client
	clock ports.Clock

	remote    *remoteclock.Clock
	verifying *bulkhead.Room

	mu     sync.Mutex
	access map[[32]byte]*access // by a hash of the account
}

var (
	_ ports.PaymentProvider = (*Provider)(nil)
	_ ports.PaymentPlatform = (*Provider)(nil)
	_ ports.RemoteClock     = (*Provider)(nil)
)

// New returns a Provider. Its requests end with their contexts, and follow no redirects.
func New(c Config) *Provider {
	client, remote := remoteclock.Client(c.HTTP, c.Clock)
	base := sandboxURL
	if c.Live {
		base = realURL
	}
	return &Provider{
		url:       strings.TrimSuffix(cmp.Or(c.URL, base), "/"),
		live:      c.Live,
		http:      client,
		clock:     c.Clock,
		remote:    remote,
		verifying: bulkhead.NewRoom(verifyShares),
		access:    map[[32]byte]*access{},
	}
}

// Skew returns how far PayPal's clock is ahead of ours, and whether that is known.
func (p *Provider) Skew() (ahead time.Duration, known bool) { return p.remote.Skew() }

// Package shipping gets rates and buys and voids labels at shipping platforms. Rates, Buy and Void call a platform and must not
// run within a transaction.
//
// A label costs money, so buying one takes the same steps as a charge: one transaction leases the label,
// the platform is called outside of any transaction, and another transaction records the purchase. The lease is renewed
// meanwhile, so that no other request buys the label. After a crash or a lost response, the next request looks the label up at the
// platform before it buys one. Then the order is marked as shipped, which a repeated request does, too.
// Voiding a label takes the same steps: the label is leased until the platform's response is recorded. No other label is bought
// meanwhile, nor after a lost response until the label was voided again.
package shipping

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Service ships the orders of one project at a time.
type Service struct {
	*ports.Stores

	Accounts ports.IntegrationAccounts
	Shippers map[string]ports.Shipper // by type
	Clock    ports.Clock
	Entropy  ports.Entropy
	Log      *slog.Logger
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

const (
	// patience limits the calls of a platform for one request.
	patience = 20 * time.Second
	// renewal is how often a label's lease is renewed meanwhile. Two renewals may fail before the lease ends.
	renewal = order.LabelLease / 4
)

// Rate is an offer of a carrier.
type Rate struct {
	Carrier string
	Service string
	Name    string
	Price   money.Amount
}

// Rates returns what shipping an order costs, the cheapest rate first. Without a carrier, it asks for all carriers of the account;
// without an integration, it uses the project's only one.
func (s *Service) Rates(ctx ports.Outbound, p *project.Project, through id.Integration, of id.Order, grams int, carrier string) ([]Rate, error) {
	c := fault.NewCheck()
	order.CheckGrams(c, grams)
	if carrier != "" {
		order.CheckCarrier(c, carrier)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	parcel, err := s.parcel(ctx, p, of, grams)
	if err != nil {
		return nil, err
	}
	i, shipper, err := s.shipper(ctx, p.ID, through)
	if err != nil {
		return nil, err
	}
	bounded, cancel := ctx.WithTimeout(patience)
	defer cancel()
	var offers []ports.ShippingRate
	err = s.Accounts.Use(bounded, i, func(c ports.Connection) (err error) {
		offers, err = shipper.Rates(bounded, c, ports.RateRequest{Package: parcel, Carrier: carrier})
		return err
	})
	if err != nil {
		return nil, explain(i.Type, err)
	}
	return s.parseRates(ctx, offers), nil
}

// parseRates converts offers, sorted by price. It leaves out offers whose price cannot be parsed.
func (s *Service) parseRates(ctx context.Context, offers []ports.ShippingRate) []Rate {
	rates := make([]Rate, 0, len(offers))
	for _, o := range offers {
		price, err := parseAmount(o.Price, o.Currency)
		if err != nil {
			s.Log.WarnContext(ctx, "a shipping rate is left out", "carrier", o.Carrier, "service", o.Service, "error", err)
			continue
		}
		rates = append(rates, Rate{o.Carrier, o.Service, o.Name, price})
	}
	slices.SortStableFunc(rates, func(a, b Rate) int {
		return cmp.Or(cmp.Compare(a.Price.Currency().Code(), b.Price.Currency().Code()), cmp.Compare(a.Price.Minor(), b.Price.Minor()))
	})
	return rates
}

func parseAmount(text, code string) (money.Amount, error) {
	currency, err := money.ParseCurrency(code)
	if err != nil {
		return money.Amount{}, err
	}
	return money.Parse(text, currency)
}

// parcel returns the package for a shippable order.
func (s *Service) parcel(ctx context.Context, p *project.Project, of id.Order, grams int) (ports.Package, error) {
	c, err := s.Orders.Case(ctx, p.ID, of)
	if err != nil {
		return ports.Package{}, err
	}
	if err := c.Order.Shippable(); err != nil {
		return ports.Package{}, err
	}
	location := ""
	if len(c.Taken) > 0 {
		location = c.Taken[0].Location
	}
	origin := p.Storefront.Origin(location)
	if origin == "" {
		return ports.Package{}, fault.New(fault.Invalid, "origin_missing",
			"No warehouse has a postal code as the origin of the parcel. Set warehouses.0.postal_code of the project's storefront.").
			With("warehouses.0.postal_code", "is not set in the storefront")
	}
	return ports.Package{
		Order:  c.Order,
		Grams:  grams,
		Origin: origin,
	}, nil
}

// maxIntegrations is more integrations than any project has.
const maxIntegrations = 1000

// shipper returns the integration, and the client of its platform.
func (s *Service) shipper(ctx context.Context, p id.Project, through id.Integration) (*integration.Integration, ports.Shipper, error) {
	i, err := s.find(ctx, p, through)
	if err != nil {
		return nil, nil, err
	}
	shipper, ok := s.Shippers[i.Type.String()]
	switch {
	case !ok:
		return nil, nil, fault.Field("integration_id", "is of a platform that does not ship orders")
	case i.Status == integration.Disconnected:
		return nil, nil, integration.ErrDisconnected()
	}
	return i, shipper, nil
}

func (s *Service) find(ctx context.Context, p id.Project, through id.Integration) (*integration.Integration, error) {
	if !through.IsZero() {
		return s.Integrations.ByID(ctx, p, through)
	}
	list, _, err := s.Integrations.List(ctx, p, ports.Page{Limit: maxIntegrations})
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(i *integration.Integration) bool {
		return i.Status == integration.Disconnected || s.Shippers[i.Type.String()] == nil
	})
	switch len(list) {
	case 0:
		return nil, fault.New(fault.Conflict, "no_shipping_integration",
			"The project has no integration that ships orders. Connect ShipStation first.")
	case 1:
		return list[0], nil
	}
	return nil, fault.Field("integration_id", "is required: the project has several integrations that ship orders")
}

// explain converts a platform's error to one that tells the merchant why the request failed.
func explain(t integration.Type, err error) error {
	var known *fault.Error
	var refusal *ports.PlatformRefusal
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, ports.ErrCredentialsRefused):
		return fault.New(fault.Conflict, "credentials_refused",
			t.Label()+" rejected the integration's credentials. Replace them.").Because(err)
	case errors.As(err, &refusal):
		return fault.New(fault.Invalid, "shipping_refused", refusal.Reason).Because(err)
	}
	return ports.Unanswered(t.Label(), err)
}

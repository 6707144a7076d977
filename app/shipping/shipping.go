// Package shipping asks platforms that ship orders for rates and labels.
//
// A label costs money, and so buying one goes like taking money: one transaction takes the label in hand,
// the platform is asked outside of any transaction, and one transaction records what it sold. Until then
// nobody else buys it, for the lease is renewed; after a crash, or an answer that was lost, whoever asks next asks the platform for
// the label before buying any. Then the order is told that it is on its way, which a repeated request does
// as well. Voiding a label goes the same way: the label is in hand until the platform's answer is recorded, and nobody buys
// another one meanwhile, nor after a lost answer until the label was voided again. A Service works on a store of its own, and never within another transaction.
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
	// patience bounds one conversation with a platform.
	patience = 20 * time.Second
	// renewal is how often a label's lease is renewed meanwhile: twice may fail before others take the label up.
	renewal = order.LabelLease / 4
)

// Rate is an offer of a carrier's.
type Rate struct {
	Carrier string
	Service string
	Name    string
	Price   money.Amount
}

// Rates asks what sending an order costs, by one carrier or, with "", by all that the account has, through an
// integration or, with none named, the only one there is. The cheapest come first.
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
	return s.priced(ctx, offers), nil
}

// priced leaves out offers whose price nobody can read.
func (s *Service) priced(ctx context.Context, offers []ports.ShippingRate) []Rate {
	rates := make([]Rate, 0, len(offers))
	for _, o := range offers {
		price, err := amount(o.Price, o.Currency)
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

func amount(text, code string) (money.Amount, error) {
	currency, err := money.ParseCurrency(code)
	if err != nil {
		return money.Amount{}, err
	}
	return money.Parse(text, currency)
}

// parcel is an order in its box.
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
			"No warehouse has a postal code for the parcel to leave from. Set warehouses.0.postal_code of the project's storefront.").
			With("warehouses.0.postal_code", "is not set in the storefront")
	}
	return ports.Package{
		Order:  c.Order,
		Grams:  grams,
		Origin: origin,
	}, nil
}

// most is more integrations than a project ever had.
const most = 1000

// shipper is the integration, and who speaks with its platform.
func (s *Service) shipper(ctx context.Context, p id.Project, through id.Integration) (*integration.Integration, ports.Shipper, error) {
	i, err := s.find(ctx, p, through)
	if err != nil {
		return nil, nil, err
	}
	shipper, ships := s.Shippers[i.Type.String()]
	switch {
	case !ships:
		return nil, nil, fault.Field("integration_id", "is of a platform that ships nothing")
	case i.Status == integration.Disconnected:
		return nil, nil, integration.ErrDisconnected()
	}
	return i, shipper, nil
}

func (s *Service) find(ctx context.Context, p id.Project, through id.Integration) (*integration.Integration, error) {
	if !through.IsZero() {
		return s.Integrations.ByID(ctx, p, through)
	}
	list, _, err := s.Integrations.List(ctx, p, ports.Page{Limit: most})
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(i *integration.Integration) bool {
		return i.Status == integration.Disconnected || s.Shippers[i.Type.String()] == nil
	})
	switch len(list) {
	case 0:
		return nil, fault.New(fault.Conflict, "no_shipping_integration",
			"The project is connected to no platform that ships orders. Connect ShipStation first.")
	case 1:
		return list[0], nil
	}
	return nil, fault.Field("integration_id", "is required: the project is connected to several platforms that ship orders")
}

// explain tells a merchant why a platform did not do as it was asked.
func explain(t integration.Type, err error) error {
	var known *fault.Error
	var refusal *ports.PlatformRefusal
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, ports.ErrCredentialsRefused):
		return fault.New(fault.Conflict, "credentials_refused",
			t.Label()+" refused the integration's credentials. Give it others.").Because(err)
	case errors.As(err, &refusal):
		return fault.New(fault.Invalid, "shipping_refused", refusal.Reason).Because(err)
	}
	return ports.Unanswered(t.Label(), err)
}

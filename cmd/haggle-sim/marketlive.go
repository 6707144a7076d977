package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/haggle-commerce/haggle/app/simulating"
	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/live"
)

// live sends the buyers to a running server.
func (c marketCmd) live(ctx context.Context) error {
	where, err := c.where()
	if err != nil {
		return err
	}
	config, err := c.buyers()
	if err != nil {
		return err
	}
	shop, err := live.Enter(ctx, where)
	if err != nil {
		return fmt.Errorf("cannot prepare the simulation at %s: %w", where.URL, err)
	}
	config.List, config.Seller, config.Least = shop.List(), liveSeller{shop}, shop.Least()
	for _, setting := range shop.Settings() {
		config.Settings = append(config.Settings, simulating.Setting(setting))
	}
	config.Workers = cmp.Or(c.Concurrency, 16)
	report, err := c.haggleWith(ctx, shop, config)
	if err != nil {
		return err
	}
	verdict := shop.Verdict()
	fmt.Fprintf(os.Stderr, "%s\n", verdict)
	switch {
	case !report.OK():
		return errBrokenPromise
	case !verdict.OK():
		return errBroken
	}
	return nil
}

func (c marketCmd) haggleWith(ctx context.Context, shop *live.Shop, config simulating.Config) (*simulating.Report, error) {
	var items []live.Item
	for _, p := range config.Populations {
		items = append(items, live.Item(p.Item(config.List)))
	}
	if err := shop.Stock(items); err != nil {
		return nil, errors.Join(err, shop.Leave())
	}
	fmt.Fprintf(os.Stderr, "The buyers negotiate in the project %s.\n", shop.Slug())
	report, err := c.simulate(ctx, config)
	return report, errors.Join(err, shop.Leave())
}

// where reads the flags that address a running server.
func (c marketCmd) where() (live.Config, error) {
	list, err := decimal.Parse(c.List)
	if err != nil || list.Less(decimal.FromInt(1)) {
		return live.Config{}, errors.New("--list must be an amount of at least 1.00")
	}
	discount, err := decimal.Parse(cmp.Or(c.MaxDiscount, "20"))
	switch {
	case c.Key == "":
		return live.Config{}, errors.New("--url requires --key, an API key of the server")
	case c.Rounds != 0 || c.Learn != 0:
		return live.Config{}, errors.New("--rounds and --learn cannot be combined with --url, which uses the policy of the project")
	case c.Project != "" && c.MaxDiscount != "":
		return live.Config{}, errors.New("--max-discount cannot be combined with --project, which has its own settings")
	case err != nil || discount.Sign() < 0 || decimal.FromInt(90).Less(discount) || !discount.MultipleOf(decimal.MustParse("0.1")):
		return live.Config{}, errors.New("--max-discount must be between 0 and 90, with at most one decimal")
	case c.Concurrency < 0 || c.Concurrency > 1000:
		return live.Config{}, errors.New("--concurrency must be between 1 and 1000")
	}
	return live.Config{
		URL:         strings.TrimSuffix(c.URL, "/"),
		Key:         c.Key,
		Project:     c.Project,
		MaxDiscount: discount,
		List:        list,
		Pay:         c.Pay,
	}, nil
}

// liveSeller is a running server as a market.Seller.
type liveSeller struct{ shop *live.Shop }

func (s liveSeller) Open(item market.Item) market.Negotiation {
	return liveNegotiation{s.shop.Open(live.Item(item))}
}

type liveNegotiation struct{ negotiation *live.Negotiation }

var verdicts = [...]market.Verdict{
	live.Rejected:  market.Rejected,
	live.Countered: market.Countered,
	live.Accepted:  market.Accepted,
	live.NoAnswer:  market.NoAnswer,
}

func (n liveNegotiation) Offer(price int64) market.Answer {
	a := n.negotiation.Offer(price)
	return market.Answer{
		Verdict:      verdicts[a.Kind],
		Price:        a.Price,
		CurrentPrice: a.CurrentPrice,
		Over:         a.Over,
	}
}

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

// live sends the buyers to a running server, to a project of its own for each setting.
func (c familiesCmd) live(ctx context.Context, config simulating.FamilyConfig) (*simulating.FamilyReport, error) {
	if c.Key == "" || c.Preset != "balanced" {
		return nil, errors.New("--url requires --key, an API key of the server, and cannot be combined with --preset")
	}
	config.Buyers, config.Workers = cmp.Or(c.Buyers, 20), cmp.Or(c.Concurrency, 8)
	sellers, inProcess := map[string]simulating.FloorSeller{}, config.SellerOf
	var shops []*live.Shop
	for _, s := range config.Settings {
		shop, err := c.enter(ctx, s)
		if shop != nil {
			shops = append(shops, shop)
		}
		if err != nil {
			return nil, errors.Join(err, leave(shops))
		}
		sellers[s.Name] = simulating.FloorSeller{Seller: liveSeller{shop}, Floor: inProcess(s).Floor}
	}
	config.SellerOf = func(s market.Setting) simulating.FloorSeller { return sellers[s.Name] }
	report, err := simulating.PlayFamilies(ctx, config)
	if err = errors.Join(err, leave(shops)); err != nil {
		return nil, err
	}
	for _, shop := range shops {
		verdict := shop.Verdict()
		fmt.Fprintln(os.Stderr, verdict)
		if !verdict.OK() {
			return nil, errBroken
		}
	}
	return report, nil
}

// enter creates a project with a setting's item.
func (c familiesCmd) enter(ctx context.Context, s market.Setting) (*live.Shop, error) {
	shop, err := live.Enter(ctx, live.Config{
		URL:         strings.TrimSuffix(c.URL, "/"),
		Key:         c.Key,
		MaxDiscount: decimal.MustParse(s.MaxDiscount.Decimal()),
		List:        decimal.FromInt(s.List).Over(100),
		Pieces:      s.Quantity,
	})
	if err != nil {
		return nil, fmt.Errorf("cannot prepare the setting %s at %s: %w", s.Name, c.URL, err)
	}
	return shop, shop.Stock([]live.Item{live.Item(s.Item())})
}

func leave(shops []*live.Shop) (err error) {
	for _, shop := range shops {
		err = errors.Join(err, shop.Leave())
	}
	return err
}

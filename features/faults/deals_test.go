package faults

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// ofDeals reports whether a fail point is in the code that writes a deal to a CRM.
func ofDeals(point string) bool { return strings.HasPrefix(point, "crm.") }

// deals lets buyers pay while orders are written to HubSpot as deals and something fails. In the end each order has exactly one
// deal, which shows whether the order was canceled.
func (l *harness) deals(t *testing.T) {
	var cases []writeCase
	for _, engine := range []string{sqlite, postgres} {
		for _, point := range boottest.FailPoints() {
			if ofDeals(point) {
				cases = append(cases, writeCase{
					engine:   engine,
					platform: platforms.HubSpot,
					point:    point,
				})
			}
		}
		for _, resource := range []string{"property_create", "deal_upsert", "contact_create", "associations", "deals", "deal_update"} {
			for _, kind := range []string{"lost", "error", "throttle", "garbage"} {
				fault := platforms.Fault{
					Platform: platforms.HubSpot,
					Kind:     kind,
					Resource: resource,
					Times:    2,
				}
				cases = append(cases, writeCase{
					engine:   engine,
					platform: platforms.HubSpot,
					fault:    fault,
				})
			}
		}
	}
	random := rand.New(rand.NewPCG(l.report.Seed, 8))
	random.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	together(cases[:l.pick(2, len(cases))], 4, func(c writeCase) {
		f := &feed{harness: l, engine: c.engine}
		violations := f.dealUnder(c)
		l.judge(t, "orders written as deals", c.String(), violations, f.log())
		f.end()
	})
}

func (f *feed) dealUnder(c writeCase) []string {
	if c.point != "" {
		f.extra = []string{"FAULT_POINT=" + c.point + "=kill:2"}
	}
	if err := f.open(platforms.HubSpot); err != nil {
		return []string{"opening: " + err.Error()}
	}
	var tent struct{ ID string }
	if err := f.send("POST", "/v1/catalog/products", map[string]any{
		"name": "Storm tent", "sku": "TENT", "price": 100, "category": "outdoor/tents", "quantity": 10,
	}, &tent); err != nil {
		return []string{err.Error()}
	}
	f.shop.product = tent.ID
	if c.point == "" {
		if err := f.platform.Fault(c.fault); err != nil {
			return []string{err.Error()}
		}
	}
	first := f.server
	stages := map[string]string{}
	for n := range 3 {
		order, err := f.sell()
		if err != nil {
			return []string{err.Error()}
		}
		stages[order] = "closedwon"
		if n > 1 {
			continue // it is not canceled
		}
		stages[order] = "closedlost"
		if n == 0 { // the other one is canceled immediately
			if err := f.shown(order, "closedwon"); err != nil {
				return []string{err.Error()}
			}
		}
		if err := f.cancel(order); err != nil {
			return []string{err.Error()}
		}
	}
	if c.point != "" {
		select {
		case <-first.Ended():
		case <-time.After(waited):
			return []string{"the point was not passed"}
		}
	}
	return f.allShown(stages)
}

// shown waits until an order's deal has no work left, and checks that it is the only one and in the stage.
func (f *feed) shown(order, stage string) error {
	return f.eventually(func() error {
		var d platformOrder
		if err := f.send("GET", "/v1/orders/"+order+"/crm-deal", nil, &d); err != nil {
			return err
		}
		found := f.dealsOf(order)
		if d.Next != nil || d.Status != "written" || len(found) != 1 || found[0]["dealstage"] != stage {
			return fmt.Errorf("%s: %+v, %v, want one that is %s", order, d, found, stage)
		}
		return nil
	})
}

func (f *feed) dealsOf(order string) (found []map[string]any) {
	for _, one := range f.platform.State()["hubspot_deals"].([]any) {
		if d := one.(map[string]any); d["haggle_order_id"] == order {
			found = append(found, d)
		}
	}
	return found
}

// allShown returns what is wrong with the orders' deals.
func (f *feed) allShown(stages map[string]string) (violations []string) {
	for order, stage := range stages {
		if err := f.shown(order, stage); err != nil {
			violations = append(violations, err.Error())
			continue
		}
		d := f.dealsOf(order)[0]
		lost := stage == "closedlost" // a lost deal is not a purchase of the contact
		if named := len(d["contacts"].([]string)) == 1; named == lost || (d["amount"] == "0.00") != lost {
			violations = append(violations, fmt.Sprintf("%s is %v", order, d))
		}
	}
	if n := len(f.platform.State()["hubspot_deals"].([]any)); n != len(stages) {
		violations = append(violations, fmt.Sprintf("%d deals of %d orders", n, len(stages)))
	}
	return violations
}

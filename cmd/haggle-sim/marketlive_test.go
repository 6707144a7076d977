package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/app/simulating"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// A real server sells to the same buyers at the same prices as the pricing rules in this process.
func TestMarketCmd_live(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := boottest.Start(t, "sqlite://"+filepath.Join(dir, "market.db"))
	here, there, page := filepath.Join(dir, "here.csv"), filepath.Join(dir, "there.csv"), filepath.Join(dir, "there.html")
	flags := []string{"--buyers=100", "--population=normal-90-c65", "--seed=3"}
	if _, said, err := simulateMarket(t, append(flags, "--csv="+here)...); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	out, said, err := simulateMarket(t, append(flags, "--csv="+there, "--json=-", "--html="+page, "--url="+s.URL(), "--key="+boottest.Key)...)
	if err != nil || !strings.Contains(said, "\n0 OpenAPI violations in ") {
		t.Errorf("%v\n%s", err, said)
	}
	lines, want := strings.Split(string(read(t, there)), "\n"), strings.Split(string(read(t, here)), "\n")
	if len(lines) != 1+100+6*20+1 || len(want) != len(lines) {
		t.Fatalf("%d lines over HTTP, %d in process", len(lines), len(want))
	}
	for i := range lines {
		if lines[i] != want[i] {
			t.Errorf("over HTTP %s\nin process %s", lines[i], want[i])
		}
	}
	var r simulating.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if p := r.Populations[0]; p.Secrets != nil || p.OptimumWithin != nil || p.Policy.Deals == 0 || len(r.Probing) > 0 || r.Lost > 0 {
		t.Errorf("%+v", r)
	}
	if !strings.HasSuffix(string(read(t, page)), "</html>\n") {
		t.Error("the page is not whole")
	}
}

// In a merchant's own project its settings apply, orders are paid, stock is replaced, and the products are removed at the end.
func TestMarketCmd_live_ownProject(t *testing.T) {
	t.Parallel()
	s := boottest.Start(t, "sqlite://"+filepath.Join(t.TempDir(), "market.db"))
	c := merchant.New(exchange.NewClient(exchange.Config{URL: s.URL()}), boottest.Key, "")
	five := decimal.FromInt(5)
	project, err := c.CreateProject(t.Context(), merchant.NewProject{
		Name:     "Own",
		Slug:     "own",
		Settings: &merchant.ProjectSettings{DefaultCurrency: "JPY", MaxDiscountPercent: &five},
	})
	if err != nil {
		t.Fatal(err)
	}
	out, said, err := simulateMarket(t, "--buyers=50", "--population=uniform-c50", "--strategy=linear", "--hints=heed", "--json=-", "--list=9000", "--pay",
		"--concurrency=4", "--url="+s.URL()+"/", "--key="+boottest.Key, "--project=own")
	if err != nil || !strings.Contains(said, "in the project own.") {
		t.Errorf("%v\n%s", err, said)
	}
	var r simulating.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	orders, err := c.In(project.ID).Orders(t.Context(), merchant.OrderQuery{})
	if err != nil || r.List != 9000 || r.Populations[0].Policy.Deals == 0 || r.Populations[0].Policy.Highest > 5 || orders.Meta.Total < r.Populations[0].Policy.Deals {
		t.Errorf("%v, %d orders, %+v", err, orders.Meta.Total, r.Populations)
	}
	left, err := c.In(project.ID).Products(t.Context(), merchant.ProductQuery{Status: "active"})
	if err != nil || len(left.Data) > 0 {
		t.Errorf("%v, still on sale: %+v", err, left.Data)
	}
	if _, said, err = simulateMarket(t, "--buyers=10", "--url="+s.URL(), "--key="+boottest.Key, "--project=other"); err == nil || !strings.Contains(said, `none is named "other"`) {
		t.Errorf("%v\n%s", err, said)
	}
	if _, said, err = simulateMarket(t, "--buyers=10", "--url="+s.URL(), "--key=hk_test_00000000000000000000000000000000"); err == nil || !strings.Contains(said, "401") {
		t.Errorf("%v\n%s", err, said)
	}
}

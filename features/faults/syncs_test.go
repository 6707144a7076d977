package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/faults"
	"github.com/haggle-commerce/haggle/simulator/merchant"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// syncs kills servers repeatedly while they read a platform's products. The next server takes over a dead server's run after
// the lease, and in the end every product exists once.
func (l *harness) syncs(t *testing.T) {
	engines := []string{sqlite, postgres}
	together(engines, len(engines), func(engine string) {
		f := &feed{
			harness:  l,
			engine:   engine,
			products: l.pick(3_000, 50_000),
		}
		kills := l.pick(1, 20)
		violations := f.readUnderFire(kills)
		l.judge(t, "a sync under fire", fmt.Sprintf("%s, %d products, %d kills", engine, f.products, kills), violations, f.log())
		f.end()
	})
}

// feed is a shop whose data comes from a platform.
type feed struct {
	harness  *harness
	engine   string
	products int

	database    string
	drop        func()
	server      *faults.Process
	platform    *platforms.Server
	shop        shop
	integration string
	extra       []string // variables of the next server
}

func (f *feed) open(platform string) (err error) {
	if f.platform, err = platforms.Start("127.0.0.1:0", platforms.Config{
		Products:       f.products,
		Seed:           f.harness.report.Seed,
		ShopifyBucket:  1e6,
		ShopifyRestore: 1e6,
		ShopifyMaxCost: 1e6,
	}); err != nil {
		return err
	}
	if f.database, f.drop, err = f.harness.database(f.engine); err != nil {
		return err
	}
	if err = f.start(); err != nil {
		return err
	}
	if f.shop, err = openShop(f.server.URL, 1); err != nil {
		return err
	}
	return f.connect(platform)
}

func (f *feed) start() (err error) {
	f.server, err = f.harness.serve(f.database, append(f.extra, "HAGGLE_SHOPIFY_URL="+f.platform.URL+"/shopify", "HAGGLE_HUBSPOT_URL="+f.platform.URL+"/hubspot")...)
	f.extra = nil
	return err
}

func (f *feed) end() {
	if f.server != nil {
		f.server.Kill()
	}
	if f.platform != nil {
		_ = f.platform.Close() // nothing calls it any more
	}
	if f.drop != nil {
		f.drop()
	}
}

func (f *feed) log() string {
	if f.server == nil {
		return ""
	}
	return f.server.Output()
}

// connect connects the platform: the custom system and WooCommerce by a key, Shopify by OAuth consent.
func (f *feed) connect(platform string) error {
	var made struct {
		ID string `json:"id"`
	}
	credentials := map[string]map[string]any{
		platforms.Custom:      {"api_key": "custom-key"},
		platforms.WooCommerce: {"api_key": "ck_woocommerce", "api_secret": "cs_woocommerce"},
	}
	if key := credentials[platform]; key != nil {
		err := f.send("POST", "/v1/integrations/connect/api-key", map[string]any{
			"type": platform, "credentials": key, "config": map[string]any{"base_url": f.platform.URL + "/" + platform},
		}, &made)
		f.integration = made.ID
		return err
	}
	var asked struct {
		URL   string `json:"authorization_url"`
		State string `json:"state"`
	}
	err := f.send("POST", "/v1/integrations/connect", map[string]any{"type": platform, "redirect_uri": "http://127.0.0.1/back"}, &asked)
	if err != nil {
		return err
	}
	back, err := consent(asked.URL)
	if err != nil {
		return err
	}
	err = f.send("POST", "/v1/integrations/connect/complete", map[string]any{
		"type": platform, "code": back.Query().Get("code"), "state": asked.State, "callback_query": back.RawQuery,
	}, &made)
	f.integration = made.ID
	return err
}

// consent approves on the platform's page, and returns the URL that it redirects to.
func consent(page string) (*url.URL, error) {
	client := &http.Client{Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.PostForm(page, url.Values{"approve": {"1"}})
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return answer.Location()
}

// send sends a request to the Management API, and decodes the response into dest unless it is nil.
func (f *feed) send(method, path string, body, dest any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if body == nil {
		text = nil
	}
	answer, err := management(f.server.URL, f.shop.project).Do(context.Background(), method, path, nil, text)
	switch {
	case err != nil:
		return err
	case answer.Status >= 300:
		return fmt.Errorf("%s %s: %d %s", method, path, answer.Status, answer.Body)
	case dest == nil:
		return nil
	}
	return json.Unmarshal(answer.Body, dest)
}

func (f *feed) path(rest string) string { return "/v1/integrations/" + f.integration + rest }

// run is a sync run in the API's format.
type run struct {
	ID        string `json:"sync_id"`
	Status    string
	Error     *string
	Resources map[string]struct{ Total, Created, Updated, Unchanged, Errors int }
}

// sync starts a run for resources.
func (f *feed) sync(resources ...string) (string, error) {
	var started struct {
		ID string `json:"sync_id"`
	}
	err := f.send("POST", f.path("/sync"), map[string]any{"resources": resources}, &started)
	return started.ID, err
}

// await polls a run until it is as wanted.
func (f *feed) await(name string, within time.Duration, wanted func(run) bool) (r run, err error) {
	for deadline := time.Now().Add(within); ; time.Sleep(10 * time.Millisecond) {
		if err = f.send("GET", f.path("/sync/"+name), nil, &r); err != nil || wanted(r) {
			return r, err
		}
		if time.Now().After(deadline) {
			return r, fmt.Errorf("after %s the sync is %+v", within, r)
		}
	}
}

// waited is longer than a killed server's lease and some pages.
const waited = 60 * time.Second

func (f *feed) readUnderFire(kills int) []string {
	if err := f.open(platforms.Custom); err != nil {
		return []string{"opening: " + err.Error()}
	}
	name, err := f.sync("products")
	if err != nil {
		return []string{err.Error()}
	}
	for n := range kills {
		share := f.products * (n + 1) / (kills + 2)
		if _, err := f.await(name, waited, func(r run) bool { return r.Resources["products"].Total >= share || r.Status != "running" }); err != nil {
			return []string{fmt.Sprintf("before kill %d: %v", n+1, err)}
		}
		f.server.Kill()
		f.harness.report.Count("kills while synchronising", 1)
		if err := f.start(); err != nil {
			return []string{fmt.Sprintf("after kill %d: %v", n+1, err)}
		}
		if n%5 == 4 {
			f.harness.progress("%s: %d kills of a sync", f.engine, n+1)
		}
	}
	done, err := f.await(name, 2*waited, func(r run) bool { return r.Status != "running" })
	if err != nil {
		return []string{err.Error()}
	}
	return append(f.counted(done), f.equals(platforms.Custom, false)...)
}

// counted returns what is wrong with the counters of a first run.
func (f *feed) counted(r run) (violations []string) {
	c := r.Resources["products"]
	if r.Status != "completed" || c.Total != f.products || c.Created != f.products || c.Created+c.Updated+c.Unchanged+c.Errors != c.Total {
		violations = append(violations, fmt.Sprintf("a sync of %d products ended as %+v", f.products, r))
	}
	return violations
}

// equals returns how the shop's products differ from the platform's, and also its stock if asked.
func (f *feed) equals(platform string, stock bool) (violations []string) {
	broken := func(format string, args ...any) { violations = append(violations, fmt.Sprintf(format, args...)) }
	ours, total, err := f.catalogue()
	if err != nil {
		return []string{err.Error()}
	}
	theirs, err := f.records(platform, "products")
	if err != nil {
		return []string{err.Error()}
	}
	if total != len(theirs)+1 { // plus the lantern
		broken("%d products, want %d", total, len(theirs)+1)
	}
	for _, p := range theirs {
		items, _ := p["items"].([]any)
		for _, one := range items {
			item, _ := one.(map[string]any)
			sku, _ := item["sku"].(string)
			have, there := ours[sku]
			switch wanted := wantedStatus(p); {
			case !there:
				broken("%s is missing", sku)
			case have.Status != wanted:
				broken("%s is %s, want %s", sku, have.Status, wanted)
			case wanted == "active" && have.Name != p["title"]:
				broken("%s is %q, want %q", sku, have.Name, p["title"])
			case wanted == "active" && !samePrice(have, sku, item["price"]):
				broken("%s has another price than %v: %+v", sku, item["price"], have)
			}
		}
	}
	if stock {
		violations = append(violations, f.stockEquals(platform)...)
	}
	return violations[:min(len(violations), 20)]
}

func wantedStatus(p map[string]any) string {
	if p["deleted"] == true || p["status"] != "active" {
		return "archived"
	}
	return "active"
}

// samePrice reports whether a variant has the platform's price.
func samePrice(p merchant.Product, sku string, price any) bool {
	have := p.Price.String()
	for _, v := range p.Variants {
		if v.SKU == sku && v.Price != nil {
			have = v.Price.String()
		}
	}
	x, errX := strconv.ParseFloat(have, 64)
	y, errY := strconv.ParseFloat(fmt.Sprint(price), 64)
	return errX == nil && errY == nil && x == y
}

// records returns a platform's records in a common format.
func (f *feed) records(platform, resource string) (list []map[string]any, err error) {
	all, err := f.platform.Records(platform, resource)
	for _, one := range all {
		record, plain := one.(map[string]any)
		if !plain {
			return nil, fmt.Errorf("%s has %T among its %s", platform, one, resource)
		}
		list = append(list, record)
	}
	return list, err
}

// catalogue returns all products by their variants' skus, and their number. A duplicate product is an error.
func (f *feed) catalogue() (map[string]merchant.Product, int, error) {
	ours, owner := map[string]merchant.Product{}, map[string]string{}
	for page := (merchant.Page{Limit: 100}); ; page.Offset += page.Limit {
		list, err := management(f.server.URL, f.shop.project).Products(context.Background(), merchant.ProductQuery{Page: page})
		if err != nil {
			return nil, 0, err
		}
		for _, p := range list.Data {
			for _, v := range p.Variants {
				if other, twice := owner[v.SKU]; twice {
					return nil, 0, fmt.Errorf("%s is of %s and of %s", v.SKU, other, p.ID)
				}
				owner[v.SKU], ours[v.SKU] = p.ID, p
			}
		}
		if len(list.Data) < page.Limit {
			return ours, list.Meta.Total, nil
		}
	}
}

// stockEquals compares the stock, summed over all locations.
func (f *feed) stockEquals(platform string) (violations []string) {
	want, have := map[string]int{}, map[string]int{}
	levels, err := f.records(platform, "inventory")
	if err != nil {
		return []string{err.Error()}
	}
	for _, level := range levels {
		sku, _ := level["sku"].(string)
		quantity, _ := level["quantity"].(int)
		want[sku] += max(quantity, 0)
		if level["deleted"] == true {
			delete(want, sku)
		}
	}
	for page := (merchant.Page{Limit: 100}); ; page.Offset += page.Limit {
		list, err := management(f.server.URL, f.shop.project).Inventory(context.Background(), "", page)
		if err != nil {
			return []string{err.Error()}
		}
		for _, level := range list.Data {
			have[level.SKU] += level.Quantity
		}
		if len(list.Data) < page.Limit {
			break
		}
	}
	for _, sku := range slices.Sorted(maps.Keys(want)) {
		if have[sku] != want[sku] {
			violations = append(violations, fmt.Sprintf("%d of %s are in stock, want %d", have[sku], sku, want[sku]))
		}
	}
	return violations
}

// Package live lets the buyers of a market simulation negotiate with a running server over HTTP and the Agent Commerce
// Protocol. Like other agents, each buyer has its own session, asks for a quote, follows up on it, and accepts a price
// by offering it. The package does not decide what a buyer offers.
package live

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/simulator"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/merchant"
	"github.com/haggle-commerce/haggle/simulator/openapi"
)

// Config is the server and what to sell there. URL, Key and List are required.
type Config struct {
	URL, Key    string
	Project     string          // slug or id of an existing project; default: a new one
	MaxDiscount decimal.Decimal // in percent, for a new project
	List        decimal.Decimal // price of every item, in the project's currency
	Pieces      int             // that each buyer wants; zero: one
	Pay         bool            // buyers also check out and pay with the sandbox token
}

// longestWait is the longest Retry-After that a buyer waits for.
const longestWait = 2 * time.Minute

// Shop is the server as a seller. Call Stock before Open.
type Shop struct {
	ctx       context.Context
	config    Config
	run       string // unique to this run
	validator *openapi.Validator
	patience  *exchange.Patience
	merchant  *merchant.Client
	project   merchant.Project
	made      bool // this run created the project
	manifest  acp.Manifest
	places    int
	products  map[Item]string

	mu       sync.Mutex
	breaches int
	failures int
	examples []string // the first few breaches and failures
}

// Enter finds or creates the project. Calls of the shop end with ctx.
func Enter(ctx context.Context, config Config) (*Shop, error) {
	s := &Shop{
		ctx:       ctx,
		config:    config,
		run:       strings.ToLower(rand.Text()[:10]),
		validator: openapi.NewValidator(),
		patience:  &exchange.Patience{Longest: longestWait, Busy: true},
		products:  map[Item]string{},
	}
	s.merchant = merchant.New(s.connection("setup"), config.Key, "")
	var err error
	if s.project, err = s.find(); err != nil {
		return nil, fmt.Errorf("the project: %w", err)
	}
	s.merchant = s.merchant.In(s.project.ID)
	if s.manifest, err = acp.New(s.connection("manifest"), s.project.Slug).Manifest(ctx); err != nil {
		return nil, fmt.Errorf("the manifest of %s: %w", s.project.Slug, err)
	}
	s.places = decimal.Places(s.manifest.Currency())
	if price := s.amount(s.List()); price != config.List {
		return nil, fmt.Errorf("%s has no price of %s: its currency is %s", s.project.Slug, config.List, s.manifest.Currency())
	}
	return s, nil
}

func (s *Shop) connection(who string) *exchange.Client {
	return exchange.NewClient(exchange.Config{
		URL:        s.config.URL,
		Validator:  s.validator,
		Transcript: exchange.NewTranscript(60),
		Patience:   s.patience,
		RequestIDs: "market-" + s.run + "-" + who,
	})
}

// idempotencyKey returns an idempotency key, so that a request can be repeated when the server is busy.
func (s *Shop) idempotencyKey(what string) string { return "market-" + s.run + "-" + what }

// find finds the project, or creates one without bundle suggestions, because the buyers want one product.
func (s *Shop) find() (merchant.Project, error) {
	if s.config.Project != "" {
		return s.named(s.config.Project)
	}
	s.made = true
	on := true
	project, err := s.merchant.CreateProject(s.ctx, merchant.NewProject{
		Name:        "Market simulation",
		Slug:        "market-" + s.run,
		Description: "Made by haggle simulate market.",
		Settings: &merchant.ProjectSettings{
			DefaultCurrency:    "USD",
			NegotiationEnabled: &on,
			MaxDiscountPercent: &s.config.MaxDiscount,
		},
	}, merchant.IdempotencyKey(s.idempotencyKey("project")))
	if err != nil {
		return merchant.Project{}, err
	}
	made := s.merchant.In(project.ID)
	if _, err = made.PatchSettings(s.ctx, project.ID, merchant.Patch{"commerce": merchant.Patch{"bundle_suggestions": false}}); err != nil {
		return project, err
	}
	return project, s.removeSessionLimit(made)
}

// removeSessionLimit removes the agent's limit of sessions per client, because all buyers of a run share one address.
func (s *Shop) removeSessionLimit(project *merchant.Client) error {
	agents, err := project.Agents(s.ctx, merchant.Page{Limit: 1})
	if err != nil {
		return fmt.Errorf("the agent: %w", err)
	}
	for _, a := range agents.Data {
		if _, err := project.PatchAgent(s.ctx, a.ID, merchant.Patch{"policy": merchant.Patch{"probing": merchant.Patch{"product": 0}}}); err != nil {
			return fmt.Errorf("the agent's policy: %w", err)
		}
	}
	return nil
}

func (s *Shop) named(name string) (merchant.Project, error) {
	const page = 100
	for offset := 0; ; offset += page {
		list, err := s.merchant.Projects(s.ctx, merchant.Page{Limit: page, Offset: offset})
		if err != nil {
			return merchant.Project{}, err
		}
		for _, p := range list.Data {
			if p.ID == name || p.Slug == name {
				return p, nil
			}
		}
		if len(list.Data) < page {
			return merchant.Project{}, fmt.Errorf("none is named %q", name)
		}
	}
}

// enough pieces are in stock, and each sold one is replaced. The level is neither low nor high enough to change prices.
const enough = 40

// Stock creates the items as products with cost and stock, and waits until buyers can see them.
func (s *Shop) Stock(items []Item) error {
	on, pieces := true, enough
	for _, item := range items {
		if s.products[item] != "" {
			continue
		}
		cost := s.amount(item.Cost)
		product, err := s.merchant.CreateProduct(s.ctx, merchant.Product{
			Name:       "Simulated item that costs " + cost.Fixed(s.places),
			SKU:        s.sku(item),
			Price:      s.amount(item.List),
			Cost:       &cost,
			Category:   "market-simulation",
			Negotiable: &on,
			Quantity:   &pieces,
			Status:     "active",
		}, merchant.IdempotencyKey(s.idempotencyKey("product-"+cost.String())))
		if err != nil {
			return fmt.Errorf("putting an item on sale: %w", err)
		}
		s.products[item] = product.ID
		if err := s.waitUntilVisible(product.ID); err != nil {
			return fmt.Errorf("buyers cannot see the item on sale: %w", err)
		}
	}
	return nil
}

func (s *Shop) pieces() int { return max(s.config.Pieces, 1) }

func (s *Shop) sku(item Item) string {
	return fmt.Sprintf("MARKET-%s-%d", strings.ToUpper(s.run), item.Cost)
}

// restock replaces what was sold.
func (s *Shop) restock(item Item, sale string) error {
	levels, err := s.merchant.Inventory(s.ctx, s.sku(item), merchant.Page{})
	if err != nil {
		return fmt.Errorf("looking for the stock: %w", err)
	}
	if len(levels.Data) == 0 {
		return fmt.Errorf("%s has no stock", s.sku(item))
	}
	_, err = s.merchant.AdjustInventory(s.ctx, []merchant.Adjustment{{
		SKU:      s.sku(item),
		Location: levels.Data[0].Location,
		Delta:    s.pieces(),
		Reason:   "Sold to a simulated buyer.",
	}}, merchant.IdempotencyKey(s.idempotencyKey("restock-"+sale)))
	return err
}

// waitUntilVisible waits until buyers see a product.
func (s *Shop) waitUntilVisible(product string) error {
	ctx, cancel := context.WithTimeout(s.ctx, time.Minute)
	defer cancel()
	client := acp.New(s.connection("look"), s.project.Slug)
	for {
		_, err := client.Product(ctx, acp.ProductRequest{ProductID: product})
		if err == nil || acp.CodeOf(err) != "product_not_found" {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Leave deletes the items, unless this run created the project.
func (s *Shop) Leave() error {
	if s.made {
		return nil
	}
	var all []error
	for _, product := range s.products {
		all = append(all, s.merchant.DeleteProduct(context.WithoutCancel(s.ctx), product))
	}
	return errors.Join(all...)
}

// List returns the list price in minor units.
func (s *Shop) List() int64 { return minor(s.config.List, s.places) }

// Least returns the lowest price that the manifest's maximum discount allows, in minor units.
func (s *Shop) Least() int64 {
	p := s.manifest.Policies
	if !p.NegotiationEnabled {
		return s.List()
	}
	return minor(s.config.List.Percent(decimal.FromInt(100).Minus(p.MaxDiscountPercent), s.places), s.places)
}

// Slug returns the project's slug.
func (s *Shop) Slug() string { return s.project.Slug }

// Settings returns what a report shows of the shop. It omits the name of a project that this run created, which is
// random.
func (s *Shop) Settings() []Setting {
	discount := s.manifest.Policies.MaxDiscountPercent.String() + "%"
	if !s.manifest.Policies.NegotiationEnabled {
		discount = "none: negotiation is off"
	}
	settings := []Setting{{Name: "Server", Value: s.config.URL}}
	if !s.made {
		settings = append(settings, Setting{Name: "Project", Value: s.project.Slug})
	}
	return append(settings, []Setting{
		{Name: "List price", Value: s.config.List.Fixed(s.places) + " " + s.manifest.Currency()},
		{Name: "Max discount", Value: discount},
		{Name: "Least price by max discount", Value: s.amount(s.Least()).Fixed(s.places)},
	}...)
}

// amount converts minor units to a price; minor is the inverse.
func (s *Shop) amount(units int64) decimal.Decimal {
	return decimal.FromInt(units).Over(tens(s.places))
}

func minor(price decimal.Decimal, places int) int64 { return price.Times(tens(places)).Whole() }

func tens(places int) int64 {
	n := int64(1)
	for range places {
		n *= 10
	}
	return n
}

// Verdict is the result of all checks of the server's answers.
type Verdict struct {
	Checked, Violations int // checked responses, and those that violate the OpenAPI document
	Breaches            int // broken rules that a buyer can see
	Failures            int // requests without a usable answer
	Waits               int
	Waited              time.Duration
	Examples            []string
}

// OK reports whether no check failed.
func (v Verdict) OK() bool { return v.Violations == 0 && v.Breaches == 0 && v.Failures == 0 }

// String formats the verdict in a few lines.
func (v Verdict) String() string {
	text := fmt.Sprintf("%d OpenAPI violations in %d responses, %d invariant violations, %d failed negotiations", v.Violations, v.Checked, v.Breaches, v.Failures)
	if v.Waits > 0 {
		text += fmt.Sprintf("\nTold to wait %d times, %s of all buyers added up. A server started with HAGGLE_ACP_RATE=off is faster.",
			v.Waits, v.Waited.Round(100*time.Millisecond))
	}
	return strings.Join(append([]string{text}, v.Examples...), "\n")
}

// Verdict returns the result so far.
func (s *Shop) Verdict() Verdict {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := Verdict{
		Checked:    s.validator.Checked(),
		Violations: s.validator.Count(),
		Breaches:   s.breaches,
		Failures:   s.failures,
		Examples:   append([]string{}, s.examples...),
	}
	v.Waits, v.Waited = s.patience.Waited()
	for _, violation := range s.validator.Violations()[:min(v.Violations, shownExamples)] {
		v.Examples = append(v.Examples, "OpenAPI: "+violation.String())
	}
	return v
}

const shownExamples = 5

// breach and failure record problems.
func (s *Shop) breach(b simulator.Breach) { s.note(&s.breaches, "Invariant: "+b.String()) }
func (s *Shop) failure(err error)         { s.note(&s.failures, "Failed: "+err.Error()) }

func (s *Shop) note(count *int, example string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*count++
	if len(s.examples) < 2*shownExamples {
		s.examples = append(s.examples, example)
	}
}

// Package live lets buyers of a market haggle with a running server, over HTTP and the Agent Commerce Protocol, as
// anybody's agents do: each in a session of its own, with a quote and follow-ups, taking a price by offering it.
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

// Config says which server, and what to sell there. URL, Key and List are required.
type Config struct {
	URL, Key    string
	Project     string          // slug or id of one that there is; none: one is made
	MaxDiscount decimal.Decimal // in percent, for a project that is made
	List        decimal.Decimal // price of every item, in the project's currency
	Pay         bool            // buyers also check out and pay, with the sandbox's token
}

// longestWait is how much waiting a request is worth to a buyer whom the server tells to come back later.
const longestWait = 2 * time.Minute

// Shop is the server as a seller, once it has Stocked.
type Shop struct {
	ctx       context.Context
	config    Config
	run       string // a name that no other run has
	validator *openapi.Validator
	patience  *exchange.Patience
	merchant  *merchant.Client
	project   merchant.Project
	made      bool // the project is this run's
	manifest  acp.Manifest
	places    int
	products  map[Item]string

	mu       sync.Mutex
	breaches int
	failures int
	examples []string // of both, the first few
}

// Enter finds the project, or makes it. Calls end with ctx.
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

// once makes a request repeatable: a busy server is asked again, and does it one time.
func (s *Shop) once(what string) string { return "market-" + s.run + "-" + what }

// find looks the project up, or makes one without suggestions of a second product: the buyers want one thing.
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
	}, merchant.IdempotencyKey(s.once("project")))
	if err != nil {
		return merchant.Project{}, err
	}
	made := s.merchant.In(project.ID)
	if _, err = made.PatchSettings(s.ctx, project.ID, merchant.Patch{"commerce": merchant.Patch{"bundle_suggestions": false}}); err != nil {
		return project, err
	}
	return project, s.unbounded(made)
}

// unbounded has the project's agent count no sessions of a client: all buyers of a run come from one address.
func (s *Shop) unbounded(project *merchant.Client) error {
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

// enough pieces are in stock, and are replaced when they are sold: neither so few nor so many that it moves a price.
const enough = 40

// Stock puts the items on sale, each with its cost and enough of it, and waits until buyers can see them.
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
		}, merchant.IdempotencyKey(s.once("product-"+cost.String())))
		if err != nil {
			return fmt.Errorf("putting an item on sale: %w", err)
		}
		s.products[item] = product.ID
		if err := s.seen(product.ID); err != nil {
			return fmt.Errorf("buyers cannot see the item on sale: %w", err)
		}
	}
	return nil
}

func (s *Shop) sku(item Item) string {
	return fmt.Sprintf("MARKET-%s-%d", strings.ToUpper(s.run), item.Cost)
}

// restock replaces a piece that was sold.
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
		Delta:    1,
		Reason:   "Sold to a simulated buyer.",
	}}, merchant.IdempotencyKey(s.once("restock-"+sale)))
	return err
}

// seen waits until buyers see a product.
func (s *Shop) seen(product string) error {
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

// Leave takes the items off sale again where the project is not this run's own.
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

// List is the list price in minor units.
func (s *Shop) List() int64 { return minor(s.config.List, s.places) }

// Least is the lowest price that the manifest's max discount allows, in minor units.
func (s *Shop) Least() int64 {
	p := s.manifest.Policies
	if !p.NegotiationEnabled {
		return s.List()
	}
	return minor(s.config.List.Percent(decimal.FromInt(100).Minus(p.MaxDiscountPercent), s.places), s.places)
}

// Slug is the project's.
func (s *Shop) Slug() string { return s.project.Slug }

// Settings are what a report tells of the shop. A project that was made has a name by chance, and is left out.
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

// amount is so many minor units, and minor the other way round, for prices that the currency has.
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

// Verdict is how the server fared in the eyes of the buyers' clients.
type Verdict struct {
	Checked, Violations int // responses, and those that the OpenAPI document does not allow
	Breaches            int // of what a buyer can see that was promised
	Failures            int // requests that got no usable answer
	Waits               int
	Waited              time.Duration
	Examples            []string
}

// OK reports that nothing is wrong with the server.
func (v Verdict) OK() bool { return v.Violations == 0 && v.Breaches == 0 && v.Failures == 0 }

// String is the verdict on a few lines.
func (v Verdict) String() string {
	text := fmt.Sprintf("%d OpenAPI violations in %d responses, %d invariant violations, %d failed negotiations", v.Violations, v.Checked, v.Breaches, v.Failures)
	if v.Waits > 0 {
		text += fmt.Sprintf("\nTold to wait %d times, %s of all buyers added up. A server started with HAGGLE_ACP_RATE=off is faster.",
			v.Waits, v.Waited.Round(100*time.Millisecond))
	}
	return strings.Join(append([]string{text}, v.Examples...), "\n")
}

// Verdict is up to now.
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

// breach and failure note what went wrong.
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

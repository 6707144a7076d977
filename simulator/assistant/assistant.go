// Package assistant is a shopping assistant for the terminal. It knows only the address of a shop's MCP endpoint: it
// lists the tools, searches, negotiates within a limit, fills a cart, checks out, pays with a token once the total is
// approved, and reads the order. It checks every answer with the simulator's own reading of the schemas. A [Buyer] makes
// the decisions: [Alone], or a [Person] at the terminal.
package assistant

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/ucp"
	"github.com/haggle-commerce/haggle/simulator/ucp/judge"
)

// Config is where to buy, and for which buyer.
type Config struct {
	URL      string
	Quantity int // default 1
	Email    string
	ShipTo   ucp.Address
	Token    string // the payment token
	Handler  string // id of the payment handler that the token is for
	Page     Page
}

// Buyer makes the decisions.
type Buyer interface {
	// Wants returns what to search for.
	Wants() (string, error)
	// Product returns the index of a product, or NoneOfThese to search again.
	Product([]ucp.Product) (int, error)
	// Variant returns the index of one of the variants in stock.
	Variant([]ucp.Variant) (int, error)
	// Next returns the buyer's move at the shop's current price.
	Next(Situation) (Move, error)
	// Pays reports whether the buyer approves the total.
	Pays(total ucp.Money) (bool, error)
}

// NoneOfThese makes the assistant search again.
const NoneOfThese = -1

// ErrBroken means that answers do not match their schemas.
var ErrBroken = errors.New("answers of the shop do not match their schemas")

// ErrNothing means that nothing was bought.
var ErrNothing = errors.New("nothing was bought")

// errand is one visit to a shop.
type errand struct {
	Config
	buyer Buyer
	shop  *shop
}

// Run goes shopping and prints the conversation.
func Run(ctx context.Context, config Config, buyer Buyer) error {
	return printable(run(ctx, config, buyer))
}

func run(ctx context.Context, config Config, buyer Buyer) error {
	config.Quantity = max(1, config.Quantity)
	s, err := enter(ctx, config.URL)
	if err != nil {
		return err
	}
	defer s.leave()
	e := &errand{
		Config: config,
		buyer:  buyer,
		shop:   s,
	}
	e.Page.aside("%s", config.URL)
	e.Page.aside("%s, MCP %s, %d tools", s.name, s.version, len(s.tools))
	err = e.run(ctx)
	if r, ok := errors.AsType[refusal](err); ok {
		e.Page.shop("%s", r.text)
	}
	if len(s.wrong) == 0 {
		if s.answers > 0 {
			e.Page.print("\n")
			e.Page.aside("All answers match the published schemas of UCP %s: %d of %[2]d.", s.judge.Version(), s.answers)
		}
		return err
	}
	e.Page.print("\n")
	for _, wrong := range s.wrong {
		e.Page.aside("! %s", wrong)
	}
	return errors.Join(err, fmt.Errorf("%w: %d of %d", ErrBroken, len(s.wrong), s.answers))
}

func (e *errand) run(ctx context.Context) error {
	product, err := e.search(ctx)
	if err != nil {
		return err
	}
	variant, err := e.look(ctx, product)
	if err != nil {
		return err
	}
	cart, err := e.priced(ctx, variant)
	if err != nil {
		return err
	}
	paid, err := e.checkOut(ctx, cart)
	if err != nil {
		return err
	}
	return e.follow(ctx, paid)
}

// search finds products and picks one.
func (e *errand) search(ctx context.Context) (ucp.Product, error) {
	for {
		found, err := e.find(ctx)
		if err != nil {
			return ucp.Product{}, err
		}
		i, err := e.buyer.Product(found)
		if err != nil {
			return ucp.Product{}, err
		}
		if i != NoneOfThese {
			return found[i], nil
		}
	}
}

func (e *errand) find(ctx context.Context) ([]ucp.Product, error) {
	wanted, err := e.buyer.Wants()
	if err != nil {
		return nil, err
	}
	e.Page.you("search_catalog", "I am looking for: %s", clean(wanted))
	found, err := call[ucp.Found](ctx, e.shop, judge.SearchCatalog, map[string]any{
		"catalog": map[string]any{"query": wanted, "pagination": map[string]any{"limit": 8}},
	})
	if err != nil {
		return nil, err
	}
	if len(found.Products) == 0 {
		e.Page.shop("There is nothing like that.")
		return nil, fmt.Errorf("%w: nothing was found for %q", ErrNothing, wanted)
	}
	e.Page.shop("This is what I found:")
	for i, p := range found.Products {
		e.Page.row(numbered(i, len(found.Products), p.Title), between(p))
	}
	return found.Products, nil
}

// numbered returns a row with its number, by which it can be chosen.
func numbered(i, count int, text string) string {
	return fmt.Sprintf("%*d  %s", len(strconv.Itoa(count)), i+1, text)
}

func between(p ucp.Product) string {
	if p.PriceRange.Min.Amount == p.PriceRange.Max.Amount {
		return price(p.PriceRange.Min)
	}
	return "from " + price(p.PriceRange.Min)
}

// look reads the product and picks one of its variants.
func (e *errand) look(ctx context.Context, p ucp.Product) (ucp.Variant, error) {
	e.Page.you("get_product", "Tell me about the %s.", clean(p.Title))
	read, err := call[struct {
		Product ucp.Product `json:"product"`
	}](ctx, e.shop, judge.GetProduct, map[string]any{"catalog": map[string]any{"id": p.ID}})
	if err != nil {
		return ucp.Variant{}, err
	}
	e.Page.shop("%s", strings.TrimSpace(clipped(clean(read.Product.Description.Plain), 300)))
	var stock []ucp.Variant
	all := p.Variants
	if len(read.Product.Variants) > len(all) {
		all = read.Product.Variants
	}
	for _, v := range all {
		if v.InStock() {
			stock = append(stock, v)
		}
	}
	if len(stock) == 0 {
		e.Page.shop("It is out of stock.")
		return ucp.Variant{}, fmt.Errorf("%w: %s is out of stock", ErrNothing, clean(p.Title))
	}
	if len(stock) > 1 {
		e.Page.shop("There is:")
		for i, v := range stock {
			e.Page.row(numbered(i, len(stock), v.Title), price(v.Price))
		}
	}
	i, err := e.buyer.Variant(stock)
	if err != nil {
		return ucp.Variant{}, err
	}
	picked := stock[i]
	if picked.Title != p.Title {
		picked.Title = p.Title + ", " + picked.Title
	}
	return picked, nil
}

// priced puts the variant into a cart: at the negotiated price, or at list price if the shop does not negotiate.
func (e *errand) priced(ctx context.Context, v ucp.Variant) (cart string, err error) {
	if !e.shop.tools[string(judge.StartNegotiation)] {
		e.Page.aside("This shop does not negotiate.")
		if cart, err = e.takesListPrice(ctx, v); err != nil {
			return "", err
		}
	} else if cart, err = e.haggle(ctx, v); err != nil {
		return "", err
	}
	e.Page.you("get_cart", "What is in my cart?")
	c, err := call[ucp.Cart](ctx, e.shop, judge.GetCart, map[string]any{"id": cart})
	if err != nil {
		return "", err
	}
	e.Page.receipt(c.Lines, c.Totals, c.Currency)
	return cart, nil
}

func (e *errand) takesListPrice(ctx context.Context, v ucp.Variant) (string, error) {
	move, err := e.buyer.Next(Situation{
		Currency:     v.Price.Currency,
		List:         v.Price.Amount,
		CurrentPrice: v.Price.Amount,
		Final:        true,
	})
	if err != nil {
		return "", err
	}
	if move.Action != Accept {
		return "", fmt.Errorf("%w: %s is more than the limit", ErrNothing, price(v.Price))
	}
	e.Page.you("create_cart", "Put %d into a cart, at %s each.", e.Quantity, price(v.Price))
	cart, err := call[ucp.Cart](ctx, e.shop, judge.CreateCart, keyed(map[string]any{"cart": map[string]any{
		"line_items": []any{map[string]any{"item": map[string]any{"id": v.ID}, "quantity": e.Quantity}},
	}}))
	return cart.ID, err
}

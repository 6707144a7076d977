package features

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/buyer"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
)

// trade is what buyers do in a scenario.
type trade struct {
	shopper    *shopper          // who steps call the buyer
	earlier    *shopper          // the buyer before another came
	asked      acp.SearchRequest // the latest search, where a step made it
	pages      [][]string        // names that the latest searches showed, one after the other
	cursor     string            // of a search
	crowd      []error           // what became of actions at once
	crowdFrom  int               // answers before them
	queue      []*shopper
	orders     []string // made at once
	remembered map[string]string
	witnesses  []*simulator.Witness
}

// shopper is a buyer and what it heard.
type shopper struct {
	*buyer.Buyer
	client  *acp.Client
	offers  []decimal.Decimal
	quotes  []acp.Quote // answers to offers and questions, oldest first
	heard   any         // the latest answer as it came
	witness *simulator.Witness
	address acp.Address
}

// home is where things go unless a step says otherwise.
var home = acp.Address{
	Name:       "A. Buyer",
	Line1:      "12 Harbor Street",
	City:       "Portland",
	State:      "OR",
	PostalCode: "97205",
	Country:    "US",
}

// visitor is a buyer's client at an address, watched by a witness of its own.
func (w *world) visitor(slug string) *acp.Client {
	client, _ := w.watched(slug)
	return client
}

func (w *world) watched(slug string) (*acp.Client, *simulator.Witness) {
	witness := simulator.NewWitness(acp.Manifest{})
	w.witnesses = append(w.witnesses, witness)
	return acp.New(w.connection, slug, witness.Saw), witness
}

// arrive makes a new buyer, who has read the manifest, the one that steps speak of.
func (w *world) arrive() error {
	client, witness := w.watched(w.shop.Slug)
	w.earlier = w.shopper
	w.shopper = &shopper{
		Buyer:   buyer.New(w.ctx, client),
		client:  client,
		witness: witness,
		address: home,
	}
	w.shopper.Discover()
	return w.shopper.TakeErr()
}

// someone is the present buyer, or a new one.
func (w *world) someone() (*shopper, error) {
	if w.shopper == nil {
		if err := w.arrive(); err != nil {
			return nil, err
		}
	}
	return w.shopper, nil
}

// act lets the buyer do something and keeps its refusal for a Then to judge.
func (w *world) act(verbs func(b *shopper)) error {
	return w.attempt(func() error {
		b, err := w.someone()
		if err != nil {
			return err
		}
		verbs(b)
		return b.TakeErr()
	})
}

// must lets the buyer do what has to succeed.
func (w *world) must(verbs func(b *shopper)) error {
	if err := w.act(verbs); err != nil {
		return err
	}
	return w.unjudged()
}

// buyerSends sends anything to the shop's ACP. A status outside 2xx is an *acp.Error.
func (w *world) buyerSends(method, path, body string) error {
	return w.attempt(func() error {
		b, err := w.someone()
		if err != nil {
			return err
		}
		return b.send(w, method, w.expand(path), w.expand(body), nil)
	})
}

func (b *shopper) send(w *world, method, path, body string, header http.Header) error {
	var content []byte
	if body != "" {
		content = []byte(body)
	}
	response, err := b.client.Do(w.ctx, method, path, header, content)
	if err != nil {
		return err
	}
	b.heard = response.Value
	if !response.OK() {
		return acp.ErrorOf(response)
	}
	if method == http.MethodPut && strings.HasPrefix(path, "/acp/checkout/") {
		return b.revised(content, response)
	}
	return nil
}

// revised has the buyer's witness judge a revised checkout.
func (b *shopper) revised(body []byte, response exchange.Response) error {
	var request acp.ReviseRequest
	var answer acp.Checkout
	if err := cmp.Or(json.Unmarshal(body, &request), response.Decode(&answer)); err != nil {
		return err
	}
	b.witness.Saw(acp.Call{
		At:       time.Now(),
		Request:  request,
		Response: answer,
		Raw:      response,
	})
	return nil
}

// inTheOtherShop sends what a buyer knows of one shop to another.
func (w *world) inTheOtherShop(method, path, body string) error {
	return w.attempt(func() error {
		response, err := w.visitor(w.others[0].Slug).Do(w.ctx, method, w.expand(path), nil, []byte(w.expand(body)))
		if err == nil && !response.OK() {
			return acp.ErrorOf(response)
		}
		return err
	})
}

// nameBargains adds what steps may call by $name.
func (w *world) nameBargains(known map[string]string) {
	address, _ := json.Marshal(home)
	known["address"] = string(address)
	known["product"] = w.product.ID
	if len(w.product.Variants) > 0 {
		known["variant"] = w.product.Variants[0].ID
	}
	for name, p := range w.products {
		known[name] = p.ID
		if len(p.Variants) > 0 {
			known[name+": variant"] = p.Variants[0].ID
		}
	}
	for name, value := range w.remembered {
		known["remembered_"+name] = value
	}
	b := w.shopper
	if b == nil {
		return
	}
	known["session"], known["quote"] = b.SessionID, b.Quote.QuoteID
	known["checkout"], known["order"] = b.Checkout.CheckoutID, b.Finalized.Order.ID
	known["manage_token"] = b.Finalized.Order.ManageToken
	if b.Agreement != nil {
		known["token"] = b.Agreement.Token
	}
}

func (w *world) remember(name string) error {
	value := w.expand("$" + name)
	if value == "" || strings.HasPrefix(value, "$") {
		return fmt.Errorf("there is no %s to remember", name)
	}
	if w.remembered == nil {
		w.remembered = map[string]string{}
	}
	w.remembered[name] = value
	return nil
}

// rememberAnswer remembers a field of the latest answer.
func (w *world) rememberAnswer(name string) error {
	value, found := at(w.tape.last().value(), name)
	text, ok := value.(string)
	if !found || !ok {
		return fmt.Errorf("the answer has no %s", name)
	}
	if w.remembered == nil {
		w.remembered = map[string]string{}
	}
	w.remembered[strings.ReplaceAll(name, ".", "_")] = text
	return nil
}

// looksAt brings a new buyer to a product.
func (w *world) looksAt(name string) error {
	if err := w.arrive(); err != nil {
		return err
	}
	return w.view(name, "", 1)
}

// view lets the present buyer choose a product, a variant (size/colour, or "" for the first) and a quantity.
func (w *world) view(name, label string, quantity int) error {
	product, known := w.products[name]
	if !known {
		return fmt.Errorf("the shop sells no %q", name)
	}
	w.product = product
	return w.must(func(b *shopper) {
		if b.SessionID == "" {
			b.Search(name)
		}
		b.View(product.ID).Want(quantity)
		for _, v := range b.Product.Variants {
			if label != "" && v.Size+"/"+v.Color == label {
				b.Choose(v.ID, quantity)
			}
		}
		b.quotes, b.offers = nil, nil
	})
}

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

// buyerState holds a scenario's buyers and the results of their requests.
type buyerState struct {
	shopper         *shopper          // the current buyer
	previousShopper *shopper          // the buyer before the current one
	searchRequest   acp.SearchRequest // the latest search request of a step
	pages           [][]string        // result names of the latest search, by page
	cursor          string            // a search's next_cursor
	concurrentErrs  []error           // results of runConcurrently
	concurrentFrom  int               // index of their first answer in the recorder
	checkoutQueue   []*shopper
	recordedIDs     []string // of earlier or concurrent orders or checkouts
	remembered      map[string]string
	witnesses       []*simulator.Witness
}

// shopper is a buyer and the answers that it got.
type shopper struct {
	*buyer.Buyer
	client     *acp.Client
	offers     []decimal.Decimal
	quotes     []acp.Quote // answers to quote requests, oldest first
	lastAnswer any         // the latest answer's decoded body
	witness    *simulator.Witness
	address    acp.Address
}

// defaultAddress is the shipping address unless a step names another.
var defaultAddress = acp.Address{
	Name:       "A. Buyer",
	Line1:      "12 Harbor Street",
	City:       "Portland",
	State:      "OR",
	PostalCode: "97205",
	Country:    "US",
}

// buyerClient returns a new ACP client for a shop, checked by its own witness.
func (w *world) buyerClient(slug string) *acp.Client {
	client, _ := w.watchedClient(slug)
	return client
}

func (w *world) watchedClient(slug string) (*acp.Client, *simulator.Witness) {
	witness := simulator.NewWitness(acp.Manifest{})
	w.witnesses = append(w.witnesses, witness)
	return acp.New(w.connection, slug, witness.Saw), witness
}

// startBuyer makes a new buyer, which reads the manifest, the current one.
func (w *world) startBuyer() error {
	client, witness := w.watchedClient(w.shop.Slug)
	w.previousShopper = w.shopper
	w.shopper = &shopper{
		Buyer:   buyer.New(w.ctx, client),
		client:  client,
		witness: witness,
		address: defaultAddress,
	}
	w.shopper.Discover()
	return w.shopper.TakeErr()
}

// currentBuyer returns the current buyer. It starts one if there is none.
func (w *world) currentBuyer() (*shopper, error) {
	if w.shopper == nil {
		if err := w.startBuyer(); err != nil {
			return nil, err
		}
	}
	return w.shopper, nil
}

// act runs an action as the current buyer and keeps its refusal for a Then step.
func (w *world) act(action func(b *shopper)) error {
	return w.attempt(func() error {
		b, err := w.currentBuyer()
		if err != nil {
			return err
		}
		action(b)
		return b.TakeErr()
	})
}

// mustAct runs an action as the current buyer. It returns an error if the action is refused.
func (w *world) mustAct(action func(b *shopper)) error {
	if err := w.act(action); err != nil {
		return err
	}
	return w.unexpectedRefusal()
}

// buyerSends sends an ACP request to the shop. A status outside 2xx becomes an *acp.Error, kept for a Then step.
func (w *world) buyerSends(method, path, body string) error {
	return w.attempt(func() error {
		b, err := w.currentBuyer()
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
	b.lastAnswer = response.Value
	if !response.OK() {
		return acp.ErrorOf(response)
	}
	if method == http.MethodPut && strings.HasPrefix(path, "/acp/checkout/") {
		return b.checkRevision(content, response)
	}
	return nil
}

// checkRevision passes a revised checkout to the buyer's witness.
func (b *shopper) checkRevision(body []byte, response exchange.Response) error {
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

// buyerSendsToOtherShop sends a request with this shop's ids to another shop.
func (w *world) buyerSendsToOtherShop(method, path, body string) error {
	return w.attempt(func() error {
		response, err := w.buyerClient(w.otherShops[0].Slug).Do(w.ctx, method, w.expand(path), nil, []byte(w.expand(body)))
		if err == nil && !response.OK() {
			return acp.ErrorOf(response)
		}
		return err
	})
}

// addBuyerVars adds the variables of products, remembered values and the current buyer.
func (w *world) addBuyerVars(vars map[string]string) {
	address, _ := json.Marshal(defaultAddress)
	vars["address"] = string(address)
	vars["product"] = w.product.ID
	if len(w.product.Variants) > 0 {
		vars["variant"] = w.product.Variants[0].ID
	}
	for name, p := range w.products {
		vars[name] = p.ID
		if len(p.Variants) > 0 {
			vars[name+": variant"] = p.Variants[0].ID
		}
	}
	for name, value := range w.remembered {
		vars["remembered_"+name] = value
	}
	b := w.shopper
	if b == nil {
		return
	}
	vars["session"], vars["quote"] = b.SessionID, b.Quote.QuoteID
	vars["checkout"], vars["order"] = b.Checkout.CheckoutID, b.Finalized.Order.ID
	vars["manage_token"] = b.Finalized.Order.ManageToken
	if b.Agreement != nil {
		vars["token"] = b.Agreement.Token
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

// rememberAnswer stores a field of the latest answer as $remembered_NAME.
func (w *world) rememberAnswer(name string) error {
	value, found := valueAt(w.recorder.last().value(), name)
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

// arrivesLookingAt starts a new buyer, which views a product.
func (w *world) arrivesLookingAt(name string) error {
	if err := w.startBuyer(); err != nil {
		return err
	}
	return w.view(name, "", 1)
}

// view lets the current buyer choose a product, a variant ("size/color", or "" for the first) and a quantity.
func (w *world) view(name, label string, quantity int) error {
	product, known := w.products[name]
	if !known {
		return fmt.Errorf("the shop sells no %q", name)
	}
	w.product = product
	return w.mustAct(func(b *shopper) {
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

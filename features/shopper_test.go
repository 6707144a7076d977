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

// buyersContext identifies buyers by tokens, and remembers what they saw.
type buyersContext struct {
	*scenario

	searchRequest acp.SearchRequest // the latest search request of a step
	pages         [][]string        // result names of the latest search, by page
	cursor        string            // a search's next_cursor
	checkoutQueue []*shopper
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

func (b *shopper) send(s *scenario, method, path, body string, header http.Header) error {
	var content []byte
	if body != "" {
		content = []byte(body)
	}
	response, err := b.client.Do(s.ctx, method, path, header, content)
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

// addBuyerVars adds the variables of products, remembered values and the current buyer.
func (c *buyersContext) addBuyerVars(vars map[string]string) {
	address, _ := json.Marshal(defaultAddress)
	vars["address"] = string(address)
	vars["product"] = c.product.ID
	if len(c.product.Variants) > 0 {
		vars["variant"] = c.product.Variants[0].ID
	}
	for name, p := range c.products {
		vars[name] = p.ID
		if len(p.Variants) > 0 {
			vars[name+": variant"] = p.Variants[0].ID
		}
	}
	for name, value := range c.remembered {
		vars["remembered_"+name] = value
	}
	b := c.shopper
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

// arrivesLookingAt starts a new buyer, which views a product.
func (c *buyersContext) arrivesLookingAt(name string) error {
	if err := c.startBuyer(); err != nil {
		return err
	}
	return c.view(name, "", 1)
}

// view lets the current buyer choose a product, a variant ("size/color", or "" for the first) and a quantity.
func (c *buyersContext) view(name, label string, quantity int) error {
	product, known := c.products[name]
	if !known {
		return fmt.Errorf("the shop sells no %q", name)
	}
	c.product = product
	return c.mustAct(func(b *shopper) {
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

package platforms_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/platforms"
	"github.com/haggle-commerce/haggle/simulator/receiver"
)

const orderScopes = "read_products read_inventory write_orders read_customers read_merchant_managed_fulfillment_orders write_merchant_managed_fulfillment_orders"

// orderClient writes orders with version 2026-10.
type orderClient struct {
	shopifyClient
	version string
}

func connectOrders(t *testing.T, c platforms.Config) orderClient {
	t.Helper()
	c.ShopifyBucket = 1e6
	s := start(t, c)
	return orderClient{shopifyClient{t, s, shopifyToken(t, s, orderScopes)}, "2026-10"}
}

func (c orderClient) send(query string, variables object) (reply, error) {
	address := c.s.URL + "/shopify/admin/api/" + c.version + "/graphql.json"
	return send(c.t, "POST", address, object{"query": query, "variables": variables}, "X-Shopify-Access-Token", c.token)
}

func (c orderClient) ask(query string, variables object) object {
	c.t.Helper()
	r, err := c.send(query, variables)
	if err != nil {
		c.t.Fatal(err)
	}
	return r.object(c.t)
}

func (c orderClient) data(query string, variables object) any {
	c.t.Helper()
	answer := c.ask(query, variables)
	if answer["errors"] != nil {
		c.t.Fatalf("%v", answer["errors"])
	}
	return answer["data"]
}

const orderFields = `fragment O on Order {
  id name email note tags test sourceIdentifier sourceName displayFinancialStatus displayFulfillmentStatus processedAt createdAt taxesIncluded currencyCode
  totalPriceSet { shopMoney { amount currencyCode } } subtotalPriceSet { shopMoney { amount } } totalTaxSet { shopMoney { amount } }
  totalShippingPriceSet { shopMoney { amount } } currentTotalPriceSet { shopMoney { amount } } totalDiscountsSet { shopMoney { amount } }
  customAttributes { key value } customer { id email firstName lastName }
  taxLines { title rate priceSet { shopMoney { amount } } }
  shippingLine { title code originalPriceSet { shopMoney { amount } } }
  shippingAddress { name city countryCodeV2 }
  transactions { id kind status gateway amountSet { shopMoney { amount } } }
  lineItems(first: 10) { nodes { id title sku quantity currentQuantity originalUnitPriceSet { shopMoney { amount } } taxLines { priceSet { shopMoney { amount } } } variant { id } } }
}`

const createOrder = `mutation Create($order: OrderCreateOrderInput!, $options: OrderCreateOptionsInput) {
  orderCreate(order: $order, options: $options) { order { ...O } userErrors { field message code } }
}` + orderFields

func money(amount string) object {
	return object{"shopMoney": object{"amount": amount, "currencyCode": "USD"}}
}

func amount(t *testing.T, of any, path ...any) string {
	t.Helper()
	return at(t, of, append(path, "shopMoney", "amount")...).(string)
}

// create returns the order and the codes of the user errors.
func (c orderClient) create(order object, behaviour string) (any, []string) {
	c.t.Helper()
	options := object{}
	if behaviour != "" {
		options["inventoryBehaviour"] = behaviour
	}
	answer := at(c.t, c.data(createOrder, object{"order": order, "options": options}), "orderCreate")
	return at(c.t, answer, "order"), codes(c.t, at(c.t, answer, "userErrors"))
}

// codes returns each error's code, or its message if it has none.
func codes(t *testing.T, list any) (found []string) {
	t.Helper()
	for _, one := range list.([]any) {
		if text, is := at(t, one, "code").(string); is {
			found = append(found, text)
		} else {
			found = append(found, at(t, one, "message").(string))
		}
	}
	return found
}

func (c orderClient) must(order object, behaviour string) any {
	c.t.Helper()
	made, refused := c.create(order, behaviour)
	if len(refused) > 0 || made == nil {
		c.t.Fatalf("refused: %v", refused)
	}
	return made
}

type ware struct {
	variant, item string
	cents         int64
	levels        [2]int
}

// wares returns variants with the stock available at both locations.
func (c orderClient) wares(n int) (list []ware) {
	c.t.Helper()
	found := at(c.t, c.data(`query($n: Int!) { inventoryItems(first: $n) { nodes { id variant { id price }
		inventoryLevels(first: 2) { nodes { quantities(names: ["available"]) { quantity } } } } } }`, object{"n": n}), "inventoryItems", "nodes").([]any)
	for _, one := range found {
		w := ware{variant: at(c.t, one, "variant", "id").(string), item: at(c.t, one, "id").(string)}
		_, err := fmt.Sscanf(strings.ReplaceAll(at(c.t, one, "variant", "price").(string), ".", ""), "%d", &w.cents)
		if err != nil {
			c.t.Fatal(err)
		}
		for place := range w.levels {
			w.levels[place] = int(at(c.t, one, "inventoryLevels", "nodes", place, "quantities", 0, "quantity").(float64))
		}
		list = append(list, w)
	}
	return list
}

// stocked returns a ware with at least some pieces at both locations, and more at one of them.
func (c orderClient) stocked(least int) ware {
	c.t.Helper()
	for _, w := range c.wares(60) {
		if min(w.levels[0], w.levels[1]) >= least && w.levels[0] != w.levels[1] {
			return w
		}
	}
	c.t.Fatal("nothing is in stock")
	return ware{}
}

func (c orderClient) levels(w ware) [2]int {
	c.t.Helper()
	for _, one := range c.wares(100) {
		if one.variant == w.variant {
			return one.levels
		}
	}
	c.t.Fatal("the ware is gone")
	return [2]int{}
}

func (w ware) more() int {
	if w.levels[1] > w.levels[0] {
		return 1
	}
	return 0
}

func dollars(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

func (c orderClient) countOrders() int {
	c.t.Helper()
	list, err := c.s.Records("shopify", "orders")
	if err != nil {
		c.t.Fatal(err)
	}
	return len(list)
}

// payloads are the webhook payloads since the last call of since, by topic.
type payloads struct {
	t    *testing.T
	c    orderClient
	got  *receiver.Receiver
	seen int
}

func (c orderClient) listen(topics ...string) *payloads {
	c.t.Helper()
	got := listen(c.t)
	for _, topic := range topics {
		answer := c.data(`mutation($t: WebhookSubscriptionTopic!, $u: URL!) { webhookSubscriptionCreate(topic: $t, webhookSubscription: {uri: "", callbackUrl: $u, format: JSON}) { userErrors { message } } }`,
			object{"t": topic, "u": got.URL()})
		is(c.t, topic, len(at(c.t, answer, "webhookSubscriptionCreate", "userErrors").([]any)), 0)
	}
	return &payloads{c.t, c, got, 0}
}

func (w *payloads) since() map[string][]object {
	w.t.Helper()
	w.c.s.Calls.Wait()
	all := w.got.Requests("")
	found := map[string][]object{}
	for _, came := range all[w.seen:] {
		is(w.t, "signature", came.Header.Get("X-Shopify-Hmac-Sha256"), signature([]byte("haggle-sandbox-secret"), string(came.Body)))
		var body object
		if err := json.Unmarshal(came.Body, &body); err != nil {
			w.t.Fatal(err)
		}
		topic := came.Header.Get("X-Shopify-Topic")
		found[topic] = append(found[topic], body)
	}
	w.seen = len(all)
	return found
}

var orderTopics = []string{
	"ORDERS_CREATE", "ORDERS_UPDATED", "ORDERS_CANCELLED", "ORDERS_FULFILLED", "ORDERS_PAID", "ORDERS_PARTIALLY_FULFILLED", "REFUNDS_CREATE", "FULFILLMENTS_CREATE",
	"FULFILLMENTS_UPDATE", "INVENTORY_LEVELS_UPDATE", "CUSTOMERS_CREATE",
}

// topics formats the number of payloads by topic.
func topics(of map[string][]object) string {
	var list []string
	for topic, all := range of {
		list = append(list, fmt.Sprintf("%s:%d", topic, len(all)))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

package shopify

import (
	"strconv"
)

// createOrder is orderCreate (docs/api/admin-graphql/latest/mutations/orderCreate, api_version 2026-10). Either the whole
// order is made, its stock claimed with it, or nothing.
func (s *Platform) createOrder(args map[string]any, version string) any {
	to := &complaints{of: "OrderCreateUserError"}
	values, _ := args["order"].(map[string]any)
	chosen, _ := args["options"].(map[string]any)
	i, options := input{values, []string{"order"}, to}, input{chosen, []string{"options"}, to}
	if version != merchant && !s.mayCreate() {
		// "a maximum of five new orders per minute"; how it is refused is not documented. community.shopify.dev/t/4542 (2025)
		// reports this text.
		to.add(nil, "", "Too many attempts. Please try again later.")
	}
	p := s.readOrder(i, version)
	customer := s.readCustomer(i, p)
	s.readMetafields(i, p)
	p.receipt, p.fulfillmentReceipt = options.flag("sendReceipt", false), options.flag("sendFulfillmentReceipt", false)
	p.behaviour = options.text("inventoryBehaviour")
	if p.behaviour == "" {
		p.behaviour = "BYPASS"
	}
	place := s.readFulfillment(i, p)
	if to.none() {
		s.claim(p, i)
	}
	if !to.none() {
		return facts{"OrderCreatePayload", map[string]any{"order": nil, "userErrors": to.shown()}}
	}
	made, changed := customer()
	s.keep(p)
	events := s.created(p, made, changed)
	if i.has("fulfillment") {
		f := i.inner("fulfillment")
		sent := &fulfillment{
			company:  f.text("trackingCompany"),
			numbers:  listOf(f.text("trackingNumber")),
			place:    place,
			notified: f.flag("notifyCustomer", false),
		}
		events = append(events, s.send(p, sent, s.rest(p))...)
	}
	s.announce(events)
	return facts{"OrderCreatePayload", map[string]any{"order": s.order(p.n), "userErrors": []object{}}}
}

func listOf(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// mayCreate counts every attempt, as a limit against too many attempts does.
func (s *Platform) mayCreate() bool {
	if !s.Host.Config.ShopifyDevelopment {
		return true
	}
	fits, _, _ := s.orders.minute.Take(s.Host.Config.Now())
	return fits
}

func (s *Platform) readFulfillment(i input, p *purchase) (place int) {
	p.fulfillment = map[string]string{"FULFILLED": "FULFILLED", "PARTIAL": "PARTIALLY_FULFILLED", "RESTOCKED": "RESTOCKED"}[i.text("fulfillmentStatus")]
	if !i.has("fulfillment") {
		return -1
	}
	f := i.inner("fulfillment")
	place = s.placeOf(f.text("locationId"))
	if place < 0 {
		f.complain("locationId", "INVALID", "Location does not exist")
	}
	return place
}

// placeOf is the position of a location, or negative.
func (s *Platform) placeOf(id string) int {
	if l, is := s.one("Location", id).(locationObject); is {
		return l.n
	}
	return -1
}

// keep gives the order its numbers and its place in the shop.
func (s *Platform) keep(p *purchase) {
	var items, quantities []int
	for k := range p.lines {
		l := &p.lines[k]
		l.id = s.nextID()
		if l.item >= 0 {
			items, quantities = append(items, l.item), append(quantities, l.quantity)
		}
	}
	for k := range p.shippingLines {
		p.shippingLines[k].id = s.nextID()
	}
	for k := range p.transactions {
		p.transactions[k].id = s.nextID()
	}
	p.n = s.AddWritten(s.summary(p), items, quantities)
	if p.name == "" {
		p.name = "#" + strconv.Itoa(1001+p.n)
	}
	s.orders.all[p.n] = p
	s.keepMetafields(p)
}

// stocking tells whether the pieces of a variant are counted, and whether more of it may be sold than there is.
func (s *Platform) stocking(item int) (tracked, oversold bool) {
	counted, _ := itemObject{s, item}.field("tracked", nil).(bool)
	policy, _ := variantObject{s, item}.field("inventoryPolicy", nil).(string)
	return counted, policy == "CONTINUE"
}

// claim takes what is sold from what is available: "BYPASS: Do not claim inventory. DECREMENT_IGNORING_POLICY: Ignore the
// product's inventory policy and claim inventory. DECREMENT_OBEYING_POLICY: Follow the product's inventory policy and claim
// inventory, if possible" (docs/api/admin-graphql/latest/enums/OrderCreateInputsInventoryBehavior, api_version 2025-10).
// Which location is claimed from is not documented: here a line is claimed whole, where most is available.
func (s *Platform) claim(p *purchase, i input) {
	if p.behaviour == "BYPASS" {
		return
	}
	taken := map[[2]int]int{}
	for k := range p.lines {
		l := &p.lines[k]
		if l.item < 0 {
			continue
		}
		tracked, oversold := s.stocking(l.item)
		if !tracked {
			continue
		}
		left := func(place int) int { return s.Items[l.item].Levels[place].Quantity - taken[[2]int{l.item, place}] }
		l.place = 0
		if left(1) > left(0) {
			l.place = 1
		}
		if left(l.place) < l.quantity && !oversold && p.behaviour == "DECREMENT_OBEYING_POLICY" {
			line := input{path: append(append([]string{}, i.path...), "lineItems", strconv.Itoa(k)), to: i.to}
			line.complain("quantity", "INVENTORY_CLAIM_FAILED", "Unable to reserve inventory")
			continue
		}
		l.claimed = l.quantity
		taken[[2]int{l.item, l.place}] += l.quantity
	}
	if i.to.none() {
		for at, quantity := range taken {
			s.Stock(at[0], at[1], -quantity, s.Host.Config.Now())
		}
	}
}

// committed is what was claimed at a place and neither sent nor given back.
func (s *Platform) committed(item, place int) (sum int) {
	for _, p := range s.orders.all {
		for _, l := range p.lines {
			if l.item == item && l.place == place {
				sum += l.claim()
			}
		}
	}
	return sum
}

// created is what is told of a new order.
func (s *Platform) created(p *purchase, made, changed bool) (events []event) {
	switch {
	case made:
		events = append(events, event{"customers/create", s.restCustomer(p.customer)})
	case changed:
		events = append(events, event{"customers/update", s.restCustomer(p.customer)})
	}
	events = append(events, event{"orders/create", s.restPurchase(p)})
	if p.financialStatus() == "PAID" {
		events = append(events, event{"orders/paid", s.restPurchase(p)})
	}
	return append(events, s.stockEvents(p, p.claimedAt())...)
}

// claimedAt are the levels that the order's lines were claimed from, each once and in order.
func (p *purchase) claimedAt() (levels [][2]int) {
	seen := map[[2]int]bool{}
	for _, l := range p.lines {
		if at := [2]int{l.item, l.place}; l.claimed > 0 && !seen[at] {
			seen[at], levels = true, append(levels, at)
		}
	}
	return levels
}

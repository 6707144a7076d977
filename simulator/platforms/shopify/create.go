package shopify

import (
	"strconv"
)

// createOrder is orderCreate (docs/api/admin-graphql/latest/mutations/orderCreate, api_version 2026-10). It creates the
// order and claims its stock, or does nothing.
func (s *Platform) createOrder(args map[string]any, version string) any {
	to := &userErrors{of: "OrderCreateUserError"}
	values, _ := args["order"].(map[string]any)
	chosen, _ := args["options"].(map[string]any)
	i, options := input{values, []string{"order"}, to}, input{chosen, []string{"options"}, to}
	if version != merchant && !s.mayCreate() {
		// "a maximum of five new orders per minute"; the error is not documented. community.shopify.dev/t/4542 (2025)
		// quotes this text.
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
	s.register(p)
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

// mayCreate counts every attempt, because the limit is on attempts.
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
		f.addError("locationId", "INVALID", "Location does not exist")
	}
	return place
}

// placeOf returns the position of a location, or a negative number.
func (s *Platform) placeOf(id string) int {
	if l, is := s.one("Location", id).(locationObject); is {
		return l.n
	}
	return -1
}

// register assigns the order's numbers and adds it to the shop.
func (s *Platform) register(p *purchase) {
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

// stocking reports whether the stock of a variant is tracked, and whether it can be oversold.
func (s *Platform) stocking(item int) (tracked, oversold bool) {
	counted, _ := itemObject{s, item}.field("tracked", nil).(bool)
	policy, _ := variantObject{s, item}.field("inventoryPolicy", nil).(string)
	return counted, policy == "CONTINUE"
}

// claim takes the items from available stock: "BYPASS: Do not claim inventory. DECREMENT_IGNORING_POLICY: Ignore the
// product's inventory policy and claim inventory. DECREMENT_OBEYING_POLICY: Follow the product's inventory policy and
// claim inventory, if possible" (docs/api/admin-graphql/latest/enums/OrderCreateInputsInventoryBehavior, api_version
// 2025-10). The location is not documented: here the location with the most stock gets the whole line.
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
			line.addError("quantity", "INVENTORY_CLAIM_FAILED", "Unable to reserve inventory")
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

// committed returns the stock that is claimed at a location and neither shipped nor restocked.
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

// created returns the events of a new order.
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

// claimedAt returns the levels that the order's lines were claimed from, each once and in order.
func (p *purchase) claimedAt() (levels [][2]int) {
	seen := map[[2]int]bool{}
	for _, l := range p.lines {
		if at := [2]int{l.item, l.place}; l.claimed > 0 && !seen[at] {
			seen[at], levels = true, append(levels, at)
		}
	}
	return levels
}

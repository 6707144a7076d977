package shopify

import (
	"strconv"
	"strings"
	"time"
)

// readOrder reads an OrderCreateOrderInput (docs/api/admin-graphql/latest/input-objects/OrderCreateOrderInput,
// api_version 2026-10). OrderCreateUserErrorCode has seven values; the code is INVALID if none of the six others fits.
// The texts of the messages are not documented.
func (s *Platform) readOrder(i input, version string) *purchase {
	now := s.Host.Config.Now()
	p := &purchase{
		customer:         -1,
		currency:         "USD",
		name:             i.text("name"),
		email:            i.text("email"),
		phone:            i.text("phone"),
		note:             i.text("note"),
		poNumber:         i.text("poNumber"),
		sourceName:       i.text("sourceName"),
		sourceIdentifier: i.text("sourceIdentifier"),
		sourceURL:        i.text("sourceUrl"),
		tags:             i.texts("tags"),
		attributes:       i.pairs("customAttributes", "key"),
		test:             i.flag("test", false),
		taxesIncluded:    i.flag("taxesIncluded", false),
		financial:        i.text("financialStatus"),
		placed:           now.UnixMilli() / 1000 * 1000,
	}
	p.processed, p.updated = p.placed, p.placed
	if i.has("currency") {
		p.currency = i.text("currency")
	}
	if other := i.text("presentmentCurrency"); other != "" && other != p.currency {
		i.addError("presentmentCurrency", "INVALID", "The look-alike takes no presentment currency but the order's")
	}
	if i.has("billingAddress") {
		p.billing = i.inner("billingAddress").values
	}
	if i.has("shippingAddress") {
		p.shipping = i.inner("shippingAddress").values
	}
	if p.sourceName == "" {
		p.sourceName = strconv.Itoa(appNumber) // the app's id, as the REST API documents it for orders made by apps
	}
	s.readTimes(i, p, version, now)
	s.readLines(i, p)
	s.readShipping(i, p)
	s.readTaxes(i, p)
	s.readDiscount(i, p)
	s.readTransactions(i, p, now)
	return p
}

// readTimes: "As of API version 2026-07, values in the future are clamped to the current time. In earlier versions, future
// values return a PROCESSED_AT_INVALID error" (OrderCreateOrderInput.processedAt, api_version 2026-07).
func (s *Platform) readTimes(i input, p *purchase, version string, now time.Time) {
	if i.has("processedAt") {
		at, err := readMoment(i.text("processedAt"))
		switch {
		case err != nil:
			i.addError("processedAt", "INVALID", "Processed at is invalid")
		case !at.After(now):
			p.processed = at.UnixMilli()
		case version < "2026-07":
			i.addError("processedAt", "PROCESSED_AT_INVALID", "Processed at must not be in the future")
		}
	}
	if i.has("closedAt") {
		at, err := readMoment(i.text("closedAt"))
		if err != nil {
			i.addError("closedAt", "INVALID", "Closed at is invalid")
		}
		p.closed = at.UnixMilli()
	}
}

func (s *Platform) readLines(i input, p *purchase) {
	lines := i.each("lineItems")
	if len(lines) == 0 { // not documented; the schema allows it
		i.addError("lineItems", "INVALID", "Line items must have at least one line item")
	}
	for _, one := range lines {
		l := purchaseLine{
			item:       -1,
			title:      one.text("title"),
			variant:    one.text("variantTitle"),
			sku:        one.text("sku"),
			vendor:     one.text("vendor"),
			quantity:   one.number("quantity"),
			taxable:    one.flag("taxable", true),
			ships:      one.flag("requiresShipping", false),
			giftCard:   one.flag("giftCard", false),
			properties: one.pairs("properties", "name"),
			place:      -1,
		}
		if l.quantity < 1 {
			one.addError("quantity", "INVALID", "Quantity must be greater than or equal to 1")
		}
		if service := one.text("fulfillmentService"); service != "" && service != "manual" {
			one.addError("fulfillmentService", "FULFILLMENT_SERVICE_INVALID", "Fulfillment service is invalid")
		}
		s.readGoods(one, &l)
		if one.has("priceSet") {
			l.cents = one.money("priceSet", p.currency)
		} else if l.item < 0 && !one.has("variantId") {
			one.addError("priceSet", "INVALID", "Price can't be blank")
		}
		if l.cents < 0 {
			one.addError("priceSet", "INVALID", "Price must be greater than or equal to 0")
		}
		l.taxes = one.taxes(p.currency)
		p.lines = append(p.lines, l)
	}
}

// readGoods copies the variant's data, or requires the title of a custom line.
func (s *Platform) readGoods(one input, l *purchaseLine) {
	id := one.text("variantId")
	if id == "" {
		if l.title == "" {
			one.addError("title", "INVALID", "Title can't be blank")
		}
		return
	}
	v, is := s.one("ProductVariant", id).(variantObject)
	if !is {
		one.addError("variantId", "INVALID", "Product variant does not exist")
		return
	}
	i := s.Items[v.n]
	product := s.Products[i.Product]
	l.item, l.cents, l.ships = v.n, i.Cents, one.flag("requiresShipping", true)
	for _, known := range []struct {
		own   *string
		value string
	}{{&l.title, product.Title}, {&l.variant, v.title()}, {&l.sku, i.SKU}, {&l.vendor, product.Brand}} {
		if *known.own == "" {
			*known.own = known.value
		}
	}
}

// taxes reads tax lines. The code TAX_LINE_RATE_MISSING does not occur, because the schema requires the rate.
func (i input) taxes(currency string) (list []tax) {
	for _, one := range i.each("taxLines") {
		rate, err := strconv.ParseFloat(decimal(one.values["rate"]), 64)
		if err != nil || rate < 0 {
			one.addError("rate", "INVALID", "Rate is invalid")
		}
		t := tax{
			title:    one.text("title"),
			rate:     rate,
			liable:   one.flag("channelLiable", false),
			unpriced: !one.has("priceSet"),
		}
		if !t.unpriced {
			t.cents = one.money("priceSet", currency)
		}
		if t.cents < 0 {
			one.addError("priceSet", "INVALID", "Price must be greater than or equal to 0")
		}
		list = append(list, t)
	}
	return list
}

func (s *Platform) readShipping(i input, p *purchase) {
	for _, one := range i.each("shippingLines") {
		l := shippingLine{
			title:  one.text("title"),
			code:   one.text("code"),
			source: one.text("source"),
			cents:  one.money("priceSet", p.currency),
		}
		if l.cents < 0 { // "Can't be negative."
			one.addError("priceSet", "INVALID", "Price must be greater than or equal to 0")
		}
		l.taxes = one.taxes(p.currency)
		p.shippingLines = append(p.shippingLines, l)
	}
}

// readTaxes: "tax lines can be specified on the order or the line items but not both".
func (s *Platform) readTaxes(i input, p *purchase) {
	p.taxes = i.taxes(p.currency)
	for _, l := range p.lines {
		if len(l.taxes) > 0 && len(p.taxes) > 0 {
			i.addError("taxLines", "INVALID", "Tax lines must be specified on the order or the line items, but not both")
			return
		}
	}
}

func (s *Platform) readDiscount(i input, p *purchase) {
	code := i.inner("discountCode")
	if len(code.values) > 1 { // "Only one type of discount can be applied to an order."
		code.addError("", "INVALID", "Only one type of discount can be applied to an order")
	}
	if part := code.inner("itemPercentageDiscountCode"); part.values != nil {
		percent, _ := strconv.ParseFloat(decimal(part.values["percentage"]), 64)
		p.code, p.discount = part.text("code"), share(p.items(), percent/100)
	}
	if part := code.inner("itemFixedDiscountCode"); part.values != nil {
		p.code = part.text("code")
		if part.has("amountSet") {
			p.discount = part.money("amountSet", p.currency)
		}
	}
	if part := code.inner("freeShippingDiscountCode"); part.values != nil {
		p.code, p.freeShipping = part.text("code"), true
	}
	if p.discount < 0 || p.discount > p.items() {
		code.addError("", "INVALID", "Discount must be between 0 and the price of the items")
	}
}

func (s *Platform) readTransactions(i input, p *purchase, now time.Time) {
	for _, one := range i.each("transactions") {
		t := transaction{
			kind:          "SALE",
			status:        "SUCCESS",
			gateway:       one.text("gateway"),
			authorization: one.text("authorizationCode"),
			cents:         one.money("amountSet", p.currency),
			receipt:       one.values["receiptJson"],
			test:          one.flag("test", false),
			made:          p.placed,
			processed:     p.processed,
		}
		if kind := one.text("kind"); kind != "" {
			t.kind = kind
		}
		if status := one.text("status"); status != "" {
			t.status = status
		}
		if t.cents < 0 {
			one.addError("amountSet", "INVALID", "Amount must be greater than or equal to 0")
		}
		if one.has("processedAt") {
			at, err := readMoment(one.text("processedAt"))
			if err != nil {
				one.addError("processedAt", "INVALID", "Processed at is invalid")
			}
			t.processed = min(at.UnixMilli(), now.UnixMilli())
		}
		p.transactions = append(p.transactions, t)
	}
}

// readCustomer reads the customer to associate, or the one to update or create. It changes nothing; apply does, and
// reports whether it created or changed a customer.
func (s *Platform) readCustomer(i input, p *purchase) (apply func() (made, changed bool)) {
	nothing := func() (bool, bool) { return false, false }
	customer := i.inner("customer")
	associate, upsert := customer.inner("toAssociate"), customer.inner("toUpsert")
	switch {
	case i.has("customerId") && i.has("customer"):
		i.addError("customer", "REDUNDANT_CUSTOMER_FIELDS", "Only one of customer_id and customer is permitted")
		return nothing
	case i.has("customerId"):
		associate = input{map[string]any{"id": i.text("customerId")}, i.path, i.to}
	case associate.values != nil && upsert.values != nil: // not documented
		customer.addError("", "INVALID", "Only one of toAssociate and toUpsert is permitted")
		return nothing
	}
	switch {
	case associate.values != nil:
		p.customer = s.findCustomer(associate)
		if p.customer < 0 {
			associate.addError("id", "INVALID", "Customer does not exist")
		}
	case upsert.values != nil:
		return s.readUpsert(upsert, p)
	default:
		return nothing
	}
	// "If both this email input field and the email on OrderCreateOrderInput are provided, this field will take precedence."
	if email := associate.text("email"); email != "" {
		p.email = email
	} else if p.email == "" && p.customer >= 0 {
		p.email = s.Customers[p.customer].Email
	}
	return nothing
}

func (s *Platform) findCustomer(by input) int {
	if id := by.text("id"); id != "" {
		if c, is := s.one("Customer", id).(customerObject); is {
			return c.n
		}
		return -1
	}
	for n, c := range s.Customers {
		if by.text("email") != "" && strings.EqualFold(c.Email, by.text("email")) && !c.Deleted {
			return n
		}
	}
	return -1
}

// readUpsert: "The email address to update the customer with. If no id is provided, this is used to uniquely identify the
// customer" (OrderCreateUpsertCustomerAttributesInput, api_version 2026-10).
func (s *Platform) readUpsert(i input, p *purchase) func() (made, changed bool) {
	email := i.text("email")
	if email == "" {
		email = p.email
	}
	p.email = email
	found := s.findCustomer(input{map[string]any{"id": i.values["id"], "email": email}, i.path, i.to})
	if found < 0 && i.has("id") {
		i.addError("id", "INVALID", "Customer does not exist")
	}
	first, last := i.text("firstName"), i.text("lastName")
	for _, address := range []map[string]any{p.shipping, p.billing} {
		name := input{values: address}
		if first == "" && last == "" {
			first, last = name.text("firstName"), name.text("lastName")
		}
	}
	p.customer = found
	return func() (made, changed bool) {
		now := s.Host.Config.Now()
		if p.customer < 0 {
			p.customer = s.AddCustomer(first, last, email, s.Tick(now, 0))
			return true, false
		}
		c := &s.Customers[p.customer]
		before := *c
		for own, value := range map[*string]string{&c.First: i.text("firstName"), &c.Last: i.text("lastName"), &c.Email: email} {
			if value != "" {
				*own = value
			}
		}
		if *c != before {
			c.Updated = s.Tick(now, c.Updated)
		}
		return false, *c != before
	}
}

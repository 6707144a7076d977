package judge

import "fmt"

// catalogue checks the answers of search, lookup and product.
func (r *report) catalogue() {
	r.envelope()
	r.policies()
	r.messages()
	products, path := list(r.root["products"]), "$.products"
	r.unique(path, products)
	for i, product := range products {
		r.product(at(path, i), object(product))
	}
	if product, single := r.root["product"].(map[string]any); single {
		r.product("$.product", product)
		r.selected(product)
	}
}

// product checks that the price range spans the prices of the variants shown, all in one currency.
func (r *report) product(path string, product map[string]any) {
	variants := list(product["variants"])
	r.unique(path+".variants", variants)
	low, high := price(object(product["price_range"])["min"]), price(object(product["price_range"])["max"])
	r.require(low.amount <= high.amount, path+".price_range", "%d to %d", low.amount, high.amount)
	r.require(low.currency == high.currency, path+".price_range", "it is in %s and %s", low.currency, high.currency)
	for i, entry := range variants {
		where, variant := at(path+".variants", i), object(entry)
		cost := price(variant["price"])
		r.require(cost.currency == low.currency, where+".price.currency", "%s, the range is in %s", cost.currency, low.currency)
		r.require(low.amount <= cost.amount && cost.amount <= high.amount, where+".price", "%d is not between %d and %d", cost.amount, low.amount, high.amount)
		if variant["list_price"] != nil {
			listed := price(variant["list_price"])
			r.require(listed.currency == cost.currency, where+".list_price.currency", "%s, the price is in %s", listed.currency, cost.currency)
			r.require(!r.judge.house || listed.amount > cost.amount, where+".list_price", "%d is no more than the price %d", listed.amount, cost.amount)
		}
		r.variantOptions(where, variant, product)
	}
}

type money struct {
	amount   int64
	currency string
}

func price(value any) money {
	return money{amount(value), text(object(value)["currency"])}
}

// variantOptions checks that a variant has at most one value for each option of the product, and only values that exist.
func (r *report) variantOptions(path string, variant, product map[string]any) {
	offered := map[string]bool{}
	for _, option := range list(product["options"]) {
		for _, value := range list(object(option)["values"]) {
			offered[pair(object(option)["name"], object(value)["label"])] = true
		}
	}
	names := map[string]bool{}
	for i, entry := range list(variant["options"]) {
		option := object(entry)
		r.require(!names[text(option["name"])], at(path+".options", i), "%q is there twice", text(option["name"]))
		names[text(option["name"])] = true
		r.require(len(offered) == 0 || offered[pair(option["name"], option["label"])], at(path+".options", i),
			"the product has no %s %q", text(option["name"]), text(option["label"]))
	}
}

func pair(name, label any) string { return fmt.Sprintf("%s\x00%s", text(name), text(label)) }

// selected checks that a product with options says which of them its featured variant has.
func (r *report) selected(product map[string]any) {
	if len(list(product["options"])) == 0 {
		return
	}
	selected, present := product["selected"].([]any)
	r.require(present, "$.product.selected", "a product with options says what is selected")
	names := map[string]bool{}
	for i, entry := range selected {
		name := text(object(entry)["name"])
		r.require(!names[name], at("$.product.selected", i)+".name", "%q is there twice", name)
		names[name] = true
	}
}

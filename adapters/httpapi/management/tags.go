package management

import "github.com/danielgtaylor/huma/v2"

// tags are the groups of operations, in the order of the documentation.
var tags = []*huma.Tag{
	{Name: "Account", Description: "The merchant's account, its second factor, and the audit log of every change."},
	{Name: "API keys", Description: "Keys of the Management API with their scopes, optionally bound to projects."},
	{Name: "Projects", Description: "A project is one shop. Its catalog, buyers, orders and money are separate from those of other projects."},
	{Name: "Settings", Description: "Settings of a project, by category."},
	{Name: "Storefront", Description: "What buyers see of a shop, and its shipping, tax and returns."},
	{Name: "Catalog", Description: "Products, categories, imports in batches, synonyms, and the state of the search index."},
	{Name: "Inventory", Description: "Stock levels by variant and location."},
	{Name: "Agents", Description: "Who negotiates for a project: agents, the versions of their policies, their recorded decisions, and tuning."},
	{Name: "Integrations", Description: "Connections to shop platforms and payment providers, their sync runs and their webhooks."},
	{Name: "Orders", Description: "Orders, their cancellation and fulfillment."},
	{Name: "Returns", Description: "Returns that buyers request, to approve or reject."},
	{Name: "Shipping", Description: "Rates and labels of carriers for an order."},
	{Name: "Finance", Description: "Payments, refunds, the ledger, reconciliation with payment providers, and exports as CSV."},
	{Name: "Analytics", Description: "Negotiations and sales over time."},
	{Name: "Buyers", Description: "Tokens that vouch for a buyer, and export and erasure of personal data."},
	{Name: "Events", Description: "Events, subscriptions to them, their deliveries, and the webhooks that carry them."},
}

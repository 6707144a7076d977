package console

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

func routeIntegrations(page func(pattern string, show func(*memberRequest) error)) {
	page("GET /integrations", (*memberRequest).integrations)
	page("GET /integrations/{integration}", (*memberRequest).integration)
	page("POST /integrations/{integration}/sync", (*memberRequest).startSync)
	page("POST /integrations/{integration}/schedule", (*memberRequest).scheduleSync)
	page("GET /integrations/{integration}/syncs/{sync}", (*memberRequest).syncRun)
	page("POST /integrations/{integration}/syncs/{sync}/cancel", (*memberRequest).cancelSync)
	page("POST /integrations/{integration}/webhooks", (*memberRequest).registerWebhook)
	page("POST /integrations/{integration}/webhooks/{webhook}/remove", (*memberRequest).removeWebhook)
	page("GET /integrations/{integration}/conflicts", (*memberRequest).conflicts)
	page("GET /integrations/{integration}/calls", (*memberRequest).webhookCalls)
	page("POST /integrations/{integration}/calls/{call}/retry", (*memberRequest).retryWebhookCall)
	page("POST /integrations/{integration}/credentials", (*memberRequest).replaceCredentials)
	page("POST /integrations/{integration}/disconnect", (*memberRequest).disconnect)
}

// Connects reports whether the member sees what the shop is connected to.
func (f frame) Connects() bool { return f.may("integrations:read") }

// connected is an integration of the API.
type connected struct {
	ID       string     `json:"id"`
	Type     string     `json:"type"`
	Name     string     `json:"name"`
	Status   string     `json:"status"`
	Error    string     `json:"last_error"`
	LastSync *time.Time `json:"last_sync"`
	NextSync *time.Time `json:"next_sync"`
	Config   struct {
		Store     string `json:"store_domain"`
		BaseURL   string `json:"base_url"`
		Account   string `json:"account_id"`
		Products  *bool  `json:"sync_products"`
		Orders    *bool  `json:"sync_orders"`
		Customers *bool  `json:"sync_customers"`
		Schedule  string `json:"sync_schedule"`
	} `json:"config"`
	Metrics struct {
		Products int `json:"products_synced"`
		Orders   int `json:"orders_synced"`
		Errors   int `json:"errors_24h"`
	} `json:"metrics"`
}

// syncs reports whether there is anything to read at the platform.
func (c *connected) syncs() bool {
	return c.Config.Products != nil || c.Config.Orders != nil || c.Config.Customers != nil
}

type integrationsView struct {
	frame
	Rows    []integrationRow
	Connect string // where something is connected; "": the member does not
}

type integrationRow struct {
	Address, Name, Platform, Where string
	Problem                        string // why it does not work
	Pills                          []pill
	Last, Next                     string
	LastExact, NextExact           string
	Known                          string // what was read of the platform
	Syncs                          bool
}

func (v *memberRequest) integrationsPath() string { return v.shop.Path() + "/integrations" }

func (v *memberRequest) integrations() error {
	found, err := fetchAll[connected](v.api, "/v1/integrations", nil)
	if err != nil {
		return err
	}
	view := &integrationsView{frame: v.page("Integrations", "integrations")}
	if v.may("integrations:write") {
		view.Connect = v.shop.Path() + "/connect"
	}
	for i := range found {
		view.Rows = append(view.Rows, v.integrationRow(&found[i]))
	}
	// Integrations with errors come first and disconnected ones last.
	rank := map[string]int{"error": 0, "connected": 1, "disconnected": 2}
	order := map[string]int{}
	for i := range found {
		order[view.Rows[i].Address] = rank[found[i].Status]
	}
	slices.SortStableFunc(view.Rows, func(a, b integrationRow) int { return cmp.Compare(order[a.Address], order[b.Address]) })
	return v.show("integrations", view)
}

// integrationPills are the states of integrations.
var integrationPills = map[string]pill{
	"connected":    {"Connected", "good"},
	"error":        {"Does not work", "bad"},
	"disconnected": {"Disconnected", ""},
}

func (v *memberRequest) integrationRow(c *connected) integrationRow {
	w := v.shop.words
	row := integrationRow{
		Address:  v.integrationsPath() + "/" + c.ID,
		Name:     c.Name,
		Platform: platformName(c.Type),
		Where:    cmp.Or(c.Config.Store, c.Config.BaseURL, c.Config.Account),
		Pills:    []pill{integrationPills[c.Status]},
		Syncs:    c.syncs(),
	}
	if c.Status == "error" {
		row.Problem = c.Error
	}
	if c.Metrics.Errors > 0 {
		row.Pills = append(row.Pills, pill{count(c.Metrics.Errors, "error", "errors") + " in 24 h", "warn"})
	}
	if !row.Syncs {
		return row
	}
	row.Last, row.Next = "Never", "Manual"
	if c.LastSync != nil {
		row.Last, row.LastExact = capital(w.ago(*c.LastSync)), c.LastSync.Format(time.RFC3339)
	}
	if c.NextSync != nil {
		row.Next, row.NextExact = w.clock(*c.NextSync), c.NextSync.Format(time.RFC3339)
	}
	known := []string{}
	if c.Config.Products != nil {
		known = append(known, count(c.Metrics.Products, "product", "products"))
	}
	if c.Config.Orders != nil {
		known = append(known, count(c.Metrics.Orders, "order", "orders"))
	}
	row.Known = strings.Join(known, ", ")
	return row
}

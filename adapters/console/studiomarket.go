package console

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
)

// marketJob is a job of the API that simulates a market.
type marketJob struct {
	ID       string `json:"id"`
	Status   string `json:"status"`
	Progress struct {
		Done  int `json:"done"`
		Total int `json:"total"`
	} `json:"progress"`
	Request struct {
		Policy  *haggling `json:"policy"`
		Version *int      `json:"policy_version"`
		Against int       `json:"against_version"`
	} `json:"request"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
	Result *marketResult `json:"result"`
}

type marketResult struct {
	Currency    string     `json:"currency"`
	Buyers      int        `json:"buyers"`
	Before      marketArm  `json:"before"`
	After       marketArm  `json:"after"`
	Posted      *marketArm `json:"best_posted_price"`
	WithoutCost int        `json:"products_without_cost"`
	Products    []struct{} `json:"products"`
	Populations []struct {
		Title  string    `json:"title"`
		Before marketArm `json:"before"`
		After  marketArm `json:"after"`
	} `json:"populations"`
	Difference *struct {
		Margin        json.Number `json:"margin_per_thousand"`
		Low           json.Number `json:"low"`
		High          json.Number `json:"high"`
		MarginByMonth json.Number `json:"margin_per_month"`
		LowByMonth    json.Number `json:"low_per_month"`
		HighByMonth   json.Number `json:"high_per_month"`
		Verdict       string      `json:"verdict"`
	} `json:"difference"`
}

// marketArm has the results of a policy with simulated buyers.
type marketArm struct {
	Deals          float64     `json:"deals_share"`
	Discount       float64     `json:"average_discount_percent"`
	Revenue        json.Number `json:"revenue_per_thousand"`
	RevenueByMonth json.Number `json:"revenue_per_month"`
	Margin         json.Number `json:"margin_per_thousand"`
	MarginByMonth  json.Number `json:"margin_per_month"`
}

// marketView is the simulated market on the studio's page.
type marketView struct {
	Start, Key     string // the address that starts it; "": the role may not start it
	Again          bool
	Runs           bool
	Done, Total    int
	Progress       string
	Cancel         string
	Hidden         []fact
	Lead, Interval string
	Per            string // "a month"
	Rows, Kinds    []marketRow
	Note, Failed   string
	Other          string // it simulated another draft than the page's
}

type marketRow struct{ Name, Deals, Discount, Revenue, Margin string }

// market shows the simulation named in the address, or offers to start one. It returns nil if it can do neither.
func (s *studio) market(d *draft, q url.Values, key string) (*marketView, error) {
	view := &marketView{Hidden: s.hidden(d, q, nil)}
	if s.may("agents:write") {
		view.Start, view.Key = s.address("/market", nil), key
	}
	name := q.Get("job")
	switch {
	case name == "" && view.Start == "":
		return nil, nil
	case name == "":
		return view, nil
	}
	view.Again = true
	job, err := fetch[marketJob](s.api, "/v1/jobs/"+url.PathEscape(name), nil)
	var p *problem
	if errors.As(err, &p) && p.Status == http.StatusNotFound {
		view.Failed = "This simulation is not kept any longer."
		return view, nil
	}
	if err != nil {
		return nil, err
	}
	s.wordJob(view, &job)
	if job.Request.Policy != nil {
		if all, _ := differences(*job.Request.Policy, d.policy); len(all) > 0 {
			view.Other = "The draft has changed since. Simulate it again to see its figures."
		}
	}
	return view, nil
}

func (s *studio) wordJob(view *marketView, job *marketJob) {
	switch job.Status {
	case "queued", "running":
		view.Runs, view.Done, view.Total = true, job.Progress.Done, max(1, job.Progress.Total)
		view.Progress = "Waits for its turn"
		if job.Progress.Total > 0 {
			view.Progress = thousands(job.Progress.Done) + " of " + count(job.Progress.Total, "negotiation", "negotiations")
		}
		if s.may("agents:write") {
			view.Cancel = s.address("/market/"+url.PathEscape(job.ID)+"/cancel", nil)
		}
	case "canceled":
		view.Failed = "The simulation was cancelled."
	case "failed":
		view.Failed = "The simulation failed."
		if job.Error != nil {
			view.Failed += " " + job.Error.Message
		}
	}
	if job.Result != nil {
		s.wordMarket(view, job)
	}
}

// wordMarket formats a result in money: per month if the number of buyers is known from the shop's record, or else per 1,000
// buyers.
func (s *studio) wordMarket(view *marketView, job *marketJob) {
	r := job.Result
	byMonth := r.After.RevenueByMonth != ""
	view.Per = pick(byMonth, "a month", "per 1,000 buyers")
	against := versionWord(job.Request.Against)
	mine := "The draft"
	if job.Request.Version != nil {
		mine = capital(versionWord(*job.Request.Version))
	}
	row := func(name string, a marketArm) marketRow {
		revenue, margin := a.Revenue, a.Margin
		if byMonth {
			revenue, margin = a.RevenueByMonth, a.MarginByMonth
		}
		return marketRow{
			Name:     name,
			Deals:    share(a.Deals),
			Discount: plainNumber(a.Discount) + "%",
			Revenue:  s.shop.words.amount(revenue, r.Currency),
			Margin:   s.known(margin, r.Currency),
		}
	}
	view.Rows = []marketRow{row(mine, r.After), row(capital(against), r.Before)}
	if r.Posted != nil {
		view.Rows = append(view.Rows, row("The best fixed prices", *r.Posted))
	}
	for _, p := range r.Populations {
		view.Kinds = append(view.Kinds, marketRow{
			Name:     p.Title,
			Deals:    share(p.Before.Deals) + " → " + share(p.After.Deals),
			Discount: plainNumber(p.Before.Discount) + "% → " + plainNumber(p.After.Discount) + "%",
		})
	}
	view.Note = "For " + count(len(r.Products), "product", "products") + " of yours"
	if byMonth {
		view.Note += ", as often as buyers haggled about them in the last 30 days"
	}
	view.Note += "."
	if r.WithoutCost > 0 {
		view.Note += " " + count(r.WithoutCost, "product has", "products have") + " no cost on record and count for no margin."
	}
	s.wordDifference(view, r, byMonth, mine, against)
}

func (s *studio) known(n json.Number, code string) string {
	if n == "" {
		return "–"
	}
	return s.shop.words.amount(n, code)
}

func (s *studio) wordDifference(view *marketView, r *marketResult, byMonth bool, mine, against string) {
	diff := r.Difference
	if diff == nil {
		view.Lead = "No product has a known cost, so there is no margin to compare."
		return
	}
	mean, low, high := diff.Margin, diff.Low, diff.High
	if byMonth {
		mean, low, high = diff.MarginByMonth, diff.LowByMonth, diff.HighByMonth
	}
	amount := func(n json.Number) string { return s.shop.words.amount(n, r.Currency) }
	view.Interval = "Between " + amount(low) + " and " + amount(high) + " " + view.Per + ", with 95% certainty."
	switch diff.Verdict {
	case "better":
		view.Lead = mine + " earns about " + amount(mean) + " more margin " + view.Per + " than " + against + "."
	case "worse":
		view.Lead = mine + " earns about " + amount(negative(mean)) + " less margin " + view.Per + " than " + against + "."
	default:
		view.Lead = "No difference from " + against + " that chance would not make."
	}
}

// startMarket starts a simulation of buyers of all kinds with the draft of a form.
func (s *studio) startMarket() error {
	if err := s.loadPresets(); err != nil {
		return err
	}
	f := s.r.PostForm
	d, err := s.readDraft(f)
	if err != nil {
		return err
	}
	if d.problemOf() != nil {
		http.Redirect(s.w, s.r, s.here(d, f), http.StatusSeeOther)
		return nil
	}
	document, _ := d.policy.document()
	body := map[string]any{"policy": document}
	if ids := shownProducts(f); len(ids) > 0 {
		body["product_ids"] = ids
	}
	var job marketJob
	if err := s.api.post(http.MethodPost, s.agentPath("/market"), change{body: body, key: f.Get("key")}, &job); err != nil {
		return err
	}
	f.Set("job", job.ID)
	http.Redirect(s.w, s.r, s.here(d, f)+"#market", http.StatusSeeOther)
	return nil
}

// cancelMarket ends a simulation, and returns to the draft.
func (s *studio) cancelMarket() error {
	if err := s.loadPresets(); err != nil {
		return err
	}
	job := s.r.PathValue("job")
	err := s.api.post(http.MethodPost, "/v1/jobs/"+url.PathEscape(job)+"/cancel", change{}, nil)
	if p, refused := asProblem(err); err != nil && (!refused || p.Status != http.StatusConflict) { // 409: it may have ended by itself
		return err
	}
	f := s.r.PostForm
	d, err := s.readDraft(f)
	if err != nil {
		return err
	}
	f.Set("job", job)
	http.Redirect(s.w, s.r, s.here(d, f)+"#market", http.StatusSeeOther)
	return nil
}

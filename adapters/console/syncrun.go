package console

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// syncRun is a run of the API.
type syncRun struct {
	ID        string `json:"sync_id"`
	Status    string `json:"status"`
	Full      bool   `json:"full_sync"`
	Preview   bool   `json:"preview"`
	Resources map[string]struct {
		Total     int `json:"total"`
		Created   int `json:"created"`
		Updated   int `json:"updated"`
		Unchanged int `json:"unchanged"`
		Errors    int `json:"errors"`
	} `json:"resources"`
	Progress map[string]struct {
		Done      int    `json:"done"`
		Total     *int   `json:"total"`
		AtLeast   bool   `json:"at_least"`
		LimitedBy string `json:"limited_by"`
	} `json:"progress"`
	Seconds    *int       `json:"seconds_left"`
	StartedAt  time.Time  `json:"started_at"`
	EndedAt    *time.Time `json:"completed_at"`
	DurationMS int        `json:"duration_ms"`
	Error      string     `json:"error"`
	Notices    []struct {
		Message string `json:"message"`
	} `json:"notices"`
}

type runRow struct {
	Address, Cancel string
	What            string // Changes, Everything or Preview
	When, Exact     string
	Took            string
	Pills           []pill
	Problem         string
	Left            string // about how long it still takes
	Counts          []countRow
}

// countRow has the results of a resource's records.
type countRow struct {
	Resource, Progress         string
	Total, Created, Updated    string
	Unchanged, Errors, Limited string
	Failed                     bool
	Done                       int
	Of                         int // 0: it is not known
}

// runPills are the states of runs.
var runPills = map[string]pill{
	"running":   {"Running", "info"},
	"completed": {"Done", "good"},
	"failed":    {"Failed", "bad"},
	"canceled":  {"Cancelled", ""},
}

// resourceOrder is the order in which a run reads resources.
var resourceOrder = []string{"products", "inventory", "customers", "orders"}

// syncWaits describes what a run waits for at a platform.
var syncWaits = map[string]string{
	"rate_limit":     "waits for the platform's rate limit",
	"bulk_operation": "waits until the platform has prepared the data",
}

func (v *memberRequest) runRow(integration string, r *syncRun) runRow {
	w := v.shop.words
	row := runRow{
		Address: integration + "/syncs/" + r.ID,
		What:    "Changes",
		When:    w.clock(r.StartedAt),
		Exact:   r.StartedAt.Format(time.RFC3339),
		Pills:   []pill{runPills[r.Status]},
		Problem: r.Error,
	}
	switch {
	case r.Preview:
		row.What = "Preview"
	case r.Full:
		row.What = "Everything"
	}
	if r.EndedAt != nil {
		row.Took = span(max(time.Second, time.Duration(r.DurationMS)*time.Millisecond))
	}
	if r.Status == "running" {
		row.Cancel = row.Address + "/cancel"
		if r.Seconds != nil {
			row.Left = "about " + span(time.Duration(*r.Seconds)*time.Second) + " left"
		}
	}
	failed := 0
	for _, name := range resourceOrder {
		c, counted := r.Resources[name]
		p, begun := r.Progress[name]
		if !counted && !begun {
			continue
		}
		one := countRow{
			Resource:  capital(name),
			Total:     thousands(c.Total),
			Created:   thousands(c.Created),
			Updated:   thousands(c.Updated),
			Unchanged: thousands(c.Unchanged),
			Errors:    thousands(c.Errors),
			Failed:    c.Errors > 0,
			Limited:   syncWaits[p.LimitedBy],
			Done:      p.Done,
			Progress:  thousands(p.Done) + " read",
		}
		if p.Total != nil {
			one.Progress = thousands(p.Done) + " of " + thousands(*p.Total) + " read"
			if p.AtLeast {
				one.Progress = thousands(p.Done) + " of at least " + thousands(*p.Total) + " read"
			}
			one.Of = *p.Total
		}
		failed += c.Errors
		row.Counts = append(row.Counts, one)
	}
	if failed > 0 {
		row.Pills = append(row.Pills, pill{thousands(failed) + " refused", "warn"})
	}
	return row
}

// Sum summarizes a run in a line.
func (r runRow) Sum() string {
	var parts []string
	for _, c := range r.Counts {
		text := c.Resource + ": " + c.Total
		var changes []string
		for _, part := range []struct{ n, word string }{{c.Created, "new"}, {c.Updated, "changed"}, {c.Errors, "refused"}} {
			if part.n != "0" {
				changes = append(changes, part.n+" "+part.word)
			}
		}
		if len(changes) > 0 {
			text += " (" + strings.Join(changes, ", ") + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " · ")
}

// refusedRecord is a record that a run did not import.
type refusedRecord struct {
	Resource string    `json:"resource"`
	Record   string    `json:"record_id"`
	Reason   string    `json:"reason"`
	At       time.Time `json:"at"`
}

type runView struct {
	frame
	Done         string
	Back, Name   string
	Run          runRow
	Preview      bool
	MayCancel    bool
	Notices      []string
	Refused      []refusedRow
	Changes      []changedRow
	Cut          bool
	MoreChanges  string
	Key          string
	Older, Newer string
}

type refusedRow struct{ Resource, Record, Reason string }

func (v *memberRequest) syncRun() error {
	c, err := fetch[connected](v.api, v.aboutIntegration(), nil)
	if err != nil {
		return err
	}
	r, err := fetch[syncRun](v.api, v.aboutSync(), nil)
	if err != nil {
		return err
	}
	offset := v.offset()
	refused, err := fetch[list[refusedRecord]](v.api, v.aboutSync()+"/errors", pageAt(offset))
	if err != nil {
		return err
	}
	view := &runView{
		frame:     v.page("Sync of "+c.Name, "integrations"),
		Back:      v.integrationsPath() + "/" + c.ID,
		Name:      c.Name,
		Preview:   r.Preview,
		MayCancel: r.Status == "running" && v.may("integrations:write"),
		Key:       newForm("", nil).Key,
	}
	view.Run = v.runRow(view.Back, &r)
	for _, n := range r.Notices {
		view.Notices = append(view.Notices, n.Message)
	}
	slices.Sort(view.Notices)
	view.Notices = slices.Compact(view.Notices)
	if err := v.addChanges(view, r.Preview); err != nil {
		return err
	}
	for _, one := range refused.Data {
		view.Refused = append(view.Refused, refusedRow{capital(one.Resource), one.Record, one.Reason})
	}
	view.Newer, view.Older = besides(offset, len(refused.Data), refused.Meta.Total, func(to string) string {
		return link(view.Run.Address, url.Values{"offset": {to}})
	})
	return v.show("syncrun", view)
}

// addChanges adds the changes of a preview, or the conflicts of another run.
func (v *memberRequest) addChanges(view *runView, preview bool) error {
	at, _ := strconv.Atoi(v.r.URL.Query().Get("changes"))
	at = max(0, at)
	query := pageAt(at)
	if !preview {
		query.Set("kind", "conflict")
	}
	found, err := fetch[syncChanges](v.api, v.aboutSync()+"/changes", query)
	if err != nil {
		return err
	}
	for i := range found.Data {
		view.Changes = append(view.Changes, v.changedRow(&found.Data[i]))
	}
	view.Cut = found.Cut
	_, view.MoreChanges = besides(at, len(found.Data), found.Meta.Total, func(to string) string {
		return link(view.Run.Address, url.Values{"changes": {to}})
	})
	return nil
}

package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

func (w *world) onIntegration(rest string) string {
	return integrationsPath + "/" + w.integration.ID + rest
}

func (w *world) startsSync(body string) error {
	return w.attempt(func() error {
		if err := w.send("POST", w.onIntegration("/sync"), w.expand(body), nil); err != nil {
			return err
		}
		return w.noteSync()
	})
}

func (w *world) noteSync() error {
	var run struct {
		ID string `json:"sync_id"`
	}
	err := json.Unmarshal(w.tape.last().body, &run)
	w.sync = run.ID
	return err
}

// hasSynced runs a sync to its end, which must be a good one.
func (w *world) hasSynced(body string) error {
	if err := errors.Join(w.startsSync(body), w.unjudged()); err != nil {
		return err
	}
	return w.syncEnds("completed")
}

// syncEnds waits for it. The last answer is the run then, and its counters add up.
func (w *world) syncEnds(status string) error {
	for end := time.Now().Add(syncPatience); ; time.Sleep(20 * time.Millisecond) {
		if err := w.send("GET", w.onIntegration("/sync/"+w.sync), "", nil); err != nil {
			return err
		}
		var run struct {
			Status    string
			Resources map[string]struct{ Total, Created, Updated, Unchanged, Errors int }
		}
		if err := json.Unmarshal(w.tape.last().body, &run); err != nil {
			return err
		}
		for name, c := range run.Resources {
			if c.Total != c.Created+c.Updated+c.Unchanged+c.Errors {
				return fmt.Errorf("the counters of %s do not add up: %+v", name, c)
			}
		}
		switch {
		case run.Status == status:
			return nil
		case run.Status != "running" || time.Now().After(end):
			return fmt.Errorf("it is %s: %s", run.Status, w.tape.last().body)
		}
	}
}

// wantedRunEnds waits for syncs that nobody but webhooks have asked for: one for several calls may do.
func (w *world) wantedRunEnds(n int) error {
	for end := time.Now().Add(syncPatience); ; time.Sleep(20 * time.Millisecond) {
		if err := w.send("GET", w.onIntegration("/sync/history"), "", nil); err != nil {
			return err
		}
		var history merchant.List[struct {
			ID     string `json:"sync_id"`
			Status string
		}]
		if err := json.Unmarshal(w.tape.last().body, &history); err != nil {
			return err
		}
		if len(history.Data) >= n && history.Data[0].Status == "completed" {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("the history is %s", w.tape.last().body)
		}
	}
}

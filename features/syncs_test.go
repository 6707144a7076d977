package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

func (w *world) integrationPath(rest string) string {
	return integrationsPath + "/" + w.integration.ID + rest
}

func (w *world) startsSync(body string) error {
	return w.attempt(func() error {
		if err := w.send("POST", w.integrationPath("/sync"), w.expand(body), nil); err != nil {
			return err
		}
		return w.recordSync()
	})
}

func (w *world) recordSync() error {
	var run struct {
		ID string `json:"sync_id"`
	}
	err := json.Unmarshal(w.recorder.last().body, &run)
	w.syncID = run.ID
	return err
}

// hasSynced runs a sync, which must complete.
func (w *world) hasSynced(body string) error {
	if err := errors.Join(w.startsSync(body), w.unexpectedRefusal()); err != nil {
		return err
	}
	return w.syncEnds("completed")
}

// syncEnds waits until the sync has the status, and checks that its counters add up. The latest answer is then the sync.
func (w *world) syncEnds(status string) error {
	for end := time.Now().Add(syncTimeout); ; time.Sleep(20 * time.Millisecond) {
		if err := w.send("GET", w.integrationPath("/sync/"+w.syncID), "", nil); err != nil {
			return err
		}
		var run struct {
			Status    string
			Resources map[string]struct{ Total, Created, Updated, Unchanged, Errors int }
		}
		if err := json.Unmarshal(w.recorder.last().body, &run); err != nil {
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
			return fmt.Errorf("it is %s: %s", run.Status, w.recorder.last().body)
		}
	}
}

// syncsComplete waits for n syncs that webhooks have started. One sync may serve several webhook calls.
func (w *world) syncsComplete(n int) error {
	for end := time.Now().Add(syncTimeout); ; time.Sleep(20 * time.Millisecond) {
		if err := w.send("GET", w.integrationPath("/sync/history"), "", nil); err != nil {
			return err
		}
		var history merchant.List[struct {
			ID     string `json:"sync_id"`
			Status string
		}]
		if err := json.Unmarshal(w.recorder.last().body, &history); err != nil {
			return err
		}
		if len(history.Data) >= n && history.Data[0].Status == "completed" {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("the history is %s", w.recorder.last().body)
		}
	}
}

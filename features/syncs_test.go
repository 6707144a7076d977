package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

func (c *platformsContext) integrationPath(rest string) string {
	return integrationsPath + "/" + c.integrations.integration.ID + rest
}

func (c *platformsContext) startsSync(body string) error {
	return c.attempt(func() error {
		if err := c.send("POST", c.integrationPath("/sync"), c.expand(body), nil); err != nil {
			return err
		}
		return c.recordSync()
	})
}

func (c *platformsContext) recordSync() error {
	var run struct {
		ID string `json:"sync_id"`
	}
	err := json.Unmarshal(c.recorder.last().body, &run)
	c.syncID = run.ID
	return err
}

// hasSynced runs a sync, which must complete.
func (c *platformsContext) hasSynced(body string) error {
	if err := errors.Join(c.startsSync(body), c.unexpectedRefusal()); err != nil {
		return err
	}
	return c.syncEnds("completed")
}

// syncEnds waits until the sync has the status, and checks that its counters add up. The latest answer is then the sync.
func (c *platformsContext) syncEnds(status string) error {
	for end := time.Now().Add(syncTimeout); ; time.Sleep(20 * time.Millisecond) {
		if err := c.send("GET", c.integrationPath("/sync/"+c.syncID), "", nil); err != nil {
			return err
		}
		var run struct {
			Status    string
			Resources map[string]struct{ Total, Created, Updated, Unchanged, Errors int }
		}
		if err := json.Unmarshal(c.recorder.last().body, &run); err != nil {
			return err
		}
		for name, counters := range run.Resources {
			if counters.Total != counters.Created+counters.Updated+counters.Unchanged+counters.Errors {
				return fmt.Errorf("the counters of %s do not add up: %+v", name, counters)
			}
		}
		switch {
		case run.Status == status:
			return nil
		case run.Status != "running" || time.Now().After(end):
			return fmt.Errorf("it is %s: %s", run.Status, c.recorder.last().body)
		}
	}
}

// syncsComplete waits for n syncs that webhooks have started. One sync may serve several webhook calls.
func (c *platformsContext) syncsComplete(n int) error {
	for end := time.Now().Add(syncTimeout); ; time.Sleep(20 * time.Millisecond) {
		if err := c.send("GET", c.integrationPath("/sync/history"), "", nil); err != nil {
			return err
		}
		var history merchant.List[struct {
			ID     string `json:"sync_id"`
			Status string
		}]
		if err := json.Unmarshal(c.recorder.last().body, &history); err != nil {
			return err
		}
		if len(history.Data) >= n && history.Data[0].Status == "completed" {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("the history is %s", c.recorder.last().body)
		}
	}
}

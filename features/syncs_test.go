package features

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
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

// everyProduct is the body of a full sync of products.
const everyProduct = `{"full_sync": true, "resources": ["products"]}`

// hasSyncedOnly runs a sync of resources such as "products and inventory", which must complete.
func (c *platformsContext) hasSyncedOnly(resources string) error {
	body, err := json.Marshal(map[string]any{"resources": namesOf(resources)})
	if err != nil {
		return err
	}
	return c.hasSynced(string(body))
}

func (c *platformsContext) startsConcurrently(times int) {
	c.sendsConcurrently(times, "POST", integrationsPath+"/$integration/sync", "{}")
}

// onlyOneRuns checks that one of the concurrent syncs has started, and that the others were refused.
func (c *platformsContext) onlyOneRuns(refused int) error {
	if err := c.succeedAndRefused(1, refused, http.StatusConflict, "sync_in_progress"); err != nil {
		return err
	}
	if err := c.send("GET", c.integrationPath("/sync/history"), "", nil); err != nil {
		return err
	}
	return c.answerShows("meta.total", "1")
}

func (c *platformsContext) canStartNoOther() error {
	if err := c.startsSync(`{"resources": ["orders"]}`); err != nil {
		return err
	}
	return c.isRefused(http.StatusConflict, "sync_in_progress")
}

func (c *platformsContext) cancelsSync() error {
	if err := c.merchantSends("POST", integrationsPath+"/$integration/sync/$sync/cancel", ""); err != nil {
		return err
	}
	return c.answerShows("status", `"canceled"`)
}

// syncCounterIs checks a counter of the latest sync, which must have completed: "12" or "at least 1" of "stock level" were "created".
func (c *platformsContext) syncCounterIs(want, thing, counter string) error {
	if err := c.syncEnds("completed"); err != nil {
		return err
	}
	resource := strings.Replace(thing+"s", "stock levels", "inventory", 1)
	counter = cmp.Or(map[string]string{"left unchanged": "unchanged", "rejected": "errors"}[counter], counter)
	return c.answerShows("resources."+resource+"."+counter, want, "error", "null")
}

func (c *platformsContext) syncEndsAs(end string) error {
	return c.syncEnds(map[string]string{"completes": "completed", "fails": "failed", "is canceled": "canceled"}[end])
}

func (c *platformsContext) syncFailsAbout(problem string) error {
	if err := c.syncEnds("failed"); err != nil {
		return err
	}
	return c.answerShows("error", "matches "+problem, "completed_at", "matches Z$")
}

func (c *platformsContext) replacesKey() error {
	return c.merchantSends("PUT", integrationsPath+"/$integration/credentials", `{"api_key": "$custom_key"}`)
}

// integrationIs checks the status that the integration shows.
func (c *platformsContext) integrationIs(words string) error {
	if err := c.merchantSends("GET", integrationsPath+"/$integration", ""); err != nil {
		return err
	}
	return c.answerShows("status", map[string]string{"is connected": `"connected"`, "has an error": `"error"`}[words])
}

// priceConflictIs checks that the latest sync has found one conflict, about a product's price, and which side has won it.
func (c *platformsContext) priceConflictIs(winner string) error {
	if err := c.merchantSends("GET", integrationsPath+"/$integration/sync/$sync/changes?kind=conflict", ""); err != nil {
		return err
	}
	return c.answerShows(
		"data.#", "1",
		"data.0.fields.#", "1",
		"data.0.fields.0.field", `"price"`,
		"data.0.fields.0.winner", map[string]string{"shop": `"ours"`, "platform": `"theirs"`}[winner],
	)
}

// eventHas checks fields of the data of the latest event that a step waited for.
func (c *platformsContext) eventHas(pairs ...string) error {
	data, err := decode(string(c.events.deliveries[len(c.events.deliveries)-1].Event.Data))
	if err != nil {
		return err
	}
	return c.checkFields(data, pairs)
}

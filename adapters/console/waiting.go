package console

import (
	"encoding/json"
	"strings"
	"time"
)

// waiting has the tasks of one kind that wait for the merchant.
type waiting struct {
	Kind     string      `json:"kind"`
	Count    int         `json:"count"`
	OldestAt time.Time   `json:"oldest_at"`
	Amount   json.Number `json:"amount"`
	Currency string      `json:"currency"`
	DueAt    *time.Time  `json:"due_at"`
	Late     int         `json:"late"`
	Example  struct {
		ID    string `json:"id"`
		Words string `json:"words"`
	} `json:"example"`
}

// waitingRow describes a kind of tasks, with a button that leads to them.
type waitingRow struct {
	Icon, Tone, Title, More string
	Amount, Age, Exact      string
	Button, Address         string // empty: no page shows it
}

// waitingWords has the names of kinds, and the paths of their buttons below the shop's address.
var waitingWords = map[string]struct{ one, many, icon, tone, button, path string }{
	"payment_unresolved":    {"payment without an answer", "payments without an answer", "alert", "bad", "Look at payments", "/money"},
	"refund_unresolved":     {"refund without an answer", "refunds without an answer", "alert", "bad", "", ""},
	"dispute_open":          {"dispute to answer", "disputes to answer", "flag", "bad", "Answer disputes", "/disputes"},
	"return_requested":      {"return to decide", "returns to decide", "back", "warn", "Decide returns", "/returns"},
	"order_to_ship":         {"order to ship", "orders to ship", "truck", "info", "Ship orders", "/orders?status=to_ship"},
	"sync_failed":           {"sync failed", "syncs failed", "sync", "warn", "Look at syncs", "/integrations"},
	"subscription_disabled": {"event subscription is switched off", "event subscriptions are switched off", "bell", "info", "See events", "/settings/events"},
	"work_set_aside":        {"task is set aside", "tasks are set aside", "alert", "warn", "", ""},
}

// readWaiting reads the tasks that wait for the merchant, those with money at stake first.
func (t *todayView) readWaiting() error {
	found, err := fetch[list[waiting]](t.api, "/v1/attention", nil)
	if err != nil {
		return err
	}
	t.Waiting, t.waiting = make([]waitingRow, len(found.Data)), make([]waitingCount, len(found.Data))
	for i, w := range found.Data {
		t.Waiting[i] = t.waitingRow(&found.Data[i])
		t.waiting[i] = waitingCount{Kind: w.Kind, Count: w.Count}
	}
	return nil
}

func (v *memberRequest) waitingRow(w *waiting) waitingRow {
	said, words := waitingWords[w.Kind], v.shop.words
	row := waitingRow{
		Icon:    said.icon,
		Tone:    said.tone,
		Title:   count(w.Count, said.one, said.many),
		More:    "Oldest: " + strings.ReplaceAll(w.Example.Words, "_", " "),
		Age:     words.age(w.OldestAt),
		Exact:   w.OldestAt.Format(time.RFC3339),
		Button:  said.button,
		Address: v.shop.Path() + said.path,
	}
	if w.Example.Words == "" {
		row.More = ""
	}
	if w.Amount != "" {
		row.Amount = words.amount(w.Amount, w.Currency)
	}
	if w.Kind == "dispute_open" && w.DueAt != nil {
		row.More = "The first is due " + words.clock(*w.DueAt)
	}
	if w.Kind == "order_to_ship" && w.Late > 0 {
		row.More, row.Tone = count(w.Late, "is late", "are late"), "warn"
	}
	return row
}

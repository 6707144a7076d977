package account_test

import (
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/patch"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func TestPlan_Rate(t *testing.T) {
	t.Parallel()
	for plan, want := range map[account.Plan][2]int{
		account.Starter: {100, 150}, account.Growth: {1_000, 1_500}, account.Enterprise: {10_000, 15_000}, {}: {100, 150},
	} {
		if perMinute, burst := plan.Rate(); perMinute != want[0] || burst != want[1] {
			t.Errorf("%s: %d and %d", plan, perMinute, burst)
		}
	}
}

func TestChange(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{"": false, "Z": true, strings.Repeat("ö", 200): true, strings.Repeat("ö", 201): false} {
		a := account.Account{Name: "before"}
		if err := a.Change(account.Change{Name: patch.To(name)}); (err == nil) != ok || ok != (a.Name == name) {
			t.Errorf("%d bytes: %v, %q", len(name), err, a.Name)
		}
	}
	for email, ok := range map[string]bool{
		"": true, "ada@example.com": true, "ada": false, "Ada <ada@example.com>": false, "a@b\r\nBcc: c@d": false,
		"ada@example.com, eve@example.com": false, strings.Repeat("a", 250) + "@example.com": false,
	} {
		a := account.Account{Name: "Ada", Email: "before@example.com"}
		if err := a.Change(account.Change{Email: patch.To(email)}); (err == nil) != ok || ok != (a.Email == email) {
			t.Errorf("%q: %v, %q", email, err, a.Email)
		}
	}
	a := account.Account{Name: "Ada", Email: "before@example.com"}
	if err := a.Change(account.Change{Email: patch.Null[string]()}); err != nil || a.Email != "" || a.Name != "Ada" {
		t.Errorf("%+v, %v", a, err)
	}
}

// ParsePlan and ParseEnvironment read what String writes and refuse other names.
func TestParsePlan_ParseEnvironment(t *testing.T) {
	t.Parallel()
	for _, plan := range []account.Plan{account.Starter, account.Growth, account.Enterprise} {
		if got, err := account.ParsePlan(plan.String()); err != nil || got != plan {
			t.Errorf("%s is read as %s (%v)", plan, got, err)
		}
	}
	for name, mark := range map[string]string{"sandbox": "hk_test_", "production": "hk_live_"} {
		if got, err := account.ParseEnvironment(name); err != nil || got.String() != name || got.KeyMark() != mark || got.AgentKeyMark() != "hak"+mark[2:] {
			t.Errorf("%s is read as %s with keys %s (%v)", name, got, got.KeyMark(), err)
		}
	}
	_, plan := account.ParsePlan("free")
	_, environment := account.ParseEnvironment("")
	if fault.KindOf(plan) != fault.Invalid || fault.KindOf(environment) != fault.Invalid {
		t.Errorf("%v, %v", plan, environment)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for plan, want := range map[account.Plan]account.Limits{
		account.Starter:    {Projects: 5, Products: 100_000, Synonyms: 1_000},
		account.Growth:     {Projects: 50, Products: 1_000_000, Synonyms: 10_000},
		account.Enterprise: {Projects: 500, Products: 10_000_000, Synonyms: 10_000},
		{}:                 {Projects: 5, Products: 100_000, Synonyms: 1_000},
	} {
		if got := plan.Limits(); got != want {
			t.Errorf("%s: %+v", plan, got)
		}
	}
	const says = "limit_reached: On the growth plan a project has at most 1,000,000 products. " +
		"[products has reached 1,000,000, the limit of the growth plan]"
	if err := account.Growth.Full(1_000_000, "products", "a project"); err.Error() != says || err.Kind != fault.Conflict {
		t.Errorf("%v", err)
	}
	if err := account.Full(20, "open checkouts", "a session"); !strings.HasPrefix(err.Message, "On every plan a session has at most 20 open") {
		t.Errorf("%v", err)
	}
}

func TestAccount_ConsoleIdle(t *testing.T) {
	t.Parallel()
	for minutes, ok := range map[int]bool{4: false, 5: true, 480: true, 10_080: true, 10_081: false, -1: false, 0: false} {
		a := account.Account{Name: "Ada"}
		err := a.Change(account.Change{ConsoleSessionMinutes: patch.To(minutes)})
		if (err == nil) != ok || ok != (a.ConsoleIdle() == time.Duration(minutes)*time.Minute) && minutes != 480 {
			t.Errorf("%d minutes: %v, %s", minutes, err, a.ConsoleIdle())
		}
	}
	a := account.Account{Name: "Ada", ConsoleSessionMinutes: 5}
	if err := a.Change(account.Change{ConsoleSessionMinutes: patch.Null[int]()}); err != nil || a.ConsoleIdle() != 8*time.Hour {
		t.Errorf("by default: %v, %s", err, a.ConsoleIdle())
	}
	if err := a.Change(account.Change{Name: patch.To("Grace")}); err != nil || a.ConsoleIdle() != 8*time.Hour {
		t.Errorf("another change: %v, %s", err, a.ConsoleIdle())
	}
}

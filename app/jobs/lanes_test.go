package jobs

import (
	"fmt"
	"testing"

	"github.com/haggle-commerce/haggle/ports"
)

func shareOf(list []ports.Share, group string) int {
	for _, s := range list {
		if s.Group == group {
			return s.Most
		}
	}
	return 0
}

func TestShares_slowGroups(t *testing.T) {
	t.Parallel()
	limits := Limits{
		Slots: 64,
		Slow:  32,
		Each:  4,
		Quick: 16,
	}
	l := lanes{}
	if got := shareOf(l.shares(limits, []string{"new"}), "new"); got != limits.Each {
		t.Errorf("a new group gets %d", got)
	}
	var dead []string
	for i := range 20 {
		name := "dead" + string(rune('a'+i))
		dead = append(dead, name)
		l.enter(name)
		l.leave(name, false)
	}
	l.enter("quick")
	l.leave("quick", true)
	for _, share := range l.shares(limits, dead) {
		for range share.Most {
			l.enter(share.Group)
		}
	}
	if l.busy() != limits.Slow {
		t.Errorf("the dead ones have %d of %d places", l.busy(), limits.Slots)
	}
	shares := l.shares(limits, append(dead, "quick", "new"))
	if shareOf(shares, "quick") != limits.Quick || shareOf(shares, "new") != limits.Each || len(shares) != 2 {
		t.Errorf("beside the dead ones: %v", shares)
	}
	for range limits.Quick {
		l.enter("quick")
	}
	if got := shareOf(l.shares(limits, []string{"quick"}), "quick"); got != 0 {
		t.Errorf("a full group gets %d more", got)
	}
}

func TestShares_oneBatchPerGroup(t *testing.T) {
	t.Parallel()
	limits := Limits{Slots: 2, Batch: 64}
	l := lanes{}
	if got := l.shares(limits, []string{"a", "b", "c"}); len(got) != 2 || got[0].Most != 64 || got[1].Most != 64 {
		t.Errorf("of three groups in two places: %v", got)
	}
	l.enter("a")
	if got := l.shares(limits, []string{"a", "b"}); len(got) != 1 || got[0].Group != "b" {
		t.Errorf("beside a batch of a: %v", got)
	}
}

// A tenant with a backlog in many quick groups leaves places to another tenant.
func TestShares_backlogOfOneTenant(t *testing.T) {
	t.Parallel()
	limits := Limits{
		Slots: 64,
		Slow:  32,
		Each:  4,
		Quick: 16,
	}
	l := lanes{}
	var groups []string
	for i := range 50 {
		g := fmt.Sprintf("proj_a/sub_%d", i)
		l.enter(g)
		l.leave(g, true)
		groups = append(groups, g)
	}
	l.enter("proj_b/sub")
	l.leave("proj_b/sub", true)
	groups = append(groups, "proj_b/sub")
	for round := range 3 {
		shares := l.shares(limits, groups)
		if shareOf(shares, "proj_b/sub") == 0 {
			t.Errorf("round %d: the other tenant gets nothing", round)
		}
		for _, s := range shares {
			for range s.Most {
				l.enter(s.Group)
			}
		}
		for _, s := range shares {
			for range s.Most {
				l.leave(s.Group, true)
			}
		}
	}
}

// A tenant with many slow groups leaves places to another tenant's slow group.
func TestShares_slowOfOneTenant(t *testing.T) {
	t.Parallel()
	limits := Limits{
		Slots: 64,
		Slow:  32,
		Each:  4,
		Quick: 16,
	}
	l := lanes{}
	var groups []string
	for i := range 50 {
		g := fmt.Sprintf("proj_a/sub_%d", i)
		l.enter(g)
		l.leave(g, false)
		groups = append(groups, g)
	}
	l.enter("proj_b/sub")
	l.leave("proj_b/sub", false)
	groups = append(groups, "proj_b/sub")
	if got := shareOf(l.shares(limits, groups), "proj_b/sub"); got == 0 {
		t.Error("the other slow tenant gets nothing")
	}
}

func TestShares_ofOneTenant(t *testing.T) {
	t.Parallel()
	limits := Limits{
		Slots: 64,
		Slow:  32,
		Each:  4,
		Quick: 16,
	}
	groups := []string{"", "proj_a/0", "proj_a/1", "proj_a/2", "proj_a/3"}
	for name, c := range map[string]struct {
		quick bool
		all   int // tasks of proj_a
	}{
		"quick": {true, 56},
		"slow":  {false, 16},
	} {
		l := lanes{}
		for _, g := range groups[1:] {
			l.enter(g)
			l.leave(g, c.quick)
		}
		shares := l.shares(limits, groups)
		all := 0
		for _, g := range groups[1:] {
			all += shareOf(shares, g)
		}
		if all != c.all || shareOf(shares, "") != limits.Each {
			t.Errorf("%s: %d places for the tenant, want %d; %d for the group without a name", name, all, c.all, shareOf(shares, ""))
		}
	}
}

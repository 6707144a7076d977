package jobs

import (
	"testing"

	"github.com/haggle-commerce/haggle/ports"
)

func most(list []ports.Share, group string) int {
	for _, s := range list {
		if s.Group == group {
			return s.Most
		}
	}
	return 0
}

func TestSlowGroupsLeaveRoom(t *testing.T) {
	t.Parallel()
	limits := Limits{Slots: 64, Slow: 32, Each: 4, Quick: 16}
	l := lanes{}
	if got := most(l.shares(limits, []string{"new"}), "new"); got != limits.Each {
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
	if most(shares, "quick") != limits.Quick || most(shares, "new") != limits.Each || len(shares) != 2 {
		t.Errorf("beside the dead ones: %v", shares)
	}
	for range limits.Quick {
		l.enter("quick")
	}
	if got := most(l.shares(limits, []string{"quick"}), "quick"); got != 0 {
		t.Errorf("a full group gets %d more", got)
	}
}

func TestAGroupHasOneBatchAtATime(t *testing.T) {
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

package jobs

import (
	"strings"

	"github.com/haggle-commerce/haggle/ports"
)

// maxLanes is how many groups are remembered. A forgotten group counts as new again.
const maxLanes = 10_000

// lanes are the groups that have or recently had tasks, by name.
type lanes map[string]*lane

type lane struct {
	busy  int
	quick bool // the last task was quick
	tried bool // a task has ended
}

func (l *lane) slow() bool { return l.tried && !l.quick }

// tenantUse counts the tasks of one tenant's groups.
type tenantUse struct{ busy, slow int }

// candidate is a waiting group, with the places that it may still get.
type candidate struct {
	group string
	used  *tenantUse // of its tenant
	slow  bool
	left  int
	given int
}

// shares returns how many tasks may be claimed of each waiting group. The first group has waited longest. Each free place goes
// to the tenant with the fewest tasks. Slow groups leave room for others, and one tenant leaves an eighth of all places, and of
// those for slow groups, to other tenants.
func (l lanes) shares(limits Limits, groups []string) (list []ports.Share) {
	tenants, slowRoom := make(map[string]*tenantUse), limits.slow()
	of := func(group string) *tenantUse {
		name := tenant(group)
		if tenants[name] == nil {
			tenants[name] = &tenantUse{}
		}
		return tenants[name]
	}
	for group, one := range l {
		used := of(group)
		used.busy += one.busy
		if one.slow() {
			used.slow += one.busy
			slowRoom -= one.busy
		}
	}
	waiting := make([]candidate, len(groups))
	for i, group := range groups {
		one := l[group]
		if one == nil {
			one = &lane{}
		}
		waiting[i] = candidate{
			group: group,
			used:  of(group),
			slow:  one.slow(),
			left:  limits.window(one) - one.busy,
		}
	}
	for room := limits.Slots - l.busy(); room > 0; room-- {
		next := limits.next(waiting, slowRoom)
		if next == nil {
			break
		}
		next.left--
		next.given++
		next.used.busy++
		if next.slow {
			next.used.slow++
			slowRoom--
		}
	}
	for _, c := range waiting {
		if c.given > 0 {
			list = append(list, ports.Share{Group: c.group, Most: c.given * max(limits.Batch, 1)})
		}
	}
	return list
}

// next returns the group that gets the next place, or nil.
func (m Limits) next(waiting []candidate, slowRoom int) (next *candidate) {
	for i := range waiting {
		c := &waiting[i]
		full := c.left <= 0 || c.used.busy >= tenantShare(m.Slots) ||
			c.slow && (slowRoom <= 0 || c.used.slow >= tenantShare(m.slow()))
		if !full && (next == nil || c.used.busy < next.used.busy) {
			next = c
		}
	}
	return next
}

// tenantShare is how many of these places one tenant may hold. The rest stays free for other tenants. The rest is small, because
// new groups may turn out to be slow, and the tenant's other groups need places as well.
func tenantShare(places int) int { return places - places/8 }

// tenant returns the tenant of a group: the part of its name before the slash, which is the project if there is one.
func tenant(group string) string {
	project, _, _ := strings.Cut(group, "/")
	return project
}

func (m Limits) slow() int {
	if m.Slow > 0 {
		return m.Slow
	}
	return m.Slots
}

// window is how many tasks a group may have.
func (m Limits) window(l *lane) int {
	switch {
	case m.Batch > 0:
		return 1
	case l.quick:
		return max(m.Quick, m.Each)
	}
	return m.Each
}

func (l lanes) busy() (n int) {
	for _, one := range l {
		n += one.busy
	}
	return n
}

func (l lanes) enter(group string) {
	if l[group] == nil {
		l[group] = &lane{}
	}
	l[group].busy++
}

func (l lanes) leave(group string, quick bool) {
	one := l[group]
	one.busy, one.quick, one.tried = one.busy-1, quick, true
	for name, idle := range l {
		if len(l) <= maxLanes {
			return
		}
		if idle.busy == 0 {
			delete(l, name)
		}
	}
}

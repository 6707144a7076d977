package jobs

import "github.com/haggle-commerce/haggle/ports"

// remembered is how many groups are known at most. Those that are forgotten prove themselves again.
const remembered = 10_000

// lanes are the groups that have, or recently had, tasks.
type lanes map[string]*lane

type lane struct {
	busy  int
	quick bool // the last task was
	tried bool
}

func (l *lane) slow() bool { return l.tried && !l.quick }

// shares is how much may be claimed of each of these groups, the first one first. Slow groups leave room for
// others.
func (l lanes) shares(limits Limits, groups []string) (list []ports.Share) {
	room, slowRoom := limits.Slots-l.busy(), limits.slow()
	for _, one := range l {
		if one.slow() {
			slowRoom -= one.busy
		}
	}
	for _, group := range groups {
		one := l[group]
		if one == nil {
			one = &lane{}
		}
		n := min(limits.window(one)-one.busy, room)
		if one.slow() {
			n = min(n, slowRoom)
			slowRoom -= max(n, 0)
		}
		if n > 0 {
			list = append(list, ports.Share{Group: group, Most: n * max(limits.Batch, 1)})
			room -= n
		}
	}
	return list
}

func (m Limits) slow() int {
	if m.Slow > 0 {
		return m.Slow
	}
	return m.Slots
}

// window is how many tasks a group has at most.
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
		if len(l) <= remembered {
			return
		}
		if idle.busy == 0 {
			delete(l, name)
		}
	}
}

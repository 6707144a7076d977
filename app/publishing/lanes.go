package publishing

import (
	"time"

	"github.com/haggle-commerce/haggle/ports"
)

// How many deliveries are in hand at once: of all queues, of all slow ones, of one, and of one that
// proved quick. A slow queue is one whose last attempt failed or took long. So however much waits for
// dead receivers, others have room.
const (
	slots     = 64
	slowSlots = 32
	window    = 4
	quickly   = 16
	slow      = time.Second
	// remembered is how many queues are known at most. Those that are forgotten prove themselves again.
	remembered = 10_000
)

// lanes are the queues that have, or lately had, deliveries in hand.
type lanes map[string]*lane

type lane struct {
	busy  int
	quick bool // the last attempt was
	tried bool
}

func (l *lane) slow() bool { return l.tried && !l.quick }

func (l *lane) window() int {
	if l.quick {
		return quickly
	}
	return window
}

func (l lanes) busy() (n int) {
	for _, one := range l {
		n += one.busy
	}
	return n
}

// shares is how many deliveries may be taken of each of these queues, the first one first.
func (l lanes) shares(queues []string) (list []ports.Share) {
	room, slowRoom := slots-l.busy(), slowSlots
	for _, one := range l {
		if one.slow() {
			slowRoom -= one.busy
		}
	}
	for _, queue := range queues {
		one := l[queue]
		if one == nil {
			one = &lane{}
		}
		n := min(one.window()-one.busy, room)
		if one.slow() {
			n = min(n, slowRoom)
			slowRoom -= max(n, 0)
		}
		if n > 0 {
			list = append(list, ports.Share{Queue: queue, Most: n})
			room -= n
		}
	}
	return list
}

func (l lanes) enter(queue string) {
	if l[queue] == nil {
		l[queue] = &lane{}
	}
	l[queue].busy++
}

func (l lanes) leave(queue string, quick bool) {
	one := l[queue]
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

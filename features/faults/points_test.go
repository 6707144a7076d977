package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/ucp"
)

const (
	sqlite   = "sqlite"
	postgres = "postgres"
)

// Values of crash.retry: the clients that retry after a fault.
const (
	sameClient = "same client"
	nobody     = "nobody"
	five       = "five at once" // at another replica, if there is one
)

// Values of crash.action: what a server does at a fail point.
const (
	kill = "kill"
	hang = "hang"
	fail = "error"
)

// crash is one case: a server that fails at one point of one purchase.
type crash struct {
	engine, point, action, retry string
	tokens                       []string
	clock, otherClock            string        // clock offsets of the failing and of the other server
	transport                    ucp.Transport // "": the buyer speaks Haggle's own protocol
}

func (c crash) String() string {
	name := fmt.Sprintf("%s, %s at %s, %s asks again, %s", c.engine, c.action, c.point, c.retry, strings.Join(c.tokens, " then "))
	if c.transport != "" {
		name += ", UCP over " + string(c.transport)
	}
	if c.clock != "" {
		name += fmt.Sprintf(", clocks wrong by %s and %s", c.clock, c.otherClock)
	}
	return name
}

// background reports whether the point is in a background loop, whose work another replica would do.
func (c crash) background() bool { return !strings.HasPrefix(c.point, "finalize.") }

func (c crash) about(area string) bool { return strings.HasPrefix(c.point, area+".") }

var payments = [][]string{
	{"spt_sandbox_ok"},
	{"spt_sandbox_lost_reply"},
	{"spt_sandbox_decline_insufficient_funds", "spt_sandbox_ok"},
}

// points runs every fail point with every retry on both engines, with several crashes at each.
func (l *harness) points(t *testing.T) {
	var cases []crash
	n := 0
	for _, point := range slices.DeleteFunc(boottest.FailPoints(), func(point string) bool { return ofPlatforms(point) || ofOrders(point) || ofDeals(point) }) {
		for _, engine := range []string{sqlite, postgres} {
			for _, retry := range []string{sameClient, nobody, five} {
				for _, action := range []string{kill, hang, fail} {
					c := crash{
						engine: engine,
						point:  point,
						action: action,
						retry:  retry,
						tokens: payments[(n+n/3+n/9)%len(payments)],
					}
					switch {
					case c.about("reconcile"):
						c.tokens = payments[1]
					case c.background():
						c.tokens = payments[0]
					}
					cases = append(cases, c)
					n++
				}
			}
		}
	}
	random := rand.New(rand.NewPCG(l.report.Seed, 1))
	random.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	if !l.full {
		cases = selection(cases)
	}
	together(cases, 8, func(c crash) { l.crash(t, c) })
}

// selection returns a crash at each point, and a few hangs and errors.
func selection(all []crash) []crash {
	var chosen []crash
	seen, others := map[string]bool{}, map[string]int{}
	for _, c := range all {
		switch {
		case c.action == kill && !seen[c.point]:
			seen[c.point] = true
			chosen = append(chosen, c)
		case c.action != kill && others[c.action] < 3:
			others[c.action]++
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// crash runs a case on its own database.
func (l *harness) crash(t *testing.T, c crash) {
	s := &scene{harness: l, crash: c}
	defer s.end()
	s.play()
	l.judge(t, "points, "+c.action, c.String(), s.violations, s.logs()...)
}

// play makes a purchase with a fault in it, and checks the result.
func (s *scene) play() {
	if !s.open() {
		return
	}
	first := s.purchase()
	if !s.faulty.Await("FAULT "+s.action, soon+10*time.Second) {
		s.broken("the point was not passed")
		return
	}
	s.began = time.Now()
	decided := make(chan []string, 1)
	if s.recover() {
		go func() { decided <- s.harness.verify(s.database, soon) }()
		orders, errs := s.askAgain()
		s.violations = append(s.violations, <-decided...)
		s.harness.report.Decided(time.Since(s.began))
		s.judge(first, orders, errs)
	}
}

// purchase opens a checkout and pays, and returns a channel with the order that the buyer got, if any.
func (s *scene) purchase() <-chan string {
	result := make(chan string, 1)
	open := s.payer.haggle
	if s.background() {
		open = s.payer.browse // without events of its own
	}
	if err := open(s.setup().URL); err != nil {
		s.broken("opening a checkout: %v", err)
	}
	go func() {
		answer := s.untilFault()
		if answer.Status == acp.Success && s.about("refund") {
			s.refund(s.faulty.URL, answer.Payment.ID)
		}
		result <- answer.Order.ID
	}()
	return result
}

// untilFault retries finalize while the outcome is unknown, until the fault. It sends only one if the reconciler is to decide.
func (s *scene) untilFault() acp.Finalized {
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	for {
		answer, err := s.payer.finalize(ctx, s.faulty.URL, s.payer.tokens[0])
		if s.about("reconcile") || acp.CodeOf(err) == "" || !again(err) || s.faulty.Await("FAULT ", 100*time.Millisecond) {
			return answer
		}
	}
}

// askAgain makes the buyers retry after the fault.
func (s *scene) askAgain() (orders []string, errs []error) {
	clients := map[string]int{
		sameClient: 1,
		nobody:     0,
		five:       5,
	}[s.retry]
	type outcome struct {
		order string
		err   error
	}
	all := make(chan outcome, clients)
	for i := range clients {
		p := *s.payer
		if i > 2 { // too many declined tokens end the checkout
			p.tokens = p.tokens[len(p.tokens)-1:]
		}
		go func() {
			order, err := p.pay(soon+5*time.Second, s.alive)
			all <- outcome{order, err}
		}()
	}
	for range clients {
		one := <-all
		orders, errs = append(orders, one.order), append(errs, one.err)
	}
	return orders, errs
}

// judge checks everything once all payments are decided.
func (s *scene) judge(first <-chan string, orders []string, errs []error) {
	select {
	case order := <-first:
		orders = append(orders, order)
	case <-time.After(soon):
		s.broken("the first finalize has no end")
	}
	s.violations = append(s.violations, agree(orders, errs)...)
	url := s.alive()[0]
	s.violations = append(s.violations, s.harness.verify(s.database, soon)...) // a server that hung may have claimed work meanwhile
	want := 1
	if s.retry == nobody {
		want = min(max(0, s.shop.sold(url)), 1)
		if slices.ContainsFunc(orders, func(id string) bool { return id != "" }) {
			want = 1
		}
	}
	s.violations = append(s.violations, s.shop.addUp(url, want)...)
	s.violations = append(s.violations, s.harness.delivered(s.shop, want, orders)...)
}

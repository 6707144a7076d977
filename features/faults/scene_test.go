package faults

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/simulator/faults"
)

// scene is the setup of a case: a database, the server that fails, and those that take over.
type scene struct {
	crash
	harness    *harness
	database   string
	drop       func()
	faulty     *faults.Process
	other      *faults.Process // a replica that was running before
	shop       shop
	payer      *payer
	began      time.Time // time of the fault
	violations []string

	mu      sync.Mutex
	servers []*faults.Process
}

func (s *scene) broken(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.violations = append(s.violations, fmt.Sprintf(format, args...))
}

// start starts a server of the scene, or records why it does not start.
func (s *scene) start(extra ...string) *faults.Process {
	p, err := s.harness.serve(s.database, extra...)
	if err != nil {
		s.broken("%v", err)
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.servers = append(s.servers, p)
	return p
}

// zombie is when a server that hung continues, after others have taken over its work.
const zombie = 18 * time.Second

// open starts the servers and opens the shop.
func (s *scene) open() bool {
	var err error
	if s.database, s.drop, err = s.harness.database(s.engine); err != nil {
		s.broken("%v", err)
		return false
	}
	s.faulty = s.start("FAULT_POINT="+s.point+"="+s.action, "FAULT_HANG="+zombie.String(), "FAULT_CLOCK="+s.clock)
	if s.engine == postgres && !s.background() {
		s.other = s.start("FAULT_CLOCK=" + s.otherClock)
	}
	if len(s.violations) > 0 {
		return false
	}
	s.shop, err = openShop(s.setup().URL, 5)
	if err == nil {
		err = s.harness.subscribe(s.setup().URL, s.shop)
	}
	if err != nil {
		s.broken("opening a shop: %v", err)
		return false
	}
	s.payer = s.shop.payer(s.tokens...)
	s.payer.transport = s.transport
	return true
}

// setup returns the server that creates the shop.
func (s *scene) setup() *faults.Process {
	if s.other != nil {
		return s.other
	}
	return s.faulty
}

// recover repairs what an operator would, and reports whether a server runs.
func (s *scene) recover() bool {
	switch {
	case s.action == kill:
		<-s.faulty.Ended()
	case s.action == hang && s.engine == sqlite:
		s.faulty.Kill() // SQLite allows one server
	case s.action == hang && s.other == nil:
		s.other = s.start()
	}
	if s.faulty.Running() || s.other != nil && s.retry == five {
		return true
	}
	return s.start() != nil
}

// alive returns the servers that a load balancer would use: not the one that failed, if there is another.
func (s *scene) alive() (urls []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.servers {
		if p.Running() && (p != s.faulty || len(s.servers) == 1) {
			urls = append(urls, p.URL)
		}
	}
	return urls
}

func (s *scene) logs() (logs []string) {
	for _, p := range s.servers {
		logs = append(logs, p.Output())
	}
	return logs
}

func (s *scene) end() {
	for _, p := range s.servers {
		p.Kill()
	}
	if s.drop != nil {
		s.drop()
	}
}

// refund requests a refund once, and the server must complete it.
func (s *scene) refund(url, payment string) {
	header := http.Header{"Idempotency-Key": {"refund-" + payment}}
	_, _ = management(url, s.shop.project).Do(s.harness.ctx, "POST", "/v1/finance/payments/"+payment+"/refund", header, []byte(`{}`)) // the server may fail during the request
}

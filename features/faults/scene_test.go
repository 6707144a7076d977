package faults

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/simulator/faults"
)

// scene is the stage of a case: a database, the server that fails, and those that take over.
type scene struct {
	crash
	lab        *lab
	database   string
	drop       func()
	faulty     *faults.Process
	other      *faults.Process // a replica that was there before
	shop       shop
	payer      *payer
	began      time.Time // the fault
	violations []string

	mu      sync.Mutex
	servers []*faults.Process
}

func (s *scene) broken(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.violations = append(s.violations, fmt.Sprintf(format, args...))
}

// start starts a server of the scene, or says why it does not.
func (s *scene) start(extra ...string) *faults.Process {
	p, err := s.lab.serve(s.database, extra...)
	if err != nil {
		s.broken("%v", err)
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.servers = append(s.servers, p)
	return p
}

// zombie is when a server that hung goes on, after others have taken its work over.
const zombie = 18 * time.Second

// open starts the servers and opens the shop.
func (s *scene) open() bool {
	var err error
	if s.database, s.drop, err = s.lab.database(s.engine); err != nil {
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
		err = s.lab.subscribe(s.setup().URL, s.shop)
	}
	if err != nil {
		s.broken("opening a shop: %v", err)
		return false
	}
	s.payer = s.shop.payer(s.tokens...)
	s.payer.transport = s.transport
	return true
}

// setup is the server that the shop is opened at.
func (s *scene) setup() *faults.Process {
	if s.other != nil {
		return s.other
	}
	return s.faulty
}

// recover does what an operator would, and reports whether a server runs.
func (s *scene) recover() bool {
	switch {
	case s.action == kill:
		<-s.faulty.Ended()
	case s.action == hang && s.engine == sqlite:
		s.faulty.Kill() // one server has the database
	case s.action == hang && s.other == nil:
		s.other = s.start()
	}
	if s.faulty.Running() || s.other != nil && s.retry == five {
		return true
	}
	return s.start() != nil
}

// alive are the servers that a client would be sent to: not the one that failed, where there is another.
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

// refund asks for the money back, once; the server sees to it.
func (s *scene) refund(url, payment string) {
	header := http.Header{"Idempotency-Key": {"refund-" + payment}}
	_, _ = management(url, s.shop.project).Do(s.lab.ctx, "POST", "/v1/finance/payments/"+payment+"/refund", header, []byte(`{}`)) // the server may fail amid it
}

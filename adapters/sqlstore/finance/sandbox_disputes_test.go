package finance_test

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func sandboxDispute(key string, of ports.SandboxCharge, amount int64) ports.SandboxDispute {
	return ports.SandboxDispute{
		ID:       "du_" + key,
		Charge:   of.ID,
		Reason:   "fraudulent",
		Status:   order.DisputeOpen,
		Response: order.ResponseNeeded,
		Amount:   porttest.USD(amount),
		OpenedAt: porttest.Noon,
		DueBy:    porttest.Noon.Add(time.Hour),
		At:       porttest.Noon,
	}
}

func sandboxDisputed(s *porttest.Shop) {
	c := once(s, sandboxCharge("key"))
	unpaid := sandboxCharge("declined")
	unpaid.Result = "expired_card"
	for name, d := range map[string]ports.SandboxDispute{
		"more than was paid": sandboxDispute("a", c, 12_35),
		"a declined charge":  sandboxDispute("b", once(s, unpaid), 1),
		"a charge of nobody": sandboxDispute("c", sandboxCharge("never stored"), 1),
		"another's charge":   sandboxDispute("d", once(porttest.OpenShop(s.T, s.Stores), sandboxCharge("key")), 1),
	} {
		_, ok, err := s.Sandbox.OpenDispute(s.Ctx, s.Project.ID, d)
		s.Must(err)
		porttest.Same(s.T, name+" is disputed", ok, false)
	}
	first := sandboxDispute("first", c, 12_34)
	for _, d := range []ports.SandboxDispute{first, sandboxDispute("second", c, 1)} {
		stored, ok, err := s.Sandbox.OpenDispute(s.Ctx, s.Project.ID, d)
		s.Must(err)
		porttest.Same(s.T, "stored", stored, first)
		porttest.Same(s.T, "is stored", ok, true)
	}
	found, err := s.Sandbox.DisputeByID(s.Ctx, s.Project.ID, first.ID)
	s.Must(err)
	porttest.Same(s.T, "found", found, first)
}

func sandboxDecided(s *porttest.Shop) {
	d, _, err := s.Sandbox.OpenDispute(s.Ctx, s.Project.ID, sandboxDispute("first", once(s, sandboxCharge("key")), 1_00))
	s.Must(err)
	d.Status, d.Response, d.Evidence, d.At = order.DisputeWon, order.ResponseClosed, "hash", porttest.Noon.Add(time.Minute)
	other := d
	other.Status, other.Evidence = order.DisputeLost, "another hash"
	for _, wanted := range []ports.SandboxDispute{d, other} {
		stored, err := s.Sandbox.DecideDispute(s.Ctx, s.Project.ID, wanted)
		s.Must(err)
		porttest.Same(s.T, "decided", stored, d)
	}
	d.ID = "du_none"
	_, err = s.Sandbox.DecideDispute(s.Ctx, s.Project.ID, d)
	porttest.WantFault(s.T, err, fault.NotFound, "dispute_not_found")
}

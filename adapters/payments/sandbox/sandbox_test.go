package sandbox

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// memory is a ledger that forgets with the process. The stored one has a contract suite of its own.
type memory struct {
	mu       sync.Mutex
	charges  map[string]ports.SandboxCharge
	failures map[string]int
}

func (m *memory) Once(_ context.Context, project id.Project, c ports.SandboxCharge) (ports.SandboxCharge, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := project.String() + c.Key
	if stored, ok := m.charges[key]; ok {
		return stored, nil
	}
	m.charges[key] = c
	return c, nil
}

func (m *memory) Failure(_ context.Context, project id.Project, subject string) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failures[project.String()+subject]++
	return m.failures[project.String()+subject], nil
}

type stopped struct{}

func (stopped) Now() time.Time { return time.UnixMilli(0).UTC() }

// counter is entropy that racers can share and tests can repeat.
type counter struct{ n atomic.Int64 }

func (c *counter) Bits128() [16]byte { return [16]byte{byte(c.n.Add(1))} }
func (c *counter) Secret(int) string { return strconv.FormatInt(c.n.Add(1), 10) }

func open(t *testing.T) ports.Gateway {
	t.Helper()
	m := &memory{charges: map[string]ports.SandboxCharge{}, failures: map[string]int{}}
	return Gateway{Ledger: m, Clock: stopped{}, Entropy: &counter{}}
}

func TestGateway(t *testing.T) {
	porttest.Gateway(t, porttest.GatewayTokens{
		Method: "psp_spt", Paid: "spt_sandbox_ok", Decline: "spt_sandbox_decline_insufficient_funds",
		Final: "spt_sandbox_decline_stolen_card", Lost: "spt_sandbox_lost_reply",
	}, open)
}

func TestTokens(t *testing.T) {
	for _, test := range []struct{ method, token, want string }{
		{"psp_spt", "spt_sandbox_ok", "paid"},
		{"psp_spt", "spt_sandbox_ok_42", "paid"},
		{"wallet_ba", "ba_sandbox_ok", "paid"},
		{"psp_spt", "spt_sandbox_okay", "invalid_token"},
		{"psp_spt", "ba_sandbox_ok", "invalid_token"},
		{"wallet_ba", "spt_sandbox_ok", "invalid_token"},
		{"cash", "spt_sandbox_ok", "invalid_token"},
		{"psp_spt", "tok_visa", "invalid_token"},
		{"psp_spt", "", "invalid_token"},
		{"psp_spt", "spt_sandbox_decline_expired_card", "expired_card"},
		{"psp_spt", "spt_sandbox_decline_fraudulent", "fraudulent"},
		{"psp_spt", "spt_sandbox_decline_withdrawal_limit", "withdrawal_limit"},
		{"psp_spt", "spt_sandbox_decline_", "invalid_token"},
		{"psp_spt", "spt_sandbox_decline_paid", "invalid_token"},
		{"psp_spt", "spt_sandbox_decline_void", "invalid_token"},
		{"psp_spt", "spt_sandbox_decline_<script>", "invalid_token"},
		{"psp_spt", "spt_sandbox_outage_x", "invalid_token"},
		{"psp_spt", "spt_sandbox_outage_0", "paid"},
	} {
		outcome, err := open(t).Charge(context.Background(), request("chk-1", test.token, test.method))
		got := "paid"
		if d, ok := outcome.(checkout.Declined); ok {
			got = d.Code
		}
		if err != nil || got != test.want {
			t.Errorf("%s by %s: %s, %v; want %s", test.token, test.method, got, err, test.want)
		}
	}
}

// An outage shorter than the client's tries is not seen; a longer one is over when the same attempt,
// or a later one of the same checkout, has failed often enough.
func TestOutage(t *testing.T) {
	g := open(t)
	if outcome, err := g.Charge(context.Background(), request("a", "spt_sandbox_outage_2", "psp_spt")); err != nil {
		t.Errorf("outage of 2: %v, %v", outcome, err)
	}
	for i, wantErr := range []bool{true, false} {
		_, err := g.Charge(context.Background(), request("b", "spt_sandbox_outage_5", "psp_spt"))
		if errors.Is(err, errOutage) != wantErr {
			t.Errorf("charge %d in an outage of 5: %v", i+1, err)
		}
	}
}

// A lost answer is lost once: who asks again by the same key learns what happened.
func TestLostReplyArrivesTheSecondTime(t *testing.T) {
	g, lost := open(t), request("c", "spt_sandbox_lost_reply", "psp_spt")
	if outcome, err := g.Charge(context.Background(), lost); !errors.Is(err, errLostReply) {
		t.Errorf("first: %v, %v", outcome, err)
	}
	if outcome, err := g.Charge(context.Background(), lost); err != nil || outcome.(checkout.Paid).Provider == "" {
		t.Errorf("second: %v, %v", outcome, err)
	}
}

func request(key, token, method string) ports.ChargeRequest {
	return ports.ChargeRequest{
		Token: token, Charge: checkout.Charge{Key: key, Amount: money.Of(100, money.USD), Method: method},
	}
}

package purchase_test

import (
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
	"github.com/haggle-commerce/haggle/ports/porttest/memstore"
)

// cartFixture is a shop in memory with a session that has a cart, and a fixed time.
type cartFixture struct {
	*porttest.Shop
	service *purchase.Service
	session *session.Session
	now     time.Time
}

func newCartFixture(t *testing.T) *cartFixture {
	t.Helper()
	s := memstore.New(time.Now)
	projects, products := memstore.Projects{Store: s}, memstore.Products{Store: s}
	b := &cartFixture{Shop: porttest.OpenShop(t, porttest.Stores{
		Accounts:  memstore.Accounts{},
		Projects:  projects,
		Products:  products,
		Catalog:   products,
		Inventory: memstore.Inventory{Store: s},
		Sessions:  memstore.Sessions{Store: s},
		Haggling:  memstore.Haggling{Store: s},
		Carts:     memstore.Carts{Store: s},
		Checkouts: memstore.Checkouts{Store: s},
		Orders:    memstore.Orders{Store: s},
		SetClock:  s.SetClock,
	})}
	_, b.service = newFixture()
	b.service.Stores = &ports.Stores{
		Sessions:  b.Sessions,
		Haggling:  b.Haggling,
		Carts:     b.Carts,
		Checkouts: b.Checkouts,
		Orders:    b.Orders,
	}
	b.service.Entropy, b.service.Gateway = new(countingEntropy), nil
	b.session = b.Session()
	b.at(porttest.Noon)
	return b
}

// countingEntropy returns other bits each time.
type countingEntropy struct{ fixture }

func (c *countingEntropy) IDBits() [16]byte { c.found++; return [16]byte{15: byte(c.found)} }

func (b *cartFixture) at(now time.Time) { b.now = now; b.SetClock(now) }

func (b *cartFixture) prepare(address checkout.Address) (*purchase.PreparedInit, error) {
	return b.service.PrepareInit(ports.NewOutbound(b.Ctx), b.Project, purchase.InitRequest{
		Session:  b.session.ID,
		FromCart: true,
		Address:  address,
	})
}

func (b *cartFixture) init(address checkout.Address) (*checkout.Checkout, error) {
	made, err := b.prepare(address)
	if err != nil {
		return nil, err
	}
	return made.Checkout, made.Commit(b.Ctx, b.service.Stores)
}

func (b *cartFixture) mustInit() *checkout.Checkout {
	b.T.Helper()
	c, err := b.init(home)
	b.Must(err)
	return c
}

func (b *cartFixture) want(c, of *checkout.Checkout, revision int) {
	b.T.Helper()
	stored := b.Stored(c)
	if c.ID() != of.ID() || stored.Revision() != revision || c.Revision() != revision {
		b.T.Errorf("checkout %s in revision %d, want %s in revision %d", c.ID(), stored.Revision(), of.ID(), revision)
	}
}

func TestPrepareInit_fromCart(t *testing.T) {
	t.Parallel()
	b := newCartFixture(t)
	p, other := b.Product(9), b.Product(9)
	b.PutCart(b.session, porttest.AtList(p, 1))
	first := b.mustInit()
	b.want(b.mustInit(), first, 1)

	unsaid, err := b.init(checkout.Address{})
	b.Must(err)
	b.want(unsaid, first, 1)

	b.PutCart(b.session, b.Cart(b.session.ID).Items[0], porttest.AtList(other, 2))
	changed := b.mustInit()
	b.want(changed, first, 2)
	if lines := changed.Snapshot().Lines; len(lines) != 2 || lines[0].ID != 1 || lines[1].ID != 2 || !changed.Snapshot().FromCart {
		t.Errorf("the lines are %+v", lines)
	}

	b.MustClaim(changed)
	paying := b.mustInit()
	b.want(paying, first, 2)
	if paying.Status() != checkout.Processing {
		t.Errorf("while it is paid it is %s", paying.Status())
	}
	b.PutCart(b.session, porttest.AtList(other, 1))
	if _, err := b.init(home); !errors.Is(err, checkout.ErrProcessing) {
		t.Errorf("another cart while it is paid: %v", err)
	}
}

func TestPrepareInit_fromCartCheckoutExpired(t *testing.T) {
	t.Parallel()
	b := newCartFixture(t)
	b.PutCart(b.session, porttest.AtList(b.Product(9), 1))
	first := b.mustInit()
	b.at(porttest.Noon.Add(checkout.Validity - 1))
	b.want(b.mustInit(), first, 1)
	b.at(porttest.Noon.Add(checkout.Validity))
	second := b.mustInit()
	if second.ID() == first.ID() || b.Stored(first).Status() != checkout.Expired || b.Stored(second).Status() != checkout.Ready {
		t.Errorf("%s is %s, %s is %s", first.ID(), b.Stored(first).Status(), second.ID(), b.Stored(second).Status())
	}
}

// An agreed price is valid until it expires, and after that in a checkout that has it already.
func TestPrepareInit_fromCartAgreement(t *testing.T) {
	t.Parallel()
	b := newCartFixture(t)
	p, other := b.Product(9), b.Product(9)
	q := b.Agree(b.session, p, 2)
	over := q.Snapshot().ValidUntil
	b.at(over.Add(-1))
	first := b.mustInit()
	if l := first.Snapshot().Lines[0]; l.Unit != porttest.USD(95_00) || l.Quote != q.Snapshot().ID {
		t.Errorf("it is bought as %+v", l)
	}
	b.at(over)
	b.PutCart(b.session, b.Cart(b.session.ID).Items[0], porttest.AtList(other, 1))
	if l := b.mustInit().Snapshot().Lines[0]; l.Unit != porttest.USD(95_00) || l.ID != 1 {
		t.Errorf("past its time it is bought as %+v", l)
	}
	_, err := b.service.Cancel(b.Ctx, b.Project, purchase.Named{Checkout: first.ID()})
	b.Must(err)
	_, err = b.init(home)
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != "token_expired" || f.Details[0].Field != "items.0.checkout_token" {
		t.Errorf("past its time in a new checkout: %v", err)
	}
}

// Only the verified agent that owns a cart can check it out.
func TestPrepareInit_fromCartOfAnotherAgent(t *testing.T) {
	t.Parallel()
	owner := agentid.Agent{
		Profile:  "https://agent.example/profile",
		Verified: true,
		Key:      "one",
	}
	otherKey, claimed := owner, agentid.Agent{Profile: owner.Profile}
	otherKey.Key = "another"
	other := agentid.Agent{
		Profile:  "https://other.example/profile",
		Verified: true,
		Key:      "one",
	}
	for name, c := range map[string]struct {
		cart, checkout, asks agentid.Agent
		found                bool
	}{
		"the owner":                        {owner, owner, otherKey, true},
		"nobody":                           {owner, owner, agentid.Agent{}, false},
		"who claims to be the owner":       {owner, owner, claimed, false},
		"another one":                      {owner, owner, other, false},
		"of a cart without one":            {agentid.Agent{}, claimed, other, true},
		"of a cart whose checkout has one": {agentid.Agent{}, owner, other, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newCartFixture(t)
			b.owned(c.cart)
			b.PutCart(b.session, porttest.AtList(b.Product(9), 1))
			init := func(by agentid.Agent) error {
				made, err := b.service.PrepareInit(ports.NewOutbound(b.Ctx), b.Project, purchase.InitRequest{
					Session:  b.session.ID,
					FromCart: true,
					Address:  home,
					Agent:    by,
				})
				if err != nil {
					return err
				}
				return made.Commit(b.Ctx, b.service.Stores)
			}
			b.Must(init(c.checkout))
			if err := init(c.asks); (err == nil) != c.found || err != nil && !fault.Is(err, "session_not_found") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// owned replaces the session by one that an agent opened.
func (b *cartFixture) owned(by agentid.Agent) {
	b.T.Helper()
	b.session = session.Open(porttest.Random[id.Session](), b.Project.ID, session.Claims{}, b.Project.Settings.SessionTimeout(), porttest.Noon)
	b.session.Agent = by
	b.Must(b.Sessions.Create(b.Ctx, b.session))
}

// If two requests open or revise a cart's checkout concurrently, one succeeds and the other gets ports.Stale.
func TestPreparedInit_Commit_stale(t *testing.T) {
	t.Parallel()
	b := newCartFixture(t)
	b.PutCart(b.session, porttest.AtList(b.Product(9), 1))
	late, err := b.prepare(home)
	b.Must(err)
	first := b.mustInit()
	if err := late.Commit(b.Ctx, b.service.Stores); !errors.Is(err, ports.Stale) {
		t.Errorf("the second one: %v", err)
	}
	b.want(b.mustInit(), first, 1)

	b.PutCart(b.session, porttest.AtList(b.Product(9), 2))
	late, err = b.prepare(home)
	b.Must(err)
	b.want(b.mustInit(), first, 2)
	if err := late.Commit(b.Ctx, b.service.Stores); !errors.Is(err, ports.Stale) {
		t.Errorf("the second revision: %v", err)
	}
}

// No operation finds a checkout that another, verified agent opened.
func TestNamed_check_otherAgent(t *testing.T) {
	t.Parallel()
	owner := agentid.Agent{Profile: "https://agent.example/profile", Verified: true}
	b := newCartFixture(t)
	b.owned(owner)
	b.PutCart(b.session, porttest.AtList(b.Product(9), 1))
	made, err := b.service.PrepareInit(ports.NewOutbound(b.Ctx), b.Project, purchase.InitRequest{
		Session:  b.session.ID,
		FromCart: true,
		Address:  home,
		Agent:    owner,
	})
	b.Must(err)
	b.Must(made.Commit(b.Ctx, b.service.Stores))
	of, outbound := made.Checkout.ID(), ports.NewOutbound(b.Ctx)
	stranger := purchase.Named{Checkout: of, Agent: agentid.Agent{Profile: owner.Profile}}
	_, _, got := b.service.Get(b.Ctx, b.Project, stranger)
	_, canceled := b.service.Cancel(b.Ctx, b.Project, stranger)
	_, revised := b.service.PrepareRevise(outbound, b.Project, purchase.ReviseRequest{Checkout: of})
	_, paid := b.service.Finalize(outbound, b.Project, purchase.FinalizeRequest{
		Checkout: of,
		Method:   project.SharedPaymentToken,
		Token:    "tok",
	})
	for name, err := range map[string]error{"get": got, "cancel": canceled, "revise": revised, "finalize": paid} {
		if !fault.Is(err, "checkout_not_found") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, _, err = b.service.Get(b.Ctx, b.Project, purchase.Named{Checkout: of, Agent: owner})
	b.Must(err)
	_, _, err = b.service.Show(b.Ctx, b.Project, of)
	b.Must(err)
}

func TestPrepareInit_fromCartBuyerChanged(t *testing.T) {
	t.Parallel()
	b := newCartFixture(t)
	b.session = session.Open(porttest.Random[id.Session](), b.Project.ID, session.Claims{}, b.Project.Settings.SessionTimeout(), porttest.Noon)
	b.session.Buyer = checkout.Buyer{Email: "ada@example.com"}
	b.Must(b.Sessions.Create(b.Ctx, b.session))
	p := b.Product(9)
	b.PutCart(b.session, porttest.AtList(p, 1))
	first := b.mustInit()
	cart := b.Cart(b.session.ID)
	cart.Session.Buyer.Email = "eve@example.com"
	after := session.Cart{Items: cart.Items, LineSeq: cart.Session.LineSeq}
	b.Must(b.Carts.Replace(b.Ctx, ports.CartResult{
		Session: cart.Session,
		Before:  cart.Items,
		After:   after,
	}))
	changed := b.mustInit()
	b.want(changed, first, 2)
	if got := changed.Snapshot().Buyer.Email; got != "eve@example.com" {
		t.Errorf("the buyer is %q", got)
	}
}

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

// basket is a session with a cart, in a shop in memory whose clock stands.
type basket struct {
	*porttest.Shop
	service *purchase.Service
	visit   *session.Session
	now     time.Time
}

func newBasket(t *testing.T) *basket {
	t.Helper()
	s := memstore.New(time.Now)
	projects, products := memstore.Projects{Store: s}, memstore.Products{Store: s}
	b := &basket{Shop: porttest.OpenShop(t, porttest.Stores{
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
	_, b.service = open()
	b.service.Stores = &ports.Stores{
		Sessions:  b.Sessions,
		Haggling:  b.Haggling,
		Carts:     b.Carts,
		Checkouts: b.Checkouts,
		Orders:    b.Orders,
	}
	b.service.Entropy, b.service.Gateway = new(counted), nil
	b.visit = b.Session()
	b.at(porttest.Noon)
	return b
}

// counted are other bits each time.
type counted struct{ till }

func (c *counted) IDBits() [16]byte { c.found++; return [16]byte{15: byte(c.found)} }

func (b *basket) at(now time.Time) { b.now = now; b.SetClock(now) }

func (b *basket) prepare(address checkout.Address) (*purchase.PreparedInit, error) {
	return b.service.PrepareInit(ports.NewOutbound(b.Ctx), b.Project, purchase.InitRequest{
		Session:  b.visit.ID,
		FromCart: true,
		Address:  address,
	})
}

func (b *basket) init(address checkout.Address) (*checkout.Checkout, error) {
	made, err := b.prepare(address)
	if err != nil {
		return nil, err
	}
	return made.Checkout, made.Commit(b.Ctx, b.service.Stores)
}

func (b *basket) mustInit() *checkout.Checkout {
	b.T.Helper()
	c, err := b.init(home)
	b.Must(err)
	return c
}

func (b *basket) want(c, of *checkout.Checkout, revision int) {
	b.T.Helper()
	stored := b.Stored(c)
	if c.ID() != of.ID() || stored.Revision() != revision || c.Revision() != revision {
		b.T.Errorf("checkout %s in revision %d, want %s in revision %d", c.ID(), stored.Revision(), of.ID(), revision)
	}
}

func TestTheCheckoutOfACart(t *testing.T) {
	t.Parallel()
	b := newBasket(t)
	p, other := b.Product(9), b.Product(9)
	b.PutCart(b.visit, porttest.AtList(p, 1))
	first := b.mustInit()
	b.want(b.mustInit(), first, 1)

	unsaid, err := b.init(checkout.Address{})
	b.Must(err)
	b.want(unsaid, first, 1)

	b.PutCart(b.visit, b.Cart(b.visit.ID).Items[0], porttest.AtList(other, 2))
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
	b.PutCart(b.visit, porttest.AtList(other, 1))
	if _, err := b.init(home); !errors.Is(err, checkout.ErrProcessing) {
		t.Errorf("another cart while it is paid: %v", err)
	}
}

func TestTheCheckoutOfACartWhoseTimeIsOver(t *testing.T) {
	t.Parallel()
	b := newBasket(t)
	b.PutCart(b.visit, porttest.AtList(b.Product(9), 1))
	first := b.mustInit()
	b.at(porttest.Noon.Add(checkout.Validity - 1))
	b.want(b.mustInit(), first, 1)
	b.at(porttest.Noon.Add(checkout.Validity))
	second := b.mustInit()
	if second.ID() == first.ID() || b.Stored(first).Status() != checkout.Expired || b.Stored(second).Status() != checkout.Ready {
		t.Errorf("%s is %s, %s is %s", first.ID(), b.Stored(first).Status(), second.ID(), b.Stored(second).Status())
	}
}

// What is agreed on is bought at its price while its time lasts, and after that in a checkout that has it already.
func TestAnAgreementInTheCart(t *testing.T) {
	t.Parallel()
	b := newBasket(t)
	p, other := b.Product(9), b.Product(9)
	q := b.Agree(b.visit, p, 2)
	over := q.Snapshot().ValidUntil
	b.at(over.Add(-1))
	first := b.mustInit()
	if l := first.Snapshot().Lines[0]; l.Unit != porttest.USD(95_00) || l.Quote != q.Snapshot().ID {
		t.Errorf("it is bought as %+v", l)
	}
	b.at(over)
	b.PutCart(b.visit, b.Cart(b.visit.ID).Items[0], porttest.AtList(other, 1))
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

// What a verified agent put into a cart is checked out by that agent alone.
func TestCheckoutOfAnotherAgentsCart(t *testing.T) {
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
			b := newBasket(t)
			b.owned(c.cart)
			b.PutCart(b.visit, porttest.AtList(b.Product(9), 1))
			init := func(by agentid.Agent) error {
				made, err := b.service.PrepareInit(ports.NewOutbound(b.Ctx), b.Project, purchase.InitRequest{
					Session:  b.visit.ID,
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

// owned has the buyer's session be one that an agent opened.
func (b *basket) owned(by agentid.Agent) {
	b.T.Helper()
	b.visit = session.Open(porttest.Random[id.Session](), b.Project.ID, session.Claims{}, b.Project.Settings.SessionTimeout(), porttest.Noon)
	b.visit.Agent = by
	b.Must(b.Sessions.Create(b.Ctx, b.visit))
}

// Of two requests that find no checkout one opens it, and the other one is made again.
func TestTwoCheckoutsOfACartAtOnce(t *testing.T) {
	t.Parallel()
	b := newBasket(t)
	b.PutCart(b.visit, porttest.AtList(b.Product(9), 1))
	late, err := b.prepare(home)
	b.Must(err)
	first := b.mustInit()
	if err := late.Commit(b.Ctx, b.service.Stores); !errors.Is(err, ports.Stale) {
		t.Errorf("the second one: %v", err)
	}
	b.want(b.mustInit(), first, 1)

	b.PutCart(b.visit, porttest.AtList(b.Product(9), 2))
	late, err = b.prepare(home)
	b.Must(err)
	b.want(b.mustInit(), first, 2)
	if err := late.Commit(b.Ctx, b.service.Stores); !errors.Is(err, ports.Stale) {
		t.Errorf("the second revision: %v", err)
	}
}

// What a verified agent opened is there for that agent alone, whatever is asked of it.
func TestCheckoutOfAnotherAgent(t *testing.T) {
	t.Parallel()
	owner := agentid.Agent{Profile: "https://agent.example/profile", Verified: true}
	b := newBasket(t)
	b.owned(owner)
	b.PutCart(b.visit, porttest.AtList(b.Product(9), 1))
	made, err := b.service.PrepareInit(ports.NewOutbound(b.Ctx), b.Project, purchase.InitRequest{
		Session:  b.visit.ID,
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

func TestCheckoutOfACartWithAnotherBuyer(t *testing.T) {
	t.Parallel()
	b := newBasket(t)
	b.visit = session.Open(porttest.Random[id.Session](), b.Project.ID, session.Claims{}, b.Project.Settings.SessionTimeout(), porttest.Noon)
	b.visit.Buyer = checkout.Buyer{Email: "ada@example.com"}
	b.Must(b.Sessions.Create(b.Ctx, b.visit))
	p := b.Product(9)
	b.PutCart(b.visit, porttest.AtList(p, 1))
	first := b.mustInit()
	cart := b.Cart(b.visit.ID)
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

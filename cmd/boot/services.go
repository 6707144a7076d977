package boot

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/delivery"
	"github.com/haggle-commerce/haggle/adapters/keycache"
	"github.com/haggle-commerce/haggle/adapters/passwords"
	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/adapters/totp"
	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/app/agentkeys"
	"github.com/haggle-commerce/haggle/app/announcing"
	"github.com/haggle-commerce/haggle/app/buyers"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/app/dealtoken"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/app/finance"
	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/app/imports"
	"github.com/haggle-commerce/haggle/app/markets"
	"github.com/haggle-commerce/haggle/app/ordertoken"
	"github.com/haggle-commerce/haggle/app/payments"
	"github.com/haggle-commerce/haggle/app/people"
	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/app/publishing"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/app/signingkeys"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/ports"
)

// openServices creates the use cases on the root store, outside any transaction.
func (a *App) openServices() {
	whole := a.wholeStores()
	a.openMerchants(whole)
	a.openHaggling(whole)
	a.openSales(whole)
	a.openIntegrations(whole)
	a.openTuning(whole)
	a.announcing = &announcing.Service{
		Announcements: a.store.LateAnnouncements(),
		Entropy:       system.Entropy{},
		Announced:     a.publisher.Wake,
	}
}

// openMerchants creates the use cases for accounts, members, projects and catalogues.
func (a *App) openMerchants(s *ports.Stores) {
	addresses := delivery.Addresses{AllowLoopback: a.config.AllowLoopback}
	a.Access = &access.Service{
		Stores:      s,
		Tries:       a.store.Tries(),
		TOTP:        totp.Codes{},
		Vault:       a.vault,
		Clock:       a.clock,
		Entropy:     system.Entropy{},
		Environment: a.env,
		Cache:       keycache.New(a.store.Accounts(), time.Now),
		Uses:        access.NewUses(),
	}
	a.People = &people.Service{
		Stores:    s,
		Begin:     a.inSignInTx,
		Passwords: a.passwords(),
		Factor:    a.Access,
		Limiter:   a.edge.managed,
		Clock:     a.clock,
		Entropy:   system.Entropy{},
		Mailer:    a.mailer,
		Provider:  a.openID(),
		Vault:     a.vault.Tokens(),
		Blocked:   people.NewBlocked(),
		Address:   a.linkAddress,
	}
	a.Projects = &projects.Service{
		Stores:    s,
		Clock:     a.clock,
		Entropy:   system.Entropy{},
		Addresses: addresses,
	}
	a.Catalogs = &catalogs.Service{
		Stores:   s,
		Clock:    a.clock,
		Entropy:  system.Entropy{},
		Transact: a.inTx,
	}
	a.Buyers = &buyers.Service{
		Stores: s,
		Names:  a.vault,
		Vault:  a.vault.Tokens(),
		Clock:  a.clock,
	}
	a.SigningKeys = &signingkeys.Service{
		Stores:  s,
		Vault:   a.vault,
		Entropy: system.Entropy{},
	}
	a.Markets = &markets.Service{
		Stores:  s,
		Clock:   a.clock,
		Entropy: system.Entropy{},
	}
	a.Imports = &imports.Service{
		Stores:  s,
		Clock:   a.clock,
		Entropy: system.Entropy{},
	}
	a.AgentKeys = &agentkeys.Service{
		Stores:      s,
		Clock:       a.clock,
		Entropy:     system.Entropy{},
		Environment: a.env,
		Rules:       a.config.agentRules(),
	}
	a.answerKeys = signingkeys.NewRemembered(a.SigningKeys.Signer, time.Now)
	a.Publishing = &publishing.Service{
		Stores:    s,
		Vault:     a.vault,
		Clock:     a.clock,
		Entropy:   system.Entropy{},
		Addresses: addresses,
		Rules:     event.Rules{AllowLoopback: a.config.AllowLoopback},
	}
}

// openHaggling creates the use cases for search and negotiation.
func (a *App) openHaggling(s *ports.Stores) {
	a.Discovery = discovery.New(discovery.Service{
		Stores:              s,
		Agent:               a.router,
		Mandates:            a.router,
		Index:               timedIndex{a.index, a.metrics.Searched},
		Cursors:             a.vault.Cursors(),
		Clock:               a.clock,
		Entropy:             system.Entropy{},
		Learner:             a.index,
		Sales:               a.store.Sales(),
		AvailabilityChanges: a.store.AvailabilityChanges(),
		Model:               a.embeddings.model,
	})
	a.haggling = &haggling.Service{
		Stores:   s,
		Agent:    a.router,
		Mandates: a.router,
		Index:    a.index,
		Clock:    a.clock,
		Entropy:  system.Entropy{},
		Log:      a.log,
		Meter:    a.metrics,
		Tokens:   dealtoken.Tokens{Secrets: a.vault},
		Fresh:    a.Discovery.Fresh,
	}
}

// openSales creates the use cases for checkout, aftersales and finance.
func (a *App) openSales(s *ports.Stores) {
	tokens := ordertoken.Tokens{Secrets: a.vault}
	a.Purchase = &purchase.Service{
		Stores:     s,
		Agent:      a.router,
		Mandates:   a.router,
		Gateway:    a.gateway,
		HookRules:  event.Rules{AllowLoopback: a.config.AllowLoopback},
		Addresses:  delivery.Addresses{AllowLoopback: a.config.AllowLoopback},
		Tokens:     tokens,
		Admission:  a.admission,
		Sandbox:    a.env == account.Sandbox,
		Clock:      a.clock,
		Entropy:    system.Entropy{},
		Log:        a.log,
		Meter:      a.metrics,
		Placed:     a.publisher.Wake,
		Waiting:    a.edge.finalizes,
		Lapsed:     a.store.LapsedCheckouts(),
		DueOrphans: a.store.DueOrphans(),
	}
	a.Aftersales = &aftersales.Service{
		Stores:  s,
		Gateway: a.gateway,
		Tokens:  tokens,
		Clock:   a.clock,
		Entropy: system.Entropy{},
		Log:     a.log,
		Due:     a.store.DueRefunds(),
	}
	a.Finance = &finance.Service{
		Stores:  s,
		Gateway: a.gateway,
		Sandbox: a.env == account.Sandbox,
	}
}

// reconciler compares our ledger with the payment providers' statements in the background.
func (a *App) reconciler() *finance.Reconciler {
	return &finance.Reconciler{
		Service:         a.Finance,
		Reconciliations: a.store.Reconciliations(),
		Balances:        a.gateway,
		Accounts:        a.store.Reconciliations(),
		Purchases:       a.Purchase,
		Entropy:         system.Entropy{},
		Log:             a.log,
		Reports: payments.WebhookHandler{
			Purchases: a.Purchase,
			Refunds:   a.Aftersales,
			Undecided: a.store.Checkouts(),
		},
		Announced: a.publisher.Wake,
	}
}

// inBuyerTx runs a buyer's request in one transaction. It applies the writes to the index after the commit.
func (a *App) inBuyerTx(ctx context.Context, claim *ports.KeyUsage, work func(*ports.Stores, ports.Records) error) (committed bool, err error) {
	var index *pendingIndex
	err = a.store.Within(ctx, claim, func(view *sqlstore.Store) error {
		index, committed = &pendingIndex{Index: a.index}, false
		view.AfterEnd(func(done bool) { committed = done })
		return work(storesOn(view, index), view.Requests())
	})
	if err == nil {
		index.flush()
		a.publisher.Wake()
	}
	return committed, err
}

// inSignInTx runs the writes of a sign-in in one transaction.
func (a *App) inSignInTx(ctx context.Context, work func(*ports.Stores, ports.Records) error) error {
	return a.store.Within(ctx, nil, func(view *sqlstore.Store) error {
		return work(storesOn(view, a.index), view.Requests())
	})
}

// inManagementTx runs a request of the Management API in one transaction, and wakes the workers that it may have work for.
func (a *App) inManagementTx(ctx context.Context, claim *ports.KeyUsage, work func(*ports.Stores, ports.Records) error) (committed bool, err error) {
	if committed, err = a.inBuyerTx(ctx, claim, work); err == nil {
		a.platforms.engine.Wake()
		a.platforms.worker.Wake()
	}
	return committed, err
}

func (a *App) passwords() ports.Passwords {
	if a.config.WeakPasswords {
		return passwords.NewWeak()
	}
	return passwords.New()
}

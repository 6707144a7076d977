package sqlstore_test

import (
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/agentkey"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/signing"
	"github.com/haggle-commerce/haggle/ports"
)

// Reasons of several exceptions.
const (
	lasting = "it never changes"
	counted = "the store counts it"
)

// another is the place of the second fill of a type.
const another fieldtest.From = 500

func accountFields(s *fieldShop) {
	opened := fill[account.Account]()
	s.must(s.Accounts().Open(s.Context(), &opened))
	s.survives(nil, opened, *read(s.Accounts().ByID(s.Context(), opened.ID))(s))

	changed := fill[account.Account](another, account.Enterprise)
	read(s.Accounts().Update(s.Context(), opened.ID, func(a *account.Account) error {
		*a, a.ID = changed, opened.ID
		return nil
	}))(s)
	s.survives(fieldtest.Reasons{"account.Account.ID": lasting, "account.Account.CreatedAt": lasting},
		changed, *read(s.Accounts().ByID(s.Context(), opened.ID))(s))
}

func keyFields(s *fieldShop) {
	added := fill[account.Key]()
	added.Account, added.RevokedAt = s.owner, nil
	used := *added.LastUsedAt
	added.LastUsedAt = nil
	s.must(s.Keys().Add(s.Context(), &added))
	revoked := added
	revoked.LastUsedAt = &used
	at := fieldtest.Start
	revoked.RevokedAt = &at
	readings := []any{
		*read(s.Keys().Key(s.Context(), s.owner, added.ID))(s),
		*only(s.Keys().List(s.Context(), s.owner, nil, firstPage))(s),
	}
	s.must(s.Keys().Used(s.Context(), map[id.APIKey]time.Time{added.ID: used}))
	s.must(s.Keys().Revoke(s.Context(), s.owner, added.ID, at))
	byHash, _, err := s.Accounts().KeyByHash(s.Context(), added.Hash)
	s.must(err)
	fieldtest.Survive(s, nil, fieldtest.Pair{Sent: added, Got: readings[0]}, fieldtest.Pair{Sent: added, Got: readings[1]},
		fieldtest.Pair{Sent: revoked, Got: *byHash})
}

func authenticatorFields(s *fieldShop) {
	enrolled := fill[account.Authenticator]()
	enrolled.Holder, enrolled.ActivatedAt, enrolled.LastStep = account.Holder{Account: s.owner, Member: s.member().ID}, nil, 0
	enrolled.Recovery[0].Used, enrolled.Recovery[1].Used = false, false
	s.must(s.Authenticators().Enrol(s.Context(), &enrolled))
	_, pending, err := s.Authenticators().Of(s.Context(), enrolled.Holder)
	s.must(err)
	s.must(s.Authenticators().Activate(s.Context(), &enrolled, 7, fieldtest.Start))
	read(s.Authenticators().Spend(s.Context(), enrolled.ID, account.Code{Recovery: &enrolled.Recovery[0].Hash}))(s)
	active, _, err := s.Authenticators().Of(s.Context(), enrolled.Holder)
	s.must(err)
	activated := enrolled
	activated.ActivatedAt, activated.LastStep = pointer(fieldtest.Start), 7
	activated.Recovery = []account.RecoveryCode{{Hash: enrolled.Recovery[0].Hash, Used: true}, enrolled.Recovery[1]}
	fieldtest.Survive(s, nil, fieldtest.Pair{Sent: enrolled, Got: pending}, fieldtest.Pair{Sent: activated, Got: active})
}

// member is stored, and filled.
func (s *fieldShop) member() *member.Member {
	s.Helper()
	link, m := fill[member.Link](), fill[member.Member]()
	link.ID, link.Account, link.Member, link.UsedAt, link.RevokedAt = newID[id.MemberLink](), s.owner, id.Member{}, nil, nil
	rand.Read(link.Hash[:])
	s.must(s.Members().AddLink(s.Context(), &link))
	link.UsedAt = pointer(fieldtest.Start)
	m.ID, m.Account, m.Email, m.RemovedAt = newID[id.Member](), s.owner, s.owner.String(), nil
	s.must(s.Members().Join(s.Context(), &link, &m))
	return &m
}

func memberFields(s *fieldShop) {
	joined := s.member()
	readings := func() []any {
		return []any{
			read(s.Members().Member(s.Context(), s.owner, joined.ID))(s),
			read(s.Members().ByEmail(s.Context(), joined.Email))(s),
			only(s.Members().List(s.Context(), s.owner, nil, firstPage))(s),
		}
	}
	except := fieldtest.Reasons{"member.Member.RemovedAt": "a member who was removed is unknown to all but sessions"}
	s.survives(except, joined, readings()...)

	changed := fill[member.Member](another, member.Analyst)
	changed.RemovedAt = nil
	change := func(m *member.Member, _ int) error {
		*m, m.ID, m.Account = changed, joined.ID, s.owner
		return nil
	}
	read(s.Members().Update(s.Context(), s.owner, joined.ID, change))(s)
	for _, field := range []string{"ID", "Account", "Email", "CreatedAt"} {
		except["member.Member."+field] = lasting
	}
	s.survives(except, &changed, readings()...)
}

func memberLinkFields(s *fieldShop) {
	invited := s.memberLink(member.Join, nil)
	s.survives(fieldtest.Reasons{
		"member.Link.Member":    "nobody has joined yet",
		"member.Link.UsedAt":    "an invitation that is used is not listed",
		"member.Link.RevokedAt": "an invitation that is revoked is not listed",
	}, invited, only(s.Members().Invitations(s.Context(), s.owner, nil, invited.CreatedAt, firstPage))(s))

	m := s.member()
	reset := s.memberLink(member.Reset, m)
	reset.UsedAt = pointer(fieldtest.Start)
	s.must(s.Members().Spend(s.Context(), reset))
	s.must(s.Members().Revoke(s.Context(), s.owner, invited.ID, invited.CreatedAt))
	invited.RevokedAt = &invited.CreatedAt
	var pairs []fieldtest.Pair
	for _, l := range []*member.Link{invited, reset} {
		pairs = append(pairs, fieldtest.Pair{Sent: l, Got: read(s.Members().LinkByHash(s.Context(), l.Hash))(s)})
	}
	fieldtest.Survive(s, nil, pairs...)
}

// memberLink is stored.
func (s *fieldShop) memberLink(purpose member.Purpose, to *member.Member) *member.Link {
	s.Helper()
	l := fill[member.Link](another, purpose, member.Manager)
	l.ID, l.Account, l.Member, l.UsedAt, l.RevokedAt = newID[id.MemberLink](), s.owner, id.Member{}, nil, nil
	l.ExpiresAt = l.CreatedAt.Add(member.JoinFor)
	rand.Read(l.Hash[:])
	if to != nil {
		l.Member, l.Email, l.Grant = to.ID, "", member.Grant{}
	}
	s.must(s.Members().AddLink(s.Context(), &l))
	return &l
}

func consoleSessionFields(s *fieldShop) {
	m := s.member()
	opened := fill[member.Session](member.ByProvider)
	opened.Account, opened.Member, opened.CodeDue, opened.EndedAt = s.owner, m.ID, true, nil
	s.must(s.ConsoleSessions().Open(s.Context(), &opened, m.Password))
	signedIn := read(s.ConsoleSessions().ByHash(s.Context(), opened.Hash))(s)
	s.survives(fieldtest.Reasons{"member.Member.RemovedAt": "the member was not removed"}, m, signedIn.Member)
	if of := read(s.Accounts().ByID(s.Context(), s.owner))(s); *of != *signedIn.Account {
		s.Errorf("the account is %+v, want %+v", signedIn.Account, of)
	}

	proven := opened
	proven.Prove([32]byte{7}, fieldtest.Start.Add(time.Hour))
	s.must(s.ConsoleSessions().Prove(s.Context(), &proven))
	byHash := read(s.ConsoleSessions().ByHash(s.Context(), proven.Hash))(s)
	listed := only(s.ConsoleSessions().List(s.Context(), s.owner, m.ID, time.Hour, proven.UsedAt, firstPage))(s)
	ended := proven
	ended.EndedAt = pointer(fieldtest.Start.Add(2 * time.Hour))
	s.must(s.ConsoleSessions().End(s.Context(), s.owner, ended.ID, *ended.EndedAt))
	fieldtest.Survive(s, nil,
		fieldtest.Pair{Sent: &opened, Got: signedIn.Session},
		fieldtest.Pair{Sent: &proven, Got: byHash.Session},
		fieldtest.Pair{Sent: &proven, Got: listed},
		fieldtest.Pair{Sent: &ended, Got: read(s.ConsoleSessions().ByHash(s.Context(), proven.Hash))(s).Session})
}

func projectFields(s *fieldShop) {
	created := fill[project.Project](project.Active)
	created.Account = s.owner
	s.must(s.Projects().Create(s.Context(), &created))
	created.CatalogVersion, created.AgentRevision, created.Version = 0, 0, 0
	readings := func() []any {
		list, _, err := s.Projects().List(s.Context(), s.owner, false, firstPage)
		s.must(err)
		listed := list[0]
		if listed.ID != created.ID {
			listed = list[1]
		}
		return []any{
			listed,
			read(s.Projects().ByID(s.Context(), s.owner, created.ID))(s),
			read(s.Storefronts().ByProject(s.Context(), created.ID))(s),
		}
	}
	except := fieldtest.Reasons{
		"project.Project.Status":         "a project is active until Delete closes it",
		"project.Project.CatalogVersion": counted,
		"project.Project.AgentRevision":  counted,
		"project.Project.Version":        counted,
	}
	s.survives(except, &created, readings()...)

	changed := fill[project.Project](another, project.Active)
	read(s.Projects().Update(s.Context(), s.owner, created.ID, func(p *project.Project) error {
		*p, p.ID, p.Account = changed, created.ID, s.owner
		return nil
	}))(s)
	for _, path := range []string{"ID", "Account", "CreatedAt"} {
		except["project.Project."+path] = lasting
	}
	s.survives(except, &changed, append(readings(), read(s.Storefronts().BySlug(s.Context(), changed.Slug))(s))...)
}

func productFields(s *fieldShop) {
	created, changed := fill[catalog.Product](catalog.Active), fill[catalog.Product](another, catalog.Active)
	numbered(&created, 1)
	numbered(&changed, 1000)
	created.Project, changed.Project = s.project.ID, s.project.ID
	readings := func() []any {
		changes := read(s.Catalog().Changes(s.Context(), s.project.ID, 0))(s)
		var known ports.KnownProducts
		read(s.Catalog().Upsert(s.Context(), s.project.ID, ports.ProductKeys{IDs: []id.Product{created.ID}}, func(k ports.KnownProducts) []ports.ProductWrite {
			known = k
			return nil
		}))(s)
		return []any{
			read(s.Products().Get(s.Context(), s.project.ID, created.ID))(s),
			only(s.Products().List(s.Context(), s.project.ID, ports.ProductFilter{}, firstPage))(s),
			only(changes.Changed, 0, nil)(s),
			only(read(s.Catalog().Active(s.Context(), s.project.ID, []id.Product{created.ID}))(s), 0, nil)(s),
			known.ByID[created.ID],
		}
	}
	s.must(s.Products().Create(s.Context(), ports.ProductWrite{Product: &created}))
	s.survives(nil, &created, readings()...)

	changed.ID = created.ID
	read(s.Products().Update(s.Context(), s.project.ID, created.ID, func(*catalog.Product) (ports.ProductWrite, error) {
		return ports.ProductWrite{Product: &changed}, nil
	}))(s)
	changed.CreatedAt = created.CreatedAt
	s.survives(nil, &changed, readings()...)

	upserted := fill[catalog.Product]()
	numbered(&upserted, 2000)
	upserted.ID, upserted.Project, upserted.CreatedAt = created.ID, s.project.ID, created.CreatedAt
	read(s.Catalog().Upsert(s.Context(), s.project.ID, ports.ProductKeys{IDs: []id.Product{created.ID}}, func(ports.KnownProducts) []ports.ProductWrite {
		return []ports.ProductWrite{{Product: &upserted}}
	}))(s)
	s.survives(nil, &upserted, read(s.Products().Get(s.Context(), s.project.ID, created.ID))(s))
}

func levelFields(s *fieldShop) {
	p := s.product()
	want := fill[catalog.Shelf]()
	// The product is on backorder, and its variants have levels at the default location for that.
	want.Product, want.Variant, want.SKU, want.Location, want.Held, want.Oversold = p.ID, p.Variants[0].ID, p.Variants[0].SKU, project.DefaultLocation, 0, 0
	read(s.Inventory().Set(s.Context(), s.project.ID, []ports.StockSet{{SKU: want.SKU, Location: want.Location, Quantity: want.Quantity}}))(s)
	except := fieldtest.Reasons{
		"catalog.Shelf.Held":     "it is the sum of what attempts hold",
		"catalog.Shelf.Oversold": "a count makes it zero",
	}
	s.survives(except, want,
		only(s.Inventory().Levels(s.Context(), s.project.ID, want.SKU, firstPage))(s),
		only(slices.DeleteFunc(read(s.Inventory().ShelvesOf(s.Context(), s.project.ID, []id.Product{p.ID}))(s), func(l catalog.Shelf) bool { return l.Variant != want.Variant }), 0, nil)(s))
	s.survives(nil, want.Level, only(slices.DeleteFunc(read(s.Inventory().LevelsOf(s.Context(), s.project.ID, []id.Product{p.ID}))(s),
		func(l catalog.Level) bool { return l.Variant != want.Variant }), 0, nil)(s))
}

func synonymFields(s *fieldShop) {
	created, changed := fill[catalog.Synonym](), fill[catalog.Synonym](another)
	created.Project, changed.Project, changed.ID, changed.CreatedAt = s.project.ID, s.project.ID, created.ID, created.CreatedAt
	s.must(s.Synonyms().Create(s.Context(), &created))
	readings := func() []any {
		return []any{
			read(s.Synonyms().Get(s.Context(), s.project.ID, created.ID))(s),
			only(s.Synonyms().List(s.Context(), s.project.ID, firstPage))(s),
			&(*read(s.Catalog().Changes(s.Context(), s.project.ID, 0))(s).Synonyms)[0],
		}
	}
	s.survives(nil, &created, readings()...)
	read(s.Synonyms().Update(s.Context(), s.project.ID, created.ID, func(y *catalog.Synonym) error { *y = changed; return nil }))(s)
	s.survives(nil, &changed, readings()...)
	s.must(s.Synonyms().Replace(s.Context(), s.project.ID, []*catalog.Synonym{&created}))
	s.survives(nil, &created, readings()...)
}

func agentFields(s *fieldShop) {
	created := fill[agent.Agent](agent.Draft)
	first := fill[agent.Version]()
	created.Project, created.Policy.Version, created.Tuning.Baseline, created.Latest, created.Held = s.project.ID, 1, 1, 1, nil
	first.Agent, first.Project, first.Policy = created.ID, s.project.ID, created.Policy
	s.must(s.Agents().Create(s.Context(), &created, first))
	s.survives(nil, first,
		read(s.Agents().Version(s.Context(), s.project.ID, created.ID, 1))(s),
		only(s.Agents().Versions(s.Context(), s.project.ID, created.ID, firstPage))(s))

	second, changed := fill[agent.Version](another), fill[agent.Agent](another)
	second.Agent, second.Project, second.Policy.Version = created.ID, s.project.ID, 2
	changed.ID, changed.Project, changed.CreatedAt, changed.Policy, changed.Latest = created.ID, s.project.ID, created.CreatedAt, second.Policy, 2
	changed.Tuning.Baseline, changed.Held = 1, &first.Policy
	read(s.Agents().Update(s.Context(), s.project.ID, created.ID, func(a *agent.Agent) (*agent.Version, error) {
		*a = changed
		return &second, nil
	}))(s)
	list, _, err := s.Agents().List(s.Context(), s.project.ID, firstPage)
	s.must(err)
	s.survives(nil, &changed,
		read(s.Agents().ByID(s.Context(), s.project.ID, created.ID))(s),
		read(s.Agents().Active(s.Context(), s.project.ID))(s), list[0])
}

func auditFields(s *fieldShop) {
	byKey := fill[audit.Event]()
	byKey.Account, byKey.Project, byKey.Member = s.owner, s.project.ID, id.Member{}
	byMember := fill[audit.Event](another)
	byMember.Account, byMember.Project, byMember.Key = s.owner, s.project.ID, id.APIKey{}
	for _, want := range []audit.Event{byKey, byMember} {
		s.must(s.Requests().Record(s.Context(), ports.Record{Event: &want}))
	}
	fieldtest.Survive(s, nil,
		fieldtest.Pair{Sent: byKey, Got: only(s.Requests().Events(s.Context(), s.owner, ports.AuditFilter{Key: byKey.Key}, firstPage))(s)},
		fieldtest.Pair{Sent: byMember, Got: only(s.Requests().Events(s.Context(), s.owner, ports.AuditFilter{Member: byMember.Member}, firstPage))(s)})
}

func agentKeyFields(s *fieldShop) {
	added := fill[agentkey.Key]()
	added.Project, added.RevokedAt = s.project.ID, nil
	s.must(s.AgentKeys().Add(s.Context(), &added))
	listed := *only(s.AgentKeys().List(s.Context(), s.project.ID, firstPage))(s)
	revoked := added
	revoked.RevokedAt = pointer(fieldtest.Start)
	s.must(s.AgentKeys().Revoke(s.Context(), s.project.ID, added.ID, *revoked.RevokedAt))
	fieldtest.Survive(s, nil, fieldtest.Pair{Sent: added, Got: listed},
		fieldtest.Pair{Sent: revoked, Got: *read(s.AgentKeys().ByHash(s.Context(), s.project.ID, added.Hash))(s)})
}

func signingKeyFields(s *fieldShop) {
	first, second := fill[signing.Key](), fill[signing.Key](another, signing.Retired)
	for _, k := range []*signing.Key{&first, &second} {
		k.Project = s.project.ID
	}
	first.State, first.RetiredAt, second.Sealed = signing.Current, nil, nil
	s.must(s.SigningKeys().Change(s.Context(), s.project.ID, func(set *signing.Set, _ time.Time) error {
		set.Keys = []signing.Key{first, second}
		return nil
	}))
	set, _, err := s.SigningKeys().Keys(s.Context(), s.project.ID)
	s.must(err)
	if len(set.Keys) != 2 {
		s.Fatalf("%d keys are read", len(set.Keys))
	}
	slices.SortFunc(set.Keys, func(a, b signing.Key) int { return strings.Compare(a.State.String(), b.State.String()) })
	if len(set.Keys[1].Sealed) > 0 {
		s.Errorf("a retired key has the private part %x", set.Keys[1].Sealed)
	}
	set.Keys[1].Sealed = nil
	fieldtest.Survive(s, nil, fieldtest.Pair{Sent: first, Got: set.Keys[0]}, fieldtest.Pair{Sent: second, Got: set.Keys[1]})
}

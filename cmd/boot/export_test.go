package boot

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/haggle-commerce/haggle/app/identity"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Handler serves the API without the background work.
func (a *App) Handler() http.Handler { return a.handler() }

// Storefronts returns the cache in which buyers' requests find their shop.
func (a *App) Storefronts() ports.Storefronts { return a.storefront }

// SetDatabaseClock stops the clock that determines when background work is due. The zero time lets it run again.
func (a *App) SetDatabaseClock(now time.Time) { a.store.SetClock(now) }

// Background returns the loops by name.
func (a *App) Background() map[string]func(context.Context) error {
	all := map[string]func(context.Context) error{}
	for _, l := range append(a.loops(), a.embedding()...) {
		all[l.name] = l.run
	}
	return all
}

// Watched records for which projects the loops ran.
type Watched struct {
	Bad     id.Project // work for it panics
	Loaded  []id.Project
	Reached map[string]bool // by loop and project
}

func (w *Watched) reach(loop string, p id.Project) {
	w.Reached[loop+" "+p.String()] = true
	if p == w.Bad {
		panic("of " + loop)
	}
}

// Watch wraps the ports that loops use, so that they record their project and panic for the bad one.
func (a *App) Watch() *Watched {
	w := &Watched{Reached: map[string]bool{}}
	a.Discovery.Learner = watchedIndex{a.Discovery.Learner, w}
	a.Discovery.AvailabilityChanges = watchedNews{a.Discovery.AvailabilityChanges, w}
	a.announcing.Announcements = watchedAnnouncements{a.announcing.Announcements, w}
	a.selfTuner.Projects = watchedProjects{a.selfTuner.Projects, w}
	if r := a.embeddings.refresher; r != nil {
		r.Vectors = watchedVectors{r.Vectors, w}
	}
	return w
}

type watchedIndex struct {
	ports.Learner
	w *Watched
}

func (x watchedIndex) Loaded() []id.Project { return x.w.Loaded }

func (x watchedIndex) Learn(p id.Project, sales ports.Sales) {
	x.w.reach("learn sales", p)
	x.Learner.Learn(p, sales)
}

type watchedNews struct {
	ports.AvailabilityChanges
	w *Watched
}

func (n watchedNews) ChangedSince(ctx context.Context, p id.Project, since time.Time, late bool) (map[id.Variant]int, time.Time, error) {
	n.w.reach("hear of stock", p)
	return n.AvailabilityChanges.ChangedSince(ctx, p, since, late)
}

type watchedAnnouncements struct {
	ports.LateAnnouncements
	w *Watched
}

func (v watchedAnnouncements) announce(announce ports.Announce) ports.Announce {
	return func(p id.Project, at time.Time, d event.Data) *event.Event {
		v.w.reach("announce", p)
		return announce(p, at, d)
	}
}

func (v watchedAnnouncements) LowStock(ctx context.Context, limit int, announce ports.Announce) (bool, error) {
	return v.LateAnnouncements.LowStock(ctx, limit, v.announce(announce))
}

func (v watchedAnnouncements) AbandonedCheckouts(ctx context.Context, limit int, announce ports.Announce) (bool, error) {
	return v.LateAnnouncements.AbandonedCheckouts(ctx, limit, v.announce(announce))
}

func (v watchedAnnouncements) LostNegotiations(ctx context.Context, limit int, announce ports.Announce) (bool, error) {
	return v.LateAnnouncements.LostNegotiations(ctx, limit, v.announce(announce))
}

func (v watchedAnnouncements) UnresolvedPayments(ctx context.Context, limit int, announce ports.Announce) (bool, error) {
	return v.LateAnnouncements.UnresolvedPayments(ctx, limit, v.announce(announce))
}

type watchedProjects struct {
	of interface {
		ByProject(ctx context.Context, project id.Project) (*project.Project, error)
	}
	w *Watched
}

func (v watchedProjects) ByProject(ctx context.Context, p id.Project) (*project.Project, error) {
	v.w.reach("tune agents", p)
	return v.of.ByProject(ctx, p)
}

type watchedVectors struct {
	ports.Vectors
	w *Watched
}

func (v watchedVectors) Get(ctx context.Context, p id.Project, model string, texts []ports.TextHash) (map[ports.TextHash][]float32, error) {
	v.w.reach("give products their vectors", p)
	return v.Vectors.Get(ctx, p, model, texts)
}

// OpenIdentity creates the identity service of a configuration.
func OpenIdentity(c Config, clock ports.Clock, log *slog.Logger) (*identity.Service, error) {
	known, err := c.knownAgents()
	service, _ := c.openIdentity(known, nil, clock, log)
	return service, err
}

// KnownAgents returns the agents' profiles that are known under a configuration.
func KnownAgents(c Config) (map[string]agentid.Profile, error) { return c.knownAgents() }

package discovery_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeState is an index in a given state, and the store of the project's embedding progress.
type fakeState struct {
	ports.Learner
	ports.Vectors
	state ports.IndexState
	error string
	err   error
}

func (c fakeState) State(id.Project) ports.IndexState { return c.state }

func (c fakeState) Progress(_ context.Context, model string, projects []id.Project) (map[id.Project]ports.EmbeddingProgress, error) {
	if model != "big" || len(projects) != 1 {
		return nil, nil
	}
	return map[id.Project]ports.EmbeddingProgress{projects[0]: {Error: c.error}}, c.err
}

func TestIndexStatus(t *testing.T) {
	t.Parallel()
	none, learnt, embedded := discovery.Meaning{}, discovery.FromCatalogue, discovery.FromEmbeddings
	for name, test := range map[string]struct {
		model string
		state ports.IndexState
		error string
		want  discovery.IndexStatus
	}{
		"no copy": {"", ports.IndexState{}, "", discovery.IndexStatus{Readiness: discovery.Idle}},
		"no copy, and a model": {"big", ports.IndexState{}, "No money.",
			discovery.IndexStatus{
				Readiness: discovery.Idle,
				Model:     "big",
				Failure:   "No money.",
			}},
		"a small shop": {"", ports.IndexState{
			Version:  3,
			Products: 7,
			Bytes:    99,
		}, "",
			discovery.IndexStatus{
				Readiness: discovery.Ready,
				Has:       3,
				Products:  7,
				Bytes:     99,
				Meaning:   none,
			}},
		"an older copy": {"", ports.IndexState{
			Version:  2,
			Products: 70,
			Learnt:   true,
		}, "not asked for",
			discovery.IndexStatus{
				Readiness: discovery.Behind,
				Has:       2,
				Products:  70,
				Meaning:   learnt,
			}},
		"a copy that is newer than what was read": {"", ports.IndexState{Version: 4}, "", discovery.IndexStatus{Readiness: discovery.Ready, Has: 4}},
		"nothing embedded yet": {"big", ports.IndexState{
			Version:  3,
			Products: 70,
			Learnt:   true,
		}, "",
			discovery.IndexStatus{
				Readiness: discovery.Ready,
				Has:       3,
				Products:  70,
				Meaning:   learnt,
				Model:     "big",
				Pending:   70,
			}},
		"embedded by another model": {"big", ports.IndexState{
			Version:  3,
			Products: 70,
			Learnt:   true,
			Embedded: 70,
			Model:    "small",
		}, "",
			discovery.IndexStatus{
				Readiness: discovery.Ready,
				Has:       3,
				Products:  70,
				Meaning:   learnt,
				Model:     "big",
				Pending:   70,
			}},
		"half embedded": {"big", ports.IndexState{
			Version:  3,
			Products: 70,
			Learnt:   true,
			Embedded: 30,
			Model:    "big",
		}, "Slow down.",
			discovery.IndexStatus{
				Readiness: discovery.Ready,
				Has:       3,
				Products:  70,
				Meaning:   embedded,
				Model:     "big",
				Embedded:  30,
				Pending:   40,
				Failure:   "Slow down.",
			}},
		"all embedded": {"big", ports.IndexState{
			Version:  3,
			Products: 70,
			Embedded: 70,
			Model:    "big",
		}, "",
			discovery.IndexStatus{
				Readiness: discovery.Ready,
				Has:       3,
				Products:  70,
				Meaning:   embedded,
				Model:     "big",
				Embedded:  70,
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, p := open(&fixture{})
			c := fakeState{state: test.state, error: test.error}
			service.Learner, service.Vectors, service.Model = c, c, test.model
			test.want.Wanted = 3
			if got, err := service.IndexStatus(t.Context(), p); err != nil || got != test.want {
				t.Errorf("%+v, %v\nwant %+v", got, err, test.want)
			}
		})
	}
}

func TestReadiness_emptyCatalogue(t *testing.T) {
	t.Parallel()
	service, p := open(&fixture{})
	p.CatalogVersion = 0
	if got, err := service.IndexStatus(t.Context(), p); err != nil || got != (discovery.IndexStatus{Readiness: discovery.Ready}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestService_indexStateUnreadable(t *testing.T) {
	t.Parallel()
	service, p := open(&fixture{})
	service.Learner, service.Vectors, service.Model = fakeState{}, fakeState{err: errGone}, "big"
	if _, err := service.IndexStatus(t.Context(), p); !errors.Is(err, errGone) {
		t.Errorf("got %v", err)
	}
}

// During a load the index is Building if there was none before, else Behind.
func TestReadiness_duringLoad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &fixture{}
		service, p := slow(t, 4*time.Second, s)
		for has, want := range map[int64]discovery.Readiness{0: discovery.Building, 2: discovery.Behind} {
			s.mu.Lock()
			s.version = has
			s.mu.Unlock()
			service.Learner = fakeState{state: ports.IndexState{Version: has}}
			go service.Fresh(t.Context(), p)
			synctest.Wait()
			if got, err := service.IndexStatus(t.Context(), p); err != nil || got.Readiness != want {
				t.Errorf("with version %d it is %s, %v, want %s", has, got.Readiness, err, want)
			}
			if s.readings.Load() > 2 {
				t.Error("asking builds")
			}
			time.Sleep(5 * time.Second)
		}
	})
}

package discovery_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// slow returns a service for a shop whose catalogue takes this long to read.
func slow(t *testing.T, takes time.Duration, s *fixture) (*discovery.Service, *project.Project) {
	t.Helper()
	s.reading = func() { time.Sleep(takes) }
	return open(s)
}

// timeFresh calls Fresh and returns how long it took.
func timeFresh(ctx context.Context, service *discovery.Service, p *project.Project) (time.Duration, error) {
	began := time.Now()
	err := service.Fresh(ctx, p)
	return time.Since(began), err
}

func TestFresh_waits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		takes, waits time.Duration
		has          int64 // the index's version before
		code         string
	}{
		"for an index that is soon there":    {2 * time.Second, 2 * time.Second, 0, ""},
		"not for one that takes longer":      {4 * time.Second, 3 * time.Second, 0, "index_building"},
		"for a change that is soon there":    {2 * time.Second, 2 * time.Second, 1, ""},
		"an older one serves otherwise":      {4 * time.Second, 3 * time.Second, 1, ""},
		"for nothing, if it is there":        {4 * time.Second, 0, 3, ""},
		"for nothing, if it is newer as yet": {4 * time.Second, 0, 4, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service, p := slow(t, test.takes, &fixture{version: test.has})
				took, err := timeFresh(t.Context(), service, p)
				switch {
				case test.code != "":
					expectFault(t, err, test.code)
					expectRetryAfter(t, err, 2*time.Second)
				case err != nil:
					t.Error(err)
				}
				if took != test.waits {
					t.Errorf("it took %s, want %s", took, test.waits)
				}
				service.Close()
			})
		})
	}
}

func expectRetryAfter(t *testing.T, err error, want time.Duration) {
	t.Helper()
	var f *fault.Error
	if errors.As(err, &f) && f.RetryAfter != want {
		t.Errorf("try again after %s, want %s", f.RetryAfter, want)
	}
	if discovery.ErrIndexBuilding.RetryAfter != 0 {
		t.Error("the error that all share was changed")
	}
}

// A load continues after the request that started it has ended, and a later request gets its result.
func TestFresh_outlivesRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &fixture{}
		service, p := slow(t, 7*time.Second, s)
		impatient, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
		defer cancel()
		if took, err := timeFresh(impatient, service, p); !errors.Is(err, context.DeadlineExceeded) || took != 250*time.Millisecond {
			t.Errorf("the impatient: %v after %s", err, took)
		}
		gone, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		if took, err := timeFresh(gone, service, p); !errors.Is(err, context.Canceled) || took != time.Second {
			t.Errorf("the one that went: %v after %s", err, took)
		}
		if !service.Building(p.ID) {
			t.Error("nothing is under way")
		}
		_, err := timeFresh(t.Context(), service, p) // up to 4.25 s
		expectFault(t, err, "index_building")
		if took, err := timeFresh(t.Context(), service, p); err != nil || took != 2750*time.Millisecond {
			t.Errorf("the last: %v after %s", err, took)
		}
		if n := s.readings.Load(); n != 1 || service.Building(p.ID) {
			t.Errorf("read %d times, building %v", n, service.Building(p.ID))
		}
	})
}

// All requests that wait for a load get its error.
func TestFresh_sharedFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &fixture{readErr: errGone}
		service, p := slow(t, time.Second, s)
		answers := make(chan error)
		const waiting = 32
		for range waiting {
			go func() { answers <- service.Fresh(t.Context(), p) }()
		}
		for range waiting {
			if err := <-answers; !errors.Is(err, errGone) {
				t.Errorf("one hears of %v", err)
			}
		}
		if n := s.readings.Load(); n != 1 {
			t.Errorf("the catalogue was read %d times", n)
		}
	})
}

// A panic makes a load fail, and the next load can succeed.
func TestFresh_panic(t *testing.T) {
	t.Parallel()
	s := &fixture{reading: func() { panic("a row that is none") }}
	service, p := open(s)
	if err := service.Fresh(t.Context(), p); !errors.Is(err, fault.ErrPanic) || service.Building(p.ID) {
		t.Errorf("%v, building %v", err, service.Building(p.ID))
	}
	s.reading = nil
	if err := service.Fresh(t.Context(), p); err != nil || service.Index.Version(p.ID) != 3 {
		t.Errorf("version %d, %v", service.Index.Version(p.ID), err)
	}
}

// A load ends after a minute, or when the service is closed.
func TestLoads_end(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end   func(*discovery.Service)
		lasts time.Duration
	}{
		"after a minute":       {func(*discovery.Service) {}, time.Minute},
		"when the server does": {func(s *discovery.Service) { time.AfterFunc(5*time.Second, s.Close) }, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service, p := open(&fixture{})
				service.Catalog = stuck{}
				service = discovery.New(*service)
				test.end(service)
				began := time.Now()
				impatient, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_ = service.Fresh(impatient, p) // starts the load
				for err := error(discovery.ErrIndexBuilding); fault.Is(err, "index_building"); {
					err = service.Fresh(t.Context(), p)
				}
				if took := time.Since(began); took != test.lasts || service.Building(p.ID) {
					t.Errorf("it ended after %s, want %s; building %v", took, test.lasts, service.Building(p.ID))
				}
			})
		})
	}
}

func TestClose_thenFresh(t *testing.T) {
	t.Parallel()
	s := &fixture{}
	service, p := open(s)
	service.Close()
	expectFault(t, service.Fresh(t.Context(), p), "index_building")
	if n := s.readings.Load(); n != 0 {
		t.Errorf("the catalogue was read %d times", n)
	}
}

// A service in a request's transaction loads from committed data, by the loads of the service outside it.
func TestFresh_inTransaction(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		past, p := slow(t, 4*time.Second, &fixture{})
		inside := past.In(&ports.Stores{Catalog: &fixture{readErr: errGone}})
		expectFault(t, inside.Fresh(t.Context(), p), "index_building")
		if !inside.Building(p.ID) || !past.Building(p.ID) {
			t.Error("nothing is under way")
		}
		if err := inside.Fresh(t.Context(), p); err != nil || past.Index.Version(p.ID) != 3 {
			t.Error(err)
		}
	})
}

// stuck is a catalogue whose reads end only when their context does.
type stuck struct{ ports.CatalogReader }

func (stuck) Changes(ctx context.Context, _ id.Project, _ int64) (ports.CatalogChanges, error) {
	<-ctx.Done()
	return ports.CatalogChanges{}, ctx.Err()
}

// Of many concurrent requests one reads the catalogue, and all wait until the index is up to date.
func TestFresh_readsOnce(t *testing.T) {
	t.Parallel()
	const readers = 32
	s := &fixture{}
	service, p := open(s)
	looked := make(chan struct{}, 3*readers)
	s.looks = func() { looked <- struct{}{} }
	s.reading = sync.OnceFunc(func() { // waits until every reader has checked the version, and the one that loads has checked it twice
		for range readers + 1 {
			<-looked
		}
	})
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			if err := service.Fresh(t.Context(), p); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n, v := s.readings.Load(), s.version; n != 1 || v != 3 {
		t.Errorf("the catalogue was read %d times, the index is at %d", n, v)
	}
}

func TestFresh_olderReader(t *testing.T) {
	t.Parallel()
	s := &fixture{version: 3}
	service, p := open(s)
	p.CatalogVersion = 2
	if err := service.Fresh(t.Context(), p); err != nil || s.readings.Load() != 0 {
		t.Errorf("%d readings, %v", s.readings.Load(), err)
	}
}

func TestFresh_retriesAfterFailure(t *testing.T) {
	t.Parallel()
	s := &fixture{readErr: errGone}
	service, p := open(s)
	if err := service.Fresh(t.Context(), p); !errors.Is(err, errGone) {
		t.Errorf("got %v", err)
	}
	s.readErr = nil
	if err := service.Fresh(t.Context(), p); err != nil || service.Index.Version(p.ID) != 3 {
		t.Errorf("version %d, %v", service.Index.Version(p.ID), err)
	}
}

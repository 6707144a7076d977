package markets_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/job"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

func TestStart(t *testing.T) {
	t.Parallel()
	policy := negotiation.Builtin()
	wrong := policy
	wrong.RoundCap = 99
	unknown := []id.Product{id.New[id.Product]([16]byte{99})}
	for name, c := range map[string]struct {
		asked job.MarketRequest
		want  string // the code of the error
	}{
		"the one in force": {job.MarketRequest{Buyers: 50}, ""},
		"a version":        {job.MarketRequest{Buyers: 50, Version: 2}, ""},
		"against a version": {job.MarketRequest{
			Buyers:  50,
			Policy:  &policy,
			Against: 2,
		}, ""},
		"no version":         {job.MarketRequest{Buyers: 50, Version: 3}, "policy_not_found"},
		"against no version": {job.MarketRequest{Buyers: 50, Against: 3}, "policy_not_found"},
		"a policy and a version": {job.MarketRequest{
			Buyers:  50,
			Policy:  &policy,
			Version: 2,
		}, "validation_error"},
		"a policy that is wrong":   {job.MarketRequest{Buyers: 50, Policy: &wrong}, "validation_error"},
		"too few buyers":           {job.MarketRequest{Buyers: 49}, "validation_error"},
		"a product that is not":    {job.MarketRequest{Buyers: 50, Products: unknown}, "product_not_found"},
		"more products than allow": {job.MarketRequest{Buyers: 50, Products: make([]id.Product, 11)}, "validation_error"},
	} {
		s := newFixture(t)
		err := s.start(c.asked)
		if c.want != "" {
			if !fault.Is(err, c.want) {
				t.Errorf("%s: %v, want %s", name, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := s.job.Request.Market
		if got.Against == 0 || (got.Version == 0) != (got.Policy != nil) || s.job.Status != job.Queued {
			t.Errorf("%s: %+v", name, s.job)
		}
	}
}

// A run whose first worker died has the same result as an undisturbed one.
func TestRunner_work_interrupted(t *testing.T) {
	t.Parallel()
	undisturbed, disturbed := newFixture(t), newFixture(t)
	for _, s := range []*fixture{undisturbed, disturbed} {
		s.mustStart(job.MarketRequest{Version: 2})
	}
	if err := disturbed.job.Begin(noon); err != nil { // and its worker's process is killed
		t.Fatal(err)
	}
	for _, s := range []*fixture{undisturbed, disturbed} {
		if err := s.work(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if disturbed.job.Attempts != 2 || disturbed.job.Status != job.Succeeded || !reflect.DeepEqual(undisturbed.job.Result, disturbed.job.Result) {
		t.Errorf("%+v", disturbed.job)
	}
	for range job.MostAttempts - 1 {
		disturbed.job.Status = job.Running
		disturbed.job.FinishedAt = time.Time{}
		_ = disturbed.job.Begin(noon)
	}
	if err := disturbed.work(t.Context()); err != nil || disturbed.job.Status != job.Failed || disturbed.job.Code != "job_interrupted" {
		t.Errorf("%v, %+v", err, disturbed.job)
	}
}

func TestRunner_work(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	s.haggled = []ports.HaggledProduct{{Product: s.products[0].ID, Negotiations: 300}}
	s.mustStart(job.MarketRequest{Version: 2, Buyers: 200})
	if err := s.work(t.Context()); err != nil || s.job.Status != job.Succeeded {
		t.Fatalf("%v, %+v", err, s.job)
	}
	if s.job.Done != 2_000 || s.job.Total != 2_000 {
		t.Errorf("%d of %d", s.job.Done, s.job.Total)
	}
	found := s.job.Result.Market
	if len(found.Products) != 1 || found.Products[0].Name != "Tent" || found.Products[0].Monthly != 300 || len(found.Populations) != 5 {
		t.Errorf("%+v", found)
	}
	c := found.Comparison
	if c.Gain == nil || c.MonthlyGain == nil || c.Before.Deals <= c.After.Deals || c.After.Discount >= c.Before.Discount || len(c.Lots) != 1 {
		t.Errorf("keeping margin against the policy in force: %+v", c)
	}
	for _, p := range found.Populations {
		if p.Title == "" {
			t.Errorf("%s has no title", p.Name)
		}
	}
}

// A shop that gives no discount earns the same whatever its policy says.
func TestRunner_work_settings(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	s.project.Settings.MaxDiscount = 0
	s.mustStart(job.MarketRequest{Version: 2})
	if err := s.work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := s.job.Result.Market.Comparison; c.Before.Discount != 0 || !reflect.DeepEqual(c.Before, c.After) || !c.Gain.Margin.IsZero() {
		t.Errorf("%+v", c)
	}
}

func TestProducts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		arrange func(*fixture) []id.Product
		want    []string
		code    string
	}{
		"the newest":           {func(*fixture) []id.Product { return nil }, []string{"Tent", "Mug"}, ""},
		"named ones":           {func(s *fixture) []id.Product { return []id.Product{s.products[1].ID} }, []string{"Mug"}, ""},
		"no fixed prices":      {func(s *fixture) []id.Product { s.products[0].Negotiable = false; return nil }, []string{"Mug"}, ""},
		"a fixed price, named": {func(s *fixture) []id.Product { s.products[0].Negotiable = false; return []id.Product{s.products[0].ID} }, []string{"Tent"}, ""},
		"haggled over, but gone": {func(s *fixture) []id.Product {
			s.haggled = []ports.HaggledProduct{{Product: id.New[id.Product]([16]byte{99}), Negotiations: 9}, {Product: s.products[1].ID, Negotiations: 1}}
			return nil
		}, []string{"Mug"}, ""},
		"at most ten": {func(s *fixture) []id.Product {
			s.products = nil
			for range 12 {
				s.sell("Mug", 12_00, 0)
			}
			return nil
		}, []string{"Mug", "Mug", "Mug", "Mug", "Mug", "Mug", "Mug", "Mug", "Mug", "Mug"}, ""},
		"none": {func(s *fixture) []id.Product { s.products = nil; return nil }, nil, "no_products"},
		"in another currency": {func(s *fixture) []id.Product {
			euro, _ := money.ParseCurrency("EUR")
			s.products[0].Price = money.Of(100_00, euro)
			return []id.Product{s.products[0].ID}
		}, nil, "product_unsuitable"},
	} {
		s := newFixture(t)
		s.mustStart(job.MarketRequest{Products: c.arrange(s)})
		err := s.work(t.Context())
		if c.code != "" {
			if !errors.Is(err, jobs.ErrFailed) || s.job.Status != job.Failed || s.job.Code != c.code {
				t.Errorf("%s: %v, %+v", name, err, s.job)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var names []string
		for _, p := range s.job.Result.Market.Products {
			names = append(names, p.Name)
		}
		if !reflect.DeepEqual(names, c.want) {
			t.Errorf("%s: %v, want %v", name, names, c.want)
		}
	}
}

// A canceled run stops within about a second and has no result.
func TestRunner_work_canceled(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	for range 8 {
		s.sell("Tent", 100_00, 50_00)
	}
	s.mustStart(job.MarketRequest{Buyers: 5_000})
	var canceled time.Time
	s.onBeat = func(j *job.Job) {
		if canceled.IsZero() {
			canceled = time.Now()
			_ = j.Cancel(noon)
		}
	}
	if err := s.work(t.Context()); err != nil || s.job.Status != job.Canceled || s.job.Result.Market != nil {
		t.Errorf("%v, %+v", err, s.job)
	}
	if canceled.IsZero() || time.Since(canceled) > time.Second {
		t.Errorf("it stopped after %s", time.Since(canceled))
	}
}

// A server that shuts down releases its job, and the attempt does not count.
func TestSettle_shutdown(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	for range 8 {
		s.sell("Tent", 100_00, 50_00)
	}
	s.mustStart(job.MarketRequest{Buyers: 5_000})
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, stop)
	if err := s.work(ctx); s.job.Status != job.Queued || s.job.Attempts != 0 {
		t.Errorf("%v, %+v", err, s.job)
	}
}

// A job is begun again after a temporary failure, and fails after an error of the merchant or of this program.
func TestSettle_failures(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	named := []id.Product{s.products[0].ID}
	s.mustStart(job.MarketRequest{Products: named})
	s.broken = errors.New("the store is away")
	if err := s.work(t.Context()); !errors.Is(err, s.broken) || s.job.Status != job.Running {
		t.Errorf("%v, %+v", err, s.job)
	}
	s.broken = fault.Missing("product")
	if err := s.work(t.Context()); !errors.Is(err, jobs.ErrFailed) || s.job.Code != "product_not_found" || s.job.Reason == "" {
		t.Errorf("%v, %+v", err, s.job)
	}
	s = newFixture(t)
	s.mustStart(job.MarketRequest{})
	s.products[0].Variants[0].ID, s.products[0] = id.Variant{}, nil // a panic
	if err := s.work(t.Context()); !errors.Is(err, jobs.ErrFailed) || s.job.Code != "internal_error" {
		t.Errorf("%v, %+v", err, s.job)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	s.mustStart(job.MarketRequest{})
	before, after, err := s.service().Cancel(t.Context(), s.project.ID, s.job.ID)
	if err != nil || before.Status != job.Queued || after.Status != job.Canceled {
		t.Errorf("%v, %+v, %+v", err, before, after)
	}
	if _, _, err = s.service().Cancel(t.Context(), s.project.ID, s.job.ID); !fault.Is(err, "job_finished") {
		t.Error(err)
	}
	if err := s.work(t.Context()); err != nil || s.settled != 0 {
		t.Errorf("a job that was canceled is begun: %v", err)
	}
}

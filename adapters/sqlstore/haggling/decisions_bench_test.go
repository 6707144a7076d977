package haggling_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// BenchmarkDecisions reads a record of -decisions decisions over a month, sealed except for the last few.
func BenchmarkDecisions(b *testing.B) {
	storetest.OnEachEngine(b, func(b *testing.B, s *storetest.Store) {
		project := storetest.StoreProject(b, s, 1).ID
		p := storetest.NewPast(3, project, storetest.March, 30*24*time.Hour)
		stored := 0
		for stored < *storetest.DecisionsInPast {
			for len(p.Decisions) < 5_000 {
				p.Visit()
			}
			stored += len(p.Decisions)
			p.Store(b, s)
			storetest.SealAll(b, s)
		}
		end := storetest.March.AddDate(0, 0, 31)
		for name, read := range map[string]func() error{
			"head":         func() error { _, err := s.Decisions().Head(b.Context(), project); return err },
			"sealed_1000":  func() error { _, err := s.Decisions().Sealed(b.Context(), project, int64(stored/2), 1000); return err },
			"nothing_left": func() error { _, err := s.Decisions().Seal(b.Context(), 100); return err },
			"list":         page(b, s, project, ports.DecisionFilter{}),
			"list_agent":   page(b, s, project, ports.DecisionFilter{Agent: storetest.Numbered[id.Agent](9)}),
			"list_product": page(b, s, project, ports.DecisionFilter{Product: id.Stored[id.Product]("prod_7")}),
			"list_day":     page(b, s, project, ports.DecisionFilter{From: storetest.March.AddDate(0, 0, 3), To: storetest.March.AddDate(0, 0, 4)}),
			"negotiations_10000": func() error {
				n := 0
				err := s.Decisions().Negotiations(b.Context(), project, ports.NegotiationFilter{From: storetest.March, To: end}, 10_000, func(ports.Negotiation) error { n++; return nil })
				if err == nil && n == 0 {
					err = fmt.Errorf("there were none")
				}
				return err
			},
			"negotiations_of_nobody": func() error {
				return s.Decisions().Negotiations(b.Context(), project, ports.NegotiationFilter{
					Agent: storetest.Numbered[id.Agent](9),
					From:  storetest.March,
					To:    end,
				}, 10, func(ports.Negotiation) error { return nil })
			},
		} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					if err := read(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

func page(b *testing.B, s *storetest.Store, project id.Project, f ports.DecisionFilter) func() error {
	return func() error {
		_, _, err := s.Decisions().Decisions(b.Context(), project, f, ports.Page{Limit: 20})
		return err
	}
}

// BenchmarkSeal seals 1,000 decisions at a time.
func BenchmarkSeal(b *testing.B) {
	storetest.OnEachEngine(b, func(b *testing.B, s *storetest.Store) {
		p := storetest.NewPast(3, storetest.StoreProject(b, s, 1).ID, storetest.March, 30*24*time.Hour)
		sealed := 0
		for b.Loop() {
			b.StopTimer()
			for len(p.Decisions) < 1_000 {
				p.Visit()
			}
			sealed += len(p.Decisions)
			p.Store(b, s)
			b.StartTimer()
			storetest.SealAll(b, s)
		}
		b.ReportMetric(float64(sealed)/b.Elapsed().Seconds(), "decisions/s")
	})
}

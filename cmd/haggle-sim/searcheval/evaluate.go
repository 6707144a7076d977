package searcheval

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	deep      = 100 // results per query, which recall is measured on
	shallow   = 10  // results that NDCG is measured on
	shown     = 3   // results that are reported of a bad query
	mostRuns  = 20  // runs per query for its latency
	untilTime = 5 * time.Second
)

// evaluation runs queries against an index and scores the results.
type evaluation struct {
	index    ports.Index
	shop     *shop
	judged   judgements
	progress func(stage string, done, total int64)
}

func (e evaluation) measure(ctx context.Context, c Config, asked questions, r *Report) error {
	r.Judgements = e.judgements(asked)
	queries, scores, err := e.set(ctx, "queries", asked.queries, c.Worst)
	if err != nil {
		return err
	}
	if queries.Evaluated == 0 {
		return &InputError{File: c.Judgements, Err: errNothingJudged}
	}
	r.Queries = &queries
	if c.Paraphrases == "" {
		return nil
	}
	paraphrases, rephrased, err := e.set(ctx, "paraphrases", asked.paraphrases, c.Worst)
	if err != nil {
		return err
	}
	if paraphrases.Evaluated == 0 {
		return &InputError{File: c.Paraphrases, Err: errNothingJudged}
	}
	paraphrases.AsQueried = meanOf(scores, rephrased)
	r.Paraphrases = &paraphrases
	return nil
}

// meanOf returns the mean NDCG of those scores whose query id is also among others, or nil if there is none.
func meanOf(scores, others []scored) *float64 {
	wanted := make(map[string]bool, len(others))
	for _, s := range others {
		wanted[s.question.id] = true
	}
	var values []float64
	for _, s := range scores {
		if wanted[s.question.id] {
			values = append(values, s.ndcg)
		}
	}
	if len(values) == 0 {
		return nil
	}
	m := mean(values)
	return &m
}

// judgements counts the judgements, and those whose query or product is unknown.
func (e evaluation) judgements(asked questions) (n Judgements) {
	n.Repeated = asked.repeated
	known := make(map[string]bool, len(asked.queries))
	for _, q := range asked.queries {
		known[q.id] = true
	}
	unknown := make(map[string]bool)
	for query, gains := range e.judged {
		n.Count += len(gains)
		if !known[query] {
			n.OtherQueries += len(gains)
		}
		for sku := range gains {
			if e.shop.bySKU[sku] == nil {
				unknown[sku] = true
			}
		}
	}
	n.UnknownSKUs = len(unknown)
	return n
}

// scored is a query with relevant products, and its results and score.
type scored struct {
	question     question
	found        catalog.Found
	ndcg, recall float64
}

func (e evaluation) set(ctx context.Context, stage string, all []question, worst int) (Set, []scored, error) {
	set := Set{Queries: len(all)}
	var scores []scored
	for i, q := range all {
		e.progress(stage, int64(i), int64(len(all)))
		found, err := e.ask(ctx, q, deep)
		if err != nil {
			return Set{}, nil, err
		}
		if len(e.judged[q.id]) > 0 {
			set.Judged++
		}
		if s, ok := e.score(q, found); ok {
			scores = append(scores, s)
		}
	}
	set.Evaluated = len(scores)
	if len(scores) == 0 {
		return set, nil, nil
	}
	set.sum(scores)
	for _, s := range leastFirst(scores)[:min(worst, len(scores))] {
		set.Worst = append(set.Worst, e.poor(s))
	}
	var err error
	set.Latency, err = e.latency(ctx, stage, all)
	return set, scores, err
}

func (e evaluation) ask(ctx context.Context, q question, limit int) (catalog.Found, error) {
	found, err := e.index.Search(ports.NewOutbound(ctx), e.shop.project, catalog.Query{Text: q.text, Limit: limit})
	if err != nil {
		return catalog.Found{}, fmt.Errorf("query %s (%q): %w", q.id, q.text, err)
	}
	return found, nil
}

// score reports false for a query without relevant products.
func (e evaluation) score(q question, found catalog.Found) (scored, bool) {
	gains := e.judged[q.id]
	results := make([]float64, len(found.Hits))
	for i, hit := range found.Hits {
		results[i] = gains[hit.Product.SKU]
	}
	judged := slices.Collect(maps.Values(gains))
	ndcg, ok := NDCG(results, judged, shallow)
	if !ok {
		return scored{}, false
	}
	return scored{q, found, ndcg, Recall(results[:min(deep, len(results))], judged)}, true
}

func leastFirst(scores []scored) []scored {
	ordered := slices.Clone(scores)
	slices.SortStableFunc(ordered, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.ndcg, b.ndcg), cmp.Compare(a.recall, b.recall))
	})
	return ordered
}

// latency times whole rounds of all queries, so that each query has the same weight. All queries have run once before.
func (e evaluation) latency(ctx context.Context, stage string, all []question) (Latency, error) {
	var took []Time
	began := time.Now()
	rounds := 0
	for ; rounds < mostRuns && (rounds == 0 || time.Since(began) < untilTime); rounds++ {
		e.progress("timing "+stage, int64(rounds), mostRuns)
		for _, q := range all {
			start := time.Now()
			if _, err := e.ask(ctx, q, deep); err != nil {
				return Latency{}, err
			}
			took = append(took, Time(time.Since(start)))
		}
	}
	slices.Sort(took)
	return Latency{
		P50:    percentile(took, 50),
		P95:    percentile(took, 95),
		P99:    percentile(took, 99),
		Rounds: rounds,
	}, nil
}

func (e evaluation) poor(s scored) Poor {
	gains := e.judged[s.question.id]
	p := Poor{
		ID:       s.question.id,
		Query:    s.question.text,
		NDCG:     s.ndcg,
		Recall:   s.recall,
		Relevant: positive(slices.Collect(maps.Values(gains))),
		Total:    s.found.Total,
	}
	for _, hit := range s.found.Hits[:min(shown, len(s.found.Hits))] {
		seen := e.seen(hit)
		if gain, judged := gains[hit.Product.SKU]; judged {
			seen.Gain = &gain
		}
		p.Top = append(p.Top, seen)
	}
	return p
}

func (e evaluation) explain(ctx context.Context, text string) (*Explained, error) {
	found, err := e.ask(ctx, question{"to explain", text}, shallow)
	if err != nil {
		return nil, err
	}
	x := &Explained{
		Query:      text,
		Total:      found.Total,
		Confidence: found.Confidence,
	}
	for _, hit := range found.Hits {
		seen := e.seen(hit)
		seen.Reasons = hit.Reasons
		x.Top = append(x.Top, seen)
	}
	return x, nil
}

func (e evaluation) seen(hit catalog.Hit) Seen {
	return Seen{
		SKU:   hit.Product.SKU,
		Name:  hit.Product.Name,
		Score: hit.Score,
		Stock: e.shop.bySKU[hit.Product.SKU].pieces(),
	}
}

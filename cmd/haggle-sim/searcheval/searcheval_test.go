package searcheval

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// stubIndex is an index with given results: skus by query, best first. Scores can then be computed by hand.
type stubIndex struct {
	ports.Index // no other method is called
	answers     map[string][]string

	products map[string]*catalog.Product
	synonyms *[]catalog.Synonym
	settled  bool
	early    bool // searched before it was settled
	limits   map[int]bool
	runs     map[string]int
}

func (x *stubIndex) Apply(_ id.Project, changes ports.CatalogChanges) {
	x.products, x.limits, x.runs = make(map[string]*catalog.Product), make(map[int]bool), make(map[string]int)
	for _, p := range changes.Changed {
		x.products[p.SKU] = p
	}
	x.synonyms = changes.Synonyms
}

func (x *stubIndex) Settle(context.Context) error {
	x.settled = true
	return nil
}

var errNoAnswer = errors.New("no answer")

func (x *stubIndex) Search(_ ports.Outbound, _ id.Project, q catalog.Query) (catalog.Found, error) {
	skus, known := x.answers[q.Text]
	if !known {
		return catalog.Found{}, errNoAnswer
	}
	x.early = x.early || !x.settled
	x.limits[q.Limit] = true
	x.runs[q.Text]++
	found := catalog.Found{Total: len(skus), Confidence: 900}
	for i, sku := range skus {
		found.Hits = append(found.Hits, catalog.Hit{
			Product: x.products[sku],
			Score:   900 - i,
			Reasons: []string{"because of " + q.Text},
		})
	}
	return found, nil
}

const shopText = `{"sku":"T-1","name":"Ridge Tent","price":199,"quantity":3}
{"sku":"T-2","name":"Dome Tent","price":99,"quantity":0}
{"sku":"M-1","name":"Mat","price":20.5,"quantity":7}
{"sku":"M-2","name":"Mat without a price"}
`

// fixture returns a shop with queries: the results of q1 are in the worst order, those of q2 are as judged, half of q3's are
// missing, and q4 and q5 have nothing relevant.
func fixture(t *testing.T) (Config, *stubIndex) {
	t.Helper()
	x := &stubIndex{answers: map[string][]string{
		"tent": {"M-1", "T-1"}, "mat": {"M-1"}, "dome": {"T-2"}, "lamp": {}, "stove": {"T-1"},
		"canvas": {"T-1", "M-1"}, "shelter": {},
	}}
	return Config{
		Products: file(t, "products.ndjson", shopText),
		Queries: file(t, "queries.jsonl", `{"id":"q1","query":"tent"}
{"id":"q2","query":"mat"}
{"id":"q3","query":"dome"}
{"id":"q4","query":"lamp"}
{"id":"q5","query":"stove"}`),
		Judgements: file(t, "judgements.jsonl", `{"query_id":"q1","sku":"T-1","gain":1}
{"query_id":"q1","sku":"M-1","gain":0}
{"query_id":"q2","sku":"M-1","gain":0.5}
{"query_id":"q3","sku":"T-2","gain":1}
{"query_id":"q3","sku":"T-9","gain":1}
{"query_id":"q3","sku":"T-9","gain":1}
{"query_id":"q4","sku":"M-1","gain":0}
{"query_id":"q9","sku":"T-8","gain":1}`),
		Open: func() ports.Index { return x },
	}, x
}

func run(t *testing.T, c Config) *Report {
	t.Helper()
	r, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRun(t *testing.T) {
	t.Parallel()
	c, x := fixture(t)
	c.Paraphrases = file(t, "paraphrases.jsonl", `{"id":"q1","query":"canvas"}
{"id":"q1","query":"shelter"}
{"id":"q4","query":"lamp"}`)
	c.Synonyms = file(t, "synonyms.jsonl", `{"words":["tent","shelter"]}`)
	stages := make(map[string]bool)
	c.Progress = func(stage string, done, total int64) { stages[stage] = true }
	r := run(t, c)

	second := 1 / math.Log2(3)
	q, p := r.Queries, r.Paraphrases
	if q.Queries != 5 || q.Judged != 4 || q.Evaluated != 3 {
		t.Errorf("%d queries, %d judged, %d evaluated; want 5, 4, 3", q.Queries, q.Judged, q.Evaluated)
	}
	near(t, "NDCG", q.NDCG, (second+1+1/(1+second))/3)
	near(t, "recall", q.Recall, 2.5/3)
	if !(q.Low < q.NDCG && q.NDCG < q.High) || q.AsQueried != nil {
		t.Errorf("%v to %v around %v; as queried %v", q.Low, q.High, q.NDCG, q.AsQueried)
	}
	if p.Queries != 3 || p.Judged != 3 || p.Evaluated != 2 || p.AsQueried == nil {
		t.Fatalf("paraphrases %+v", p)
	}
	near(t, "NDCG of paraphrases", p.NDCG, .5)
	near(t, "as queried", *p.AsQueried, second)
	if want := (Judgements{
		Count:        7,
		Repeated:     1,
		OtherQueries: 1,
		UnknownSKUs:  2,
	}); r.Judgements != want {
		t.Errorf("%+v, want %+v", r.Judgements, want)
	}
	if r.Products != 3 || r.Refused != 1 || r.Why[0].Line != 4 || r.Synonyms != 1 {
		t.Errorf("%d products, %d refused: %v; %d synonyms", r.Products, r.Refused, r.Why, r.Synonyms)
	}
	if x.early || len(x.limits) != 1 || !x.limits[100] || x.synonyms == nil || (*x.synonyms)[0].Words[1] != "shelter" {
		t.Errorf("asked early: %v, limits %v, synonyms %v", x.early, x.limits, x.synonyms)
	}
	if n := q.Latency.Rounds; n < 1 || x.runs["mat"] != n+1 || q.Latency.P50 > q.Latency.P95 || q.Latency.P95 > q.Latency.P99 || q.Latency.P99 <= 0 {
		t.Errorf("%+v after %d runs", q.Latency, x.runs["mat"])
	}
	for _, stage := range []string{"indexing", "queries", "timing queries", "paraphrases"} {
		if !stages[stage] {
			t.Errorf("no progress of %s: %v", stage, stages)
		}
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestReport_Write(t *testing.T) {
	t.Parallel()
	c, x := fixture(t)
	c.Worst, c.Explain = 1, "tent"
	r := run(t, c)
	if !x.limits[10] || x.synonyms != nil {
		t.Errorf("limits %v, synonyms %v", x.limits, x.synonyms)
	}
	var text strings.Builder
	if err := r.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"products      3 (1 rejected)\n",
		"judgements    7 (1 repeated, the last one counts; 1 for unknown query ids; 2 for unknown SKUs)\n",
		"skipped: no gain above 0  2\n", "NDCG@10                   0.748\n", "recall@100                0.833\n",
		`q3 "dome": NDCG@10 0.613, recall@100 0.500, 2 relevant, 1 found` + "\n   1  .900  T-2  Dome Tent  no stock  gain 1\n",
		`"tent": 2 found, confidence .900` + "\n   1  .900  M-1  Mat         7 in stock  because of tent\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, &text)
		}
	}
	if strings.Contains(text.String(), "paraphrases") || strings.Contains(text.String(), "synonyms") {
		t.Errorf("what was not measured is in\n%s", &text)
	}
}

func TestReport_WriteJSON(t *testing.T) {
	t.Parallel()
	c, _ := fixture(t)
	c.Worst, c.Explain = 2, "mat"
	var text strings.Builder
	if err := run(t, c).WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Products int
		Refused  int
		Build    struct {
			Done float64 `json:"done_ms"`
		}
		Queries struct {
			NDCG    float64 `json:"ndcg_at_10"`
			Recall  float64 `json:"recall_at_100"`
			Latency map[string]float64
			Worst   []struct {
				Query string
				Top   []map[string]any
			}
		}
		Paraphrases *struct{}
		Explained   struct{ Top []struct{ Reasons []string } }
	}
	if err := json.Unmarshal([]byte(text.String()), &got); err != nil {
		t.Fatalf("%v\n%s", err, &text)
	}
	worst := got.Queries.Worst
	_, timed := got.Queries.Latency["p99_ms"] // with three products the latency may round to 0
	if got.Products != 3 || got.Refused != 1 || got.Build.Done < 0 || got.Paraphrases != nil || !timed ||
		len(worst) != 2 || worst[0].Query != "dome" || worst[1].Query != "tent" || worst[1].Top[1]["gain"] != 1.0 ||
		got.Explained.Top[0].Reasons[0] != "because of mat" {
		t.Errorf("%s", &text)
	}
	near(t, "recall", got.Queries.Recall, 2.5/3)
}

func TestRun_explainOnly(t *testing.T) {
	t.Parallel()
	c, _ := fixture(t)
	c.Queries, c.Judgements, c.Explain = "", "", "mat"
	r := run(t, c)
	var text strings.Builder
	if err := r.Write(&text); err != nil {
		t.Fatal(err)
	}
	if r.Queries != nil || len(r.Explained.Top) != 1 || strings.Contains(text.String(), "NDCG") || strings.Contains(text.String(), "judgements") {
		t.Errorf("%s", &text)
	}
}

func TestRun_errors(t *testing.T) {
	t.Parallel()
	c, x := fixture(t)
	delete(x.answers, "dome")
	if _, err := Run(t.Context(), c); !errors.Is(err, errNoAnswer) || !strings.Contains(err.Error(), `query q3 ("dome")`) {
		t.Errorf("a query that fails: %v", err)
	}
	c, _ = fixture(t)
	c.Judgements = file(t, "nothing.jsonl", `{"query_id":"q1","sku":"T-1","gain":0}`)
	if _, err := Run(t.Context(), c); !errors.Is(err, errNothingJudged) || !strings.Contains(err.Error(), "nothing.jsonl: ") {
		t.Errorf("nothing to find: %v", err)
	}
	c, _ = fixture(t)
	c.Paraphrases = file(t, "others.jsonl", `{"id":"q8","query":"mat"}`)
	if _, err := Run(t.Context(), c); !errors.Is(err, errNothingJudged) || !strings.Contains(err.Error(), "others.jsonl: ") {
		t.Errorf("paraphrases of nothing: %v", err)
	}
	c, _ = fixture(t)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Run(stopped, c); !errors.Is(err, context.Canceled) {
		t.Errorf("when stopped: %v", err)
	}
}

package searcheval

import (
	"encoding/json"
	"io"
	"strconv"
	"time"
)

// Report is the result of an evaluation. JSON times are in milliseconds.
type Report struct {
	Products    int        `json:"products"`
	Refused     int        `json:"refused"`       // products that an import would refuse
	Why         []Refused  `json:"why,omitempty"` // reasons of the first ones
	Synonyms    int        `json:"synonyms,omitempty"`
	Build       Build      `json:"build"`
	IndexBytes  int64      `json:"index_bytes"` // without the products
	Judgements  Judgements `json:"judgements,omitzero"`
	Queries     *Set       `json:"queries,omitempty"`
	Paraphrases *Set       `json:"paraphrases,omitempty"`
	Explained   *Explained `json:"explained,omitempty"`
}

// Build is how long it took until products could be found, and until the index was complete.
type Build struct {
	Searchable Time `json:"searchable_ms"`
	Done       Time `json:"done_ms"`
}

// Judgements are counts of judgements. UnknownSKUs counts each sku once.
type Judgements struct {
	Count        int `json:"count"`
	Repeated     int `json:"repeated"`      // replaced by a later one
	OtherQueries int `json:"other_queries"` // of ids without a query
	UnknownSKUs  int `json:"unknown_skus"`  // of no product; they count as not found
}

// Set is the result of some queries. Judged of all Queries have judgements, and Evaluated have one with a gain above 0. Means
// are over the latter.
type Set struct {
	Queries   int      `json:"queries"`
	Judged    int      `json:"judged"`
	Evaluated int      `json:"evaluated"`
	NDCG      float64  `json:"ndcg_at_10"`
	Low       float64  `json:"ndcg_at_10_low"` // the 95 % interval
	High      float64  `json:"ndcg_at_10_high"`
	AsQueried *float64 `json:"ndcg_at_10_as_queried,omitempty"` // of paraphrases: the mean of the original queries with the same ids
	Recall    float64  `json:"recall_at_100"`
	Latency   Latency  `json:"latency"`
	Worst     []Poor   `json:"worst,omitempty"`
}

// Latency is over all runs of all queries.
type Latency struct {
	P50    Time `json:"p50_ms"`
	P95    Time `json:"p95_ms"`
	P99    Time `json:"p99_ms"`
	Rounds int  `json:"rounds"` // runs of each query
}

// Poor is a query with a bad score. Total is how many products matched it, and Relevant how many are relevant.
type Poor struct {
	ID       string  `json:"id"`
	Query    string  `json:"query"`
	NDCG     float64 `json:"ndcg_at_10"`
	Recall   float64 `json:"recall_at_100"`
	Relevant int     `json:"relevant"`
	Total    int     `json:"total"`
	Top      []Seen  `json:"top"`
}

// Explained is a query with its best results and the index's reasons for them.
type Explained struct {
	Query      string `json:"query"`
	Total      int    `json:"total"`
	Confidence int    `json:"confidence"`
	Top        []Seen `json:"top"`
}

// Seen is one result. Gain is nil if it has no judgement.
type Seen struct {
	SKU     string   `json:"sku"`
	Name    string   `json:"name"`
	Score   int      `json:"score"` // thousandths
	Stock   int      `json:"stock"`
	Gain    *float64 `json:"gain,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
}

func (s *Set) sum(scores []scored) {
	var ndcgs, recalls []float64
	for _, one := range scores {
		ndcgs, recalls = append(ndcgs, one.ndcg), append(recalls, one.recall)
	}
	s.NDCG, s.Recall = mean(ndcgs), mean(recalls)
	s.Low, s.High = Interval(ndcgs)
}

// Time is written as milliseconds.
type Time time.Duration

func (t Time) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(t)/float64(time.Millisecond), 'f', 3, 64), nil
}

// WriteJSON writes one JSON object.
func (r *Report) WriteJSON(to io.Writer) error {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

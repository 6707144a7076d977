package remoteagent

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

const (
	longestText = 2000 // characters
	mostReasons = 10
)

// readJSON refuses repeated names and invalid UTF-8. Names are case-sensitive, so "Price" is unknown.
func readJSON(body []byte, into any) error {
	if json.Unmarshal(body, into) != nil {
		return nonsense("it is not the JSON that is expected")
	}
	return nil
}

type quoteAnswer struct {
	Status    string  `json:"status"`
	Price     decimal `json:"price"`
	Reasoning string  `json:"reasoning"`
	Message   string  `json:"message"`
}

func readQuote(body []byte, in agent.QuoteInput) (agent.QuoteAnswer, error) {
	var a quoteAnswer
	if err := readJSON(body, &a); err != nil {
		return agent.QuoteAnswer{}, err
	}
	price, err := readPrice(a.Price, in.Table.Bounds.List().Currency())
	if err != nil {
		return agent.QuoteAnswer{}, err
	}
	decision, err := decide(a.Status, price, in)
	if err != nil {
		return agent.QuoteAnswer{}, err
	}
	return agent.QuoteAnswer{
		Decision:  decision,
		Reasoning: clean(a.Reasoning),
		Message:   clean(a.Message),
	}, nil
}

// readPrice returns nil if there is no price.
func readPrice(value decimal, c money.Currency) (*money.Amount, error) {
	if absent(value) {
		return nil, nil
	}
	if value.Kind() != '0' {
		return nil, nonsense("its price is not a number")
	}
	price, err := money.Parse(string(value), c)
	switch {
	case err != nil:
		return nil, nonsense("its price " + err.Error())
	case !price.IsPositive():
		return nil, nonsense("its price is not more than zero")
	}
	return &price, nil
}

func absent(value decimal) bool { return len(value) == 0 || value.Kind() == 'n' }

// decide converts a status and a price to a decision on an offer.
func decide(status string, price *money.Amount, in agent.QuoteInput) (negotiation.Decision, error) {
	t := in.Table
	switch {
	case status != "quote" && status != "accept" && status != "counter_offer" && status != "reject":
		return nil, nonsense("its status is unknown")
	case (status == "quote") != (t.Offer == nil):
		return nil, nonsense("its status does not fit the offer, or its absence")
	case price == nil && (status == "quote" || status == "counter_offer"):
		return nil, nonsense("its price is missing")
	}
	switch status {
	case "quote":
		return negotiation.Quoted{Price: *price, By: negotiation.AgentAnswer}, nil
	case "counter_offer":
		last := t.Progress.Rounds+1 >= t.Terms.RoundCap
		return negotiation.Countered{
			Price: *price,
			Final: last,
			By:    negotiation.AgentAnswer,
		}, nil
	case "accept":
		return accept(price, t)
	}
	if price == nil {
		stands := in.CurrentPrice()
		price = &stands
	}
	return negotiation.Rejected{
		Price: *price,
		Hint:  t.Bounds.Hint(),
		By:    negotiation.AgentAnswer,
	}, nil
}

// accept accepts the offer, or the list price if the offer is above it.
func accept(price *money.Amount, t negotiation.Table) (negotiation.Decision, error) {
	agreed := *t.Offer
	if agreed.Minor() > t.Bounds.List().Minor() {
		agreed = t.Bounds.List()
	}
	if price != nil && *price != *t.Offer && *price != agreed {
		return nil, nonsense("it accepts the offer at another price")
	}
	return negotiation.Accepted{Price: agreed, By: negotiation.AgentAnswer}, nil
}

type searchAnswer struct {
	Results    []result `json:"results"`
	Confidence decimal  `json:"semantic_confidence"`
}

type result struct {
	ProductID string   `json:"product_id"`
	Score     decimal  `json:"score"`
	Reasons   []string `json:"reasons"`
}

// readSearch reorders the candidates. Total and facets are unchanged, because they count all matches.
func readSearch(body []byte, in agent.SearchInput) (agent.SearchAnswer, error) {
	var a searchAnswer
	if err := readJSON(body, &a); err != nil {
		return agent.SearchAnswer{}, err
	}
	if a.Results == nil {
		return agent.SearchAnswer{}, nonsense("its results are missing")
	}
	candidates := make(map[string]catalog.Hit, len(in.Candidates.Hits))
	for _, hit := range in.Candidates.Hits {
		candidates[hit.Product.ID.String()] = hit
	}
	found := in.Candidates
	found.Hits = make([]catalog.Hit, 0, len(a.Results))
	for _, r := range a.Results {
		hit, ok := candidates[r.ProductID]
		if !ok {
			return agent.SearchAnswer{}, nonsense("a product in it was no candidate, or comes twice")
		}
		delete(candidates, r.ProductID)
		if err := r.change(&hit); err != nil {
			return agent.SearchAnswer{}, err
		}
		found.Hits = append(found.Hits, hit)
	}
	found.Hits = found.Hits[:min(len(found.Hits), limitOf(in.Query))]
	if absent(a.Confidence) {
		return agent.SearchAnswer{Found: found}, nil
	}
	share, err := readShare(a.Confidence)
	found.Confidence = share
	return agent.SearchAnswer{Found: found}, err
}

// change replaces the candidate's score and reasons by the result's.
func (r result) change(hit *catalog.Hit) error {
	if !absent(r.Score) {
		score, err := readShare(r.Score)
		if err != nil {
			return err
		}
		hit.Score = min(max(score, 1), 999)
	}
	if r.Reasons == nil {
		return nil
	}
	hit.Reasons = make([]string, 0, min(len(r.Reasons), mostReasons))
	for _, reason := range r.Reasons {
		if reason = clean(reason); reason != "" && len(hit.Reasons) < mostReasons {
			hit.Reasons = append(hit.Reasons, reason)
		}
	}
	return nil
}

// readShare parses a number from 0 to 1 as thousandths, rounding it.
func readShare(value decimal) (int, error) {
	share, err := strconv.ParseFloat(string(value), 64)
	if value.Kind() != '0' || err != nil || share < 0 || share > 1 {
		return 0, nonsense("a score in it is not a number between 0 and 1")
	}
	return int(share*1000 + .5), nil
}

type verdictAnswer struct {
	Approve *bool  `json:"approve"`
	Review  bool   `json:"review"`
	Reason  string `json:"reason"`
}

func readVerdict(body []byte) (agent.Verdict, error) {
	var a verdictAnswer
	if err := readJSON(body, &a); err != nil {
		return agent.Verdict{}, err
	}
	switch {
	case a.Approve == nil:
		return agent.Verdict{}, nonsense("it neither approves nor refuses")
	case *a.Approve && a.Review:
		return agent.Verdict{}, nonsense("it approves, and wants a review")
	case *a.Approve:
		return agent.Consent(), nil
	case a.Review:
		return agent.AskReview(clean(a.Reason)), nil
	}
	return agent.Refuse(clean(a.Reason)), nil
}

// clean returns a text without control and format characters, cut to longestText characters.
func clean(text string) string {
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
			return -1
		}
		return r
	}, text))
	if runes := []rune(text); len(runes) > longestText {
		return strings.TrimSpace(string(runes[:longestText]))
	}
	return text
}

// Package simulating runs simulated markets: thousands of buyers of domain/market negotiate with a seller, such as a negotiation
// policy, in parallel, and a report compares what it earned with simpler sellers. It uses no server and no database.
package simulating

// Report is the result of a run. The same Config gives the same bytes. Prices, margins and discounts are shares of the list
// price. Margins are per buyer, including buyers who did not buy.
type Report struct {
	Seed         uint64         `json:"seed"`
	Buyers       int            `json:"buyers_per_population"`
	List         int64          `json:"list_price_minor_units"`
	HeedHints    bool           `json:"buyers_heed_hints"`
	Negotiations int            `json:"negotiations"`
	Settings     []Setting      `json:"seller"`
	Summary      Summary        `json:"summary"`
	Populations  []Market       `json:"populations"`
	Strategies   []Row          `json:"strategies"` // over all populations
	Probing      []ProbeRound   `json:"probing"`    // over all populations
	Prober       *Comparison    `json:"prober_against_linear,omitempty"`
	CrossSession *Comparison    `json:"cross_session_against_linear,omitempty"`
	Paths        []Path         `json:"paths"`
	Broken       []BrokenReport `json:"broken_promises"`
	Lost         int            `json:"unanswered,omitempty"` // negotiations that ended because the seller did not answer
}

// Ratio is a market.Ratio.
type Ratio struct {
	Value float64 `json:"value"`
	Error float64 `json:"standard_error"`
}

// Summary has means over the populations.
type Summary struct {
	OfPosted      Ratio   `json:"mean_multiple_of_best_posted_price"`
	Worst         Ratio   `json:"worst_multiple_of_best_posted_price"`
	WorstIn       string  `json:"worst_population"`
	OfOptimum     Ratio   `json:"mean_share_of_full_information"`
	OfWithin      *Ratio  `json:"mean_share_of_full_information_within_limits,omitempty"`
	DealRate      float64 `json:"mean_deal_rate"`
	MeanDiscount  float64 `json:"mean_discount"`
	ListOfPosted  float64 `json:"list_price_as_mean_multiple_of_best_posted_price"`
	PostedOfKnown float64 `json:"best_posted_price_as_mean_share_of_full_information"`
}

// Market is the result for one population: what simpler sellers earned, and what this one did.
type Market struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Cost    float64  `json:"cost"`
	Secrets *Shown   `json:"secrets,omitempty"`
	List    Baseline `json:"list_price"`
	Best    Baseline `json:"best_posted_price"`
	Optimum Baseline `json:"full_information"`
	// The same for sellers that never sell under the floor; nil if the floor is unknown.
	BestWithin    *Baseline    `json:"best_posted_price_within_limits,omitempty"`
	OptimumWithin *Baseline    `json:"full_information_within_limits,omitempty"`
	Policy        Row          `json:"policy"`
	Strategies    []Row        `json:"strategies"`
	Probing       []ProbeRound `json:"probing"`
}

// Shown are a seller's secrets as shares of list.
type Shown struct {
	Floor float64 `json:"floor"`
	Hint  float64 `json:"hint"`
}

// Baseline is the result of another seller with the same buyers.
type Baseline struct {
	Price    float64 `json:"price,omitempty"` // zero if it differs from buyer to buyer
	DealRate float64 `json:"deal_rate"`
	Margin   float64 `json:"margin_per_buyer"`
}

// Row is the result of buyers with one strategy, or of the whole market.
type Row struct {
	Strategy  string  `json:"strategy"`
	Apart     bool    `json:"apart"` // not part of the market
	Buyers    int     `json:"buyers"`
	Deals     int     `json:"deals"`
	DealRate  float64 `json:"deal_rate"`
	MeanPrice float64 `json:"mean_price"`
	Margin    float64 `json:"margin_per_buyer"`
	Rounds    float64 `json:"mean_rounds"`
	OfPosted  Ratio   `json:"multiple_of_best_posted_price"`
	OfOptimum Ratio   `json:"share_of_full_information"`
	OfWithin  *Ratio  `json:"share_of_full_information_within_limits,omitempty"`
	// Discounts counts deals by discount in whole percent, from 0. Lowest, Median and Highest are quantiles of it.
	Discounts []int `json:"deals_by_percent_of_discount"`
	Lowest    int   `json:"discount_percent_p10"`
	Median    int   `json:"discount_percent_p50"`
	Highest   int   `json:"discount_percent_p90"`
}

// ProbeRound is what the probers who could pay the floor estimated it to be after a round.
type ProbeRound struct {
	Round    int     `json:"round"`
	Probers  int     `json:"probers"` // still negotiating
	Estimate float64 `json:"mean_estimate"`
	Floor    float64 `json:"floor"`
	Hint     float64 `json:"hint"`
	// Estimate less floor: mean, 10th and 90th percentile.
	Bias float64 `json:"mean_error"`
	Low  float64 `json:"error_p10"`
	High float64 `json:"error_p90"`
	// Mean absolute distance of the estimate from the floor, and of the hint from the floor.
	Distance     float64 `json:"mean_absolute_error"`
	HintDistance float64 `json:"hint_error"`
}

// Comparison compares probers with linear buyers of the same V, first offer and deadline.
type Comparison struct {
	Buyers         int     `json:"buyers"`
	BothBought     int     `json:"both_bought"`
	ProberDealRate float64 `json:"prober_deal_rate"`
	LinearDealRate float64 `json:"linear_deal_rate"`
	// Mean prices of the pairs in which both bought.
	ProberPrice Ratio `json:"prober_price"`
	LinearPrice Ratio `json:"linear_price"`
	// Difference is the mean of the prober's price less the linear buyer's, over the same pairs.
	Difference Ratio `json:"price_difference"`
	Cheaper    int   `json:"prober_paid_less"`
}

// Path is one negotiation, offer by offer.
type Path struct {
	Population string     `json:"population"`
	Strategy   string     `json:"strategy"`
	Worth      float64    `json:"reservation_price"`
	Deadline   int        `json:"deadline"`
	Secrets    *Shown     `json:"secrets,omitempty"`
	Price      float64    `json:"price,omitempty"` // none: no deal
	Steps      []PathStep `json:"steps"`
}

// PathStep is an offer and its answer.
type PathStep struct {
	Offer  float64 `json:"offer"`
	Took   bool    `json:"takes_standing_price"`
	Answer string  `json:"answer"`
	Price  float64 `json:"price,omitempty"` // agreed or countered price, or the current price that a rejection states
}

// BrokenReport counts a promise that the seller broke, with an example.
type BrokenReport struct {
	Promise string `json:"promise"`
	Times   int    `json:"times"`
	First   string `json:"first"`
}

// OK reports whether the seller broke no promise.
func (r *Report) OK() bool { return len(r.Broken) == 0 }

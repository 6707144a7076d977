package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/haggle-commerce/haggle/adapters/search"
	"github.com/haggle-commerce/haggle/adapters/telemetry"
	"github.com/haggle-commerce/haggle/cmd/haggle-sim/searcheval"
	"github.com/haggle-commerce/haggle/ports"
)

type searchEvalCmd struct {
	Products    string `required:"" placeholder:"F" help:"The catalogue: CSV or NDJSON, as for import."`
	Queries     string `placeholder:"F" help:"What buyers ask: JSON Lines of {id, query}."`
	Judgements  string `placeholder:"F" help:"What they should find: JSON Lines of {query_id, sku, gain}; a product without a gain has 0."`
	Paraphrases string `placeholder:"F" help:"The same needs in other words: JSON Lines of {id, query} with the ids of the queries."`
	Synonyms    string `placeholder:"F" help:"Words that mean the same in this shop: JSON Lines of {words}, or {input, words} for one way only."`
	Worst       int    `placeholder:"N" help:"Show the N worst queries with their first 3 results."`
	Explain     string `placeholder:"QUERY" help:"Show the first 10 results of a query with score and reasons. Needs no queries and judgements."`
	JSON        bool   `help:"Print one JSON object; times are in milliseconds."`
}

// Help is shown below the flags' summary.
func (searchEvalCmd) Help() string {
	return `Builds the search index of a catalogue in memory, as the server does, asks every query, and compares the results with what people
judged to be relevant. No database is read or written. All files may be gzipped (.gz).

NDCG@10 is 1 where the ten first results are the best there are, in the best order: each counts with its gain, less the lower it stands
(linear gain, 1/log2(rank+1)). Queries without a gain above 0 are left out of the means, and counted. The 95 % interval tells how far the
mean may be off because it is of these queries and not of others. recall@100 is how much of what has a gain above 0 is among the first 100
results. Latencies are of the index alone, for 100 results, one query at a time. Products that the import would refuse are left out.

The program ends with 2 if a file cannot be used.`
}

// Validate is called by the parser.
func (s searchEvalCmd) Validate() error {
	switch {
	case (s.Queries == "") != (s.Judgements == ""):
		return errors.New("--queries and --judgements belong together")
	case s.Queries == "" && s.Explain == "":
		return errors.New("--queries and --judgements are required, or --explain")
	case s.Queries == "" && s.Paraphrases != "":
		return errors.New("--paraphrases needs --queries and --judgements")
	case s.Worst < 0:
		return errors.New("--worst must be zero or more")
	}
	return nil
}

// mostRefusals is how many refused products are printed.
const mostRefusals = 20

func (s searchEvalCmd) Run(ctx context.Context) error {
	stages := &stages{}
	report, err := searcheval.Run(ctx, searcheval.Config{
		Products:    s.Products,
		Queries:     s.Queries,
		Judgements:  s.Judgements,
		Paraphrases: s.Paraphrases,
		Synonyms:    s.Synonyms,
		Worst:       s.Worst,
		Explain:     s.Explain,
		Open: func() ports.Index {
			return search.New(search.Options{Log: telemetry.NewLogger(os.Stderr, "warn", "text")})
		},
		Progress: stages.show(),
	})
	stages.finish()
	if err != nil {
		return err
	}
	for _, r := range report.Why[:min(mostRefusals, len(report.Why))] {
		fmt.Fprintf(os.Stderr, "%s: line %d: %s\n", s.Products, r.Line, r.Says)
	}
	if more := report.Refused - mostRefusals; more > 0 {
		fmt.Fprintf(os.Stderr, "%s: %d more are refused\n", s.Products, more)
	}
	if s.JSON {
		return report.WriteJSON(os.Stdout)
	}
	return report.Write(os.Stdout)
}

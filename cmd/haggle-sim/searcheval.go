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
	Products    string `required:"" placeholder:"F" help:"Catalog, a CSV or NDJSON file as for haggle import."`
	Queries     string `placeholder:"F" help:"Queries of buyers, as JSON Lines of {id, query}."`
	Judgements  string `placeholder:"F" help:"Relevance judgements, as JSON Lines of {query_id, sku, gain}. Products without a judgement have gain 0."`
	Paraphrases string `placeholder:"F" help:"Paraphrases of the queries, as JSON Lines of {id, query} with the same ids."`
	Synonyms    string `placeholder:"F" help:"Synonyms, as JSON Lines of {words}, or {input, words} for one-way synonyms."`
	Worst       int    `placeholder:"N" help:"Show the N worst queries with their first 3 results."`
	Explain     string `placeholder:"QUERY" help:"Show the first 10 results of this query with scores and reasons. Works without --queries and --judgements."`
	JSON        bool   `help:"Print the report as one JSON object, with times in milliseconds."`
}

// Help is shown below the flags' summary.
func (searchEvalCmd) Help() string {
	return `Builds the search index of a catalog in memory, as the server does, runs each query, and compares the results with relevance judgements
by people. It does not use a database. All files may be compressed with gzip (.gz).

NDCG@10 is 1 if the first ten results are the most relevant products in the best order. Each result counts with its gain, discounted by
its rank (linear gain, 1/log2(rank+1)). Queries without a gain above 0 are not part of the means; the report counts them. The 95 % interval
is the sampling error of the mean over the queries. recall@100 is the share of the products with a gain above 0 that are among the first
100 results. Latency is the time of the index alone, for 100 results, one query at a time. Products that the import would reject are skipped.

The exit code is 2 if a file is invalid.`
}

// Validate is called by the parser.
func (s searchEvalCmd) Validate() error {
	switch {
	case (s.Queries == "") != (s.Judgements == ""):
		return errors.New("--queries and --judgements must be set together")
	case s.Queries == "" && s.Explain == "":
		return errors.New("set --queries and --judgements, or --explain")
	case s.Queries == "" && s.Paraphrases != "":
		return errors.New("--paraphrases requires --queries and --judgements")
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
		fmt.Fprintf(os.Stderr, "%s: %d more products were rejected\n", s.Products, more)
	}
	if s.JSON {
		return report.WriteJSON(os.Stdout)
	}
	return report.Write(os.Stdout)
}

package searcheval

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// Write writes the report as text tables.
func (r *Report) Write(to io.Writer) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	r.writeHead(table)
	if r.Queries != nil {
		r.writeSets(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	r.Queries.writeWorst(table, "queries")
	r.Paraphrases.writeWorst(table, "paraphrases")
	r.Explained.write(table)
	return table.Flush()
}

// print writes to a tabwriter, which returns the error in Flush.
func print(table io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(table, format, args...) }

func (r *Report) writeHead(table io.Writer) {
	print(table, "products\t%d%s\n", r.Products, remark(count{r.Refused, "rejected"}))
	if r.Synonyms > 0 {
		print(table, "synonyms\t%d\n", r.Synonyms)
	}
	if j := r.Judgements; j.Count > 0 {
		print(table, "judgements\t%d%s\n", j.Count, remark(count{j.Repeated, "repeated, the last one counts"},
			count{j.OtherQueries, "for unknown query ids"}, count{j.UnknownSKUs, "for unknown SKUs"}))
	}
	waited := ""
	if r.Build.Done-r.Build.Searchable >= Time(time.Millisecond) {
		waited = fmt.Sprintf(" (first results after %s)", short(r.Build.Searchable))
	}
	print(table, "build time\t%s%s\n", short(r.Build.Done), waited)
	print(table, "index memory\t%.1f MiB\n", float64(r.IndexBytes)/(1<<20))
}

// short formats a time with three digits.
func short(t Time) string {
	d, unit := time.Duration(t), time.Nanosecond
	for d >= 1000*unit {
		unit *= 10
	}
	return d.Round(unit).String()
}

// count is a number and its name.
type count struct {
	n    int
	what string
}

// remark formats the counts that are not zero as a remark such as " (2 refused)".
func remark(counts ...count) string {
	var parts []string
	for _, c := range counts {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// setRows are the names and formats of a set's lines.
var setRows = []struct {
	name string
	cell func(*Set) string
}{
	{"queries", func(s *Set) string { return fmt.Sprint(s.Queries) }},
	{"with judgements", func(s *Set) string { return fmt.Sprint(s.Judged) }},
	{"skipped: no gain above 0", func(s *Set) string { return fmt.Sprint(s.Queries - s.Evaluated) }},
	{"NDCG@10", func(s *Set) string { return fmt.Sprintf("%.3f", s.NDCG) }},
	{"  95 % interval", func(s *Set) string { return fmt.Sprintf("%.3f to %.3f", s.Low, s.High) }},
	{"  of the original queries", func(s *Set) string {
		if s.AsQueried == nil {
			return ""
		}
		return fmt.Sprintf("%.3f", *s.AsQueried)
	}},
	{"recall@100", func(s *Set) string { return fmt.Sprintf("%.3f", s.Recall) }},
	{"latency p50", func(s *Set) string { return short(s.Latency.P50) }},
	{"latency p95", func(s *Set) string { return short(s.Latency.P95) }},
	{"latency p99", func(s *Set) string { return short(s.Latency.P99) }},
}

func (r *Report) writeSets(table io.Writer) {
	sets := []*Set{r.Queries}
	print(table, "\n\tqueries")
	if r.Paraphrases != nil {
		sets = append(sets, r.Paraphrases)
		print(table, "\tparaphrases")
	}
	print(table, "\n")
	for _, row := range setRows {
		cells := row.name
		for _, s := range sets {
			cells += "\t" + row.cell(s)
		}
		if text := strings.TrimRight(cells, "\t"); text != row.name {
			print(table, "%s\n", text)
		}
	}
}

func (s *Set) writeWorst(table io.Writer, name string) {
	if s == nil || len(s.Worst) == 0 {
		return
	}
	print(table, "\nThe worst %s\n", name)
	for _, p := range s.Worst {
		print(table, "\n%s %q: NDCG@10 %.3f, recall@100 %.3f, %d relevant, %d found\n", p.ID, p.Query, p.NDCG, p.Recall, p.Relevant, p.Total)
		for i, seen := range p.Top {
			gain := "not judged"
			if seen.Gain != nil {
				gain = fmt.Sprintf("gain %g", *seen.Gain)
			}
			print(table, "%s\t%s\n", seen.line(i), gain)
		}
	}
}

func (x *Explained) write(table io.Writer) {
	if x == nil {
		return
	}
	print(table, "\n%q: %d found, confidence .%03d\n", x.Query, x.Total, x.Confidence)
	for i, seen := range x.Top {
		print(table, "%s\t%s\n", seen.line(i), strings.Join(seen.Reasons, "; "))
	}
}

// line formats the result at a place in the list, without its gain.
func (s Seen) line(place int) string {
	stock := fmt.Sprintf("%d in stock", s.Stock)
	if s.Stock == 0 {
		stock = "no stock"
	}
	return fmt.Sprintf("%4d\t.%03d\t%s\t%s\t%s", place+1, s.Score, s.SKU, clipped(s.Name), stock)
}

const longestName = 60

func clipped(text string) string {
	if runes := []rune(text); len(runes) > longestName {
		return string(runes[:longestName-1]) + "…"
	}
	return text
}

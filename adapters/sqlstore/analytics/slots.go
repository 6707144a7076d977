package analytics

import (
	"cmp"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/analytics"
)

// SlotRow is a slot's figures as text that is read many times faster than JSON: a month has 3,000 of them. Figures are
// a line of sums, and a line for each of the counts by name: NAME,COUNT NAME,COUNT. New lines and sums are only added
// at the end; those that a row does not have yet are zero.
type SlotRow struct {
	At       time.Time
	Figures  string
	Products string
	Sessions int64 // that began, of those that are counted
	UCP      int64 `db:"sessions_ucp"` // of them
	MCP      int64 `db:"sessions_mcp"`
}

// sums are those of the first line, in its order.
func sums(f *analytics.Figures) []*int64 {
	return []*int64{
		&f.Negotiations, &f.Offered, &f.Countered, &f.Rejected, &f.Deals, &f.Opened, &f.Paid, &f.Offers,
		&f.DealDiscount, &f.DealKnown, &f.DealCost, &f.Buyers,
		&f.Orders, &f.Units, &f.List, &f.Goods, &f.Gross, &f.Known, &f.Cost, &f.PaidDiscount,
	}
}

func ToSlotRow(at time.Time, f analytics.Figures) SlotRow {
	var text []byte
	for i, sum := range sums(&f) {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, *sum, 10)
	}
	whole := func(n int64) []int64 { return []int64{n} }
	for _, line := range []func([]byte) []byte{
		func(to []byte) []byte { return named(to, f.DealDiscounts, strconv.Itoa, whole) },
		func(to []byte) []byte { return named(to, f.PaidDiscounts, strconv.Itoa, whole) },
		func(to []byte) []byte { return named(to, f.Rules, url.QueryEscape, whole) },
		func(to []byte) []byte { return named(to, f.Fallbacks, url.QueryEscape, whole) },
		func(to []byte) []byte { return named(to, f.Policies, url.QueryEscape, fromOutcomes) },
		func(to []byte) []byte { return named(to, f.Handlers, url.QueryEscape, fromOutcomes) },
		func(to []byte) []byte { return named(to, byName(f.Protocols), url.QueryEscape, fromTraffic) },
	} {
		text = line(append(text, '\n'))
	}
	return SlotRow{
		At:       at,
		Figures:  string(text),
		Products: string(named(nil, f.Products, url.QueryEscape, fromSold)),
	}
}

// named writes the counts of a map, in the order of its keys.
func named[K cmp.Ordered, V any](to []byte, counts map[K]V, name func(K) string, numbers func(V) []int64) []byte {
	for i, key := range slices.Sorted(maps.Keys(counts)) {
		if i > 0 {
			to = append(to, ' ')
		}
		to = append(to, name(key)...)
		for _, n := range numbers(counts[key]) {
			to = strconv.AppendInt(append(to, ','), n, 10)
		}
	}
	return to
}

func fromOutcomes(o analytics.Outcomes) []int64 { return []int64{o.Negotiations, o.Offered, o.Deals} }

func toOutcomes(n []int64) analytics.Outcomes {
	return analytics.Outcomes{
		Negotiations: n[0],
		Offered:      n[1],
		Deals:        n[2],
	}
}

func fromTraffic(t analytics.Traffic) []int64 { return []int64{t.Deals, t.Orders, t.Gross} }

func toTraffic(n []int64) analytics.Traffic {
	return analytics.Traffic{
		Deals:  n[0],
		Orders: n[1],
		Gross:  n[2],
	}
}

// byName is what came by protocols, in a map whose keys have an order.
func byName(counts map[agentid.Protocol]analytics.Traffic) map[string]analytics.Traffic {
	named := make(map[string]analytics.Traffic, len(counts))
	for p, t := range counts {
		named[p.String()] = t
	}
	return named
}

func fromSold(s analytics.Sold) []int64 { return []int64{s.Units, s.List, s.Goods, s.Known, s.Cost} }

func toSold(n []int64) analytics.Sold {
	return analytics.Sold{
		Units: n[0],
		List:  n[1],
		Goods: n[2],
		Known: n[3],
		Cost:  n[4],
	}
}

// FromSlotRow has products where the row has them.
func FromSlotRow(r SlotRow) (analytics.Figures, error) {
	var f analytics.Figures
	lines := strings.Split(r.Figures, "\n")
	p := slotReader{}
	all := sums(&f)
	for n, rest := 0, lines[0]; rest != "" && n < len(all); n++ {
		*all[n], rest = p.number(rest)
	}
	lines = append(lines[1:], make([]string, 7)...)
	f.DealDiscounts = read(&p, lines[0], p.whole, theNumber)
	f.PaidDiscounts = read(&p, lines[1], p.whole, theNumber)
	f.Rules = read(&p, lines[2], p.name, theNumber)
	f.Fallbacks = read(&p, lines[3], p.name, theNumber)
	f.Policies = read(&p, lines[4], p.name, toOutcomes)
	f.Handlers = read(&p, lines[5], p.name, toOutcomes)
	f.Protocols = read(&p, lines[6], p.protocol, toTraffic)
	f.Products = read(&p, r.Products, p.name, toSold)
	if p.err != nil {
		return analytics.Figures{}, db.Unreadable("figures", p.err)
	}
	return f, nil
}

func theNumber(n []int64) int64 { return n[0] }

// slotReader keeps the first text that it could not read.
type slotReader struct {
	err     error
	numbers [5]int64
}

// number reads what stands before a comma.
func (p *slotReader) number(text string) (n int64, rest string) {
	text, rest, _ = strings.Cut(text, ",")
	n, err := strconv.ParseInt(text, 10, 64)
	p.err = cmp.Or(p.err, err)
	return n, rest
}

func (p *slotReader) whole(text string) int {
	n, _ := p.number(text)
	return int(n)
}

func (p *slotReader) name(text string) string {
	name, err := url.QueryUnescape(text)
	p.err = cmp.Or(p.err, err)
	return name
}

func (p *slotReader) protocol(text string) agentid.Protocol {
	protocol, known := agentid.Protocols[text]
	if !known {
		p.err = cmp.Or(p.err, errors.New("a protocol that is none"))
	}
	return protocol
}

// read reads what named wrote.
func read[K comparable, V any](p *slotReader, line string, key func(string) K, value func([]int64) V) map[K]V {
	if line == "" {
		return nil
	}
	counts := make(map[K]V, 1+strings.Count(line, " "))
	for entry := range strings.SplitSeq(line, " ") {
		name, rest, _ := strings.Cut(entry, ",")
		n := 0
		for ; rest != "" && n < len(p.numbers); n++ {
			p.numbers[n], rest = p.number(rest)
		}
		if n == 0 {
			p.err = cmp.Or(p.err, errors.New("a name without a number"))
		}
		clear(p.numbers[n:])
		counts[key(name)] = value(p.numbers[:])
	}
	return counts
}

package finance

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerAnalytics() {
	g := h.Group("Analytics", "analytics", operation.HeaderProject)
	operation.Register(g, "analytics-summary", "GET /v1/analytics/summary", "Get the figures of a period, with those of the previous one",
		wire.HandleOne(h.analyticsSummary, wire.Identity), operation.Errors(503))
	operation.Register(g, "analytics-negotiations", "GET /v1/analytics/negotiations", "Analyze where negotiations end, the discounts of deals, and deals lost near the floor",
		wire.HandleOne(h.analyticsNegotiations, wire.Identity), operation.Errors(503))
	operation.Register(g, "analytics-sales", "GET /v1/analytics/sales", "Get sales over time, and the best-selling products",
		wire.HandleOne(h.analyticsSales, wire.Identity), operation.Errors(503))
	operation.Register(g, "analytics-protocols", "GET /v1/analytics/protocols", "Get buyers and orders by protocol and agent",
		wire.HandleOne(h.analyticsProtocols, wire.Identity), operation.Errors(503))
	operation.Register(g, "analytics-price-dispersion", "GET /v1/analytics/price-dispersion", "Compare the prices of buyers who made the same offers",
		wire.HandleOne(h.analyticsDispersion, wire.Identity), operation.Errors(503))
}

// Span is the query of every figure.
type Span struct {
	From     string `query:"from" example:"2026-03-01" doc:"An RFC 3339 time, or a date: the start of that day in the project's time zone. Default: 30 days before the end."`
	To       string `query:"to" example:"2026-04-01" doc:"As from, exclusive. Default: the end of today."`
	Interval string `query:"interval" enum:"hour,day,week,month" default:"day" doc:"The interval of the series, in the project's time zone; weeks begin on Monday. At most 400 buckets. Figures older than 400 days are kept by day, at its start."`
}

// Cut describes the period of an answer.
type Cut struct {
	From     wire.Time `json:"from"`
	To       wire.Time `json:"to" doc:"Exclusive."`
	Interval string    `json:"interval" enum:"hour,day,week,month"`
	TimeZone string    `json:"time_zone" example:"Europe/Berlin"`
	Currency string    `json:"currency" example:"USD" doc:"The currency of all amounts."`
}

// span is a period as it was asked for.
type span struct {
	Cut
	currency money.Currency
	bounds   []time.Time
}

func (h *handlers) span(rq operation.Request, in Span) (span, error) {
	settings := rq.Caller.Project.Settings
	zone := settings.Location()
	from, to, err := analytics.Period(in.From, in.To, h.Clock.Now(), zone)
	if err != nil {
		return span{}, err
	}
	bounds, err := analytics.Cut(from, to, analytics.Intervals[in.Interval], zone)
	return span{
		Cut{wire.ToTime(from), wire.ToTime(to), in.Interval, settings.Timezone, settings.Currency.Code()}, settings.Currency, bounds,
	}, err
}

func (s span) money(minor int64) wire.Money { return wire.ToMoney(money.Of(minor, s.currency)) }

// ratio returns part divided by whole, rounded down to four decimals, or nil if whole is zero.
func ratio(part, whole int64) *wire.Decimal {
	if whole == 0 {
		return nil
	}
	n, err := money.MulDiv(part, 10_000, whole, money.Down)
	if err != nil {
		return nil
	}
	d := wire.ToDecimal(n, 4)
	return &d
}

// all is the sum of spans.
func all(spans []ports.Span) ports.Span {
	var sum ports.Span
	for _, s := range spans {
		sum.Add(s.Figures, 1)
		sum.Sessions, sum.Refunds, sum.Refunded = sum.Sessions+s.Sessions, sum.Refunds+s.Refunds, sum.Refunded+s.Refunded
		for protocol, n := range s.SessionsBy {
			if sum.SessionsBy == nil {
				sum.SessionsBy = map[agentid.Protocol]int64{}
			}
			sum.SessionsBy[protocol] += n
		}
	}
	return sum
}

type summaryView struct {
	Cut
	Totals
	Previous previousView  `json:"previous" doc:"The period of the same length before it."`
	Series   []summarySpan `json:"series"`
}

type previousView struct {
	From wire.Time `json:"from"`
	To   wire.Time `json:"to"`
	Totals
}

// Totals are of one period.
type Totals struct {
	Sessions      int64         `json:"sessions" doc:"Sessions that began."`
	Negotiations  int64         `json:"negotiations" doc:"Negotiations that began: each is about one product, variant and quantity in one session."`
	Offers        int64         `json:"offers" doc:"Offers in these negotiations."`
	Deals         int64         `json:"deals" doc:"The number of these negotiations with an accepted quote by now."`
	DealRate      *wire.Decimal `json:"deal_rate" nullable:"true" doc:"Deals ÷ negotiations with an offer."`
	AverageRounds *wire.Decimal `json:"average_rounds" nullable:"true" doc:"Offers per negotiation with an offer."`
	Discount      discountView  `json:"discount" doc:"The discount of the deals from list prices."`
	Orders        int64         `json:"orders"`
	Conversion    *wire.Decimal `json:"conversion" nullable:"true" doc:"The share of these sessions with an order by now."`
	Revenue       RevenueView   `json:"revenue"`
	Margin        marginView    `json:"margin"`
}

type discountView struct {
	Mean   *string `json:"mean" nullable:"true" example:"8.4%"`
	Median *string `json:"median" nullable:"true" example:"7.5%"`
}

// RevenueView has the money received and the money given back.
type RevenueView struct {
	Gross    wire.Money `json:"gross" doc:"Paid for orders, with shipping and tax."`
	Refunded wire.Money `json:"refunded" doc:"Refunded in the period, whenever the order was paid."`
	Net      wire.Money `json:"net" doc:"Gross − refunded."`
}

type marginView struct {
	Revenue wire.Money    `json:"revenue" doc:"Revenue of pieces whose cost was known when their price was agreed, before refunds."`
	Cost    wire.Money    `json:"cost"`
	Amount  wire.Money    `json:"amount"`
	Share   *wire.Decimal `json:"share" nullable:"true" doc:"As a share of that revenue."`
}

type summarySpan struct {
	From         wire.Time   `json:"from"`
	To           wire.Time   `json:"to"`
	Sessions     int64       `json:"sessions"`
	Negotiations int64       `json:"negotiations"`
	Deals        int64       `json:"deals"`
	Orders       int64       `json:"orders"`
	Revenue      RevenueView `json:"revenue"`
}

func (h *handlers) analyticsSummary(ctx context.Context, rq operation.Request, in *Span) (body summaryView, err error) {
	s, err := h.span(rq, *in)
	if err != nil {
		return body, err
	}
	before := s.From.Add(s.From.Sub(s.To.Time))
	bounds := append([]time.Time{before}, s.bounds...)
	spans, err := rq.Stores.Analytics.Figures(ctx, rq.Caller.Project.ID, ports.Period{Bounds: bounds, Sessions: true})
	if err != nil {
		return body, err
	}
	body = summaryView{
		Cut: s.Cut, Totals: s.totals(all(spans[1:])),
		Previous: previousView{wire.ToTime(before), s.From, s.totals(spans[0])},
	}
	for i, of := range spans[1:] {
		body.Series = append(body.Series, summarySpan{
			From:         wire.ToTime(s.bounds[i]),
			To:           wire.ToTime(s.bounds[i+1]),
			Sessions:     of.Sessions,
			Negotiations: of.Negotiations,
			Deals:        of.Deals,
			Orders:       of.Orders,
			Revenue:      s.revenue(of),
		})
	}
	return body, nil
}

func (s span) totals(of ports.Span) Totals {
	return Totals{
		Sessions:      of.Sessions,
		Negotiations:  of.Negotiations,
		Offers:        of.Offers,
		Deals:         of.Deals,
		DealRate:      ratio(of.Deals, of.Offered),
		AverageRounds: ratio(of.Offers, of.Offered),
		Discount:      discountView{mean(of.DealDiscount, of.Deals), quantile(of.DealDiscounts, 50)},
		Orders:        of.Orders,
		Conversion:    ratio(of.Buyers, of.Sessions),
		Revenue:       s.revenue(of),
		Margin:        s.margin(of.Known, of.Cost),
	}
}

func (s span) revenue(of ports.Span) RevenueView {
	return RevenueView{s.money(of.Gross), s.money(of.Refunded), s.money(of.Gross - of.Refunded)}
}

func (s span) margin(known, cost int64) marginView {
	return marginView{s.money(known), s.money(cost), s.money(known - cost), ratio(known-cost, known)}
}

// mean returns the mean of a sum of millionths, to a tenth of a percent.
func mean(sum, of int64) *string {
	if of == 0 {
		return nil
	}
	return toAPITenths((sum + of*500) / (of * 1000)) // rounded half up
}

// quantile is of a histogram by thousandths.
func quantile(counts map[int]int64, per int64) *string {
	if at, some := analytics.Quantile(counts, per); some {
		return toAPITenths(int64(at))
	}
	return nil
}

func toAPITenths(n int64) *string {
	text := money.Percent(n).String()
	return &text
}

package wire

import (
	"errors"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/domain/analytics"
)

// When is a value of a request that is an RFC 3339 time or a date, from the year 2 on. The zero value is one that was not
// given, as the zero time is.
type When struct {
	at     time.Time // of a date: its midnight in UTC
	isDate bool
}

var errWhen = errors.New("must be a time such as 2030-01-31T12:00:00Z, or a date such as 2030-01-31")

func (w *When) UnmarshalText(text []byte) error {
	if day, err := time.Parse(time.DateOnly, string(text)); err == nil && day.Year() > 1 {
		*w = When{day, true}
		return nil
	}
	at, err := time.Parse(time.RFC3339, string(text))
	if err != nil || at.UTC().Year() < 2 {
		return errWhen
	}
	*w = When{at: at.UTC()}
	return nil
}

// Given reports whether it was given.
func (w When) Given() bool { return w != When{} }

// In is the time that is meant: a date is where that day begins in the zone. It is the zero time if none was given.
func (w When) In(zone *time.Location) time.Time {
	if !w.isDate {
		return w.at
	}
	y, m, d := w.at.Date()
	return analytics.StartOfDay(y, m, d, zone).UTC()
}

// Schema has no format: date-time would exclude dates.
func (When) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Examples: []any{"2026-03-01"}}
}

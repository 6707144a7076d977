package stripe

import (
	"context"
	"errors"
	"fmt"
	"time"

	api "github.com/stripe/stripe-go/v85"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// searchable is the age at which Stripe's search normally returns a new intent, and searched the age even in an outage:
	// "Under normal operating conditions, data is searchable in less than a minute", at most an hour later in an
	// outage, and never in India (docs.stripe.com/api/payment_intents/search, read November 2026). An intent that
	// search does not return may exist all the same.
	searchable, searched = time.Minute, time.Hour
	// near and soon limit the window around an attempt's start that contains its intent nearly always.
	near, soon = 2 * time.Minute, 10 * time.Minute
	// early and late limit the window that must contain the intent: clocks may be wrong by early, and an attempt is charged
	// within checkout.KeyAge.
	early = 2 * time.Hour
	late  = checkout.KeyAge + time.Hour
	// timeReserve is the part of the deadline that a search leaves for the requests after it.
	timeReserve = 1500 * time.Millisecond
)

// progress is the position in the list of intents around an attempt: each stage reads a window, newest first, from the
// cursor on. A window that ends in the past is complete, because no new intents appear in it.
type progress struct {
	earliest, latest, until int64 // Unix time of Stripe's clock: bounds of the attempt's start, and the end of the last stage
	stage                   int
	cursor                  string // the last intent that was read
}

func (s progress) String() string {
	return fmt.Sprintf("%d %d %d %d %s", s.earliest, s.latest, s.until, s.stage, s.cursor)
}

func parseProgress(text string) (s progress, ok bool) {
	n, _ := fmt.Sscanf(text, "%d %d %d %d %s", &s.earliest, &s.latest, &s.until, &s.stage, &s.cursor)
	return s, n >= 4 && s.stage >= 0 && s.stage < stages
}

// newProgress returns the start of a search.
func (p *Provider) newProgress(since time.Time) progress {
	earliest, latest := p.remote.Span(since)
	until := latest.Add(late)
	if now := p.remote.ProviderTime().Add(near); now.Before(until) {
		until = now
	}
	return progress{
		earliest: earliest.Unix(),
		latest:   latest.Unix(),
		until:    until.Unix(),
	}
}

const stages = 3

// window returns the times of creation that the current stage reads, both inclusive.
func (s progress) window() (from, to int64) {
	switch s.stage {
	case 0:
		return s.earliest - seconds(near), min(s.latest+seconds(soon), s.until)
	case 1:
		return s.latest + seconds(soon) + 1, s.until
	}
	return s.earliest - seconds(early), s.earliest - seconds(near) - 1
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

// complete reports whether the windows contain every time at which the attempt may have been charged.
func (s progress) complete(now time.Time) bool {
	return s.until >= s.latest+seconds(late) && s.until < now.Unix()
}

// find returns the intent of a key, or nil if there is none in the windows. A key has at most one intent while Stripe
// remembers the key. find uses search, which is fast and may miss the intent, and list, which "isn't subject to the
// availability delay" (docs.stripe.com/search, read November 2026). Once search must know the intent, find reads the list
// around the attempt's start only, unless the key may be forgotten. If the time is too short to read everything, the
// error is ports.StillLooking.
func (p *Provider) find(ctx context.Context, a ports.PaymentAccount, of checkout.Charge) (found *api.PaymentIntent, s progress, err error) {
	s, resumed := parseProgress(of.Progress)
	if !resumed {
		s = p.newProgress(of.Since)
	}
	last, known := stages, false
	least, most := p.remote.Age(of.Since)
	if least >= searchable {
		found, known, err = p.search(ctx, a, of.Key)
	}
	if known && least >= searched && most < keyAge {
		last = 1
	}
	for err == nil && found == nil && s.stage < last {
		found, err = p.list(ctx, a, of.Key, &s)
	}
	if err != nil || found == nil {
		return nil, s, err
	}
	found, err = p.retrieve(ctx, a, found.ID) // the current state, with the card
	return found, s, redacted(err)
}

// search uses Stripe's search for the key. If that fails, answered is false, and the list decides.
func (p *Provider) search(ctx context.Context, a ports.PaymentAccount, key string) (found *api.PaymentIntent, answered bool, err error) {
	params := &api.PaymentIntentSearchParams{}
	params.Query = fmt.Sprintf("metadata['%s']:'%s'", metaKey, key)
	params.Single = true
	for intent, err := range p.client(a).V1PaymentIntents.Search(ctx, params).All(ctx) {
		switch {
		case credentialsRefused(err):
			return nil, false, redacted(err)
		case err != nil:
			return nil, false, nil
		case intent.Metadata[metaKey] == key:
			return intent, true, nil
		}
	}
	return nil, true, nil
}

// list reads a stage, and continues with the next one at its end.
func (p *Provider) list(ctx context.Context, a ports.PaymentAccount, key string, s *progress) (*api.PaymentIntent, error) {
	began := *s
	from, to := s.window()
	if from <= to {
		params := &api.PaymentIntentListParams{CreatedRange: &api.RangeQueryParams{GreaterThanOrEqual: from, LesserThanOrEqual: to}}
		params.Limit = api.Int64(pageSize)
		if s.cursor != "" {
			params.StartingAfter = &began.cursor
		}
		read := 0
		for intent, err := range p.client(a).V1PaymentIntents.List(ctx, params).All(ctx) {
			switch {
			case err != nil && unclear(err) && (*s != began || outOfTime(ctx)):
				return nil, ports.StillLooking{Progress: s.String()}
			case err != nil:
				return nil, redacted(err)
			case intent.Metadata[metaKey] == key:
				return intent, nil
			}
			s.cursor = intent.ID
			if read++; read%pageSize == 0 && outOfTime(ctx) {
				return nil, ports.StillLooking{Progress: s.String()}
			}
		}
	}
	s.stage, s.cursor = s.stage+1, ""
	return nil, nil
}

const pageSize = 100

// outOfTime reports whether there is no time for another page.
func outOfTime(ctx context.Context) bool {
	deadline, bounded := ctx.Deadline()
	return ctx.Err() != nil || bounded && time.Until(deadline) < timeReserve
}

// errKeyUsed means that Stripe has seen the key in another request than the void.
var errKeyUsed = errors.New("stripe: the key was used, and no payment intent of it is found")

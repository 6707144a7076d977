package features

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

func tuningSteps(sc book, w *world) {
	sc.When(`^the merchant has the agent learn with (\{.*\})$`, w.tunes)
	sc.Given(`^(\d+) buyers haggled for the "([^"]*)", who would pay (\d+) to (\d+)% of its price$`, w.haveHaggled)
}

// tunes again where the server is too busy: to learn takes seconds of a processor.
func (w *world) tunes(body string) error {
	w.atOnce(1, func(int) error { return w.send("POST", w.expand(agentsPath+"/$active/tune"), body, nil) })
	return w.crowd[0]
}

// hagglers come at once.
const hagglers = 8

// haveHaggled has buyers negotiate, each in a session of its own. What they would pay at most is spread evenly.
func (w *world) haveHaggled(n int, name string, least, most int) error {
	product := w.products[name]
	var running sync.WaitGroup
	failures := make([]error, hagglers)
	for h := range hagglers {
		visitor := w.visitor(w.shop.Slug)
		running.Go(func() {
			for i := h; i < n && failures[h] == nil; i += hagglers {
				share := least + (most-least)*(i*37%n)/n
				most := product.Price.Percent(decimal.FromInt(int64(share)), 2)
				from := fmt.Sprintf("203.0.%d.%d", i/250, i%250) // one client's sessions are bounded
				failures[h] = w.haggles(visitor, product.ID, most, 3+i%3, acp.Header("X-Forwarded-For", from))
			}
		})
	}
	running.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

// haggles begins at three quarters of what it would pay and comes up to it in equal steps. It takes a price that is
// no higher than its next offer, and in the end one that it can pay.
func (w *world) haggles(visitor *acp.Client, product string, most decimal.Decimal, rounds int, from acp.Option) error {
	quote := acp.Quote{}
	for round := range rounds + 1 {
		offer := most.Percent(decimal.FromInt(int64(min(75+25*round/(rounds-1), 100))), 2)
		standing := quote.Standing()
		takes := standing.Sign() > 0 && !offer.Less(standing)
		if takes {
			offer = standing
		} else if round == rounds {
			return nil
		}
		request := acp.QuoteRequest{
			ProductID:  product,
			Quantity:   1,
			OfferPrice: &offer,
		}
		if quote.QuoteID != "" {
			request = acp.QuoteRequest{
				SessionID:  quote.SessionID,
				QuoteID:    quote.QuoteID,
				OfferPrice: &offer,
			}
		}
		answer, err := patientQuote(w.ctx, visitor, request, from)
		if err != nil || answer.Status == acp.Accept {
			return err
		}
		quote = answer
	}
	return nil
}

// patientQuote offers again where the server is too busy, for up to a minute: it refuses before it does anything.
func patientQuote(ctx context.Context, visitor *acp.Client, request acp.QuoteRequest, from acp.Option) (answer acp.Quote, err error) {
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		answer, err = visitor.Quote(ctx, request, from)
		refused, is := errors.AsType[*acp.Error](err)
		if !is || refused.Code != "overloaded" || time.Since(began) > time.Minute {
			return answer, err
		}
	}
}

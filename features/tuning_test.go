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

func tuningSteps(sc stepRegistry, s *scenario) {
	sc.When(`^the merchant has the agent learn with (\{.*\})$`, s.agents.tunesAgent)
	sc.Given(`^(\d+) buyers haggled for the "([^"]*)", who would pay (\d+) to (\d+)% of its price$`, s.agents.haveNegotiated)
}

// tunesAgent tunes the active agent. It retries a busy server, because tuning takes seconds of processor time.
func (c *agentsContext) tunesAgent(body string) error {
	c.runConcurrently(1, func(int) error { return c.send("POST", c.expand(agentsPath+"/$active/tune"), body, nil) })
	return c.concurrentErrs[0]
}

// concurrentBuyers is how many buyers negotiate at the same time.
const concurrentBuyers = 8

// haveNegotiated lets n buyers negotiate, each in its own session. Their reservation prices are spread evenly from least to
// most percent of the price.
func (c *agentsContext) haveNegotiated(n int, name string, least, most int) error {
	product := c.products[name]
	var running sync.WaitGroup
	failures := make([]error, concurrentBuyers)
	for h := range concurrentBuyers {
		client := c.buyerClient(c.shop.Slug)
		running.Go(func() {
			for i := h; i < n && failures[h] == nil; i += concurrentBuyers {
				share := least + (most-least)*(i*37%n)/n
				most := product.Price.Percent(decimal.FromInt(int64(share)), 2)
				from := fmt.Sprintf("203.0.%d.%d", i/250, i%250) // sessions per client address are limited
				failures[h] = c.negotiates(client, product.ID, most, 3+i%3, acp.Header("X-Forwarded-For", from))
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

// negotiates opens at three quarters of the reservation price and raises its offer to it in equal steps. It accepts a price
// that is no higher than its next offer.
func (c *agentsContext) negotiates(client *acp.Client, product string, most decimal.Decimal, rounds int, from acp.Option) error {
	quote := acp.Quote{}
	for round := range rounds + 1 {
		offer := most.Percent(decimal.FromInt(int64(min(75+25*round/(rounds-1), 100))), 2)
		current := quote.CurrentPrice()
		accepts := current.Sign() > 0 && !offer.Less(current)
		if accepts {
			offer = current
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
		answer, err := quoteWithRetry(c.ctx, client, request, from)
		if err != nil || answer.Status == acp.Accept {
			return err
		}
		quote = answer
	}
	return nil
}

// quoteWithRetry repeats the request for up to a minute while the server is overloaded. An overloaded server refuses a request
// before it changes anything.
func quoteWithRetry(ctx context.Context, client *acp.Client, request acp.QuoteRequest, from acp.Option) (answer acp.Quote, err error) {
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		answer, err = client.Quote(ctx, request, from)
		refused, ok := errors.AsType[*acp.Error](err)
		if !ok || refused.Code != "overloaded" || time.Since(began) > time.Minute {
			return answer, err
		}
	}
}

// Package simulator is the outside world in a box: buyers who search, haggle and pay over HTTP, and a witness to every
// promise they see broken. It knows the written contract and nothing of the server's code; it judges what a buyer can
// see, not what the database holds.
package simulator

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/openapi"
	"github.com/haggle-commerce/haggle/simulator/ucp"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

const (
	defaultConcurrency = 16
	// longestWait is how much waiting a request is worth to a buyer whom the server tells to come back later.
	longestWait = 2 * time.Minute
)

// Config says whom to send where. URL and Project are required.
type Config struct {
	URL         string // of the server: http://127.0.0.1:8080
	Project     string // slug
	Buyers      int    // default 1
	Seed        uint64
	Concurrency int // buyers at one time; default 16
	Protocol    Protocol
	UCPVersion  schema.Version // of UCP and MCP; default the newest
	// Progress, if set, is called after every buyer, by one goroutine at a time.
	Progress func(done, total int)
	// Validator, if set, is shared with others; by default each run has its own.
	Validator *openapi.Validator

	patience *exchange.Patience // of all buyers
}

// Protocol is what the buyers speak. What they know before they shop comes from Haggle's own protocol in any case: the
// manifest has the currency and the discount limit, which the witness holds the shop to.
type Protocol string

// The protocols. ACP is Haggle's own, and the default.
const (
	ACP Protocol = "acp"
	UCP Protocol = "ucp" // the Universal Commerce Protocol over REST
	MCP Protocol = "mcp" // and over MCP
)

var transports = map[Protocol]ucp.Transport{UCP: ucp.REST, MCP: ucp.MCP}

// ErrConfig marks a configuration that cannot be run.
var ErrConfig = errors.New("cannot simulate")

func (c Config) filled() (Config, error) {
	if c.URL == "" || c.Project == "" {
		return c, fmt.Errorf("%w: a server's address and a project's slug are needed", ErrConfig)
	}
	if c.Buyers < 0 || c.Concurrency < 0 {
		return c, fmt.Errorf("%w: %d buyers, %d at a time", ErrConfig, c.Buyers, c.Concurrency)
	}
	if c.Protocol == "" {
		c.Protocol = ACP
	}
	if c.Protocol != ACP && transports[c.Protocol] == "" {
		return c, fmt.Errorf("%w: protocol %q", ErrConfig, c.Protocol)
	}
	if c.Buyers == 0 {
		c.Buyers = 1
	}
	if c.Concurrency == 0 {
		c.Concurrency = defaultConcurrency
	}
	if c.Validator == nil {
		c.Validator = openapi.NewValidator()
	}
	if c.Progress == nil {
		c.Progress = func(int, int) {}
	}
	c.patience = &exchange.Patience{Longest: longestWait}
	return c, nil
}

// Run sends the buyers shopping and reports what happened. A buyer who is told to come back later waits, and goes on.
// The error is about the run itself: no manifest, nothing to
// buy, or ctx ended, in which case the report covers the buyers who were done. Broken promises are in the report.
func Run(ctx context.Context, config Config) (Report, error) {
	config, err := config.filled()
	if err != nil {
		return Report{}, err
	}
	began := time.Now()
	sum := newTally(config)
	first := newTrip(config, plan{}, acp.Manifest{})
	m, err := readMarket(ctx, first.client)
	if err != nil {
		return Report{}, err
	}
	sum.measure(first)
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range min(config.Concurrency, config.Buyers) {
		workers.Go(func() {
			for number := range numbers {
				t := newTrip(config, newPlan(config.Seed, number, m).within(config.Protocol), m.manifest)
				t.run(ctx, m)
				if ctx.Err() == nil {
					sum.add(t)
				}
			}
		})
	}
	for number := 1; number <= config.Buyers && ctx.Err() == nil; number++ {
		numbers <- number
	}
	close(numbers)
	workers.Wait()
	return sum.report(time.Since(began)), ctx.Err()
}

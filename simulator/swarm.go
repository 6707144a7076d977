// Package simulator sends simulated buyers to a server. They search, negotiate and pay over HTTP, and a [Witness] reports
// every rule of the protocol that they see broken. The package knows the written contract and none of the server's code.
// It checks what a buyer can see, not what the database holds.
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
	// longestWait is the longest Retry-After that a buyer waits for.
	longestWait = 2 * time.Minute
)

// Config is how many buyers to send, and to which server. URL and Project are required.
type Config struct {
	URL         string // of the server: http://127.0.0.1:8080
	Project     string // slug
	Buyers      int    // default 1
	Seed        uint64
	Concurrency int // buyers at one time; default 16
	Protocol    Protocol
	UCPVersion  schema.Version // of UCP and MCP; default the newest
	// Progress, if set, is called after every buyer, never concurrently.
	Progress func(done, total int)
	// Validator, if set, may be shared with other runs. By default each run has its own.
	Validator *openapi.Validator

	patience *exchange.Patience // shared by all buyers
}

// Protocol is the protocol that buyers use. A manifest of Haggle's own protocol is read for all of them, because the
// currency and the discount limit that the witness checks are in there.
type Protocol string

// The protocols. ACP is Haggle's own and the default.
const (
	ACP Protocol = "acp"
	UCP Protocol = "ucp" // the Universal Commerce Protocol over REST
	MCP Protocol = "mcp" // the same over MCP
)

var transports = map[Protocol]ucp.Transport{UCP: ucp.REST, MCP: ucp.MCP}

// ErrConfig is an invalid configuration.
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

// Run sends the buyers shopping and reports the results. Buyers wait when the server answers with Retry-After. Run
// returns an error if there is no manifest or nothing to buy, and if ctx ends; the report then covers the buyers who were
// done. Rules that the server broke are in the report, not in the error.
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

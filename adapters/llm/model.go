package llm

import (
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/sony/gobreaker/v2"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// model is what is known of one model of a provider.
type model struct {
	cold atomic.Bool // takes no temperature
}

type circuit = gobreaker.CircuitBreaker[ports.ModelReply]

// model is found under its name, or begun. The one that was asked for the longest time ago is forgotten.
func (c *Client) model(name string) *model {
	return remembered(c.models, name, func() *model { return &model{} })
}

// circuit is the circuit breaker of a model for a group of requests: whether a model answers in time depends on the
// request too, and so the requests of one merchant must not suspend it for others.
func (c *Client) circuit(name, group string) *circuit {
	return remembered(c.circuits, name+"\x00"+group, func() *circuit {
		return gobreaker.NewCircuitBreaker[ports.ModelReply](gobreaker.Settings{
			Timeout:      pause,
			ReadyToTrip:  func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= tooMany },
			IsSuccessful: healthy,
		})
	})
}

func remembered[T any](all *lru.Cache[string, T], name string, begin func() T) T {
	if one, ok := all.Get(name); ok {
		return one
	}
	one := begin()
	if other, was, _ := all.PeekOrAdd(name, one); was {
		return other
	}
	return one
}

// Suspended is how many circuits of models and groups are open at the moment.
func (c *Client) Suspended() (n int) {
	for _, one := range c.circuits.Values() {
		if one.State() == gobreaker.StateOpen {
			n++
		}
	}
	return n
}

// healthy reports whether a model works. What one request has in it is not to close the model for others, and who
// goes away has not waited for long.
func healthy(err error) bool {
	return err == nil || !fault.Is(err, "model_timeout") && !fault.Is(err, "model_unreachable") && !isDenied(err)
}

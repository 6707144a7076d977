package llm

import (
	"sync/atomic"

	"github.com/sony/gobreaker/v2"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// model is what is known of one model of a provider.
type model struct {
	breaker *gobreaker.CircuitBreaker[ports.ModelReply]
	cold    atomic.Bool // takes no temperature
}

// model is found under its name, or begun. The one that was asked for the longest time ago is forgotten.
func (c *Client) model(name string) *model {
	if m, ok := c.models.Get(name); ok {
		return m
	}
	m := &model{breaker: gobreaker.NewCircuitBreaker[ports.ModelReply](gobreaker.Settings{
		Timeout:      pause,
		ReadyToTrip:  func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= tooMany },
		IsSuccessful: healthy,
	})}
	if other, was, _ := c.models.PeekOrAdd(name, m); was {
		return other
	}
	return m
}

// Suspended is how many models are left alone at the moment.
func (c *Client) Suspended() (n int) {
	for _, m := range c.models.Values() {
		if m.breaker.State() == gobreaker.StateOpen {
			n++
		}
	}
	return n
}

// healthy tells whether a model works. What one request has in it is not to close the model for others, and who
// goes away has not waited for long.
func healthy(err error) bool {
	return err == nil || !fault.Is(err, "model_timeout") && !fault.Is(err, "model_unreachable") && !isDenied(err)
}

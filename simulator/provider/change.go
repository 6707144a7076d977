package provider

import (
	"time"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

// change is a request in execution: it reads the state from before the request and collects the records that change.
type change struct {
	*ledger.State
	p     *Provider
	now   time.Time
	entry ledger.Entry
	early []string // deliveries to send before the answer
}

func (c *change) seconds() int64 { return c.now.Unix() }

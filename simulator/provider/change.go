package provider

import (
	"time"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

// change is a request at work: it reads the state as it was before and gathers what shall be.
type change struct {
	*ledger.State
	p     *Provider
	now   time.Time
	entry ledger.Entry
	early []string // deliveries to send before the request is answered
}

func (c *change) seconds() int64 { return c.now.Unix() }

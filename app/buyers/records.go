package buyers

import (
	"context"
	"net/mail"
	"strings"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// exportedAtOnce is how many sessions one answer of Export has, erasedAtOnce how many one request erases, and
	// keptAtOnce how many it finds in progress at most.
	exportedAtOnce = 50
	erasedAtOnce   = 200
	keptAtOnce     = 400
)

// Export is what is kept of a buyer, a part at a time.
type Export struct {
	Subject  string // the buyer's pseudonym
	Sessions []ports.BuyerSession
	Orders   []*order.Case
	Copied   []ports.CopiedRecord // with the last part
	Next     int                  // the offset of the next part; 0: this is the last one
}

// Erasure is what became of a buyer's personal data.
type Erasure struct {
	Subject   string
	Sessions  int
	Orders    int
	Checkouts int
	Events    int
	Messages  int
	Copied    int // records of platforms
	// Kept is how many messages stay: see ports.ErasedSession.
	Kept    int
	Pending []ports.PendingErasure
	Waiting int  // webhooks that name the buyer and are still to be worked on
	More    bool // there is more than one request erases: call again
}

// Subject is the pseudonym of the buyer with an e-mail address, and the address in lower case. A bad address: Invalid.
func (s *Service) Subject(project id.Project, email string) (name, folded string, err error) {
	email = strings.TrimSpace(email)
	address, err := mail.ParseAddress(email)
	if err != nil || address.Address != email || len(email) > 254 {
		return "", "", fault.Field("email", "must be an e-mail address")
	}
	folded = strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, email)
	return "buyer_" + s.Names.Pseudonym(folded, "buyer of "+project.String()), folded, nil
}

// Export reads what is kept of the buyer with an e-mail address, from an offset on.
func (s *Service) Export(ctx context.Context, project id.Project, email string, offset int) (e Export, err error) {
	if e.Subject, email, err = s.Subject(project, email); err != nil {
		return e, err
	}
	sessions, err := s.BuyerRecords.Sessions(ctx, project, email, ports.Page{Limit: exportedAtOnce + 1, Offset: offset})
	if err != nil {
		return e, err
	}
	if len(sessions) > exportedAtOnce {
		sessions, e.Next = sessions[:exportedAtOnce], offset+exportedAtOnce
	}
	for _, of := range sessions {
		found, err := s.BuyerRecords.Session(ctx, project, of, email)
		if err != nil {
			return e, err
		}
		e.Sessions = append(e.Sessions, found)
		for _, o := range found.Orders {
			c, err := s.Orders.Case(ctx, project, o)
			if err != nil {
				return e, err
			}
			e.Orders = append(e.Orders, c)
		}
	}
	if e.Next == 0 {
		e.Copied, err = s.BuyerRecords.Copied(ctx, project, strings.ToLower(email))
	}
	return e, err
}

// Erase erases the personal data of the buyer with an e-mail address. What is in progress stays whole, and is erased by
// another call once it is not. Repeating it is safe.
func (s *Service) Erase(ctx context.Context, project id.Project, email string) (e Erasure, err error) {
	if e.Subject, email, err = s.Subject(project, email); err != nil {
		return e, err
	}
	kept := 0 // sessions that stay are found again before those that come after them
	for {
		sessions, err := s.BuyerRecords.Sessions(ctx, project, email, ports.Page{Limit: exportedAtOnce, Offset: kept})
		if err != nil {
			return e, err
		}
		if len(sessions) == 0 {
			break
		}
		if e.More = e.Sessions >= erasedAtOnce || kept >= keptAtOnce; e.More {
			break
		}
		for _, of := range sessions {
			erased, err := s.BuyerRecords.Erase(ctx, project, of, email)
			if err != nil {
				return e, err
			}
			if len(erased.Pending) > 0 {
				kept++
				e.Pending = append(e.Pending, erased.Pending...)
				continue
			}
			e.Sessions++
			e.Orders += erased.Orders
			e.Checkouts += erased.Checkouts
			e.Events += erased.Events
			e.Messages += erased.Messages
			e.Kept += erased.Kept
		}
	}
	e.Copied, e.Waiting, err = s.BuyerRecords.EraseCopied(ctx, project, strings.ToLower(email), e.Subject)
	return e, err
}

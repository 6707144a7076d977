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
	exportPage  = 50  // sessions in one result of Export
	maxErased   = 200 // sessions that one call of Erase erases at most
	maxRetained = 400 // sessions in progress after which a call of Erase stops
)

// Export is one page of the data that is stored about a buyer.
type Export struct {
	Subject  string // the buyer's pseudonym
	Sessions []ports.BuyerSession
	Orders   []*order.Case
	Copied   []ports.CopiedRecord // on the last page
	Next     int                  // the offset of the next page; 0: this is the last one
}

// Erasure counts the records of a buyer whose personal data was erased, and those that were not.
type Erasure struct {
	Subject   string
	Sessions  int
	Orders    int
	Checkouts int
	Events    int
	Messages  int
	Copied    int // records imported from platforms
	// Kept is the number of messages that were not erased: see ports.ErasedSession.
	Kept    int
	Pending []ports.PendingErasure
	Waiting int  // stored webhooks that name the buyer and are not processed yet
	More    bool // more is left than one call erases: call again
}

// Subject returns the pseudonym of the buyer with an e-mail address, and the address in lower case. A bad address: Invalid.
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

// Export returns the stored data of the buyer with an e-mail address, one page from an offset.
func (s *Service) Export(ctx context.Context, project id.Project, email string, offset int) (e Export, err error) {
	if e.Subject, email, err = s.Subject(project, email); err != nil {
		return e, err
	}
	sessions, err := s.BuyerRecords.Sessions(ctx, project, email, ports.Page{Limit: exportPage + 1, Offset: offset})
	if err != nil {
		return e, err
	}
	if len(sessions) > exportPage {
		sessions, e.Next = sessions[:exportPage], offset+exportPage
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

// Erase erases the personal data of the buyer with an e-mail address. It leaves sessions in progress whole and lists them as
// pending; another call erases them once they are over. Repeating it is safe.
func (s *Service) Erase(ctx context.Context, project id.Project, email string) (e Erasure, err error) {
	if e.Subject, email, err = s.Subject(project, email); err != nil {
		return e, err
	}
	kept := 0 // sessions that stay are listed again, before those that come after them
	for {
		sessions, err := s.BuyerRecords.Sessions(ctx, project, email, ports.Page{Limit: exportPage, Offset: kept})
		if err != nil {
			return e, err
		}
		if len(sessions) == 0 {
			break
		}
		if e.More = e.Sessions >= maxErased || kept >= maxRetained; e.More {
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

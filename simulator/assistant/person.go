package assistant

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/ucp"
)

// Person is a Buyer that asks a person at the terminal.
type Person struct {
	For    string          // what to search for; the person is asked if it is empty
	Budget decimal.Decimal // offers above it must be confirmed; zero means no budget
	page   Page
	in     *bufio.Reader
}

// NewPerson returns a buyer whose decisions are read from in.
func NewPerson(in io.Reader, page Page, wanted string, budget decimal.Decimal) *Person {
	return &Person{
		For:    wanted,
		Budget: budget,
		page:   page,
		in:     bufio.NewReader(in),
	}
}

// errLeft means that the input ended.
var errLeft = fmt.Errorf("%w: you left", ErrNothing)

func (p *Person) ask(format string, args ...any) (string, error) {
	p.page.print("\n%s ", p.page.style("1;33", "> "+fmt.Sprintf(format, args...)))
	line, err := p.in.ReadString('\n')
	if errors.Is(err, io.EOF) && line == "" {
		p.page.print("\n")
		return "", errLeft
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimSpace(line), nil
}

// Wants asks what to search for.
func (p *Person) Wants() (string, error) {
	for p.For == "" {
		var err error
		if p.For, err = p.ask("What are you looking for?"); err != nil {
			return "", err
		}
	}
	return p.For, nil
}

// Product asks which product to look at.
func (p *Person) Product(found []ucp.Product) (int, error) {
	i, err := p.choose("Which one?", len(found), "n to search again")
	if i == NoneOfThese {
		p.For = ""
	}
	return i, err
}

// Variant asks which variant to buy if there are several.
func (p *Person) Variant(stock []ucp.Variant) (int, error) {
	if len(stock) == 1 {
		return 0, nil
	}
	return p.choose("Which of these?", len(stock), "")
}

// choose asks for a number up to count. otherwise describes the answer n; it is empty if n is not an answer.
func (p *Person) choose(question string, count int, otherwise string) (int, error) {
	numbers := "Enter for 1"
	if count > 1 {
		numbers = fmt.Sprintf("1 to %d, Enter for 1", count)
	}
	if otherwise != "" {
		numbers += ", " + otherwise
	}
	for {
		said, err := p.ask("%s (%s)", question, numbers)
		if err != nil || said == "" {
			return 0, err
		}
		if n, err := strconv.Atoi(said); err == nil && n >= 1 && n <= count {
			return n - 1, nil
		}
		if strings.EqualFold(said, "n") && otherwise != "" {
			return NoneOfThese, nil
		}
		p.page.aside("Type a number from 1 to %d.", count)
	}
}

// Next asks for an offer.
func (p *Person) Next(s Situation) (Move, error) {
	question := fmt.Sprintf("Your offer? (a price, y to accept %s, n to walk away)", amount(s.CurrentPrice, s.Currency))
	if s.Final {
		question = fmt.Sprintf("This is final. Accept %s %s? (y or n)", amount(s.CurrentPrice, s.Currency), clean(s.Currency))
	}
	for {
		said, err := p.ask("%s", question)
		if err != nil {
			return Move{}, err
		}
		switch strings.ToLower(said) {
		case "y", "yes":
			return Move{Action: Accept}, nil
		case "n", "no":
			return Move{Action: WalkAway}, nil
		}
		offer, err := decimal.Parse(said)
		most := minor(p.Budget, s.Currency)
		switch {
		case s.Final:
			p.page.aside("Type y or n.")
		case err != nil || minor(offer, s.Currency) < 1:
			p.page.aside("Type a price such as %s, y or n.", amount(s.CurrentPrice*9/10, s.Currency))
		case minor(offer, s.Currency) >= s.CurrentPrice:
			p.page.aside("The shop asks for %s. Type y to accept that.", amount(s.CurrentPrice, s.Currency))
		case most > 0 && minor(offer, s.Currency) > most:
			p.page.aside("That is more than your budget of %s.", amount(most, s.Currency))
		default:
			return Move{Offer, minor(offer, s.Currency)}, nil
		}
	}
}

// Pays asks for approval of the total. Only a clear yes counts.
func (p *Person) Pays(total ucp.Money) (bool, error) {
	said, err := p.ask("Pay %s? (y or n)", price(total))
	said = strings.ToLower(said)
	return said == "y" || said == "yes", err
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/simulator/market"
)

type marketCmd struct {
	Seed       uint64   `default:"1" help:"The same seed gives the same figures, on however many processors."`
	Buyers     int      `default:"20000" help:"Buyers in each population."`
	Population []string `placeholder:"NAME" help:"Only this population, or the two of this distribution. May be repeated."`
	Strategy   []string `placeholder:"NAME" help:"A market of this strategy alone, or of several in equal parts. May be repeated."`
	Hints      string   `default:"ignore" enum:"ignore,heed" help:"What buyers do with the hint of a rejection: ignore or heed."`

	List        string `default:"100.00" help:"List price of the item, in US dollars."`
	MaxDiscount string `default:"20" placeholder:"PERCENT" help:"The shop's max_discount_percent: 0 to 90, at most one decimal (20)."`
	Rounds      int    `placeholder:"N" help:"The policy's round cap instead of its own: after so many counters the last one is final."`

	JSON string `name:"json" placeholder:"FILE" help:"Write all figures there; - prints them instead of the tables."`
	HTML string `name:"html" placeholder:"FILE" help:"Write a report with plots there: one page that needs no network."`
}

// Help is shown below the flags' summary.
func (marketCmd) Help() string {
	return `Lets simulated buyers haggle with the rules that answer real quotes, in this process, without a server or a database: the built-in
policy of a shop with default settings, except for what the flags change. Says what the policy earns before it meets real buyers.

Populations differ in what buyers would pay at most (V, a share of the list price) and in what the item costs:
uniform U[.70, 1.15], normal-90 N(.90, .10), normal-95 N(.95, .15), normal-85 N(.85, .08), lognormal (median .90, sigma .20), each
with -c50 or -c65 for a cost of .50 or .65. Buyers start at .60 to .85 of V and give up after 3 to 8 offers.
The market: boulware, linear, conceder, hardliner and tit-for-tat in equal parts. Beside it, with the linear buyers' V:
anchorer, prober, random and impatient. Their formulas: go doc github.com/haggle-commerce/haggle/simulator/market.

All prices and margins are shares of the list price. Margin is price less cost, per buyer who came, whether it bought or not.
best posted is the one price that earns most from these very buyers, full info a seller who knows every V and sells at it.
"× best posted" above 1 means that haggling earns more than any fixed price could. ± is a 95 % interval. Discounts are in percent:
a tenth, half and nine tenths of the deals stay at or under them. "off by" is how far a prober's estimate is from the floor.

Ends with 1 if the rules broke a promise: a price under the floor or above list, a rising counter, a counter that did not hold.`
}

// errUnkept makes the program fail when the rules broke a promise.
var errUnkept = errors.New("the seller broke a promise: see above")

func (c marketCmd) Run(ctx context.Context) error {
	config, err := c.config()
	if err != nil {
		return err
	}
	shown := &stages{}
	if show := shown.show(); show != nil {
		config.Progress = func(done, total int) { show("negotiations", int64(done), int64(total)) }
	}
	began := time.Now()
	report, err := market.Run(ctx, config)
	took := time.Since(began)
	shown.finish()
	if err != nil {
		return fmt.Errorf("the simulation: %w", err)
	}
	if err := c.write(report); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d negotiations in %s: %.0f a second\n", report.Negotiations, took.Round(time.Millisecond),
		float64(report.Negotiations)/took.Seconds())
	if !report.OK() {
		return errUnkept
	}
	return nil
}

// config reads the flags.
func (c marketCmd) config() (market.Config, error) {
	settings, list, err := c.shop()
	if err != nil {
		return market.Config{}, err
	}
	policy := negotiation.PolicyOf(settings)
	switch {
	case c.Rounds < 0:
		return market.Config{}, errors.New("--rounds must be more than zero")
	case c.Rounds > 0:
		policy.RoundCap = c.Rounds
	}
	seller := policySeller{policy, settings.Currency}
	config := market.Config{
		Seed: c.Seed, Buyers: c.Buyers, List: list.Minor(), Seller: seller, Secrets: seller.secrets, HeedHints: c.Hints == "heed",
		Populations: market.Populations(), Tactics: market.Measured(), Apart: market.Others(),
		Settings: []market.Setting{
			{Name: "Policy", Value: "built-in, version " + strconv.Itoa(policy.Version)},
			{Name: "List price", Value: list.String() + " " + settings.Currency.Code()},
			{Name: "Max discount", Value: settings.MaxDiscount.String()},
			{Name: "Round cap", Value: strconv.Itoa(policy.RoundCap)},
		},
	}
	if len(c.Population) > 0 {
		if config.Populations, err = market.PopulationsNamed(c.Population...); err != nil {
			return market.Config{}, err
		}
	}
	if len(c.Strategy) > 0 {
		config.Apart = nil
		config.Tactics, err = market.TacticsNamed(c.Strategy...)
	}
	return config, err
}

// shop is what a merchant could set: the project's settings and the product's price.
func (c marketCmd) shop() (project.Settings, money.Amount, error) {
	settings := project.DefaultSettings()
	percent, err := money.ParseDecimal(c.MaxDiscount, 1)
	if err != nil || percent < 0 || percent > 900 {
		return settings, money.Amount{}, errors.New("--max-discount must be between 0 and 90, with at most one decimal")
	}
	settings.MaxDiscount = money.Percent(percent)
	list, err := money.Parse(c.List, settings.Currency)
	if err != nil || list.Minor() < 100 {
		return settings, money.Amount{}, errors.New("--list must be an amount of at least 1.00")
	}
	return settings, list, nil
}

func (c marketCmd) write(report *market.Report) error {
	if c.HTML != "" {
		if err := writeFile(c.HTML, report.WriteHTML); err != nil {
			return err
		}
	}
	switch c.JSON {
	case "":
	case "-":
		return report.WriteJSON(os.Stdout)
	default:
		if err := writeFile(c.JSON, report.WriteJSON); err != nil {
			return err
		}
	}
	return report.Write(os.Stdout)
}

func writeFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	return errors.Join(write(w), w.Flush(), file.Close())
}

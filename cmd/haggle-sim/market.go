package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/app/simulating"
	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/cmd/haggle-sim/marketreport"
	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

type marketCmd struct {
	Seed       uint64   `default:"1" help:"The same seed gives the same figures, on however many processors."`
	Buyers     int      `placeholder:"N" help:"Buyers in each population (20000; with --url 200)."`
	Population []string `placeholder:"NAME" help:"Only this population, or the two of this distribution, or one of your own: normal:.88:.12:c55. May be repeated."`
	Strategy   []string `placeholder:"NAME" help:"A market of this strategy alone, or of several in equal parts. May be repeated."`
	Hints      string   `default:"ignore" enum:"ignore,heed" help:"What buyers do with the hint of a rejection: ignore or heed."`
	Deadline   string   `default:"3:8" placeholder:"LEAST:MOST" help:"How many offers buyers make at most, from 1 to 20; each as likely (3:8)."`
	First      string   `default:".60:.85" placeholder:"LEAST:MOST" help:"First offers, as shares of V; each as likely (.60:.85)."`
	Firm       string   `default:".9" placeholder:"SHARE" help:"What a hardliner offers every time, as a share of V (.9)."`

	List        string `default:"100.00" help:"List price of the item, in US dollars."`
	MaxDiscount string `placeholder:"PERCENT" help:"The shop's max_discount_percent: 0 to 90, at most one decimal (20)."`
	Rounds      int    `placeholder:"N" help:"The policy's round cap instead of its own: after so many counters the last one is final."`

	Learn int `placeholder:"N" help:"First let N other buyers of each population haggle with the policy, and tune it by the record of that."`

	URL         string `placeholder:"URL" help:"Haggle with the server there instead of in this process."`
	Key         string `placeholder:"KEY" help:"With --url: an API key that may make projects and change agents (unless --project is there), and make products."`
	Project     string `placeholder:"NAME" help:"With --url: slug or id of the project to sell in, under its own settings. Default: a new one is made."`
	Pay         bool   `help:"With --url: buyers check out and pay for what they agreed on, with the sandbox's token."`
	Concurrency int    `placeholder:"N" help:"With --url: how many buyers haggle at one time (16)."`

	JSON string `name:"json" placeholder:"FILE" help:"Write all figures there. Of these files one may be -, which is printed instead of the tables."`
	HTML string `name:"html" placeholder:"FILE" help:"Write a report with plots there: one page that needs no network."`
	CSV  string `name:"csv" placeholder:"FILE" help:"Write a line for every negotiation there: who came, and how it ended."`
}

// Help is shown below the flags' summary.
func (marketCmd) Help() string {
	return `Lets simulated buyers haggle with the rules that answer real quotes, in this process, without a server or a database: the built-in
policy of a shop with default settings, except for what the flags change. Says what the policy earns before it meets real buyers.

Populations differ in what buyers would pay at most (V, a share of the list price) and in what the item costs:
uniform U[.70, 1.15], normal-90 N(.90, .10), normal-95 N(.95, .15), normal-85 N(.85, .08), lognormal (median .90, sigma .20), each
with -c50 or -c65 for a cost of .50 or .65. Buyers start at .60 to .85 of V and give up after 3 to 8 offers.
The market: boulware, linear, conceder, hardliner and tit-for-tat in equal parts. Beside it, with the linear buyers' V:
anchorer, prober, random, impatient, splitter and cross-session. Their formulas: go doc github.com/haggle-commerce/haggle/domain/market.

Populations of your own, in shares of the list price, with the cost in percent of it (without :c… there are two, c50 and c65):
  normal:MEAN:DEVIATION:cCOST       normal:.88:.12:c55
  uniform:LOW:HIGH:cCOST            uniform:.6:1.2:c40
  lognormal:MEDIAN:SIGMA:cCOST      lognormal:.9:.2:c50
  two:MEAN:DEVIATION:MEAN:DEVIATION:SHARE:cCOST, two normal ones, the first with this share of the buyers: two:.75:.05:1.05:.05:.5:c50

With --url the same buyers come to a running server over the Agent Commerce Protocol, each with a session, a quote and follow-ups of
its own: haggle simulate market --url http://127.0.0.1:8080 --key hk_test_… puts one product for each cost on sale, with plenty of stock,
in a new project without bundle suggestions and without a bound on a client's sessions, or in --project, where the products are taken
off sale in the end, and where its agent's policy counts the sessions (probing.product), for all buyers have one address. Every answer is held
against the server's OpenAPI document. Buyers who are told to come back later (429, 503) do. The policy is the project's, which
--rounds cannot change, and its floor stays the server's secret: baselines within the floor and the prober's table are left out.

All prices and margins are shares of the list price. Margin is price less cost, per buyer who came, whether it bought or not.
best posted is the one price that earns most from these very buyers, full info a seller who knows every V and sells at it; with
"≥ floor" they are those of sellers who, like this one, sell nothing under the floor.
"× best posted" above 1 means that haggling earns more than any fixed price could. ± is a 95 % interval. Discounts are in percent:
a tenth, half and nine tenths of the deals stay at or under them. "off by" is how far a prober's estimate is from the floor.

Ends with 1 if the rules broke a promise: a price under the floor or above list, a rising counter, a counter that did not hold.`
}

// errBrokenPromise makes the exit code 1 if the pricing rules broke a promise.
var errBrokenPromise = errors.New("the seller broke a promise: see above")

func (c marketCmd) Run(ctx context.Context) error {
	if c.JSON == "-" && c.HTML == "-" || c.CSV == "-" && (c.JSON == "-" || c.HTML == "-") {
		return errors.New("only one of --json, --html and --csv can be -")
	}
	if c.URL != "" {
		return c.live(ctx)
	}
	config, err := c.config()
	if err != nil {
		return err
	}
	if c.Learn > 0 {
		if err := c.learn(ctx, &config); err != nil {
			return err
		}
	}
	report, err := c.simulate(ctx, config)
	if err == nil && !report.OK() {
		return errBrokenPromise
	}
	return err
}

// learn tunes a policy for each population and uses it there.
func (c marketCmd) learn(ctx context.Context, config *simulating.Config) error {
	seller := config.Seller.(simulating.PolicySeller)
	if c.Learn < tuning.Fewest || c.Learn > 100_000 {
		return fmt.Errorf("--learn must be between %d and 100,000", tuning.Fewest)
	}
	learnt, err := seller.Learn(ctx, *config, c.Learn, func(text string) { fmt.Fprintln(os.Stderr, text) })
	if err != nil {
		return err
	}
	config.SellerOf = func(p market.Population) market.Seller { return learnt[p.Name()] }
	config.Settings = append(config.Settings, simulating.Setting{
		Name: "Learnt from", Value: strconv.Itoa(c.Learn) + " negotiations with other buyers of each population",
	})
	return nil
}

// simulate runs the market and writes the report.
func (c marketCmd) simulate(ctx context.Context, config simulating.Config) (*simulating.Report, error) {
	shown := &stages{}
	if show := shown.show(); show != nil {
		config.Progress = func(done, total int) { show("negotiations", int64(done), int64(total)) }
	}
	var lines []simulating.Ended
	if c.CSV != "" {
		config.Each = func(e simulating.Ended) { lines = append(lines, e) }
	}
	began := time.Now()
	report, err := simulating.Run(ctx, config)
	took := time.Since(began)
	shown.finish()
	if err != nil {
		return nil, fmt.Errorf("the simulation: %w", err)
	}
	if err := c.write(report, lines); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "%d negotiations in %s: %.0f a second\n", report.Negotiations, took.Round(time.Millisecond),
		float64(report.Negotiations)/took.Seconds())
	return report, nil
}

// config returns the configuration of a market with a seller in this process.
func (c marketCmd) config() (simulating.Config, error) {
	config, err := c.buyers()
	if err != nil {
		return config, err
	}
	settings, list, err := c.shop()
	if err != nil {
		return simulating.Config{}, err
	}
	policy := negotiation.Builtin().Under(settings)
	switch {
	case c.Learn < 0:
		return simulating.Config{}, errors.New("--learn must be more than zero")
	case c.Key != "" || c.Project != "" || c.Pay || c.Concurrency != 0:
		return simulating.Config{}, errors.New("--key, --project, --pay and --concurrency go with --url")
	case c.Rounds < 0 || c.Rounds > 20: // the limit of a policy
		return simulating.Config{}, errors.New("--rounds must be 1 to 20")
	case c.Rounds > 0:
		policy.RoundCap = c.Rounds
	}
	seller := simulating.PolicySeller{Policy: policy, Currency: settings.Currency}
	config.List, config.Seller, config.Secrets = list.Minor(), seller, seller.Secrets
	config.Settings = []simulating.Setting{
		{Name: "Policy", Value: "built-in, version " + strconv.Itoa(policy.Version)},
		{Name: "List price", Value: list.String() + " " + settings.Currency.Code()},
		{Name: "Max discount", Value: settings.MaxDiscount.String()},
		{Name: "Round cap", Value: strconv.Itoa(policy.RoundCap)},
	}
	return config, nil
}

// shop returns the project's settings and the product's price.
func (c marketCmd) shop() (project.Settings, money.Amount, error) {
	settings := project.DefaultSettings()
	percent, err := money.ParseDecimal(cmp.Or(c.MaxDiscount, "20"), 1)
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

func (c marketCmd) write(report *simulating.Report, lines []simulating.Ended) error {
	show := func(w io.Writer) error { return marketreport.Write(w, report) }
	for _, out := range []struct {
		file  string
		write func(io.Writer) error
	}{
		{c.CSV, func(w io.Writer) error { return marketreport.WriteCSV(w, lines) }},
		{c.HTML, func(w io.Writer) error { return marketreport.WriteHTML(w, report) }},
		{c.JSON, func(w io.Writer) error { return marketreport.WriteJSON(w, report) }},
	} {
		if out.file == "-" {
			show = out.write
		} else if out.file != "" {
			if err := writeFile(out.file, out.write); err != nil {
				return err
			}
		}
	}
	return show(os.Stdout)
}

func writeFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	return errors.Join(write(w), w.Flush(), file.Close())
}

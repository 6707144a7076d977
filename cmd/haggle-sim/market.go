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
	Seed       uint64   `default:"1" help:"Seed of the random numbers. The same seed produces the same results on any number of processors."`
	Buyers     int      `placeholder:"N" help:"Number of buyers in each population (default 20000; with --url 200)."`
	Population []string `placeholder:"NAME" help:"Population, distribution (its two populations) or custom population such as normal:.88:.12:c55. Repeatable. Default: all built-in populations."`
	Strategy   []string `placeholder:"NAME" help:"Strategy of the buyers. Repeatable: several strategies have equal shares. Default: the market described above."`
	Hints      string   `default:"ignore" enum:"ignore,heed" help:"Whether buyers follow the price hint of a rejection: ignore or heed."`
	Deadline   string   `default:"3:8" placeholder:"LEAST:MOST" help:"Maximum number of offers per buyer, 1 to 20, uniformly distributed (default 3:8)."`
	First      string   `default:".60:.85" placeholder:"LEAST:MOST" help:"First offer as a share of V, uniformly distributed (default .60:.85)."`
	Firm       string   `default:".9" placeholder:"SHARE" help:"Constant offer of a hardliner as a share of V (default .9)."`

	List        string `default:"100.00" help:"List price of the item, in US dollars."`
	MaxDiscount string `placeholder:"PERCENT" help:"Setting max_discount_percent of the shop: 0 to 90, with at most one decimal (default 20)."`
	Rounds      int    `placeholder:"N" help:"Round cap: the last of N counteroffers is final. Default: the round cap of the policy."`

	Learn int `placeholder:"N" help:"Tune the policy first, with the negotiations of N other buyers of each population."`

	URL         string `placeholder:"URL" help:"URL of a running server to negotiate with. Default: negotiate in this process."`
	Key         string `placeholder:"KEY" help:"With --url: API key that may create products; without --project, it must also be allowed to create projects and change agents."`
	Project     string `placeholder:"NAME" help:"With --url: slug or ID of the project to sell in, with its own settings. Default: create a project."`
	Pay         bool   `help:"With --url: buyers check out and pay with a sandbox token after a deal."`
	Concurrency int    `placeholder:"N" help:"With --url: number of concurrent buyers (default 16)."`

	JSON string `name:"json" placeholder:"FILE" help:"Write all results to this JSON file. One of --json, --html and --csv may be -, which prints to standard output instead of the tables."`
	HTML string `name:"html" placeholder:"FILE" help:"Write a report with charts to this HTML file, a single page without external resources."`
	CSV  string `name:"csv" placeholder:"FILE" help:"Write one line for each negotiation to this CSV file."`
}

// Help is shown below the flags' summary.
func (marketCmd) Help() string {
	return `Simulates negotiations between buyers and the pricing rules of the server, in this process, without a server or a database. It uses the
built-in policy and the default settings of a shop, except for the settings that you change with flags. Use it to estimate what a policy
earns before you activate it.

Populations differ in the most that buyers would pay (V, a share of the list price) and in the cost of the item:
uniform U[.70, 1.15], normal-90 N(.90, .10), normal-95 N(.95, .15), normal-85 N(.85, .08), lognormal (median .90, sigma .20), each
with the suffix -c50 or -c65 for a cost of .50 or .65. Buyers start at .60 to .85 of V and stop after 3 to 8 offers. The market consists of
equal shares of boulware, linear, conceder, hardliner and tit-for-tat. These are simulated in addition, with the V of the linear buyers:
anchorer, prober, random, impatient, splitter and cross-session. For the formulas, run go doc github.com/haggle-commerce/haggle/domain/market.

Custom populations use shares of the list price, and the cost as a percentage of it (without :cCOST, there are two: c50 and c65):
  normal:MEAN:DEVIATION:cCOST       normal:.88:.12:c55
  uniform:LOW:HIGH:cCOST            uniform:.6:1.2:c40
  lognormal:MEDIAN:SIGMA:cCOST      lognormal:.9:.2:c50
  two:MEAN:DEVIATION:MEAN:DEVIATION:SHARE:cCOST     two:.75:.05:1.05:.05:.5:c50

The last form is a mixture of two normal distributions; SHARE is the share of the first.

With --url, the same buyers negotiate with a running server over the Agent Commerce Protocol, each in a separate session:

  haggle simulate market --url http://127.0.0.1:8080 --key hk_test_…

The command creates one product for each cost, in a new project that has no bundle suggestions and no session limit for clients. With
--project, it creates the products in that project and removes them from sale at the end. All buyers have the same IP address, so the setting
probing.product of the agent's policy limits their sessions. The command validates each response against the OpenAPI document of the
server, and retries after the statuses 429 and 503. It uses the policy of the project, so --rounds and --learn are not allowed. The server
does not reveal the floor, so the report omits the baselines with a floor and the table of the prober.

All prices and margins are shares of the list price. Margin is the price minus the cost, per buyer, including buyers who did not buy.
"best posted" is the fixed price with the highest margin for these buyers. "full info" is a seller who knows every V and sells at it. With
"≥ floor", these sellers do not sell below the floor either. A value of "× best posted" above 1 means that negotiation earns more than
any fixed price. ± is a 95 % interval. Discounts are the 10th, 50th and 90th percentiles of the deals, in percent. "off by" is the
difference between the prober's estimate and the floor.

The exit code is 1 if the pricing rules violated an invariant: a price below the floor or above the list price, a counteroffer above an
earlier one, or a counteroffer that the shop did not honor.`
}

// errBrokenPromise makes the exit code 1 if the pricing rules broke a promise.
var errBrokenPromise = errors.New("the seller violated an invariant, see above")

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
		Name: "Learned from", Value: strconv.Itoa(c.Learn) + " negotiations with other buyers of each population",
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
		return nil, fmt.Errorf("the simulation failed: %w", err)
	}
	families, err := c.families(ctx, config)
	if err != nil {
		return nil, err
	}
	if err := c.write(report, families, lines); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "%d negotiations in %s (%.0f per second)\n", report.Negotiations, took.Round(time.Millisecond),
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
		return simulating.Config{}, errors.New("--learn must be greater than zero")
	case c.Key != "" || c.Project != "" || c.Pay || c.Concurrency != 0:
		return simulating.Config{}, errors.New("--key, --project, --pay and --concurrency require --url")
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

// families plays the families of buyers for the HTML report. It returns nil if there is none, or if each population has a policy of
// its own.
func (c marketCmd) families(ctx context.Context, config simulating.Config) (*marketreport.Families, error) {
	seller, ok := config.Seller.(simulating.PolicySeller)
	if c.HTML == "" || !ok || config.SellerOf != nil {
		return nil, nil
	}
	const buyers = 200
	report, err := simulating.PlayFamilies(ctx, simulating.FamilyConfig{
		Seed:     c.Seed,
		Buyers:   buyers,
		Families: market.Families(),
		Settings: market.Settings(),
		SellerOf: simulating.SellersOf(seller.Policy),
	})
	return &marketreport.Families{
		Report:   report,
		Settings: market.Settings(),
		Seed:     c.Seed,
		Buyers:   buyers,
		Visitors: usualVisitors,
	}, err
}

// usualVisitors is the number of visitors in a month for which reports on families name money.
const usualVisitors = 1000

func (c marketCmd) write(report *simulating.Report, families *marketreport.Families, lines []simulating.Ended) error {
	show := func(w io.Writer) error { return marketreport.Write(w, report) }
	for _, out := range []struct {
		file  string
		write func(io.Writer) error
	}{
		{c.CSV, func(w io.Writer) error { return marketreport.WriteCSV(w, lines) }},
		{c.HTML, func(w io.Writer) error { return marketreport.WriteHTML(w, report, families) }},
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

package features

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/cucumber/godog"
)

// jobsContext imports product files and starts market runs. The server runs both in the background, as jobs.
type jobsContext struct{ *scenario }

// jobTimeout is in seconds. Jobs run in the background, after those of other scenarios.
const jobTimeout = 30

func importSteps(sc stepRegistry, s *scenario) {
	c := &jobsContext{s}
	sc.Step(`^the merchant (imports|has imported) a file( as a dry run)?:$`, c.importsTable)
	sc.When(`^the merchant cancels the (import|run)$`, c.cancels)
	sc.Then(`^the import has created (\d+) products? and refused (\d+)$`, func(created, refused int) error {
		return c.ends("import", "status", `"succeeded"`, "import.created", fmt.Sprint(created), "import.refused", fmt.Sprint(refused))
	})
	sc.Then(`^the import has changed (\d+) products? and left (\d+) as it was$`, func(updated, unchanged int) error {
		return c.ends("import", "status", `"succeeded"`, "import.updated", fmt.Sprint(updated), "import.unchanged", fmt.Sprint(unchanged))
	})
	sc.Then(`^the holder of "([^"]*)" sees the import, and neither sees nor cancels the market run$`, c.seesImportOnly)

	sc.Step(`^the merchant starts a market run with (\d+) buyers(?: and a discount of at most (\d+)%)?$`, c.startsRun)
	sc.When(`^the merchant starts another market run$`, func() error { return c.startsRun(50, "") })
	sc.When(`^the (holder of "[^"]*") starts a market run$`, func(who string) error {
		return errors.Join(s.agents.remembersActiveAgent(), s.sends("", who, "POST", agentsPath+"/$active/market", `{}`))
	})
	sc.When(`^the (holder of "[^"]*") lists the runs$`, func(who string) error { return s.sends("", who, "GET", "/v1/jobs", "") })
	sc.When(`^in the other shop the merchant (looks for the run|cancels the run|starts a run of the agent)$`, c.usesOtherShop)
	sc.Then(`^no run is listed$`, func() error { return errors.Join(s.statusIs(http.StatusOK), s.answerShows("data", `[]`)) })
	sc.Then(`^the run is queued$`, func() error { return errors.Join(s.statusIs(http.StatusAccepted), s.answerShows("status", `"queued"`)) })
	sc.Then(`^the run ends without a result$`, func() error {
		return errors.Join(s.statusIs(http.StatusOK), s.answerShows("status", `"canceled"`, "finished_at", `matches Z$`, "result", `null`))
	})
	sc.Then(`^the run fails, because the shop has no products$`, func() error {
		return c.ends("run", "status", `"failed"`, "error.code", `"no_products"`, "result", `null`)
	})
	sc.Then(`^the run estimates that the policy in force earns at least (\d+) a month, and the other at most (\d+) less$`, func(least, less int) error {
		return c.ends("run", "status", `"succeeded"`, "result.before.margin_per_month", fmt.Sprintf("at least %d", least),
			"result.difference.low_per_month", fmt.Sprintf("at least -%d", less))
	})
	sc.Then(`^the audit log has the start and the cancellation of the run$`, c.auditHasRun)
}

// importsTable imports a CSV file with the cells of a table.
func (c *jobsContext) importsTable(tense, dryRun string, table *godog.Table) error {
	var file strings.Builder
	for _, row := range table.Rows {
		for i, cell := range row.Cells {
			if i > 0 {
				file.WriteString(",")
			}
			fmt.Fprintf(&file, "%q", cell.Value)
		}
		file.WriteString("\n")
	}
	query := ""
	if dryRun != "" {
		query = "dry_run=true"
	}
	if err := c.catalog.importFile("text/csv", query, file.String()); err != nil || c.refusal != nil {
		return err
	}
	if err := c.platforms.namesAnswerField("id", "import"); err != nil || tense == "imports" {
		return err
	}
	return c.ends("import", "status", `"succeeded"`)
}

func (c *jobsContext) startsRun(buyers int, discount string) error {
	if err := c.agents.remembersActiveAgent(); err != nil {
		return err
	}
	body := fmt.Sprintf(`{"buyers": %d}`, buyers)
	if discount != "" {
		body = fmt.Sprintf(`{"policy": {"max_discount_percent": %s}, "buyers": %d, "seed": 7}`, discount, buyers)
	}
	if err := c.merchantSends("POST", agentsPath+"/$active/market", body); err != nil || c.refusal != nil {
		return err
	}
	return c.platforms.namesAnswerField("id", "run")
}

// ends waits until a job has ended, and checks its fields.
func (c *jobsContext) ends(name string, fields ...string) error {
	if c.refusal != nil {
		return c.refusal
	}
	err := within(jobTimeout, func() error {
		if err := c.send("GET", c.expand("/v1/jobs/$"+name), "", nil); err != nil {
			return err
		}
		return c.answerShows("finished_at", "present")
	})
	if err != nil {
		return err
	}
	return c.answerShows(fields...)
}

func (c *jobsContext) cancels(name string) error {
	return c.merchantSends("POST", "/v1/jobs/$"+name+"/cancel", "")
}

func (c *jobsContext) seesImportOnly(name string) error {
	who := `holder of "` + name + `"`
	return errors.Join(
		c.sends("", who, "GET", "/v1/jobs/$import", ""), c.answerShows("id", `"$import"`),
		c.sends("", who, "GET", "/v1/jobs/$run", ""), c.isRefused(http.StatusNotFound, "job_not_found"),
		c.sends("", who, "POST", "/v1/jobs/$run/cancel", "{}"), c.isRefused(http.StatusNotFound, "job_not_found"),
		c.sends("", who, "GET", "/v1/jobs", ""), c.answerShows("data.*.id", `["$import"]`, "meta.total", `1`),
	)
}

func (c *jobsContext) usesOtherShop(does string) error {
	requests := map[string][3]string{
		"looks for the run":         {"GET", "/v1/jobs/$run"},
		"cancels the run":           {"POST", "/v1/jobs/$run/cancel"},
		"starts a run of the agent": {"POST", "/v1/agents/$active/market", "{}"},
	}
	request := requests[does]
	return c.sendsToOtherShop(request[0], c.expand(request[1]), request[2])
}

func (c *jobsContext) auditHasRun() error {
	if err := c.merchantSends("GET", "/v1/audit-events", ""); err != nil {
		return err
	}
	return c.answerShows(
		"data.0.action", `"cancel-job"`,
		"data.0.target", `"$run"`,
		"data.1.action", `"start-market"`,
		"data.1.target", `"$run"`,
	)
}

package hubspot

import (
	"context"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// pipelinesPath is of docs/api-reference/latest/crm/pipelines/guide (read on 29 November 2026).
const pipelinesPath = "/crm/pipelines/2026-03/deals"

// usualPipeline is the one that "every account initially contains" (docs/methods/pipelines/pipelines_overview, read on 29 November 2026).
const usualPipeline = "default"

// place is where a deal is in the account's sales process.
type place struct{ pipeline, stage string }

type pipeline struct {
	ID       string  `json:"id"`
	Label    string  `json:"label"`
	Order    int     `json:"displayOrder"`
	Archived bool    `json:"archived"`
	Stages   []stage `json:"stages"`
}

type stage struct {
	ID       string `json:"id"`
	Archived bool   `json:"archived"`
	Metadata struct {
		Probability text `json:"probability"`
		Closed      text `json:"isClosed"`
	} `json:"metadata"`
}

// text is text, or what else JSON has in its place: the metadata of stages are documented as text and shown as numbers, too.
type text string

func (t *text) UnmarshalJSON(raw []byte) error {
	plain, err := strconv.Unquote(string(raw))
	if err != nil {
		plain = string(raw)
	}
	*t = text(plain)
	return nil
}

// stageOf is the stage for deals that are won or lost: the first one of the pipeline whose probability is 1 or 0. The ids are not
// taken for known: the documentation lists none, and an account may have stages of its own.
func (s *Connector) stageOf(ctx context.Context, c ports.Connection, in string, lost bool) (place, error) {
	var answer struct {
		Results []pipeline `json:"results"`
	}
	if err := s.writing.Ask(ctx, s.request(c, pipelinesPath), &answer); err != nil {
		return place{}, err
	}
	if answer.Results == nil {
		return place{}, s.platform.Failed("sent no pipelines", nil)
	}
	p := choose(answer.Results, in)
	if p == nil {
		return place{}, s.platform.Refused("has no pipeline of deals")
	}
	for _, one := range p.Stages {
		if !one.Archived && one.is(lost) {
			return place{p.ID, one.ID}, nil
		}
	}
	outcome := "won"
	if lost {
		outcome = "lost"
	}
	return place{}, s.platform.Refused("has no stage for deals that are " + outcome + " in the pipeline " + connectors.Plain(p.Label))
}

// choose is the pipeline with the id, else the usual one, else the one that comes first.
func choose(list []pipeline, id string) (best *pipeline) {
	rank := func(p *pipeline) int {
		switch p.ID {
		case id:
			return 0
		case usualPipeline:
			return 1
		}
		return 2
	}
	for n := range list {
		p := &list[n]
		if p.Archived || p.ID == "" {
			continue
		}
		if best == nil || rank(p) < rank(best) || rank(p) == rank(best) && p.Order < best.Order {
			best = p
		}
	}
	return best
}

func (s stage) is(lost bool) bool {
	if strings.EqualFold(string(s.Metadata.Closed), "false") {
		return false
	}
	thousandths, err := money.ParseDecimal(string(s.Metadata.Probability), 3)
	return err == nil && thousandths == map[bool]int64{true: 0, false: 1000}[lost]
}

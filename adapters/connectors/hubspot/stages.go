package hubspot

import (
	"context"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// pipelinesPath is from docs/api-reference/latest/crm/pipelines/guide (read on 29 November 2026).
const pipelinesPath = "/crm/pipelines/2026-03/deals"

// defaultPipeline is the pipeline that "every account initially contains" (docs/methods/pipelines/pipelines_overview, read on 29 November 2026).
const defaultPipeline = "default"

// pipelineStage is a stage of the account's sales process.
type pipelineStage struct{ pipeline, stage string }

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

// text is a JSON string, or the text of another JSON value: the metadata of stages are documented as strings, but are also numbers.
type text string

func (t *text) UnmarshalJSON(raw []byte) error {
	plain, err := strconv.Unquote(string(raw))
	if err != nil {
		plain = string(raw)
	}
	*t = text(plain)
	return nil
}

// stageOf returns the stage for won or lost deals: the first stage of the pipeline whose probability is 1 or 0. It assumes no ids,
// because the documentation lists none and an account may have its own stages.
func (s *Connector) stageOf(ctx context.Context, c ports.Connection, in string, lost bool) (pipelineStage, error) {
	var answer struct {
		Results []pipeline `json:"results"`
	}
	if err := s.writing.Ask(ctx, s.request(c, pipelinesPath), &answer); err != nil {
		return pipelineStage{}, err
	}
	if answer.Results == nil {
		return pipelineStage{}, s.platform.Failed("sent no pipelines", nil)
	}
	p := choosePipeline(answer.Results, in)
	if p == nil {
		return pipelineStage{}, s.platform.Refused("has no pipeline of deals")
	}
	for _, one := range p.Stages {
		if !one.Archived && one.isOutcome(lost) {
			return pipelineStage{p.ID, one.ID}, nil
		}
	}
	outcome := "won"
	if lost {
		outcome = "lost"
	}
	return pipelineStage{}, s.platform.Refused("has no stage for deals that are " + outcome + " in the pipeline " + connectors.Plain(p.Label))
}

// choosePipeline returns the pipeline with the id, else the default one, else the first one by its order.
func choosePipeline(list []pipeline, id string) (best *pipeline) {
	rank := func(p *pipeline) int {
		switch p.ID {
		case id:
			return 0
		case defaultPipeline:
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

func (s stage) isOutcome(lost bool) bool {
	if strings.EqualFold(string(s.Metadata.Closed), "false") {
		return false
	}
	thousandths, err := money.ParseDecimal(string(s.Metadata.Probability), 3)
	return err == nil && thousandths == map[bool]int64{true: 0, false: 1000}[lost]
}

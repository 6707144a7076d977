package provider

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

// step is one part of a script.
type step struct {
	fault    string
	argument string // of decline: its code; of slow: milliseconds
	count    int    // applications; 0: no limit
	refunds  bool   // applies to refunds of the token's payments, not to the payment
}

// plan is what happens to one request.
type plan struct {
	wait  time.Duration
	fault string // empty: none
	code  string // of a decline
}

var faultNames = []string{
	"ok", "decline", "error_before", "error_kept", "error_after", "hang_after", "malformed", "reset_after", "rate_limited",
	"in_use", "slow", "pending",
}

// passing faults apply once if no count is given.
var passing = []string{"error_before", "rate_limited", "in_use"}

func parseScript(text string) ([]step, error) {
	var steps []step
	for part := range strings.SplitSeq(text, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		s, err := parseStep(part)
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	return steps, nil
}

func parseStep(text string) (step, error) {
	var s step
	rest, refunds := strings.CutPrefix(text, "refund.")
	s.refunds = refunds
	fields := strings.Split(rest, ":")
	s.fault, fields = fields[0], fields[1:]
	if !slices.Contains(faultNames, s.fault) {
		return s, fmt.Errorf("script: unknown step %q; known are %s", text, strings.Join(faultNames, ", "))
	}
	if (s.fault == "decline" || s.fault == "slow") && len(fields) > 0 {
		s.argument, fields = fields[0], fields[1:]
	}
	if s.fault == "slow" {
		if ms, err := strconv.Atoi(s.argument); err != nil || ms < 0 {
			return s, fmt.Errorf("script: %q needs milliseconds", text)
		}
	}
	switch {
	case len(fields) > 1:
		return s, fmt.Errorf("script: %q has too many parts", text)
	case len(fields) == 1:
		n, err := strconv.Atoi(fields[0])
		if err != nil || n < 1 {
			return s, fmt.Errorf("script: %q needs a count from 1", text)
		}
		s.count = n
	case slices.Contains(passing, s.fault):
		s.count = 1
	}
	return s, nil
}

// nextStep returns the plan for the next request, and how often each step has applied, including this time.
func nextStep(steps []step, used []int, refunds bool) (plan, []int) {
	used = append(slices.Clone(used), make([]int, max(0, len(steps)-len(used)))...)
	var next plan
	for i, s := range steps {
		if s.refunds != refunds || s.count > 0 && used[i] >= s.count {
			continue
		}
		used[i]++
		if s.applyTo(&next) {
			break
		}
	}
	return next, used
}

// applyTo adds the step to the plan and reports whether the plan is complete.
func (s step) applyTo(p *plan) bool {
	switch s.fault {
	case "slow":
		ms, _ := strconv.Atoi(s.argument)
		p.wait += time.Duration(ms) * time.Millisecond
		return false
	case "ok":
		return true
	}
	p.fault, p.code = s.fault, s.argument
	return true
}

// money are the operations that a fault without an operation applies to.
var money = []string{"charge", "capture", "refund"}

// operations are the operations that a fault may name.
var operations = []string{"", "*", "charge", "capture", "refund", "dispute", "list", "read", "order", "cancel", "token", "webhook", "verify"}

func faultMatches(o ledger.ScheduledFault, operation string) bool {
	switch o.Operation {
	case "":
		return slices.Contains(money, operation)
	case "*":
		return true
	}
	return o.Operation == operation
}

// planFor returns the call's plan: of the oldest matching fault, else of the token's script. It counts as an application.
func (c *change) planFor(call *call) plan {
	for fault := range c.Faults.Oldest() {
		if fault.Left > 0 && faultMatches(fault, call.operation) {
			fault.Left--
			c.entry.Faults = append(c.entry.Faults, fault)
			steps, _ := parseScript(fault.Fault)
			next, _ := nextStep(steps, nil, false)
			return next
		}
	}
	t, ok := c.Tokens.Get(c.tokenOf(call))
	if !ok || t.Script == "" {
		return plan{}
	}
	steps, _ := parseScript(t.Script)
	next, used := nextStep(steps, t.StepUses, call.operation == "refund")
	if !slices.Equal(used, t.StepUses) {
		t.StepUses = used
		c.entry.Tokens = append(c.entry.Tokens, t)
	}
	return next
}

// tokenOf returns the token of a payment, or the token of the payment that a refund is for.
func (c *change) tokenOf(call *call) string {
	switch call.operation {
	case "charge", "capture", "refund":
		return call.token(c.State, call)
	}
	return ""
}

package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// draft is a policy that is being edited. The query of an address stores it: the version that it is based on, and the
// differences.
type draft struct {
	from    int    // the version that it begins from; 0: the one in force
	served  bool   // that version has been in force before
	preset  string // or the preset; "": none
	base    haggling
	policy  haggling
	wrong   []detail // what cannot be read
	unknown []string // names in the query that are none
}

// limits lists the numbers that presets do not change: presets are about how a shop negotiates, not about how low it goes.
var limits = []string{
	"enabled", "max_discount_percent", "min_margin_percent", "unverified_share_percent", "probing.session", "probing.client", "probing.product",
}

// under returns a preset with the limits of the policy in force.
func (h haggling) under(inForce haggling) haggling {
	h = h.clone()
	for _, name := range limits {
		h.values[name] = inForce.values[name]
	}
	return h
}

// apply applies the changes in a query to a draft.
func (d *draft) apply(q url.Values) {
	d.policy = d.base.clone()
	for _, n := range policyNumbers {
		given, ok := q[n.name]
		if !ok {
			continue
		}
		d.policy.values[n.name] = strings.TrimSpace(given[len(given)-1])
	}
	for _, s := range sliders {
		if s.write != nil && q.Has(s.name) {
			s.set(d.policy, q.Get(s.name))
		}
	}
	if q.Get("segments") == "none" {
		d.policy.segments = json.RawMessage("[]")
	}
	_, d.wrong = d.policy.document()
}

// query returns the shortest query that makes the draft.
func (d *draft) query() url.Values {
	q := url.Values{}
	if d.from != 0 {
		q.Set("from", strconv.Itoa(d.from))
	}
	if d.preset != "" {
		q.Set("preset", d.preset)
	}
	for _, n := range policyNumbers {
		now := d.policy.values[n.name]
		if n.same(now, d.base.values[n.name]) {
			continue
		}
		i := slices.IndexFunc(sliders, func(s slider) bool { return s.write != nil && s.number == n.name })
		if i >= 0 && sliders[i].write(d.base, sliders[i].of(d.policy)) == now {
			q.Set(sliders[i].name, sliders[i].of(d.policy))
			continue
		}
		q.Set(n.name, now)
	}
	if !sameJSON(d.policy.segments, d.base.segments) {
		q.Set("segments", "none")
	}
	return q
}

// with is the draft's query with more.
func (d *draft) with(names ...string) url.Values {
	q := d.query()
	for i := 0; i+1 < len(names); i += 2 {
		if names[i+1] != "" {
			q.Set(names[i], names[i+1])
		}
	}
	return q
}

// isVersion reports whether a draft equals an existing version.
func (d *draft) isVersion() bool {
	all, _ := differences(d.base, d.policy)
	return d.preset == "" && len(all) == 0
}

// readDraft reads the draft from the request's address or form.
func (s *studio) readDraft(q url.Values) (*draft, error) {
	d := &draft{base: s.agent.Policy}
	if n, err := strconv.Atoi(q.Get("from")); err == nil && n > 0 && n != s.agent.Version {
		v, err := fetch[policyVersion](s.api, s.agentPath("/policies/"+strconv.Itoa(n)), nil)
		if err != nil {
			return nil, err
		}
		d.from, d.served, d.base = n, v.ActivatedAt != nil, v.Policy
	}
	if name := q.Get("preset"); name != "" {
		i := slices.IndexFunc(s.presets, func(p preset) bool { return p.Name == name })
		if i < 0 {
			d.unknown = append(d.unknown, "preset="+name)
		} else {
			d.preset, d.from, d.base = name, 0, s.presets[i].Policy.under(s.agent.Policy)
		}
	}
	d.apply(q)
	return d, nil
}

// problemOf returns the problems of a draft that are known without calling the API, or nil.
func (d *draft) problemOf() *problem {
	if len(d.wrong) == 0 {
		return nil
	}
	return &problem{
		Status:  http.StatusUnprocessableEntity,
		Code:    "validation_error",
		Message: "This draft has numbers that do not work.",
		Details: d.wrong,
	}
}

// wrongAt returns the message of the API or the form about a number, or "".
func wrongAt(p *problem, number string) string {
	if p == nil {
		return ""
	}
	var all []string
	for _, d := range p.Details {
		field := strings.TrimPrefix(d.Field, "policy.")
		if field == number || strings.HasPrefix(field, number+".") {
			all = append(all, d.Message)
		}
	}
	return strings.Join(slices.Compact(all), "; ")
}

// labelled names numbers as the form does.
func (p *problem) labelled() *problem {
	if p == nil {
		return nil
	}
	named := *p
	named.Details = nil
	for _, d := range p.Details {
		field := strings.TrimPrefix(d.Field, "policy.")
		for _, n := range policyNumbers {
			if field == n.name || strings.HasPrefix(field, n.name+".") {
				d.Field = n.label
			}
		}
		named.Details = append(named.Details, d)
	}
	return &named
}

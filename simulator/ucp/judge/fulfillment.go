package judge

import (
	"slices"
	"strings"
)

// fulfillment checks methods, groups and options, and which of them are selected.
func (r *report) fulfillment() {
	present, _ := r.root["fulfillment"].(map[string]any)
	if present == nil {
		return
	}
	lines, readable := r.lines()
	methods := list(present["methods"])
	r.unique("$.fulfillment.methods", methods)
	chosen, all := int64(0), len(methods) > 0
	for i, entry := range methods {
		path, method := at("$.fulfillment.methods", i), object(entry)
		own := lines
		if readable {
			own = r.references(path+".line_item_ids", list(method["line_item_ids"]), lines, "line")
		}
		r.destination(path, method)
		groups := list(method["groups"])
		r.unique(path+".groups", groups)
		all = all && len(groups) > 0
		for k, group := range groups {
			where := at(path+".groups", k)
			if readable {
				r.references(where+".line_item_ids", list(object(group)["line_item_ids"]), own, "line of the method")
			}
			cost, selected := r.options(where, object(group))
			chosen += cost
			all = all && selected
		}
	}
	if r.judge.house {
		r.houseFulfillment(methods, chosen, all)
	}
}

// lines returns the ids of the lines. It returns false if a line is not an object, which the schema reports.
func (r *report) lines() (ids map[string]bool, readable bool) {
	ids = map[string]bool{}
	for _, entry := range list(r.root["line_items"]) {
		line, isObject := entry.(map[string]any)
		if !isObject {
			return nil, false
		}
		ids[text(line["id"])] = true
	}
	return ids, true
}

// references checks that every id is known and occurs once, and returns the ids.
func (r *report) references(path string, ids []any, known map[string]bool, what string) map[string]bool {
	seen := map[string]bool{}
	for i, id := range ids {
		r.require(known[text(id)], at(path, i), "there is no %s %q", what, text(id))
		r.require(!seen[text(id)], at(path, i), "%q is there twice", text(id))
		seen[text(id)] = true
	}
	return seen
}

// destination checks that the selected destination occurs exactly once and that its type belongs to the method.
func (r *report) destination(path string, method map[string]any) {
	destinations := list(method["destinations"])
	r.unique(path+".destinations", destinations)
	selected, chosen := method["selected_destination_id"].(string)
	if !chosen {
		return
	}
	found := slices.ContainsFunc(destinations, func(d any) bool { return text(object(d)["id"]) == selected })
	r.require(found, path+".selected_destination_id", "%q is not among the destinations", selected)
}

// options checks that titles differ and costs add up. It returns the cost of the selected option.
func (r *report) options(path string, group map[string]any) (cost int64, selected bool) {
	options := list(group["options"])
	r.unique(path+".options", options)
	titles := map[string]bool{}
	wanted, chosen := group["selected_option_id"].(string)
	for i, entry := range options {
		where, option := at(path+".options", i), object(entry)
		title := text(option["title"])
		r.require(!titles[title], where+".title", "another option is called %q too", title)
		titles[title] = true
		r.require(title == "" || described(option["description"]) != title, where+".description", "it repeats the title")
		sum := r.totals(where+".totals", list(option["totals"]))
		r.require(sum.count[total] == 1, where+".totals", "there must be one total, there are %d", sum.count[total])
		if chosen && text(option["id"]) == wanted {
			cost, selected = sum.of[total], true
		}
	}
	r.require(!chosen || selected, path+".selected_option_id", "%q is not among the options", wanted)
	return cost, selected
}

func described(description any) string {
	if plain := text(object(description)["plain"]); plain != "" {
		return strings.TrimSpace(plain)
	}
	return strings.TrimSpace(text(description))
}

// houseFulfillment checks that everything ships at once, as Haggle does, and that the total is the cost of the selected
// option.
func (r *report) houseFulfillment(methods []any, chosen int64, all bool) {
	r.require(len(methods) <= 1, "$.fulfillment.methods", "there is one way, shipping")
	var shown int64
	count := 0
	for _, entry := range list(r.root["totals"]) {
		if text(object(entry)["type"]) == fulfillment {
			shown += amount(entry)
			count++
		}
	}
	if all {
		r.require(count == 1 && shown == chosen, "$.totals", "the selected option costs %d, fulfillment is %d", chosen, shown)
	}
}

package console

import (
	"maps"
	"slices"
	"strings"
)

// regionLines formats the rules of regions, one a line: the region, its mode and its own text, if it has one.
func regionLines(rules map[string]any) string {
	var lines []string
	for _, region := range slices.Sorted(maps.Keys(rules)) {
		rule, _ := rules[region].(map[string]any)
		lines = append(lines, strings.TrimSpace(region+" "+plainValue(rule["mode"])+" "+plainValue(rule["disclosure_text"])))
	}
	return strings.Join(lines, "\n")
}

// parseRegions is the inverse of regionLines. wrong describes the first line that is no rule.
func parseRegions(text string) (rules map[string]any, wrong string) {
	rules = map[string]any{}
	for line := range strings.Lines(text) {
		region, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if region == "" {
			continue
		}
		mode, own, _ := strings.Cut(strings.TrimSpace(rest), " ")
		switch {
		case rules[region] != nil:
			return nil, "must have one line for " + region
		case !slices.Contains([]string{"allowed", "disclosed", "off"}, mode):
			return nil, "must be a region and allowed, disclosed or off, such as US-NY disclosed, a line"
		}
		rule := map[string]any{"mode": mode}
		if own = strings.TrimSpace(own); own != "" {
			rule["disclosure_text"] = own
		}
		rules[region] = rule
	}
	return rules, ""
}

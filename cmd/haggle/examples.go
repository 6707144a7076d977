package main

import (
	"strings"

	"github.com/alecthomas/kong"
)

// examples are shown in the help of each command.
var examples = map[string][]string{
	"serve": {
		"haggle serve --demo",
		"haggle serve --addr=0.0.0.0:8080 --database-url=postgres://haggle@db/haggle --public-url=https://shops.example.com",
	},
	"simulate": {
		"haggle simulate --demo",
		"haggle simulate --buyers=50 --url=http://127.0.0.1:8080",
		"haggle simulate platforms",
	},
	"import": {
		"haggle import products.csv --project=demo --dry-run",
		"haggle import products_export.csv --project=demo --format=shopify --errors=refused.csv",
	},
	"agents list":      {"haggle agents list --project=demo"},
	"agents tune":      {"haggle agents tune --project=demo", "haggle agents tune --project=demo --negotiations=1000 --activate"},
	"agents explain":   {"haggle agents explain neg_… --project=demo"},
	"agents verify":    {"haggle agents verify --project=demo"},
	"payments list":    {"haggle payments list --project=demo"},
	"payments resolve": {`haggle payments resolve chk_… --charged=pi_… --mfa-code=123456 --reason="seen in Stripe's dashboard"`},
	"refunds list":     {"haggle refunds list --project=demo"},
	"refunds resolve":  {`haggle refunds resolve ref_… --failed --mfa-code=123456 --reason="seen in Stripe's dashboard"`},
	"api": {
		"haggle api /v1/orders -f fulfillment=processing --project=demo",
		"haggle api /v1/orders --paginate --jq='.data[].id'",
		"haggle api post /v1/projects -f name=Shop -f slug=shop",
		"haggle api patch /v1/projects/proj_…/settings -F commerce.max_discount_percent=20",
		"haggle api post /v1/catalog/products --input=product.json --project=demo",
	},
	"listen": {
		"haggle listen --project=demo",
		"haggle listen --project=demo --forward-to=http://127.0.0.1:3000/webhooks --events='order.*,return.requested'",
	},
	"keys create":        {"haggle keys create", "haggle keys create --name=ci --scopes=catalog:write,projects:read --projects=demo --expires-in=24h"},
	"keys list":          {"haggle keys list"},
	"keys revoke":        {"haggle keys revoke key_…"},
	"keys rotate-master": {`haggle keys rotate-master --master-key="$NEW,$OLD"`},
	"members invite":     {"haggle members invite ada@example.com", "haggle members invite grace@example.com --role=support --projects=demo"},
	"members list":       {"haggle members list"},
	"members revoke":     {"haggle members revoke mem_…"},
	"members reset-mfa":  {"haggle members reset-mfa mem_…"},
	"doctor":             {"haggle doctor", "haggle doctor --json"},
	"health":             {"haggle health", "haggle health --live --timeout=1s"},
	"verify":             {"haggle verify", "haggle verify --wait=30s"},
	"migrate":            {"haggle migrate --database-url=postgres://haggle@db/haggle", "haggle migrate --print-distribution"},
	"backup":             {"haggle backup shop.haggle"},
	"restore":            {"haggle restore shop.haggle --database-url=sqlite://new.db"},
	"search-eval":        {"haggle search-eval --help"},
	"licenses":           {"haggle licenses"},
	"completion":         {"haggle completion bash > /etc/bash_completion.d/haggle", "haggle completion zsh > ~/.zfunc/_haggle", "haggle completion fish > ~/.config/fish/completions/haggle.fish"},
	"help":               {"haggle help keys create"},
	"version":            {"haggle version"},
}

// addExamples puts the examples below the help of each command, and returns the commands without one.
func addExamples(node *kong.Node, path string) (without []string) {
	for _, child := range node.Children {
		of := strings.TrimSpace(path + " " + child.Name)
		if len(child.Children) > 0 {
			without = append(without, addExamples(child, of)...)
			continue
		}
		lines := examples[of]
		if len(lines) == 0 {
			without = append(without, of)
			continue
		}
		child.Detail = strings.TrimSpace(child.Detail + "\n\nExamples:\n\n  " + strings.Join(lines, "\n  "))
	}
	return without
}

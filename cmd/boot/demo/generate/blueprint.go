package main

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed blueprints/*.txt
var files embed.FS

// departments are in the catalogue's order.
var departments = []string{"outdoor", "kitchen", "home", "electronics", "apparel", "sports", "garden", "kids"}

// blueprint is a product in the handwritten format.
type blueprint struct {
	sku, brand, name, description string
	category                      string
	cents                         int
	sizes                         []size
	colors                        []string
	attributes                    map[string]string
	tags, related                 []string
	likes, dislikes               []string // of the subcategory
}

// size is a size and its surcharge.
type size struct {
	name  string
	extra int // cents
}

func readBlueprints() ([]blueprint, error) {
	var all []blueprint
	for _, department := range departments {
		text, err := files.ReadFile("blueprints/" + department + ".txt")
		if err != nil {
			return nil, err
		}
		some, err := readDepartment(department, string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func readDepartment(department, text string) ([]blueprint, error) {
	var all []blueprint
	var sub blueprint // the common values of a subcategory's products
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		var err error
		switch {
		case line == "":
		case strings.HasPrefix(line, "@"):
			sub, err = readSubcategory(department, line)
		case i+2 >= len(lines):
			err = fmt.Errorf("a product takes three lines")
		default:
			b := sub
			err = b.read(line, lines[i+1], lines[i+2])
			all = append(all, b)
		}
		if err != nil {
			return nil, fmt.Errorf("%s.txt:%d: %w", department, i+1, err)
		}
		if line != "" && !strings.HasPrefix(line, "@") {
			i += 2
		}
	}
	return all, nil
}

func readSubcategory(department, line string) (blueprint, error) {
	fields := split(line[1:], "|")
	if len(fields) != 3 {
		return blueprint{}, fmt.Errorf("a subcategory has a name, likes and dislikes")
	}
	return blueprint{
		category: department + "/" + fields[0],
		likes:    split(fields[1], ";"),
		dislikes: split(fields[2], ";"),
	}, nil
}

func (b *blueprint) read(head, description, rest string) error {
	fields, details := split(head, "|"), split(rest, "|")
	if len(fields) != 5 || len(details) != 3 {
		return fmt.Errorf("a product has 5 fields in its first line and 3 in its third")
	}
	b.sku, b.brand, b.name, b.description = fields[0], fields[1], fields[2], strings.TrimSpace(description)
	var err error
	if b.cents, err = cents(fields[3]); err != nil {
		return err
	}
	if err := b.readVariants(fields[4]); err != nil {
		return err
	}
	b.attributes = map[string]string{}
	for _, pair := range split(details[0], ";") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return fmt.Errorf("attribute %q has no value", pair)
		}
		b.attributes[key] = value
	}
	b.tags, b.related = split(details[1], ","), split(details[2], ",")
	return nil
}

func (b *blueprint) readVariants(scheme string) error {
	for _, part := range split(scheme, ";") {
		kind, values, _ := strings.Cut(part, ":")
		switch kind {
		case "color":
			b.colors = split(values, ",")
		case "size":
			for _, value := range split(values, ",") {
				name, extra, _ := strings.Cut(value, " +")
				more, err := cents("0" + extra)
				if err != nil {
					return err
				}
				b.sizes = append(b.sizes, size{name, more})
			}
		default:
			return fmt.Errorf("%q is neither size nor color", kind)
		}
	}
	return nil
}

// cents parses "84.95", "39.5" or "249".
func cents(text string) (int, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > 2 {
		return 0, fmt.Errorf("price %q has more than two decimals", text)
	}
	n, err := strconv.Atoi(whole + (fraction + "00")[:2])
	if err != nil {
		return 0, fmt.Errorf("price %q is no number", text)
	}
	return n, nil
}

func split(text, by string) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	parts := strings.Split(text, by)
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

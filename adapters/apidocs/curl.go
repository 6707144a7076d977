package apidocs

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// reference matches a reference in an example to a value in the response of another operation's first example.
var reference = regexp.MustCompile(`^\$([\w-]+)\.response\.body#((?:/\w+)+)$`)

// call is an operation with an example of its parameters and body.
type call struct {
	*operation
	parameters map[string]any // by name: those that are required, and those that have an example
	body       any            // nil: none
}

// script writes calls as commands for a shell.
type script struct {
	*book
	lines []string
	known map[string]string // shell variables by reference
}

// commands returns the shell commands of a call, after those that obtain the values it references.
func (b *book) commands(c call) string {
	s := &script{book: b, known: map[string]string{}}
	last := s.curl(c, 0)
	return strings.Join(append(s.lines, last), "\n")
}

// deepestChain bounds a chain of references.
const deepestChain = 8

func (s *script) curl(c call, depth int) string {
	path := c.Path
	var query []string
	headers := s.headers(c)
	for _, p := range c.Parameters {
		value, ok := c.parameters[p.Name]
		if !ok {
			continue
		}
		text := s.shell(p.Name, value, depth)
		switch p.In {
		case "path":
			path = strings.Replace(path, "{"+p.Name+"}", text, 1)
		case "query":
			if !strings.HasPrefix(text, "$") {
				text = url.QueryEscape(text)
			}
			query = append(query, p.Name+"="+text)
		case "header":
			headers = append(headers, p.Name+": "+text)
		}
	}
	if c.Method == toolMethod {
		c.body = invocation(c.Path, c.body)
		return "curl -s " + s.mcp + " \\\n  --json '" + s.json(c.body, depth) + "'"
	}
	address := s.base + path
	if len(query) > 0 {
		address += "?" + strings.Join(query, "&")
	}
	words := []string{"curl -s " + quoted(address)}
	if c.Method != "GET" && (c.Method != "POST" || c.body == nil) {
		words[0] = "curl -s -X " + c.Method + " " + quoted(address)
	}
	for _, h := range headers {
		quote := `"`
		if strings.Contains(h, quote) {
			quote = "'"
		}
		words = append(words, "-H "+quote+h+quote)
	}
	switch {
	case c.RequestBody != nil && c.RequestBody.Content["text/csv"] != nil:
		words = append(words, `-H "Content-Type: text/csv"`, "--data-binary '"+productFile+"'")
	case c.body != nil:
		words = append(words, "--json '"+s.json(c.body, depth)+"'")
	}
	return strings.Join(words, " \\\n  ")
}

// productFile is the body of operations that take a file.
const productFile = "sku,name,price,quantity\nLAMP-9,Desk lamp,39.90,12\n"

// headers returns the headers that identify the caller and the project.
func (s *script) headers(c call) []string {
	var headers []string
	if tagOf(c.operation) == offerTag {
		headers = append(headers, `UCP-Agent: profile="https://agent.example/profile.json"`)
	}
	if needsKey(c.operation) {
		headers = append(headers, "Authorization: Bearer $HAGGLE_KEY")
	}
	if slices.ContainsFunc(c.Parameters, func(p *parameter) bool { return p.Name == projectHeader }) {
		headers = append(headers, projectHeader+": "+s.sample.project)
	}
	return headers
}

const projectHeader = "X-Project-ID"

func needsKey(op *operation) bool {
	return slices.ContainsFunc(op.Security, func(s map[string][]string) bool { return len(s) > 0 })
}

// quoted returns an address quoted for the shell.
func quoted(address string) string {
	if strings.ContainsAny(address, "$?&{}") {
		return `"` + address + `"`
	}
	return address
}

// shell returns a value for use within double quotes. A reference becomes a variable that an earlier command sets.
func (s *script) shell(name string, value any, depth int) string {
	text, ok := value.(string)
	if !ok {
		return compact(value)
	}
	if variable := s.variable(name, text, depth); variable != "" {
		return "$" + variable
	}
	return text
}

// variable returns the variable that has the value of a reference, "" if the text is not a reference.
func (s *script) variable(name, text string, depth int) string {
	match := reference.FindStringSubmatch(text)
	if match == nil {
		return ""
	}
	if known, ok := s.known[text]; ok {
		return known
	}
	if variable := pointed(match[2]); variable != "" {
		name = variable
	}
	name = strings.ToLower(strings.ReplaceAll(name, "-", "_"))
	s.known[text] = name
	of := s.byID[match[1]]
	if of == nil || depth == deepestChain {
		return name
	}
	first := s.curl(s.example(of), depth+1)
	s.lines = append(s.lines, name+"=$("+first+" | jq -r '"+selector(match[2])+"')")
	return name
}

// pointed returns the name of the value at a JSON pointer, "" if that name is too generic.
func pointed(pointer string) string {
	parts := strings.Split(pointer, "/")
	last, before := parts[len(parts)-1], parts[len(parts)-2]
	switch {
	case last != "id":
		return last
	case before == "structuredContent": // of a tool
		return ""
	case before != "" && strings.Trim(before, "0123456789") != "":
		return before + "_id"
	}
	return ""
}

// selector converts a JSON pointer to a jq filter.
func selector(pointer string) string {
	var out strings.Builder
	for _, part := range strings.Split(pointer, "/")[1:] {
		if strings.Trim(part, "0123456789") == "" {
			out.WriteString("[" + part + "]")
			continue
		}
		out.WriteString("." + part)
	}
	return out.String()
}

var referenceInJSON = regexp.MustCompile(`"(\$[\w-]+\.response\.body#(?:/\w+)+)"`)

// json returns a body for use within single quotes.
func (s *script) json(body any, depth int) string {
	text := strings.ReplaceAll(indented(body), "'", `'\''`)
	text = referenceInJSON.ReplaceAllStringFunc(text, func(found string) string {
		return `"'"$` + s.variable("id", found[1:len(found)-1], depth) + `"'"`
	})
	return strings.ReplaceAll(text, "\n", "\n  ")
}

// indented returns a value as JSON, on one line if it is short.
func indented(v any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return ""
	}
	text := strings.TrimSpace(out.String())
	if len(text) <= 72 {
		return text
	}
	var lines bytes.Buffer
	if err := json.Indent(&lines, []byte(text), "", "  "); err != nil {
		return text
	}
	return lines.String()
}

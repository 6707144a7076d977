package assistant

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/haggle-commerce/haggle/simulator/ucp"
	"github.com/haggle-commerce/haggle/simulator/ucp/judge"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// callTimeout limits one call.
const callTimeout = 30 * time.Second

// shop is an MCP connection to a shop's endpoint.
type shop struct {
	session *mcp.ClientSession
	name    string
	version string
	tools   map[string]bool
	judge   judge.Judge
	answers int
	wrong   []string // schema violations in answers
}

// enter connects as any MCP client does and lists the tools.
func enter(ctx context.Context, address string) (*shop, error) {
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return nil, fmt.Errorf("%q is no address of an MCP endpoint: it begins with http:// or https://, such as http://127.0.0.1:8080/p/demo/mcp", address)
	}
	last := &lastAnswer{}
	client := mcp.NewClient(&mcp.Implementation{Name: "haggle-sim", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:             address,
		HTTPClient:           &http.Client{Timeout: callTimeout, Transport: last},
		MaxRetries:           -1,
		DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return nil, last.explain(address, err)
	}
	s := &shop{
		session: session,
		tools:   map[string]bool{},
		judge:   judgeOf(schema.Versions[0]),
	}
	if hello := session.InitializeResult(); hello != nil && hello.ServerInfo != nil {
		s.name, s.version = hello.ServerInfo.Name+" "+hello.ServerInfo.Version, hello.ProtocolVersion
	}
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			s.leave()
			return nil, last.explain(address, err)
		}
		s.tools[tool.Name] = true
	}
	return s, s.needs(judge.SearchCatalog, judge.GetProduct, judge.CreateCheckout, judge.UpdateCheckout, judge.CompleteCheckout)
}

func judgeOf(version schema.Version) judge.Judge { return judge.New(version).House().At(time.Now) }

func (s *shop) leave() { _ = s.session.Close() }

// needs returns an error if the server lacks one of the tools.
func (s *shop) needs(tools ...judge.Operation) error {
	for _, tool := range tools {
		if !s.tools[string(tool)] {
			s.leave()
			return fmt.Errorf("the MCP server there is no shop that can be bought from: it has no tool %s", tool)
		}
	}
	return nil
}

// lastAnswer keeps the latest HTTP response, to explain a failed connection.
type lastAnswer struct {
	status int
	kind   string
	err    error
}

// RoundTrip sends a request.
func (l *lastAnswer) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := http.DefaultTransport.RoundTrip(r)
	if l.err = err; err == nil {
		l.status, l.kind = answer.StatusCode, answer.Header.Get("Content-Type")
	}
	return answer, err
}

const whereShopsAre = "The address of a shop's endpoint ends in /p/SLUG/mcp."

// explain says in one sentence why the connection failed.
func (l *lastAnswer) explain(address string, err error) error {
	switch {
	case l.err != nil:
		return fmt.Errorf("cannot reach %s: %w (is the server running?)", address, l.err)
	case l.status == http.StatusNotFound:
		return fmt.Errorf("%s answers 404: there is no such shop, or it does not speak MCP. %s", address, whereShopsAre)
	case l.status >= http.StatusBadRequest, !strings.HasPrefix(l.kind, "application/json") && !strings.HasPrefix(l.kind, "text/event-stream"):
		return fmt.Errorf("%s is no MCP endpoint: it answers %d %s. %s", address, l.status, clean(l.kind), whereShopsAre)
	}
	return fmt.Errorf("%s is no MCP endpoint. %s (%s)", address, whereShopsAre, clean(err.Error()))
}

// refusal is a shop's refusal in its own words.
type refusal struct {
	tool, text string
}

func (r refusal) Error() string { return r.tool + " was refused: " + r.text }

// call calls a tool, validates the answer and decodes it.
func call[T any](ctx context.Context, s *shop, tool judge.Operation, arguments map[string]any) (answer T, err error) {
	result, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: string(tool), Arguments: arguments})
	if wire, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return answer, refusal{string(tool), clean(wire.Message)}
	}
	if err != nil {
		return answer, fmt.Errorf("%s: %w", tool, err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		return answer, err
	}
	body, wrong := judge.StructuredContent(text)
	s.note(tool, wrong)
	if body == nil {
		return answer, fmt.Errorf("%s: %w", tool, wrong)
	}
	var said struct {
		UCP      ucp.Envelope `json:"ucp"`
		Messages ucp.Messages `json:"messages"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return answer, fmt.Errorf("%s: %w", tool, err)
	}
	if version := schema.Version(said.UCP.Version); s.answers == 0 && slices.Contains(schema.Versions, version) {
		s.judge = judgeOf(version) // an endpoint serves one version
	}
	s.answers++
	s.note(tool, s.judge.Answer(tool, nil, body))
	if said.UCP.Status == "error" {
		return answer, refusal{string(tool), sentences(said.Messages)}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return answer, fmt.Errorf("%s: %w", tool, err)
	}
	return answer, nil
}

func (s *shop) note(tool judge.Operation, wrong error) {
	if wrong != nil {
		s.wrong = append(s.wrong, fmt.Sprintf("%s: %v", tool, wrong))
	}
}

// keyed adds an idempotency key to the arguments of a write, so that it can be repeated.
func keyed(arguments map[string]any) map[string]any {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	arguments["meta"] = map[string]any{"idempotency-key": fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])}
	return arguments
}

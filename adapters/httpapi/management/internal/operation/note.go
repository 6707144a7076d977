package operation

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
)

// keyOwner returns the owner of an idempotency key: the API key or the member, together with the project that the request names.
// The account is not the owner, because its other keys may not be allowed to see the answer.
func keyOwner(e entry, _ []byte) string {
	if e.Caller.Key == nil {
		return ""
	}
	named := e.Request.Header.Get(projectHeader)
	if e.Caller.Project != nil && project.IsSlug(named) {
		named = e.Caller.Project.ID.String() // so that slug and id are the same project's
	}
	return e.Caller.Actor() + " " + named
}

// NoteProject names the project that was opened.
func NoteProject(rq Request, p id.Project) { rq.Note.Project, rq.Note.Target = p, p.String() }

// NoteTarget notes the id of the changed object if it is not the last id of the path.
func NoteTarget(rq Request, id string) { rq.Note.Target = id }

// NoteChange notes an object before and after its change, as the API shows it.
func NoteChange(rq Request, before, after any) { rq.Note.Before, rq.Note.After = before, after }

// NoteCreated notes a created object and its id.
func NoteCreated(rq Request, id string, made any) {
	rq.Note.Target = id
	NoteChange(rq, nil, made)
}

// mostNoted is the length of the longest list that is noted in full.
const mostNoted = 20

// NoteList notes a list that was written, or only the length of a list longer than mostNoted.
func NoteList[T any](rq Request, name string, list []T) {
	if len(list) > mostNoted {
		NoteChange(rq, nil, map[string]int{"count": len(list)})
		return
	}
	NoteChange(rq, nil, map[string]any{name: list})
}

// PathTarget returns the id in a request's path of what its operation changes, or "" without one. The audit log gets it as the
// target unless the handler notes another.
func (a *API) PathTarget(operation string, r *http.Request) string {
	return r.PathValue(a.specs[operation].target)
}

// event returns the audit event of a request.
func (a *API) event(ctx context.Context, e entry, n wire.Note) *audit.Event {
	made := &audit.Event{
		ID:        a.NewEventID(),
		Account:   e.Caller.Account.ID,
		Key:       e.Caller.Key.ID,
		Action:    e.Operation.OperationID,
		Target:    n.Target,
		Address:   e.Caller.Address.String(),
		RequestID: wire.RequestID(ctx),
		At:        a.Clock.Now(),
		Project:   n.Project,
	}
	if m := e.Caller.Member; m != nil {
		made.Member = m.ID
	}
	if e.Caller.Project != nil {
		made.Project = e.Caller.Project.ID
	}
	if made.Target == "" {
		made.Target = cmp.Or(a.PathTarget(e.Operation.OperationID, e.Request), made.Project.String())
	}
	made.Before, made.After = difference(n.Before, n.After)
	return made
}

// difference returns the fields that differ between two values of one type, as JSON objects. If one of the values is nil, it returns
// "" for it and the other value whole.
func difference(before, after any) (was, is string) {
	old, young := object(before), object(after)
	if old != nil && young != nil {
		old, young = differing(old, young)
	}
	return objectText(old), objectText(young)
}

func differing(old, young map[string]any) (was, is map[string]any) {
	was, is = map[string]any{}, map[string]any{}
	names := maps.Clone(old)
	maps.Copy(names, young)
	for name := range names {
		inner, nested := old[name].(map[string]any)
		other, both := young[name].(map[string]any)
		switch {
		case reflect.DeepEqual(old[name], young[name]):
		case nested && both:
			was[name], is[name] = differing(inner, other)
		default:
			was[name], is[name] = old[name], young[name]
		}
	}
	return was, is
}

// object returns a response's value as plain JSON values, with numbers as json.Number.
func object(v any) map[string]any {
	if v == nil {
		return nil
	}
	text, err := wire.Marshal(v)
	if err != nil {
		return nil
	}
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.UseNumber()
	var plain map[string]any
	if reader.Decode(&plain) != nil {
		return nil
	}
	return plain
}

func objectText(o map[string]any) string {
	if o == nil {
		return ""
	}
	text, err := json.Marshal(o)
	if err != nil {
		return ""
	}
	return string(text)
}

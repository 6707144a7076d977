package operation

import "testing"

func TestDifference(t *testing.T) {
	t.Parallel()
	type group struct {
		Percent float64 `json:"percent"`
		On      bool    `json:"on"`
	}
	type thing struct {
		Name  string   `json:"name"`
		Group group    `json:"group"`
		List  []string `json:"list"`
	}
	was := thing{"a", group{12.5, true}, []string{"x"}}
	for _, c := range []struct {
		name          string
		before, after any
		was, is       string
	}{
		{"nothing", nil, nil, "", ""},
		{"the same", was, was, "{}", "{}"},
		{"a field", was, thing{"b", was.Group, was.List}, `{"name":"a"}`, `{"name":"b"}`},
		{"a nested one", was, thing{"a", group{10, true}, was.List}, `{"group":{"percent":12.5}}`, `{"group":{"percent":10}}`},
		{"a list", was, thing{"a", was.Group, nil}, `{"list":["x"]}`, `{"list":[]}`},
		{"a new thing", nil, group{1, true}, "", `{"on":true,"percent":1}`},
		{"a thing gone", group{1, true}, nil, `{"on":true,"percent":1}`, ""},
	} {
		if was, is := difference(c.before, c.after); was != c.was || is != c.is {
			t.Errorf("%s: %s became %s, want %s became %s", c.name, was, is, c.was, c.is)
		}
	}
}

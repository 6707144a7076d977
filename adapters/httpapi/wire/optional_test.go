package wire_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

func TestOptional_Group(t *testing.T) {
	t.Parallel()
	type group struct {
		Name  wire.Optional[string] `json:"name,omitzero"`
		Count wire.Optional[int]    `json:"count,omitzero"`
	}
	for text, want := range map[string][2]bool{ // whether name is given, and null
		`{}`:                          {false, false},
		`{"group":{}}`:                {false, false},
		`{"group":{"name":"a"}}`:      {true, false},
		`{"group":{"name":null}}`:     {true, true},
		`{"group":null}`:              {true, true},
		`{"group":{"count":null}}`:    {false, false},
		`{"group":{"count":2}}`:       {false, false},
		`{"group":{"name":"","x":1}}`: {true, false},
	} {
		var in struct {
			Group wire.Optional[group] `json:"group,omitzero"`
		}
		if json.Unmarshal([]byte(text), &in) != nil {
			t.Fatal(text)
		}
		if name := in.Group.Group().Name; name.Given() != want[0] || name.Null() != want[1] {
			t.Errorf("%s: %t %t", text, name.Given(), name.Null())
		}
	}
}

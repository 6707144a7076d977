package accounts

import (
	"reflect"
	"testing"

	"github.com/haggle-commerce/haggle/domain/personalization"
)

func TestReadRules(t *testing.T) {
	t.Parallel()
	if r, err := readRules(""); err != nil || !reflect.DeepEqual(r, personalization.DefaultRules()) {
		t.Errorf("of an earlier release: %+v, %v", r, err)
	}
	own := personalization.Rules{
		Default: personalization.Off,
		Regions: []personalization.Region{
			{Region: "DE", Mode: personalization.Off},
			{Region: "US", Mode: personalization.Allowed},
		},
	}
	text, err := personalizationFormat.Text(own)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := readRules(text); err != nil || !reflect.DeepEqual(r, own) {
		t.Errorf("%s is read as %+v, %v", text, r, err)
	}
}

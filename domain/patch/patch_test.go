package patch_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/patch"
)

func TestField_Apply(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		field  patch.Field[int]
		given  bool
		value  bool
		result int
	}{
		"left out": {patch.Field[int]{}, false, false, 1},
		"null":     {patch.Null[int](), true, false, 2},
		"a value":  {patch.To(3), true, true, 3},
		"zero":     {patch.To(0), true, true, 0},
	} {
		target := 1
		c.field.Apply(&target, 2)
		_, value := c.field.Value()
		if target != c.result || value != c.value || c.field.Given() != c.given {
			t.Errorf("%s: 1 becomes %d with fallback 2, value %v, given %v", name, target, value, c.field.Given())
		}
	}
}

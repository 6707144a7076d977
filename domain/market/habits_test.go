package market

import (
	"strings"
	"testing"
)

func TestHabits_Check(t *testing.T) {
	t.Parallel()
	if err := UsualHabits().Check(); err != nil {
		t.Error(err)
	}
	for says, h := range map[string]Habits{
		"deadlines":       {3, 2, .5, .6, .9},
		"between 1 and":   {0, 2, .5, .6, .9},
		"1 and 20":        {3, 21, .5, .6, .9},
		"first offers":    {3, 8, .6, .5, .9},
		"above 0":         {3, 8, 0, .5, .9},
		"at most 1":       {3, 8, .5, 1.1, .9},
		"hardliners offe": {3, 8, .5, .6, 1.1},
	} {
		if err := h.Check(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v; want %s", h, err, says)
		}
	}
}

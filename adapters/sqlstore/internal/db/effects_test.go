package db

import (
	"testing"
)

func TestShiftedParameters(t *testing.T) {
	t.Parallel()
	const statement = "UPDATE a SET b = $2, c = $12 WHERE d = $1"
	if got, want := shifted(statement, 9), "UPDATE a SET b = $11, c = $21 WHERE d = $10"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

package db

import (
	"strings"
	"testing"
)

func TestRenumber(t *testing.T) {
	t.Parallel()
	const statement = "UPDATE a SET b = $2, c = $12 WHERE d = $1"
	var got strings.Builder
	renumber(&got, statement, 9)
	if want := "UPDATE a SET b = $11, c = $21 WHERE d = $10"; got.String() != want {
		t.Errorf("got %s, want %s", got.String(), want)
	}
}

package search_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/search"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
)

func TestIndex(t *testing.T) {
	t.Parallel()
	adaptertest.Index(t, func() ports.Index { return search.New(search.Options{}) })
}

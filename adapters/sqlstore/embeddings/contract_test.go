package embeddings_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

func TestEmbeddings(t *testing.T) { storetest.Suite(t, Vectors) }

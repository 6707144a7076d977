package announcements_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestLateAnnouncements(t *testing.T) { storetest.Suite(t, porttest.LateAnnouncements) }

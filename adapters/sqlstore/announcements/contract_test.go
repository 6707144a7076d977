package announcements_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

func TestLateAnnouncements(t *testing.T) { storetest.Suite(t, LateAnnouncements) }

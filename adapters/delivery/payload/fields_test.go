package payload_test

import (
	"reflect"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/delivery/payload"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/money"
)

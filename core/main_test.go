package core_test

import (
	"testing"

	"go.uber.org/goleak"
)

// An engine leaves no goroutine behind once it is closed.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

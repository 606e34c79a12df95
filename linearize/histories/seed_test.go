package histories

import (
	"os"
	"testing"

	"ndkoracle/internal/rapidseed"
)

func TestMain(m *testing.M) { os.Exit(rapidseed.Run(m)) }

module ndkoracle

go 1.26

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/klauspost/compress v1.20.3
	pgregory.net/rapid v1.3.0
)

module example.org/provider

go 1.26

require ndkoracle v0.0.0

require (
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
)

replace ndkoracle => ../..

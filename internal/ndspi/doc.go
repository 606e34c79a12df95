// Package ndspi holds the tests of the recorder in c/ndspi: the example provider of c/example/ndspi is driven through it by a consumer, as programs of Windows
// under Wine.
package ndspi

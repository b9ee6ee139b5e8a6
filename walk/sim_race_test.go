//go:build race

package walk_test

const raced = true // the race detector makes all of it ten times slower

//go:build !race

package walk_test

const raced = false

//go:build race

package mapfile_test

func init() { raced = true }

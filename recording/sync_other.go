//go:build !unix

package recording

// syncFolder does nothing where a folder cannot be synced.
func syncFolder(string) error { return nil }

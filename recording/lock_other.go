//go:build !unix

package recording

import "os"

// lock does nothing where there is no advisory lock: two processes that write
// one recording are then not kept apart.
func lock(*os.File) error { return nil }

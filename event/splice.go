package event

import (
	"slices"

	"github.com/spoorhq/spoor/model"
)

// Splices changes a request in place, one splice after the other. One that
// reaches beyond the request, which only a damaged recording has, is cut to it.
func Splices(parts []model.Part, splices []Splice) []model.Part {
	for _, s := range splices {
		at := min(max(s.At, 0), len(parts))
		end := at + min(max(s.Drop, 0), len(parts)-at)
		if cap(parts)-len(parts) < len(s.Put) {
			parts = slices.Grow(parts, max(len(parts), len(s.Put))) // a turn goes on: double
		}
		parts = slices.Replace(parts, at, end, s.Put...)
	}
	return parts
}
